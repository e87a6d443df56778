"""Agents that do what nobody expects: each ends in one named ending, and its records can be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
ONE_ARM = ("--arm", "with_skill", "--format", "json")


def records(archive: Path) -> list[dict[str, Any]]:
    """The host's records of the one trial."""
    (file,) = archive.glob("trials/*/with_skill/1/host.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    "litter",
    [
        "mkfifo pipe",
        "ln -s pipe loop; ln -s loop pipe",
        "python3 -c \"open(b'\\xff\\xfe-name', 'w')\"",
        "python3 -c \"import os; os.mkdir(b'\\xff'); open(b'\\xff/inner', 'w')\"",
        "python3 -c \"open('e\\u0301', 'w'); open('\\u00e9', 'w')\"",
        "touch \"$(printf 'new\\nline')\" \"$(printf 'tab\\there')\"",
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('socket')\"",
        "truncate -s 900G sparse",
        "mkdir -p $(printf 'd/%.0s' $(seq 300)); touch $(printf 'd/%.0s' $(seq 300))deep",
        "ln agent.sh hard; chmod u+s agent.sh",
    ],
    ids=[
        "FIFO", "loop of links", "undecodable file", "undecodable folder", "NFC and NFD", "control characters",
        "socket", "900 GB of nothing", "300 folders deep", "hard link",
    ],
)  # fmt: skip
def test_whatever_an_agent_leaves_is_recorded_and_judged_again_alike(
    skilltrial: Command, greeter: Callable[..., Path], litter: str
) -> None:
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\n{litter}\necho hello > greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, *AGENT)

    assert (ran.code, ran.verdicts) == (0, {"greet/with_skill/1": "passed"}), ran.err
    assert skilltrial("grade", "run", "--format", "json").out == ran.out
    assert skilltrial("verify", "run").code == 0


@pytest.mark.parametrize(
    ("says", "seen"),
    [
        ("printf '\\377\\376 caf\\351\\n'", "\N{REPLACEMENT CHARACTER}"),
        ("printf 'one\\r\\ntwo\\r\\n'", "two"),
        ("printf 'no newline at the end'", "no newline at the end"),
        ("printf 'a\\0b\\n'", "a\0b"),
        ("printf '\\033[2J\\033]0;title\\a\\n'", "title"),
        ("printf '\\342\\200\\250line separator\\n'", "line separator"),
    ],
    ids=["invalid UTF-8", "CRLF", "no newline", "NUL", "terminal codes", "line separators"],
)
def test_r06_what_a_program_prints_is_kept_whatever_bytes_it_is_made_of(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, says: str, seen: str
) -> None:
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\n{says}\n{says} >&2\necho hello > greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, *AGENT)

    assert ran.code == 0, ran.err
    for source in ("stdout", "stderr"):
        text = "\n".join(one["raw"] for one in records(tmp_path / "run") if one["source"] == source)
        assert seen in text or (seen == "\N{REPLACEMENT CHARACTER}" and "caf" in text), text
    assert "\033" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("agent", "why"),
    [("./missing", "missing"), ("./greeting-data", "not_executable"), ("./no-interpreter", "not_a_program")],
)
def test_r06_a_launcher_that_does_not_start_is_no_zero_but_a_named_reason(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, why: str
) -> None:
    suite = greeter()
    (tmp_path / "start" / "greeting-data").write_text("data")
    program = tmp_path / "start" / "no-interpreter"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, "--host", "portable", "--", agent)

    assert ran.code == 3
    trial = ran.trials["greet/with_skill/1"]
    assert (trial["ending"], trial["verdict"]["kind"]) == ("host_unavailable", "incomplete")
    told = [json.loads(one["raw"]) for one in records(tmp_path / "run") if one["source"] == "runner"]
    assert [one["why"] for one in told if one["note"] == "unavailable"] == [why]


@pytest.mark.parametrize(
    ("agent", "lines"),
    [
        ("exec >&-; echo hello > greeting.txt", 0),
        ("seq 200000; echo hello > greeting.txt", 200_000),
        ("(sleep 0.2; echo late) & echo early; echo hello > greeting.txt", 1),
        ("head -c 6000000 /dev/zero | tr '\\0' x; echo hello > greeting.txt", 1),
        ("exec 2>&1; echo out; echo err >&2; echo hello > greeting.txt", 2),
    ],
    ids=["closes stdout", "200,000 lines and gone", "writes after its end", "one line of 6 MB", "one stream for both"],
)
def test_what_a_program_prints_before_it_ends_is_all_there(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, lines: int
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\ncat > /dev/null\n{agent}\n"), "--out", "run", *ONE_ARM, *AGENT)

    assert ran.code == 0, ran.err
    assert sum(one["source"] == "stdout" for one in records(tmp_path / "run")) == lines


def test_more_files_than_the_limit_cut_the_listing_and_never_pass_a_check_on_what_was_not_listed(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter(
        "#!/bin/sh\ncat > /dev/null\nfor i in $(seq 250); do : > a$i; done\necho hello > zzz.txt\n",
        text="""\
limits: {files_out: 50}
cases:
  greet:
    prompt: Greet.
    workspace: start
    expect:
      - {id: unseen, files: zzz.txt, contains: hello}
      - {id: not_there, files: zzzz.txt, exists: false}
      - {id: counted, files: "a*", count: 250}
""",
    )

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, *AGENT)

    assert ran.code == 3, ran.err + ran.out
    assert set(ran.outcomes("greet/with_skill/1").values()) <= {"unverified"}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ('echo more >> "$ROOT/greeter/SKILL.md"', "skill greeter"),
        ('echo more > "$ROOT/greeter/more.md"', "skill greeter"),
        ('echo "# more" >> "$ROOT/greeter.trial.yaml"', "the suite file"),
        ('echo more > "$ROOT/start/more.txt"', "the workspace of case greet"),
        ('chmod -x "$ROOT/start/agent.sh"', "the workspace of case greet"),
        ('rm -r "$ROOT/greeter"', "can't be read"),
    ],
    ids=["skill", "a new file of the skill", "suite", "workspace", "a mode", "the skill removed"],
)
def test_a_source_that_changes_during_the_run_makes_it_incomplete_and_is_named(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, changes: str, named: str
) -> None:
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\n{changes}\necho hello > greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, "--pass-env", "ROOT", *AGENT, env={"ROOT": str(tmp_path)})

    assert ran.code == 3, ran.err
    assert ran.report["gate"]["reasons"] == ["sources_changed"]
    assert named in (tmp_path / "run" / "provenance.json").read_text()
    assert named in ran.err, "the operator is told which"
    assert skilltrial("grade", "run").code == 3


@pytest.mark.parametrize(
    "prompt", ["- Ünïcödé, привет, 你好", '- "lone\\ttab and \\"quotes\\""', "- |\n        two\n        lines"]
)
def test_a_prompt_reaches_the_agent_as_it_is_written(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, prompt: str
) -> None:
    suite = greeter(
        "#!/bin/sh\ncat > prompt.txt\n",
        text=f"cases:\n  greet:\n    turns:\n      {prompt}\n    workspace: start\n"
        "    expect: [{files: prompt.txt, exists: true}]\n",
    )

    ran = skilltrial("run", suite, "--out", "run", *ONE_ARM, *AGENT)

    assert ran.code == 0, ran.err
    source = json.loads((tmp_path / "run" / "inputs" / "suite.json").read_text())
    (kept,) = (tmp_path / "run").glob("trials/*/*/*/changed/*")
    assert kept.read_text() == source["cases"][0]["turns"][0]
