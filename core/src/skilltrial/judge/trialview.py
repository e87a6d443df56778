"""One trial, judged: records → events → ending → evidence → checks → verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skilltrial.archive.trajectory import recallable, trajectory
from skilltrial.model.capabilities import Sees
from skilltrial.model.endings import Ended, ended
from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.events import Event, Retry, Truncated, TurnEnded, Unrecognized, Usage
from skilltrial.model.evidence import Evidence
from skilltrial.model.notes import Exited, NotBegun, SkillPlaced
from skilltrial.model.report import TrialReport, UsageReport, Verdict, word
from skilltrial.model.suite import Case
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending, Owner
from skilltrial.plugins.facades import NormalizerFacade

from . import measures, verdicts
from .belonging import Expected
from .doubts import doubt_of
from .noted import Noted
from .outline import Outline, outline
from .parity import ran
from .questions import CheckDetail, Question
from .sharing import Shared
from .trigger import contaminated, trigger
from .views import TrialView
from .witnesses import Witnessed, witnessed


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a case and arm are judged with."""

    case: Case
    questions: tuple[Question, ...]
    """Those that apply in the arm."""
    assets: Mapping[str, bytes]
    fixtures: tuple[str, ...]
    """Names of the suite's fixtures."""
    names: Mapping[str, Mapping[str, str]]
    """Other names of their tools, see Evidence."""
    skills: tuple[str, ...]
    present: frozenset[str]
    asked: frozenset[str]
    """Tools that the arm's skills ask for."""
    identity: HostIdentity
    normalizer: NormalizerFacade
    expected: Expected
    shared: Shared = field(default_factory=Shared)


Judged = tuple[TrialReport, tuple[CheckDetail, ...]]


def not_run(key: TrialKey, case: Case) -> TrialReport:
    """A planned trial that left no seal."""
    verdict = verdicts.incomplete("not_run", Owner.OPERATOR)
    return TrialReport(key=key, polarity=case.polarity, verdict=verdict)


def skipped(key: TrialKey, case: Case, reason: str) -> TrialReport:
    """A trial that was not to run."""
    return TrialReport(key=key, polarity=case.polarity, verdict=verdicts.skipped(word(reason)))


def judge_trial(key: TrialKey, trial: TrialView, bench: Bench) -> Judged:
    """The report of one sealed trial, and the texts of its checks for those who hold the archive."""
    noted = Noted.of(trial.records())
    try:
        events = trajectory(bench.normalizer, noted.records)
        told = outline(events)
        end = ended(noted.notes, noted.records, told.few, turns=len(bench.case.turns), sees=bench.identity.sees)
        more = {**_seen(trial, bench, told, end), **_refused(bench, events, told, noted)}
        more["ran"] = bench.shared.one(ran(noted.notes, trial.fixture_records(), trial.files()))
        report = _report(key, trial, bench, noted, end, more)
    except ArchiveRefused:
        raise
    except Exception:  # noqa: BLE001 - one trial that can't be read leaves the others judged
        broken = Ended(Ending.INVALID_EVENTS, None, "normalizer_raised", Owner.GRADER)
        return _report(key, trial, bench, noted, broken, {}), ()
    if end.ending is Ending.NOT_BEGUN:
        return report.model_copy(update={"verdict": _not_begun(noted)}), ()
    if end.reason is not None:
        return report, ()
    seen = _witnessed(trial, bench, recallable(events), noted) if bench.fixtures else None
    doubt = doubt_of(key, trial, bench.expected, noted, events, seen)
    if doubt is not None:
        return report.model_copy(update={"verdict": verdicts.incomplete(*doubt)}), ()
    evidence = _evidence(key, trial, bench, events, told.few, seen or Witnessed())
    answers = [question.ask(evidence) for question in bench.questions]
    checks = bench.shared.one(tuple(bench.shared.one(answer) for answer, _ in answers))
    unclean = contaminated(report.trigger)
    if unclean:
        verdict = verdicts.incomplete("contaminated", Owner.OPERATOR)
    else:
        verdict = verdicts.observed() if bench.case.observe else verdicts.verdict(checks)
    update = {"checks": checks, "verdict": bench.shared.one(verdict)}
    return report.model_copy(update=update), tuple(detail for _, detail in answers)


def _not_begun(noted: Noted) -> Verdict:
    """The verdict of a trial whose session was never opened, since what it presupposes was not there."""
    note = next(note for note in noted.notes if isinstance(note, NotBegun))
    return verdicts.skipped(word(note.why)) if note.skips else verdicts.incomplete(word(note.why), Owner.OPERATOR)


def _witnessed(trial: TrialView, bench: Bench, events: Sequence[Event], noted: Noted) -> Witnessed:
    return witnessed(bench.fixtures, trial.fixture_records(), events, bench.identity.sees, noted.started)


def _evidence(
    key: TrialKey, trial: TrialView, bench: Bench, events: Sequence[Event], few: Sequence[Event], seen: Witnessed
) -> Evidence:
    return Evidence(
        key=key,
        identity=bench.identity,
        sees=bench.identity.sees,
        ending=Ending.COMPLETED,
        events=events,
        files=trial.files(),
        answers={
            event.turn: event.answer
            for event in few
            # What a subagent says to its caller is no answer to the prompt.
            if isinstance(event, TurnEnded) and event.answer is not None and event.agent is None
        },
        wire=seen.wire,
        calls=seen.calls,
        alone=seen.alone,
        names=bench.names,
        after=trial.after(),
        redactions=trial.facts.redactions,
        turns=len(bench.case.turns),
        assets=bench.assets,
    )


def _report(
    key: TrialKey, trial: TrialView, bench: Bench, noted: Noted, end: Ended, more: Mapping[str, Any]
) -> TrialReport:
    """What is known without a trajectory, and `more` that is known with one."""
    facts = trial.facts
    return TrialReport(
        key=key,
        polarity=bench.case.polarity,
        verdict=verdicts.incomplete(end.reason or "not_judged", end.owner or Owner.HOST),
        ending=end.ending,
        cause=end.cause,
        exit_codes=tuple(note.code for note in noted.notes if isinstance(note, Exited)),
        setup_seconds=round(facts.setup_seconds, 3),
        agent_seconds=round(facts.agent_seconds, 3),
        tries=facts.tries,
        redactions=facts.redactions,
        # A field that is not given takes less memory than one that is given as null.
        **{name: value for name, value in more.items() if value is not None},
    )


def _seen(trial: TrialView, bench: Bench, told: Outline, end: Ended) -> dict[str, object]:
    """The fields of a report that follow from the trajectory; `told` is its outline."""
    sees, few = bench.identity.sees, told.few
    rows = trigger(bench.skills, bench.present, few, sees, completed=end.ending is Ending.COMPLETED)
    return {
        "trigger": tuple(map(bench.shared.one, rows)),
        "tool_calls": told.calls if Sees.TOOL_CALLS in sees else None,
        "usage": measures.usage(few, sees, bench.identity.accounting, turns=len(bench.case.turns)),
        "usage_of_earlier_tries": _earlier(trial, bench),
        "models": measures.models(few, sees),
        "model_retries": measures.count(few, Retry) if sees else None,
        "unrecognized": measures.count(few, Unrecognized),
        "truncated": measures.count(few, Truncated),
    }


def _refused(bench: Bench, events: Sequence[Event], told: Outline, noted: Noted) -> dict[str, object]:
    """How many calls were refused, and how many of these a skill of the arm asks for; `told` is the outline."""
    scripts = tuple(f"{note.path}/scripts/" for note in noted.notes if isinstance(note, SkillPlaced))
    counted = measures.refusals(told.few, events, bench.identity.sees, bench.asked, scripts)
    refused, asked = counted or (None, None)
    return {"refused_calls": refused, "refused_asked": asked}


def _earlier(trial: TrialView, bench: Bench) -> UsageReport | None:
    """What earlier tries cost, all together; None where a turn of them left no count, or can't be read.

    Whatever lies there, the trial itself is judged without it.
    """
    usages: list[Event] = []
    try:
        for records in trial.earlier_tries():
            found = [event for event in trajectory(bench.normalizer, records) if isinstance(event, Usage)]
            if not {record.turn for record in records if record.turn} <= {event.turn for event in found}:
                return None
            usages += found
    except ArchiveRefused:
        raise
    except Exception:  # noqa: BLE001 - what an earlier try left is no evidence of this one
        return None
    return measures.usage(usages, bench.identity.sees, bench.identity.accounting, turns=0) if usages else None
