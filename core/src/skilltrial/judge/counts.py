"""Verdicts counted, each count with its n: per case and arm, per arm and polarity, per arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skilltrial.model.report import Counts, Polarity, TrialReport
from skilltrial.model.words import VerdictKind

Cell = tuple[str | None, str, Polarity | None]


def counts(arms: Sequence[str], trials: Sequence[TrialReport]) -> tuple[Counts, ...]:
    """A row for each case and arm, then for each arm and polarity, then for each arm.

    Cases are sorted; arms stand as in `arms`, the plan's order.
    """
    order = {arm: at for at, arm in enumerate(arms)}
    cells: dict[Cell, list[TrialReport]] = {}
    polarities: dict[Cell, list[TrialReport]] = {}
    totals: dict[Cell, list[TrialReport]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.key.case, order.get(trial.key.arm, len(order)))):
        key, polarity = trial.key, trial.polarity
        cells.setdefault((key.case, key.arm, polarity), []).append(trial)
        polarities.setdefault((None, key.arm, polarity), []).append(trial)
        totals.setdefault((None, key.arm, None), []).append(trial)
    return tuple(_row(cell, group) for table in (cells, polarities, totals) for cell, group in table.items())


def _row(cell: Cell, trials: Sequence[TrialReport]) -> Counts:
    case, arm, polarity = cell
    kinds = Counter(trial.verdict.kind for trial in trials)
    return Counts(
        arm=arm,
        case=case,
        polarity=polarity,
        n=len(trials),
        planned=len(trials) - kinds[VerdictKind.SKIPPED],
        sealed=sum(trial.ending is not None for trial in trials),
        passed=kinds[VerdictKind.PASSED],
        failed=kinds[VerdictKind.FAILED],
        unverified=kinds[VerdictKind.UNVERIFIED],
        incomplete=kinds[VerdictKind.INCOMPLETE],
        skipped=kinds[VerdictKind.SKIPPED],
    )
