"""The parts as the core binds them: records become events, events are judged as the transcript itself would be."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import (
    Ending,
    Evidence,
    Files,
    HostIdentity,
    Record,
    Sees,
    SessionEnded,
    Source,
    ToolRequested,
    ToolResult,
    TrialKey,
    Unrecognized,
)
from skilltrial.testing import GraderFacade, NormalizerFacade, TranscriptFacade, bind
from skilltrial_grader_kody.grader import KodyGrader
from skilltrial_grader_kody.intake import KodyTranscripts
from skilltrial_grader_kody.normalizer import KodyNormalizer
from skilltrial_grader_kody.options import RouteCheck
from skilltrial_grader_kody.words import Profile

GRADER = bind(GraderFacade, "kody", KodyGrader())
NORMALIZER = bind(NormalizerFacade, "kody", KodyNormalizer())
TRANSCRIPTS = bind(TranscriptFacade, "kody", KodyTranscripts())
SEES = frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS})


def records(lines):
    return tuple(Record(at, 0.0, Source.SESSION_LOG, 1, line) for at, line in enumerate(lines, 1))


def evidence(lines):
    return Evidence(
        key=TrialKey(case="case", arm="imported", label="1"),
        identity=HostIdentity(name="cursor", records="kody"),
        sees=SEES,
        ending=Ending.COMPLETED,
        events=NORMALIZER.normalize(records(lines)),
        files=Files({}, {}, ()),
    )


def lines(events):
    return [json.dumps(event) for event in events]


def answer(kit, case, events, **options):
    return GRADER.grade(RouteCheck(case=case, **options), evidence(lines(events)))


def test_every_honest_case_passes(kit):
    for case, events in kit.honest().items():
        assert answer(kit, case, events).outcome == "passed"


@pytest.mark.parametrize("profile", ["strict", "original"])
def test_the_grader_says_what_the_scorer_says(kit, profile):
    cases = kit.honest()
    cases[kit.ONE_OFF].append(cases[kit.ONE_OFF][-1])
    cases[kit.AUTHOR][-1]["status"] = "failed"
    cases[kit.REMINDER][-1]["input"]["code"] = "// workflows.create"
    cases[kit.VALUES] = []

    scores = {one.case: one.status.value for one in kit.score(cases, Profile(profile)).cases}
    answers = {case: answer(kit, case, events, profile=profile).outcome.value for case, events in cases.items()}

    assert answers == scores


def test_what_is_undecidable_is_unverified(kit):
    events = kit.honest()[kit.ONE_OFF]
    events[-1]["input"]["code"] = "await kody[x]()"

    found = answer(kit, kit.ONE_OFF, events)

    assert (found.outcome, found.reason, found.owner) == ("unverified", "unclear", "grader")


@pytest.mark.parametrize(
    ("line", "reason"),
    [("not json", "event_not_understood"), ('{"action": "dance", "output": 1}', "not_of_the_format")],
)
def test_records_that_are_not_understood_decide_nothing(kit, line, reason):
    found = GRADER.grade(RouteCheck(case=kit.ONE_OFF), evidence([*lines(kit.honest()[kit.ONE_OFF]), line]))

    assert (found.outcome, found.reason) == ("unverified", reason)


def test_a_case_that_the_suite_does_not_have_is_the_operators_fault(kit):
    assert answer(kit, "other", []).reason == "case_unknown"


def test_events_that_share_a_call_id_are_told_apart(kit):
    events = NORMALIZER.normalize(records(lines([kit.searched("same"), kit.executed("author-package", "x", "same")])))

    calls = [event.call for event in events if isinstance(event, ToolRequested)]
    assert calls == ["1", "2"]
    assert [event.call for event in events if isinstance(event, ToolResult)] == calls


@given(
    st.lists(
        st.text()
        | st.recursive(
            st.none() | st.booleans() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
        ).map(json.dumps)
    )
)
def test_any_records_give_events_and_one_end(texts):
    events = NORMALIZER.normalize(records(texts))

    assert sum(isinstance(event, SessionEnded) for event in events) == 1
    assert sum(isinstance(event, ToolRequested | Unrecognized) for event in events) == len(texts)


def test_an_import_holds_every_case_and_keeps_events_as_they_came(kit):
    document = kit.document(kit.honest())

    run = TRANSCRIPTS.read_transcript(json.dumps(document).encode())

    assert [case["id"] for case in cast("Any", run.suite)["cases"]] == [case.id for case in kit.suite.cases]
    kept = {trial.case: [json.loads(line) for line in trial.lines] for trial in run.trials}
    assert kept == kit.honest()
    assert (run.host.name, run.host.model) == ("cursor", "a model")


def test_a_call_id_that_was_cut_within_a_character_is_kept_and_judged(kit):
    document = kit.document(kit.honest())
    document["results"][2]["events"][1]["callId"] = "\ud83d"

    run = TRANSCRIPTS.read_transcript(json.dumps(document).encode())

    assert json.loads(run.trials[2].lines[1])["callId"] == "\ud83d"
    assert GRADER.grade(RouteCheck(case=kit.ONE_OFF), evidence(run.trials[2].lines)).outcome == "passed"
