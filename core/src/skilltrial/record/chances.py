"""What chance alone makes of a suite's gate: how often an unchanged skill is red, and what the gate catches."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.model.gates import chance_red, mean_sessions
from skilltrial.model.suite import Suite

PASSING = (0.90, 0.95, 0.98, 0.99)
"""How often a single trial of an unchanged skill passes."""
BROKEN = (0.5, 0.0)
"""How often a trial passes of the one case that a change has broken."""


def gate_chances(suite: Suite) -> tuple[str, ...]:
    """Lines for people; none where no case is checked. Every number is exact for independent trials."""
    cases = sum(not case.observe for case in suite.cases)
    if not cases:
        return ()
    gate, attempts = suite.gate, suite.attempts
    size = f"{cases} {'case' if cases == 1 else 'cases'}" + (f" x {attempts} attempts" if attempts > 1 else "")
    red = [chance_red(gate, [one] * cases, attempts) for one in PASSING]
    rows = [
        _row("where a trial passes in", [f"{one:.0%}" for one in PASSING]),
        _row("an unchanged skill is red in", map(percent, red)),
        _row(
            f"sessions of the arm {gate.arm}",
            [f"{mean_sessions(gate, [one] * cases, attempts):.1f}" for one in PASSING],
        ),
    ]
    for broken in BROKEN:
        caught = [chance_red(gate, [*[one] * (cases - 1), broken], attempts) for one in PASSING]
        rows.append(_row(f"a case that falls to {broken:.0%} is caught in", map(percent, caught)))
    return (f"gate {gate.rule} of {size}, by chance alone:", *rows)


def percent(chance: float) -> str:
    """A chance as per cent, with a digit behind the point where it is small."""
    return f"{chance:.1%}" if chance < 0.1 else f"{chance:.0%}"


def _row(label: str, cells: Sequence[str] | map[str]) -> str:
    return f"  {label:<38}" + "".join(f"{cell:>8}" for cell in cells)
