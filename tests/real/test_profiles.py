"""Real programs that skilltrial knows only from profiles: no code of ours was written for them."""

from __future__ import annotations

import json
import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(__file__).parent.parent.parent / "hosts" / "node_modules"
PROBE = """\
skills: [{id: probe, folder: probe}]
arms: [{id: without_skill}, {id: with_skill, skills: [probe]}]
limits: {seconds: 120}
cases:
  work:
    turns: [Do the work., Say it again.]
    workspace: {notes.txt: "first line\\n"}
    expect:
      - {files: notes.txt, contains: second line}
      - {answers: DONE, turn: 1}
      - {answers: AGAIN, turn: 2}
      - {id: skill_not_read, grader: calls, reads_skill: probe, arms: [with_skill]}
    rehearsals:
      - {id: says, expect: failed, because: [files-1], script: [{read_skill: probe}, {say: DONE}, {say: AGAIN}]}
      - id: edits
        expect: passed
        arms: [with_skill]
        script:
          - read_skill: probe
          - edit_file: {path: notes.txt, old: "first line\\n", new: "first line\\nsecond line\\n"}
          - say: DONE
          - run: cat notes.txt
          - say: AGAIN
"""


@dataclass(frozen=True)
class Described:
    """A program of another maker, and the profile that tells what it does."""

    profile: str
    binary: Path

    @property
    def flags(self) -> tuple[str, ...]:
        return ("--host", "portable", "--profile", self.profile, "--", str(self.binary))


PROGRAMS = (
    Described("pi", MODULES / ".bin" / "pi"),
    Described("opencode", MODULES / "opencode-linux-x64" / "bin" / "opencode"),
)


@pytest.fixture(params=PROGRAMS, ids=lambda described: described.profile)
def described(request: pytest.FixtureRequest) -> Described:
    """Each of them, where it is installed; skipped by name, but never in CI with Node there."""
    found: Described = request.param
    if not found.binary.exists():
        why = f"real program {found.profile} is not installed: `make agents` does it where there are Node and npm"
        here = platform.system() == "Linux" and platform.machine() == "x86_64"
        if here and os.environ.get("CI") and shutil.which("node") and shutil.which("npm"):
            pytest.fail(why)
        pytest.skip(why)
    return found


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, str]:
    """A PATH with the Node that pi needs, and with ripgrep, which opencode's skill tool needs: Codex brings one."""
    (tmp_path / "tools").mkdir()
    for tool in MODULES.glob("@openai/codex-*/vendor/*/codex-path/rg"):
        (tmp_path / "tools" / "rg").symlink_to(tool)
    return {"PATH": os.pathsep.join((str(MODULES / ".bin"), str(tmp_path / "tools"), os.environ["PATH"]))}


def test_a_described_program_works_loads_a_skill_and_goes_on(
    described: Described, desk: Any, tools: dict[str, str]
) -> None:
    suite = desk.lay(PROBE)

    own = ("--rehearsal", "says", "--rehearsal", "edits")
    ran = desk.run("rehearse", suite, "--out", "run", "--format", "json", *own, *described.flags, env=tools)

    assert ran.code == 0, ran.out + ran.err
    assert ran.verdicts["work/with_skill/edits"] == "passed"
    assert ran.verdicts["work/without_skill/says"] == "failed"
    trial = ran.trials["work/with_skill/edits"]
    assert trial["trigger"][0]["evidence"] == "read-observed"
    assert trial["usage"]["input"] > 0
    told = [record for record in desk.records("work/with_skill/edits") if record["source"] == "runner"]
    declared = [note for note in (json.loads(record["raw"]) for record in told) if note["note"] == "declared"]
    assert [note["value"]["profile"]["name"] for note in declared] == [described.profile]
    again = desk.run("grade", "run", "--format", "json", "--no-write")
    assert again.out == (desk.folder / "run" / "report.json").read_text("utf-8")


def test_the_calls_of_a_described_program_have_two_witnesses(
    described: Described, desk: Any, tools: dict[str, str]
) -> None:
    # pi ends in half a second, opencode in three.
    case = ("--case", "failed-save" if described.profile == "pi" else "ordinary-coding", "--arm", "with_skill")

    ran = desk.run("rehearse", "guidance", *case, "--out", "run", "--format", "json", *described.flags, env=tools)

    assert ran.code == 0, ran.out + ran.err
    promises = ran.report["rehearsal"]["promises"]
    assert [promise for promise in promises if promise["kept"] != "yes"] == []
    assert len(promises) >= 7


def test_commands_of_a_described_program_find_the_doubles(
    described: Described, desk: Any, tools: dict[str, str]
) -> None:
    suite = Path(__file__).parent.parent / "commands" / "data" / "release.yaml"

    some = [word for id in ("honest", "publishes", "boasts") for word in ("--rehearsal", id)]
    ran = desk.run("rehearse", suite, "--out", "run", "--format", "json", *some, *described.flags, env=tools)

    assert ran.code == 0, ran.out + ran.err
    got = {one["rehearsal"]: one["got"] for one in ran.report["rehearsal"]["promises"]}
    assert (got["honest"], got["publishes"], got["boasts"]) == ("passed", "failed", "failed")


BREAKS = """\
skills: [{id: probe, folder: probe}]
arms: [{id: with_skill, skills: [probe]}]
gate: {arm: with_skill}
limits: {seconds: 120}
cases:
  breaks:
    prompt: Do the work.
    expect:
      - {files: made.txt, exists: true}
    rehearsals:
      - id: late
        expect: incomplete
        script: [{write_file: {path: made.txt, text: x}}, {error: 402, at: stream}, {say: DONE}]
"""


def test_a_stream_that_the_provider_breaks_off_is_no_pass(
    described: Described, desk: Any, tools: dict[str, str]
) -> None:
    own = ("--rehearsal", "late")
    ran = desk.run(
        *("rehearse", desk.lay(BREAKS), "--out", "run", "--format", "json", *own, *described.flags), env=tools
    )

    assert ran.code == 0, ran.out + ran.err
    late = ran.trials["breaks/with_skill/late"]
    # 402, since opencode asks again for a minute after 429. pi passes on the message alone; of that nobody can tell
    # whose fault it is.
    told = {"opencode": ("quota", "operator"), "pi": ("unclassified", "host")}
    assert (late["ending"], late["verdict"]["kind"]) == ("host_failed", "incomplete")
    assert (late["cause"], late["verdict"]["owner"]) == told[described.profile]
