"""CPU of a run per trial: against the floor, at the margin, and with many jobs against one."""

from __future__ import annotations

from collections.abc import Iterator

from .. import trials
from ..bench import Bench
from ..figures import Figure
from ..measure import pairs

SMALL = 100
JOBS = 32
FLOOR = "floor of a run"


def figures(bench: Bench) -> Iterator[Figure]:
    """Milliseconds of CPU, the whole process with all its children."""
    shop, large = bench.shop, bench.of(400, 1000, 1000)
    small_floors, small = pairs(
        bench.of(3, 7, 11), lambda: _floor(bench, SMALL), lambda: trials.ours(shop, SMALL, 1).cost.cpu
    )
    yield Figure(
        f"CPU per trial, {SMALL} trials, one job",
        "ms",
        tuple(cpu / SMALL * 1e3 for cpu in small),
        goal=2.0,
        floor=tuple(cpu / SMALL * 1e3 for cpu in small_floors),
        against=FLOOR,
    )
    large_floors, one_job = pairs(
        bench.of(1, 3, 5), lambda: _floor(bench, large), lambda: trials.ours(shop, large, 1).cost.cpu
    )
    yield Figure(
        f"CPU per further trial, {SMALL} to {large}, one job",
        "ms",
        _marginal(small, one_job, large),
        goal=2.5,
        floor=_marginal(small_floors, large_floors, large),
        against=FLOOR,
        note="the aim is 1.5",
    )
    size = bench.of(200, 500, 1000)
    alone, many = pairs(
        bench.of(2, 3, 5),
        lambda: trials.ours(shop, size, 1).cost.cpu / size * 1e3,
        lambda: trials.ours(shop, size, JOBS).cost.cpu / size * 1e3,
    )
    yield Figure(
        f"CPU per trial at {JOBS} jobs, {size} trials",
        "ms",
        tuple(many),
        goal=1.25,
        floor=tuple(alone),
        against="our own one job",
    )


def _floor(bench: Bench, count: int) -> float:
    return trials.floor(bench.shop, count, 1).cost.cpu


def _marginal(small: list[float], large: list[float], count: int) -> tuple[float, ...]:
    """Milliseconds per trial beyond the small run's: each large run against the median small one."""
    base = sorted(small)[len(small) // 2]
    return tuple((cpu - base) / (count - SMALL) * 1e3 for cpu in large)
