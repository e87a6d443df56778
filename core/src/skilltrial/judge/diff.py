"""What judging again changed: two reports of one archive, trial by trial."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.model.report import Report, Verdict
from skilltrial.model.trial import TrialKey


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A trial whose verdict differs. A side is None where that report does not have the trial."""

    key: TrialKey
    before: Verdict | None
    after: Verdict | None


def verdict_diff(before: Report, after: Report) -> tuple[VerdictChange, ...]:
    """Every trial whose verdict, reason, owner or deciding check differs, in the order of `after`, then `before`."""
    old = {trial.key: trial.verdict for trial in before.trials}
    new = {trial.key: trial.verdict for trial in after.trials}
    return tuple(
        VerdictChange(key, old.get(key), new.get(key))
        for key in dict.fromkeys([*new, *old])
        if old.get(key) != new.get(key)
    )


def told(verdict: Verdict | None) -> str:
    """A side of a change in words: the verdict, and the check that decided."""
    if verdict is None:
        return "absent"
    why = ", ".join(one for one in (verdict.check, verdict.reason) if one)
    return f"{verdict.kind} ({why.replace('_', ' ')})" if why else verdict.kind.value
