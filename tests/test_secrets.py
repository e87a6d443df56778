"""A secret that is given to a trial is nowhere afterwards: not in the archive, the reports, the output, the errors."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
SECRET = 'Heron/Blue+1234"\\é'
"""It has something for every way of writing: a slash, a plus, a quote, a backslash, a letter beyond ASCII."""

TELLS_ALL = """\
#!/usr/bin/env python3
import base64, json, os, sys, urllib.parse
key = os.environ["MY_KEY"]
forms = [key, json.dumps(key), json.dumps(json.dumps(key)), urllib.parse.quote(key, safe=""),
         base64.b64encode(b"user:" + key.encode()).decode(), repr(dict(os.environ))]
for stream in (sys.stdout, sys.stderr):
    print("\\n".join(forms), file=stream)
open("plain.txt", "w").write("\\n".join(forms))
os.makedirs("deep/" + key.replace("/", "_"), exist_ok=True)
open(urllib.parse.quote(key, safe="") + ".txt", "w").write("named")
os.symlink(urllib.parse.quote(key, safe=""), "link")
open("greeting.txt", "w").write("hello")
"""


def spellings() -> list[str]:
    """How the secret may be written."""
    coded = base64.b64encode(b"user:" + SECRET.encode()).decode()
    return [SECRET, json.dumps(SECRET)[1:-1], quote(SECRET, safe=""), SECRET.replace("/", "_"), coded[7:-4]]


@pytest.mark.parametrize("way", ["records", "files and names", "after a failure", "in the command"])
def test_r57_a_passed_secret_is_nowhere_in_what_is_kept_and_shown(
    skilltrial: Command, greeter: Callable[..., Path], holders: Callable[..., list[str]], tmp_path: Path, way: str
) -> None:
    agent = TELLS_ALL
    if way == "after a failure":
        agent += "sys.exit(3)\n"
    if way == "records":
        agent = agent.partition("os.makedirs")[0] + 'open("greeting.txt", "w").write("hello")\n'
    arguments = (*AGENT, f"--key={SECRET}") if way == "in the command" else AGENT

    ran = skilltrial(
        "run", greeter(agent), "--out", "run", "--pass-env", "MY_KEY", "--retries", "0", *arguments,
        env={"MY_KEY": SECRET},
    )  # fmt: skip

    assert ran.code == (3 if way == "after a failure" else 0), ran.err
    graded = skilltrial("grade", "run", "--format", "json")
    markdown = skilltrial("grade", "run", "--format", "markdown")
    for form in spellings()[:3] + spellings()[4:]:
        assert holders(tmp_path / "run", form) == [], form
        for text in (ran.out, ran.err, graded.out, graded.err, markdown.out):
            assert form not in text
    assert all(trial["redactions"] > 0 for trial in graded.trials.values())
    marks = holders(tmp_path / "run", "[redacted MY_KEY]")
    assert any(path.endswith("host.jsonl") for path in marks)


def test_r57_the_same_secret_is_marked_alike_in_every_witness(
    skilltrial: Command, greeter: Callable[..., Path], holders: Callable[..., list[str]], tmp_path: Path
) -> None:
    suite = greeter('#!/bin/sh\necho "$ONE $TWO"; echo "$TWO" > "x-$ONE"; echo hello > greeting.txt\n')
    secrets = {"ONE": "Heron-Blue-1234", "TWO": "Egret-White-5678"}

    ran = skilltrial(
        "run", suite, "--arm", "with_skill", "--out", "run", "--pass-env", "ONE", "--pass-env", "TWO", *AGENT,
        env=secrets,
    )  # fmt: skip

    assert ran.code == 0
    trial = tmp_path / "run" / "trials" / "greet" / "with_skill" / "1"
    assert "[redacted ONE] [redacted TWO]" in (trial / "host.jsonl").read_text()
    assert "x-[redacted ONE]" in (trial / "files.json").read_text()
    assert [path.read_text() for path in (trial / "changed").iterdir() if b"redacted" in path.read_bytes()] == [
        "[redacted TWO]\n"
    ]


def test_r57_a_check_on_a_redacted_text_is_unverified(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    suite = greeter('#!/bin/sh\necho "hello $MY_KEY" > greeting.txt\n')

    ran = skilltrial(
        "run", suite, "--out", "run", "--format", "json", "--pass-env", "MY_KEY", *AGENT, env={"MY_KEY": "Heron-1234"}
    )

    assert ran.code == 3
    assert set(ran.verdicts.values()) == {"unverified"}
    assert ran.trials["greet/with_skill/1"]["verdict"]["reason"] == "content_redacted"


@pytest.mark.parametrize(
    "key",
    ["sk-ant-api03-" + "Ab1_" * 12, "ghp_" + "a1B2" * 9, "AKIA" + "ABCDEFGH12345678"],
    ids=["a provider's key", "a forge's token", "a cloud's key"],
)
def test_r57_a_key_that_an_agent_met_elsewhere_is_found_before_an_archive_is_shared(
    skilltrial: Command, greeter: Callable[..., Path], key: str
) -> None:
    skilltrial("run", greeter(f"#!/bin/sh\necho 'I found {key}'; echo hello > greeting.txt\n"), "--out", "run", *AGENT)

    found = skilltrial("scan", "run")

    assert found.code == 1
    assert "trials/greet/with_skill/1/host.jsonl" in found.out
    assert key not in found.out + found.err


def test_r57_an_archive_without_keys_scans_clean(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    assert skilltrial("scan", "run").code == 0


@pytest.mark.parametrize(
    ("name", "says"), [("NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE"), ("HOME", "HOME"), ("KEY=value", "without a value")]
)
def test_a_variable_that_can_not_be_passed_is_refused_before_anything_starts(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, name: str, says: str
) -> None:
    refused = skilltrial("run", greeter(), "--out", "run", "--pass-env", name, *AGENT)

    assert refused.code == 2
    assert says in refused.err
    assert not (tmp_path / "run").exists()


def test_proxy_credentials_reach_the_agent_of_a_live_run_and_no_file(
    skilltrial: Command, greeter: Callable[..., Path], holders: Callable[..., list[str]], tmp_path: Path
) -> None:
    suite = greeter('#!/bin/sh\nenv; echo hello > greeting.txt\n[ -n "$HTTPS_PROXY" ]\n')

    ran = skilltrial(
        "run", suite, "--out", "run", "--retries", "0", *AGENT,
        env={"HTTPS_PROXY": "http://someone:Heron-Blue-1234@proxy.invalid:8080"},
    )  # fmt: skip

    assert ran.code == 0, ran.err
    assert holders(tmp_path / "run", "Heron-Blue") == []
    assert holders(tmp_path / "run", "proxy.invalid")
