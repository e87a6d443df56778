"""One trial, judged: records → events → ending → evidence → checks → verdict."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Event, Retry, Truncated, TurnEnded, Unrecognized
from skilltrial.model.evidence import Evidence
from skilltrial.model.notes import exit_codes
from skilltrial.model.records import Record
from skilltrial.model.report import CheckReport, TrialReport, TriggerReport, Verdict, word
from skilltrial.model.suite import Case
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending, Owner, Source
from skilltrial.plugins.facades import NormalizerFacade

from . import measures, verdicts
from .ending import Ended, ended
from .questions import CheckDetail, Question
from .trigger import contaminated, trigger
from .views import TrialView


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a case and arm are judged with."""

    case: Case
    questions: tuple[Question, ...]
    """Those that apply in the arm."""
    assets: dict[str, bytes]
    skills: tuple[str, ...]
    present: frozenset[str]
    identity: HostIdentity
    normalizer: NormalizerFacade


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
    records = trial.records()
    runner = [record for record in records if record.source is Source.RUNNER]
    try:
        events = bench.normalizer.normalize(records)
    except Exception:  # noqa: BLE001 - one trial that can't be read leaves the others judged
        broken = Ended(Ending.INVALID_EVENTS, None, "normalizer_raised", Owner.GRADER)
        return _report(key, trial, bench, runner, (), broken, (), ()), ()
    end = ended(records, events, turns=len(bench.case.turns), sees=bench.identity.sees)
    rows = trigger(
        bench.skills, bench.present, events, bench.identity.sees, completed=end.ending is Ending.COMPLETED
    )
    if end.reason is not None:
        return _report(key, trial, bench, runner, events, end, rows, ()), ()
    evidence = _evidence(key, trial, bench, events)
    answers = [question.ask(evidence) for question in bench.questions]
    checks = tuple(report for report, _ in answers)
    return _report(key, trial, bench, runner, events, end, rows, checks), tuple(detail for _, detail in answers)


def _evidence(key: TrialKey, trial: TrialView, bench: Bench, events: tuple[Event, ...]) -> Evidence:
    return Evidence(
        key=key,
        identity=bench.identity,
        sees=bench.identity.sees,
        ending=Ending.COMPLETED,
        events=events,
        files=trial.files(),
        answers={
            event.turn: event.answer
            for event in events
            # What a subagent says to its caller is no answer to the prompt.
            if isinstance(event, TurnEnded) and event.answer is not None and event.agent is None
        },
        after=trial.after(),
        redactions=trial.facts.redactions,
        turns=len(bench.case.turns),
        assets=bench.assets,
    )


def _verdict(end: Ended, rows: tuple[TriggerReport, ...], checks: tuple[CheckReport, ...]) -> Verdict:
    if end.reason is not None:
        return verdicts.incomplete(end.reason, end.owner or Owner.HOST)
    if contaminated(rows):
        return verdicts.incomplete("contaminated", Owner.OPERATOR)
    return verdicts.verdict(checks)


def _report(  # noqa: PLR0913 - the stages of one trial come together here
    key: TrialKey,
    trial: TrialView,
    bench: Bench,
    runner: list[Record],
    events: tuple[Event, ...],
    end: Ended,
    rows: tuple[TriggerReport, ...],
    checks: tuple[CheckReport, ...],
) -> TrialReport:
    facts, identity = trial.facts, bench.identity
    sees = identity.sees if end.reason != "normalizer_raised" else frozenset[Sees]()
    return TrialReport(
        key=key,
        polarity=bench.case.polarity,
        verdict=_verdict(end, rows, checks),
        ending=end.ending,
        cause=end.cause,
        exit_codes=exit_codes(runner),
        checks=checks,
        trigger=rows,
        tool_calls=measures.tool_calls(events, sees),
        usage=measures.usage(events, sees, identity.accounting, turns=len(bench.case.turns)),
        models=measures.models(events, sees),
        setup_seconds=round(facts.setup_seconds, 3),
        agent_seconds=round(facts.agent_seconds, 3),
        tries=facts.tries,
        model_retries=_count(events, Retry) if sees else None,
        redactions=facts.redactions,
        unrecognized=_count(events, Unrecognized),
        truncated=_count(events, Truncated),
    )


def _count(events: tuple[Event, ...], kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in events)
