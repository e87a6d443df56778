"""The routing suite on the real agent programs: they find Kody's two tools, and every promise holds."""

from __future__ import annotations

from typing import Any

CASES = {
    "reuse-recurring-email-drafter",
    "reuse-release-note-helper",
    "one-off-saved-automation-count",
    "one-off-value-inventory",
    "schedule-single-reminder",
    "schedule-simple-recurring-reminder",
    "author-reusable-scheduled-brief",
    "author-validated-cleanup-automation",
}


def test_every_promise_of_the_routing_suite_holds_on_the_real_program(program: Any, desk: Any) -> None:
    ran = desk.run(
        "rehearse", "package-discovery-routing", "--out", "run", "--jobs", "2", "--format", "json", *program.flags
    )

    assert ran.code == 0, ran.out + ran.err
    promises = ran.report["rehearsal"]["promises"]
    assert [promise for promise in promises if promise["kept"] != "yes"] == []
    assert len(promises) >= 80
    assert {promise["case"] for promise in promises} == CASES
    assert {promise["got"] for promise in promises} == {"passed", "failed", "unverified", "incomplete"}
    assert desk.run("grade", "run", "--format", "json").out == ran.out
