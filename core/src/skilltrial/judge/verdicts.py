"""From the answers to a verdict: the worst of the checks that are not advisory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skilltrial.model.report import CheckReport, Verdict
from skilltrial.model.words import Outcome, Owner, VerdictKind

_WORSE: Mapping[Outcome, int] = {Outcome.PASSED: 0, Outcome.UNVERIFIED: 1, Outcome.FAILED: 2}
PASSED = Verdict(kind=VerdictKind.PASSED)


def verdict(checks: Sequence[CheckReport]) -> Verdict:
    """The verdict of a completed trial: failed > unverified > passed, decided by the first of the worst checks.

    Where no check takes part nothing was shown, so nothing passed.
    """
    deciding = [check for check in checks if not check.advisory]
    if not deciding:
        return Verdict(kind=VerdictKind.UNVERIFIED, reason="no_check_applies", owner=Owner.OPERATOR)
    worst = max(deciding, key=lambda check: _WORSE[check.outcome])
    if worst.outcome is Outcome.PASSED:
        return PASSED
    kind = VerdictKind.FAILED if worst.outcome is Outcome.FAILED else VerdictKind.UNVERIFIED
    owner = Owner.AGENT if kind is VerdictKind.FAILED else worst.owner
    return Verdict(kind=kind, reason=worst.reason, owner=owner, check=worst.id)


def observed() -> Verdict:
    """The verdict of a trial of a case that is only observed: nobody asked anything."""
    return Verdict(kind=VerdictKind.UNVERIFIED, reason="nothing_checked", owner=Owner.OPERATOR)


def incomplete(reason: str, owner: Owner) -> Verdict:
    """The verdict of a trial that says nothing about the skill."""
    return Verdict(kind=VerdictKind.INCOMPLETE, reason=reason, owner=owner)


def skipped(reason: str) -> Verdict:
    """The verdict of a trial that was never to run."""
    return Verdict(kind=VerdictKind.SKIPPED, reason=reason, owner=Owner.OPERATOR)
