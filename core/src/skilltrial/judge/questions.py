"""The checks of a case, read once: each with its grader, its options and what the host must show for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from skilltrial.archive.trajectory import chosen
from skilltrial.model.capabilities import Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.evidence import CheckResult, Evidence
from skilltrial.model.report import CheckReport, word
from skilltrial.model.suite import Case, Check
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import Outcome, Owner
from skilltrial.plugins.facades import GraderFacade

from .views import GraderSource


@dataclass(frozen=True, slots=True)
class CheckDetail:
    """The answer to a check with its texts, for people who hold the archive. Never part of a report."""

    id: str
    sentence: str
    outcome: Outcome
    reason: str
    expected: str = ""
    seen: str = ""


Details = Mapping[TrialKey, tuple[CheckDetail, ...]]
"""The texts of checks by trial: for those who hold the archive."""


Answer = tuple[CheckReport, CheckDetail]


@dataclass(frozen=True, slots=True)
class Question:
    """One check, ready to be asked. `options` is None where the grader does not understand the check."""

    check: Check
    grader: GraderFacade
    options: CheckOptions | None
    needs: frozenset[Sees]
    sentence: str
    assets: tuple[str, ...] = ()
    """Suite files that the grader reads for it."""

    def applies(self, arm: str) -> bool:
        """Whether the check is asked in `arm`."""
        return self.check.arms is None or arm in self.check.arms

    def ask(self, evidence: Evidence) -> Answer:
        """The answer, without and with its texts. Never raises: a grader that breaks answers nothing."""
        if self.options is None:
            return self._answer(CheckResult.unverified("check_not_understood", owner=Owner.GRADER))
        if not self.needs <= evidence.sees:
            return self._answer(CheckResult.unverified("not_observable", owner=Owner.HOST))
        if self.check.turn is not None:
            evidence = of_turn(evidence, self.check.turn)
        try:
            return self._answer(self.grader.grade(self.options, evidence))
        except ArchiveRefused:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a grader does, the other checks are still answered
            broken = CheckResult.unverified("grader_raised", owner=Owner.GRADER, seen=type(error).__name__)
            return self._answer(broken)

    def _answer(self, result: CheckResult) -> Answer:
        # The grader's own class of words is its promise; a report must not depend on it.
        reason = word(result.reason)
        report = CheckReport(
            id=self.check.id,
            grader=self.check.grader,
            outcome=result.outcome,
            reason=reason,
            owner=result.owner or (Owner.HOST if result.outcome is Outcome.UNVERIFIED else None),
            advisory=self.check.advisory,
        )
        return report, CheckDetail(self.check.id, self.sentence, result.outcome, reason, result.expected, result.seen)


def questions(case: Case, graders: GraderSource) -> tuple[Question, ...]:
    """The checks of `case` in their order. Raises InvalidRequest where a grader is not installed."""
    return tuple(_question(check, graders) for check in case.checks)


def of_turn(evidence: Evidence, turn: int) -> Evidence:
    """The evidence with one turn's events, calls and answer, as if it were the last. Files are those of the trial."""
    return replace(
        evidence,
        turns=turn,
        events=chosen(evidence.events, lambda event: event.turn == turn),
        answers={at: answer for at, answer in evidence.answers.items() if at == turn},
        wire=tuple(call for call in evidence.wire if call.turn == turn),
        calls=tuple(
            call
            for call in evidence.calls
            if turn in (call.requested.turn if call.requested else None, call.wire.turn if call.wire else None)
        ),
    )


def _question(check: Check, graders: GraderSource) -> Question:
    grader = graders.find(check.grader)
    try:
        options = graders.read_check(check)
        return Question(
            check, grader, options, grader.check_needs(options), options.sentence(), tuple(options.assets())
        )
    except Exception:  # noqa: BLE001 - a grader that can't even say what it asks leaves its check unanswered
        return Question(check, grader, None, frozenset(), check.id)
