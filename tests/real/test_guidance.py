"""The paired guidance suite on the real agent programs: their calls of the fixture, seen by two witnesses."""

from __future__ import annotations

import json
from typing import Any


def test_every_promise_holds_on_the_real_program_and_no_changed_evidence_passes(program: Any, desk: Any) -> None:
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

    # All five cases are thousands of mutants and take minutes; these two have every kind of evidence between them.
    some = ("--case", "failed-save", "--case", "stale-approval", "--arm", "with_skill")
    audited = desk.run("audit", "run", *some, "--format", "json", "--quiet", within=1200)

    report = json.loads(audited.out)
    assert (report["survivors"], report["disturbed"], report["not_tested"]) == ([], [], [])
    assert (audited.code, report["reasons"]) == (0, ["none_survived"])
    assert sum(row["caught"] for row in report["rows"]) > 300
