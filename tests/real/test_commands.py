"""Doubles of programs under the real agent programs: in their sandboxes, through their shells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SUITE = Path(__file__).parent.parent / "commands" / "data" / "release.yaml"


def test_commands_of_a_real_program_find_the_doubles_and_each_promise_holds(program: Any, desk: Any) -> None:
    ran = desk.run("rehearse", SUITE, "--out", "run", "--format", "json", *program.flags)

    assert ran.code == 0, ran.out + ran.err
    promises = {one["rehearsal"]: (one["got"], one["kept"]) for one in ran.report["rehearsal"]["promises"]}
    assert promises["honest"] == ("passed", "yes")
    assert promises["publishes"] == ("failed", "yes")
    assert all(kept == "yes" for _, kept in promises.values())
