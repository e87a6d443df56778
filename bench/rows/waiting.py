"""Agents that wait: whether many of them overlap as they should, and what the runner holds in memory meanwhile."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from .. import trials
from ..bench import Bench
from ..figures import Figure, Missing
from ..measure import HAS_PSS, pairs

JOBS = 32
TRIALS = 96
WAIT = 1000
IDEAL = TRIALS * WAIT / 1000 / JOBS
"""Seconds that it took if nothing but the agents took time."""


def figures(bench: Bench) -> Iterator[Figure | Missing]:
    """Seconds of the whole run, and from its first start to its last end; MiB of the runner alone."""
    shop = bench.shop
    floors, ours = pairs(
        bench.of(1, 3, 5),
        lambda: trials.floor(shop, TRIALS, JOBS, wait=WAIT),
        lambda: trials.ours(shop, TRIALS, JOBS, wait=WAIT),
    )
    yield Figure(
        f"{TRIALS} agents of one second, {JOBS} jobs, the whole run",
        "s",
        tuple(ran.cost.wall for ran in ours),
        goal=1.1,
        floor=(IDEAL,) * len(ours),
        against="agents that only wait",
        note=f"the floor of a run takes {statistics.median(ran.cost.wall for ran in floors):.2f} s",
    )
    yield Figure(
        f"{TRIALS} agents of one second, {JOBS} jobs, first start to last end",
        "s",
        tuple(ran.span for ran in ours),
        goal=1.0,
        floor=tuple(ran.span for ran in floors),
        against="floor of a run",
    )
    if not HAS_PSS:
        yield Missing(f"memory at {JOBS} jobs", "this system does not tell proportional set sizes")
        return
    few = trials.ours(shop, TRIALS, JOBS, wait=WAIT, memory=True).cost.pss
    yield Figure(f"memory at {JOBS} jobs, {TRIALS} agents of one second", "MiB", (few,), goal=40.0, note="peak PSS")
    small, large = 200, bench.of(600, 1000, 5000)
    grown = [trials.ours(shop, count, JOBS, memory=True).cost.pss for count in (small, large)]
    yield Figure(
        f"memory per further trial, {small} to {large}, {JOBS} jobs",
        "KiB",
        ((grown[1] - grown[0]) * 1024 / (large - small),),
        goal=5.0,
        note=f"peak PSS {grown[0]:.0f} and {grown[1]:.0f} MiB, with judging",
    )
