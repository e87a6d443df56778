"""Whole runs and rehearsals of the host `zcode` on its stand-in, which asks the scripted model and the MCP fixture."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
ROOT = Path(__file__).parents[1]
STANDIN = ROOT / "host_zcode/tests/data/standin"
UNCHECKED = "never checked against the real program"
SUITE = """\
skills: [{id: notes, folder: notes}]
cases:
  note:
    prompt: Write a note.
    expect:
      - {files: note.txt, contains: NOTE}
"""
SKILL = "---\nname: notes\ndescription: How notes are written.\n---\nWrite NOTE into note.txt.\n"
WRITES = [
    {"calls": [["Skill", {"skill": "notes"}], ["Write", {"file_path": "note.txt", "content": "NOTE\n"}]]},
    {"text": "It is written."},
]


@pytest.fixture
def zcode(tmp_path: Path) -> tuple[str, ...]:
    """The flags that choose the stand-in, started by this very Python."""
    program = tmp_path / "bin" / "zcode"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STANDIN / "zcode.py"}" "$@"\n', "utf-8")
    program.chmod(0o755)
    table = f"table={STANDIN / 'provider/zcode-builtin.json'}"
    return ("--host", "zcode", "--host-binary", str(program), "--host-option", table)


@pytest.fixture
def live(zcode: tuple[str, ...]) -> tuple[str, ...]:
    """What a live run needs beside: a model, which the stand-in plays itself where it has a script."""
    key = ("--pass-env", "ZCODE_API_KEY", "--pass-env", "ZCODE_STANDIN")
    return (*zcode, "--model", "m", "--host-option", "base_url=http://127.0.0.1:9/v1", *key)


def environment(**switches: Any) -> dict[str, str]:
    """What the stand-in is to do, and a key of no worth."""
    return {"ZCODE_API_KEY": "key-of-no-worth-8c1f", "ZCODE_STANDIN": json.dumps(switches)}


def test_a_run_on_the_stand_in_is_sealed_judged_and_told_to_be_one(
    skilltrial: Command, lay: Callable[..., None], live: tuple[str, ...], holders: Callable[..., Any], tmp_path: Path
) -> None:
    lay({"note.trial.yaml": SUITE, "notes/SKILL.md": SKILL})

    ran = skilltrial(
        *("run", "note.trial.yaml", "--out", "run", "--format", "json", *live), env=environment(script=WRITES)
    )

    assert ran.code == 0, ran.err + ran.out
    report = ran.report
    assert report["evidence_kind"] == "stand-in-host"
    assert report["host"]["version"] == "stand-in 0.16.9"
    assert set(ran.verdicts.values()) == {"passed"}
    assert any("was a stand-in" in one for one in report["limitations"])
    assert any(UNCHECKED in one for one in report["limitations"])
    rows = {key: one["trigger"] for key, one in ran.trials.items()}
    assert [one["evidence"] for one in rows["note/with_skill/1"]] == ["read-observed"]
    assert all(one["evidence"] != "read-observed" for one in rows["note/without_skill/1"])
    assert not any("more that differs" in one for one in report["limitations"])
    assert holders(tmp_path / "run", "key-of-no-worth-8c1f") == []
    assert skilltrial("grade", "run").code == 0


@pytest.mark.parametrize(
    ("switches", "reason", "owner"),
    [
        ({"no_model": True}, "host_failed", "operator"),
        ({"script": [{"status": 429}]}, "host_failed", "model"),
        ({"script": WRITES, "drop": ["tool.updated"]}, "invalid_events", "host"),
        ({"script": WRITES, "die_after": "turn.started"}, "host_failed", "host"),
    ],
)
def test_what_goes_wrong_is_nobodys_behaviour(
    skilltrial: Command,
    lay: Callable[..., None],
    live: tuple[str, ...],
    switches: dict[str, Any],
    reason: str,
    owner: str,
) -> None:
    lay({"note.trial.yaml": SUITE, "notes/SKILL.md": SKILL})

    ran = skilltrial(
        *("run", "note.trial.yaml", "--out", "run", "--format", "json", "--arm", "with_skill", "--retries", "0", *live),
        env=environment(**switches),
    )

    assert ran.code == 3, ran.err
    (verdict,) = (one["verdict"] for one in ran.trials.values())
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", reason, owner)


def test_the_guidance_suite_is_rehearsed_on_it(skilltrial: Command, zcode: tuple[str, ...]) -> None:
    some = ("--case", "stale-approval", "--rehearsal", "honest", "--rehearsal", "null", "--rehearsal", "wrecker")

    ran = skilltrial(
        "rehearse", "guidance", *some, "--out", "run", "--jobs", "2", "--format", "json", *zcode, within=300
    )

    assert ran.code == 0, ran.err
    told = ran.report["rehearsal"]["promises"]
    assert len(told) >= 5
    assert [promise for promise in told if promise["kept"] != "yes"] == []

    ran = skilltrial("audit", "run", "--format", "json", "--quiet", within=300)
    audited = json.loads(ran.out)

    assert ran.code == 0, ran.err
    assert (audited["survivors"], audited["disturbed"], audited["not_tested"]) == ([], [], [])
    assert sum(row["caught"] for row in audited["rows"]) > 300


WORK = """\
skills: [{id: notes, folder: notes}]
arms: [{id: with_skill, skills: [notes]}]
gate: {arm: with_skill}
limits: {seconds: 60}
fixtures:
  powercontext: {use: mcp, catalog: catalog.json, replies: replies.yaml, transport: stdio}
cases:
  work:
    turns: [Do the work., Say it again.]
    fixtures: {powercontext: {script: write-confirmed}}
    workspace: {notes.txt: "first line\\n"}
    expect:
      - {files: notes.txt, contains: second line}
      - {files: made.txt, exists: false}
      - {calls: powercontext, exactly: [{tool: resolve_scope_binding}]}
      - {answers: DONE, turn: 1}
    rehearsals:
      - {id: says, expect: failed, because: [files-1, calls-1], script: [{say: DONE}, {say: AGAIN}]}
      - {id: breaks, expect: incomplete, script: [{error: 429}, {say: DONE}, {say: AGAIN}]}
      - id: works
        expect: passed
        script:
          - edit_file: {path: notes.txt, old: "first line\\n", new: "first line\\nsecond line\\n"}
          - call: {server: powercontext, tool: resolve_scope_binding}
          - say: DONE
          - run: touch made.txt
          - say: AGAIN
"""


@pytest.mark.parametrize("api", ["openai-chat-completions", "anthropic-messages"])
def test_two_turns_with_a_server_over_pipes_and_a_model_that_breaks(
    skilltrial: Command, lay: Callable[..., None], zcode: tuple[str, ...], api: str
) -> None:
    suite = ROOT / "plugins/suite_guidance/src/skilltrial_suite_guidance"
    served = {name: (suite / name).read_text("utf-8") for name in ("catalog.json", "replies.yaml")}
    lay({"work.trial.yaml": WORK, "notes/SKILL.md": SKILL, **served})

    ran = skilltrial(
        *("rehearse", "work.trial.yaml", "--out", "run", "--jobs", "2", "--format", "json"),
        *(*zcode, "--host-option", f"api={api}"),
        within=300,
    )

    assert ran.code == 0, ran.err
    assert [promise for promise in ran.report["rehearsal"]["promises"] if promise["kept"] != "yes"] == []
    broke = ran.trials["work/with_skill/breaks"]
    assert (broke["ending"], broke["cause"], broke["verdict"]["owner"]) == ("host_failed", "rate_limit", "model")
    assert ran.trials["work/with_skill/works"]["refused_calls"] == 1


def test_a_plugin_is_installed_by_it(skilltrial: Command, zcode: tuple[str, ...], tmp_path: Path) -> None:
    some = ("--case", "explicit-save", "--rehearsal", "honest", "--rehearsal", "null", "--delivery", "plugin")

    ran = skilltrial(
        "rehearse", "guidance", *some, "--out", "run", "--jobs", "2", "--format", "json", *zcode, within=300
    )

    assert ran.code == 0, ran.err
    wire = (tmp_path / "run/trials/explicit-save/with_skill/honest/fixture-powercontext.jsonl").read_text("utf-8")
    assert "/v1/scope-bindings/resolve" in wire, "the plugin's hook asked"
    (trigger,) = ran.trials["explicit-save/with_skill/honest"]["trigger"]
    assert trigger["evidence"] == "read-observed"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ((), "no ZCode was found"),
        (("--host-binary", "nowhere/zcode.cjs"), "no program 'nowhere/zcode.cjs' to run as ZCode"),
        (("--host-binary", "zcode.cjs", "--host-option", "node=no-such-node"), "ZCode needs Node 22.5"),
        (("--host-binary", "bin/other"), "zcode-builtin.json"),
        (("--host-binary", "bin/other", "--host-option", "table=none.json"), "there is no file 'none.json'"),
        (("--host-binary", "bin/other", "--host-option", "table=zcode.cjs"), "does not tell a version as ZCode does"),
    ],
)
def test_what_is_missing_is_told_before_anything_is_written(
    skilltrial: Command, lay: Callable[..., None], tmp_path: Path, flags: tuple[str, ...], says: str
) -> None:
    lay({"note.trial.yaml": SUITE, "notes/SKILL.md": SKILL, "zcode.cjs": "", "bin/other": "#!/bin/sh\necho hello\n"})

    ran = skilltrial(
        *("rehearse", "note.trial.yaml", "--out", "run", "--host", "zcode", *flags), env={"HOME": str(tmp_path)}
    )

    assert ran.code == 2
    assert says in ran.err
    assert not (tmp_path / "run").exists()


def test_a_live_run_says_what_it_lacks(
    skilltrial: Command, lay: Callable[..., None], zcode: tuple[str, ...], tmp_path: Path
) -> None:
    lay({"note.trial.yaml": SUITE, "notes/SKILL.md": SKILL})

    ran = skilltrial("run", "note.trial.yaml", "--out", "run", *zcode)

    assert ran.code == 2
    for flag in ("--model MODEL", "--host-option base_url=URL", "--pass-env ZCODE_API_KEY"):
        assert flag in ran.err
    assert not (tmp_path / "run").exists()


def test_the_doctor_says_what_is_not_known(skilltrial: Command, zcode: tuple[str, ...]) -> None:
    flags = zcode[2:]

    ran = skilltrial("doctor", "zcode", "--deep", *flags, within=300)

    said = " ".join(ran.out.split())
    assert UNCHECKED in said
    assert "stand-in 0.16.9" in said
    assert "drifted" not in said
    assert said.count("holds ") > 15
