"""The scenarios of the original's own tests, in the profile that must give the same and in the strict one."""

from __future__ import annotations

import pytest

from skilltrial_grader_kody.report import report
from skilltrial_grader_kody.words import Profile

PROFILES = pytest.mark.parametrize("profile", list(Profile))


@PROFILES
def test_the_honest_fixture_passes_with_two_three_three(kit, profile):
    found = report(kit.score(kit.honest(), profile))

    assert found["ok"]
    assert found["totals"] == {"passed": 8, "failed": 0, "skipped": 0, "total": 8}
    assert [row["passed"] for row in found["byRoute"].values()] == [2, 3, 3]


@PROFILES
def test_four_defects_in_one_transcript_fail_four_cases(kit, profile):
    cases = kit.honest()
    cases["reuse-recurring-email-drafter"][-1]["targetEntityId"] = "package:@me/other"
    cases[kit.ONE_OFF].insert(1, kit.executed("author-package", "await kody.packageSave({})", "x", status="failed"))
    cases[kit.REMINDER] = {"caseId": kit.REMINDER, "outcome": "skipped-no-eligible-match", "note": "none"}
    cases[kit.RECURRING] = []

    found = kit.score(cases, profile)
    rules = {one.case: kit.rules(one) for one in found.cases if one.findings}

    assert not found.ok
    assert len(rules) == 4
    assert "R21" in rules["reuse-recurring-email-drafter"]
    assert {"R7", "R9"} <= rules[kit.ONE_OFF]
    assert rules[kit.REMINDER] == {"P4"}
    assert {"R1", "R6"} <= rules[kit.RECURRING]


@PROFILES
def test_a_second_identical_one_off_is_one_too_many(kit, profile):
    cases = kit.honest()
    cases[kit.REMINDER].append({**cases[kit.REMINDER][-1], "callId": "again"})

    found = report(kit.score(cases, profile))

    assert found["totals"]["failed"] == 1
    assert found["byRoute"]["execute-one-off"] == {"passed": 2, "failed": 1, "skipped": 0, "total": 3}
    assert any(error.startswith("R4") for one in found["cases"] for error in one["errors"])


BOTH = "await kody.codingGuideGet({}); await kody.packageSave({})"


def split(kit, **last):
    inspect = kit.executed("inspect-authoring-guidance", BOTH)
    return [kit.searched("s0"), inspect, {**kit.executed("author-package", BOTH), **last}]


@PROFILES
def test_a_call_may_be_split_into_reading_and_authoring(kit, profile):
    assert kit.case(kit.AUTHOR, split(kit), profile).status == "passed"


@PROFILES
@pytest.mark.parametrize("change", [{"input": {"code": BOTH, "more": 1}}, {"output": {"ok": False}}])
def test_a_split_call_has_one_payload(kit, profile, change):
    assert kit.rules(kit.case(kit.AUTHOR, split(kit, **change), profile)) == {"R10"}


@PROFILES
@pytest.mark.parametrize(("reads", "rules"), [(2, set()), (3, {"R8"})])
def test_three_reads_and_no_more(kit, profile, reads, rules):
    inspects = [kit.executed("inspect-authoring-guidance", "await kody.packageGet({})", f"i{n}") for n in range(reads)]
    events = [kit.searched("s0"), *inspects, kit.executed("author-package", "await kody.packageSave({})")]

    assert kit.rules(kit.case(kit.AUTHOR, events, profile)) == rules


@PROFILES
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("steps", "rules"), [(8, set()), (9, {"R5"})])
def test_eight_steps_and_no_more(kit, profile, shared, steps, rules):
    events = [kit.searched("s0")]
    events += [
        kit.executed("author-package", "await kody.packageSave({})", "e" if shared else f"e{n}") for n in range(steps)
    ]

    assert kit.rules(kit.case(kit.AUTHOR, events, profile)) == rules


@PROFILES
@pytest.mark.parametrize(
    "operations",
    [
        ["packageGetGitRemote", "repoEditFiles", "packagePublishExternalPush"],
        ["packageSave", "repoEditFiles", "packageSave"],
        ["repoOpenSession", "repoEditFiles", "repoEditFiles", "repoRunChecks", "repoPublishSession"],
    ],
)
def test_ways_to_author(kit, profile, operations):
    read = kit.executed("inspect-authoring-guidance", "return await kody.codingGuideGet({})", "i")
    events = [kit.searched("s0"), kit.searched("s1"), read]
    events += [
        kit.executed("author-package", f"await kody.{name}({{ step: {at} }})", f"e{at}")
        for at, name in enumerate(operations)
    ]

    assert kit.case(kit.AUTHOR, events, profile).status == "passed"


@PROFILES
def test_the_removed_primitive_is_no_way_to_defer(kit, profile):
    found = kit.code(kit.REMINDER, "await kody.job_schedule_once({ runAt: 'x' })", profile)

    assert kit.rules(found) == {"R16", "R17"}


@PROFILES
def test_a_reminder_that_only_lists_is_not_deferred(kit, profile):
    assert kit.rules(kit.code(kit.REMINDER, "return await kody.valueList({})", profile)) == {"R17"}
