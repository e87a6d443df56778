"""A suite goes in, a real agent runs, a sealed and judged archive comes out; and it can be judged again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

AGENT = ("--host", "portable", "--", "./agent.sh")


def test_an_agent_that_obeys_the_skill_improves_and_its_archive_gives_the_same_report_again(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()

    ran = skilltrial("run", suite, "--out", "run", "--attempts", "2", "--format", "json", *AGENT)

    assert ran.code == 0, ran.err
    verdicts = {(t["key"]["arm"], t["key"]["label"]): t["verdict"]["kind"] for t in ran.report["trials"]}
    assert verdicts == {
        ("with_skill", "1"): "passed",
        ("with_skill", "2"): "passed",
        ("without_skill", "1"): "failed",
        ("without_skill", "2"): "failed",
    }
    assert [(p["reference"], p["outcome"]) for p in ran.report["pairs"]] == [("without_skill", "improved")] * 2
    again = skilltrial("grade", "run", "--format", "json")
    assert (again.code, again.out) == (0, ran.out)
    assert again.out.encode() == (tmp_path / "run" / "report.json").read_bytes()
    assert [path.name for path in (tmp_path / "run").glob("report*")] == ["report.json"]


@pytest.mark.parametrize("name", ["host.jsonl", "trial.json", "files.json", "seal.json"])
def test_one_flipped_byte_is_named_and_nothing_is_judged(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    victim = tmp_path / "run" / "trials" / "greet" / "with_skill" / "1" / name
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(bytes(data))

    for command in ("grade", "verify"):
        refused = skilltrial(command, "run")
        assert refused.code == 4
        assert f"trials/greet/with_skill/1/{name}" in refused.err
        assert not refused.out


def test_every_promise_of_the_shipped_suite_is_kept_on_the_reference_agent(skilltrial: Command) -> None:
    rehearsed = skilltrial(
        "rehearse", "organization", "--out", "run", "--format", "json", "--host", "portable", "--", "skilltrial-agent"
    )

    assert rehearsed.code == 0, rehearsed.err
    promises = rehearsed.report["rehearsal"]["promises"]
    assert {promise["kept"] for promise in promises} == {"yes"}
    assert {promise["case"] for promise in promises} == {
        "policy-english",
        "gateway-russian",
        "typo-english",
        "typo-russian",
    }
    assert rehearsed.report["evidence_kind"] == "scripted-model"


FAULTY = """\
cases:
  any-answer-will-do:
    prompt: Write anything.
    workspace: {notes.txt: "here\\n"}
    expect:
      - {files: notes.txt, exists: true}
    rehearsals:
      - {id: honest, expect: passed, script: [{say: "Fine."}]}
  nobody-can:
    prompt: Write the impossible.
    workspace: {notes.txt: "here\\n"}
    expect:
      - {files: notes.txt, contains: yes}
      - {files: notes.txt, lacks: yes}
    rehearsals:
      - {id: tries, expect: failed, script: [{write_file: {path: notes.txt, text: "yes"}}, {say: "Done."}]}
"""


def test_a_case_that_cannot_fail_and_one_that_cannot_pass_are_named(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter(text=FAULTY)

    rehearsed = skilltrial("rehearse", suite, "--out", "run", "--host", "portable", "--", "skilltrial-agent")

    assert rehearsed.code == 1, rehearsed.out + rehearsed.err
    text = " ".join(rehearsed.out.split())
    assert "any-answer-will-do: passed by an agent that does nothing: null, talker (cannot fail)" in text
    assert "nobody-can: no script passes it (cannot pass)" in text
