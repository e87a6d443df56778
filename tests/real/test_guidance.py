"""The paired guidance suite on the real agent programs: their calls of the fixture, seen by two witnesses."""

from __future__ import annotations

from typing import Any


def test_every_promise_of_the_guidance_suite_holds_on_the_real_program(program: Any, desk: Any) -> None:
    ran = desk.run("rehearse", "guidance", "--out", "run", "--format", "json", *program.flags)

    assert ran.code == 0, ran.out + ran.err
    promises = ran.report["rehearsal"]["promises"]
    assert [promise for promise in promises if promise["kept"] != "yes"] == []
    assert len(promises) >= 90
    assert {promise["case"] for promise in promises} == {
        "ordinary-coding",
        "explicit-save",
        "empty-search",
        "failed-save",
        "stale-approval",
    }
    assert "Task was destroyed" not in ran.err
