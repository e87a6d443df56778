"""Sessions of the real programs with a scripted model: what they do, load, take up again, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

WORK = """\
skills: [{id: probe, folder: probe}]
arms: [{id: without_skill}, {id: with_skill, skills: [probe]}]
limits: {seconds: 60}
cases:
  work:
    prompt: Do the work.
    workspace: {notes.txt: "first line\\n"}
    expect:
      - {files: notes.txt, contains: second line}
      - {answers: DONE}
    rehearsals:
      - {id: says, expect: failed, script: [{say: DONE}]}
      - id: edits
        expect: passed
        script:
          - read_skill: probe
          - read_file: notes.txt
          - edit_file: {path: notes.txt, old: "first line\\n", new: "first line\\nsecond line\\n"}
          - say: DONE
"""


def test_it_answers_edits_and_loads_a_skill_where_there_is_one(program: Any, desk: Any) -> None:
    ran = desk.rehearse(program, WORK, "--arm", "with_skill", "--arm", "without_skill")

    assert ran.code == 0, ran.out + ran.err
    assert ran.report["host"]["version"] == program.version
    assert ran.report["evidence_kind"] == "scripted-model"
    triggers = {key: trial["trigger"][0] for key, trial in ran.trials.items() if trial["trigger"]}
    loaded, plain = triggers["work/with_skill/edits"], triggers["work/with_skill/says"]
    assert loaded["evidence"] == "read-observed"
    assert "offered" in plain["steps"]
    assert plain["reached"] == "offered", "a skill that is only offered was not read"
    assert ran.verdicts["work/without_skill/edits"] == "passed"
    assert not triggers["work/without_skill/edits"]["steps"], "a skill that is not there can't be seen"
    told = desk.records("work/with_skill/edits")
    assert any(record["source"] == "stdout" and record["raw"].startswith('{"type"') for record in told)
    asked = "".join(record["raw"] for record in desk.records("work/with_skill/edits", "model.jsonl"))
    assert "PROBE-BODY" in asked, "the body reached the model"


RESUME = """\
skills: [{id: probe, folder: probe}]
limits: {seconds: 60}
cases:
  talk:
    turns: [Write the first., Write the second.]
    expect:
      - {files: two.txt, contains: two}
      - {answers: FIRST, turn: 1}
      - {answers: SECOND, turn: 2}
    rehearsals:
      - id: goes-on
        expect: passed
        script:
          - write_file: {path: one.txt, text: "one\\n"}
          - say: FIRST
          - write_file: {path: two.txt, text: "two\\n"}
          - say: SECOND
"""


def test_a_conversation_is_taken_up_again_and_counted_by_turn(program: Any, desk: Any) -> None:
    ran = desk.rehearse(program, RESUME)

    assert ran.code == 0, ran.out + ran.err
    told = [json.loads(record["raw"]) for record in desk.records("talk/with_skill/goes-on", "model.jsonl")]
    asked = [note for note in told if note["note"] == "request"]
    assert "FIRST" in json.dumps(asked[-1]["body"]), "the second turn knows of the first"
    replies = [note for note in told if note["note"] == "reply" and note["step"] is not None]
    assert len(replies) == 4
    said = sum(note["body"]["usage"]["output_tokens"] for note in replies)
    assert ran.trials["talk/with_skill/goes-on"]["usage"]["output"] == said, "no turn is counted twice"


FAULTS = """\
skills: [{id: probe, folder: probe}]
limits: {seconds: 90}
cases:
  faults:
    prompt: Do the work.
    expect:
      - {files: made.txt, exists: true}
    rehearsals:
      - {id: e401, expect: incomplete, script: [{error: 401}, {say: never}]}
      - {id: e403, expect: incomplete, script: [{error: 403}, {say: never}]}
      - {id: e404, expect: incomplete, script: [{error: 404}, {say: never}]}
      - {id: e429, expect: incomplete, script: [{error: 429}, {say: never}]}
      - {id: e429-later, expect: incomplete, script: [{error: 429, retry_after: 1}, {say: never}]}
      - {id: e500, expect: incomplete, script: [{error: 500}, {say: never}]}
      - {id: e529, expect: incomplete, script: [{error: 529}, {say: never}]}
      - id: heals
        expect: passed
        script: [{error: 500, times: 1}, &made {write_file: {path: made.txt, text: x}}, &done {say: DONE}]
      - {id: cut-before, expect: incomplete, script: [{cut: before}, {say: never}]}
      - {id: cut, expect: incomplete, script: [{cut: stream}, {say: never}]}
      - {id: breaks-402, expect: incomplete, script: [{error: 402, at: stream}, {say: never}]}
      - {id: breaks-413, expect: incomplete, script: [{error: 413, at: stream}, {say: never}]}
      - {id: breaks-429, expect: incomplete, script: [{error: 429, at: stream}, {say: never}]}
      - {id: breaks-500, expect: incomplete, script: [{error: 500, at: stream}, {say: never}]}
      - {id: breaks-late, expect: incomplete, script: [*made, {error: 529, at: stream}, *done]}
      - {id: garbage, expect: incomplete, script: [{garbage: body}, {say: never}]}
      - {id: garbled, expect: incomplete, script: [{garbage: stream}, {say: never}]}
      - {id: too-long, expect: incomplete, script: [{max_tokens: "half a sen"}]}
      - {id: refused, expect: incomplete, script: [{refuse: No.}]}
      - {id: empty, expect: incomplete, script: [{say: ""}]}
      - {id: waits, expect: passed, script: [{stall: 2, at: stream}, *made, *done]}
"""
FAILED: dict[str, tuple[str, str]] = {
    "e401": ("auth", "operator"),
    "e403": ("auth", "operator"),
    "e404": ("unclassified", "operator"),
    "e429": ("rate_limit", "model"),
    "e429-later": ("rate_limit", "model"),
    "e500": ("server", "model"),
    "e529": ("server", "model"),
    "cut-before": ("transport", "model"),
    "cut": ("transport", "model"),
    "breaks-402": ("quota", "operator"),
    "breaks-413": ("context", "agent"),
    "breaks-429": ("rate_limit", "model"),
    "breaks-500": ("server", "model"),
    "breaks-late": ("server", "model"),
    "too-long": ("context", "agent"),
    "refused": ("refusal", "model"),
    "empty": ("empty", "model"),
}
"""Cause and owner of each fault, alike on all programs."""


def test_a_failure_of_the_provider_is_neither_a_pass_nor_the_agents_fault(program: Any, desk: Any) -> None:
    ran = desk.rehearse(program, FAULTS)

    promises = {one["rehearsal"]: (one["kept"], one["got"]) for one in ran.report["rehearsal"]["promises"]}
    broken = {id: got for id, (kept, got) in promises.items() if kept != "yes"}
    assert not broken, ran.out
    trials = {id: ran.trials[f"faults/with_skill/{id}"] for id in (*FAILED, "garbage", "garbled")}
    assert {trial["ending"] for trial in trials.values()} == {"host_failed"}
    assert {id: (trials[id]["cause"], trials[id]["verdict"]["owner"]) for id in FAILED} == FAILED
    # What is no answer is a broken server to one program, and a broken stream to the other.
    assert {trials[id]["cause"] for id in ("garbage", "garbled")} <= {"server", "transport"}
    assert {trials[id]["verdict"]["owner"] for id in ("garbage", "garbled")} == {"model"}


LIMITS = """\
skills: [{id: probe, folder: probe}]
limits: {seconds: 8, stdout: STDOUT}
allow: [Bash]
cases:
  limits:
    prompt: Do the work.
    expect:
      - {files: made.txt, exists: true}
    rehearsals:
      - {id: hangs, expect: incomplete, script: [{stall: 3000}, {say: never}]}
      - {id: sleeps, expect: incomplete, script: [{run: "until test -e it; do sleep MARK; done"}, {say: never}]}
      - {id: orphan, expect: failed, script: [{run: "setsid sleep MARK > /dev/null 2>&1 & echo left"}, {say: DONE}]}
      - {id: floods, expect: incomplete, script: [{run: "head -c 400000 /dev/zero | tr '\\\\0' x"}, {say: DONE}]}
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="other processes are not seen here")
def test_a_hang_a_flood_and_an_orphan_end_with_their_trial(program: Any, desk: Any, tmp_path: Any) -> None:
    mark = f"3000.{abs(hash(str(tmp_path))) % 10**9}"
    suite = LIMITS.replace("MARK", mark).replace("STDOUT", "27kB")

    ran = desk.rehearse(program, suite, "--jobs", "4")

    endings = {key.rpartition("/")[2]: trial["ending"] for key, trial in ran.trials.items()}
    assert endings["hangs"] == "time_limit", ran.out
    assert endings["sleeps"] == "time_limit"
    assert endings["floods"] == "output_limit"
    assert endings["orphan"] == "completed"
    assert not [line for line in desk.processes() if mark in line]
    assert not desk.processes()
    assert not list(desk.places.iterdir()), "every place is gone"
