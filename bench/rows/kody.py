"""Scoring transcripts of Kody in memory: the CPU against reading the JSON, the memory against the file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from ..bench import Bench
from ..figures import Figure
from ..measure import MeasurementFailed
from ..workshop import HERE

DRIVER = HERE / "scoring_kody.py"
GOALS = {"original": 4.0, "strict": 20.0}
MEMORY = 4.0
"""Sizes of the file that scoring may take."""


def figures(bench: Bench) -> Iterator[Figure]:
    """At most 4 (`original`) and 20 (`strict`) times the floor's CPU, in results as in the events of one."""
    most = bench.of(1_000, 10_000, 10_000)
    repeats = bench.of(3, 5, 9)
    for results, events in ((10, 4), (1_000, 4), (most, 4), (1, most)):
        done = subprocess.run(
            [sys.executable, DRIVER, str(results), str(events), str(repeats)],
            env=bench.shop.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise MeasurementFailed(f"scoring ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        *lines, peaks = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
        what = f"{results:,} results" if results > 1 else f"1 result, {events:,} events"
        unit = "results" if results > 1 else "events"
        floors = tuple(line[0] for line in lines)
        for at, (profile, goal) in enumerate(GOALS.items(), 1):
            yield Figure(
                f"score {what}, `{profile}`",
                "s",
                tuple(line[at] for line in lines),
                goal=goal,
                floor=floors,
                against="read the JSON, touch each event",
                note=f"{max(results, events) / median(line[at] for line in lines):,.0f} {unit} a second",
            )
            yield Figure(
                f"memory of scoring {what}, `{profile}`",
                "files",
                (peaks[at - 1],),
                goal=MEMORY,
                note="traced peak, in sizes of the transcript",
            )
