"""Judging an archive again, against a process that checks the same digests and parses the same records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from .. import trials
from ..bench import Bench
from ..figures import Figure
from ..measure import pairs, run
from ..workshop import HERE

FLOOR = HERE / "floors" / "grade.py"


def figures(bench: Bench) -> Iterator[Figure]:
    """Seconds of CPU, the whole process."""
    shop, size = bench.shop, bench.of(300, 1000, 1000)
    archive = trials.archive(shop, size)
    words: list[str | Path] = [shop.skilltrial, "grade", archive, "--no-write"]
    floors, ours = pairs(
        bench.of(3, 5, 9),
        lambda: run([sys.executable, FLOOR, archive], shop.env).cpu,
        lambda: run(words, shop.env).cpu,
    )
    yield Figure(
        f"`grade` of {size} sealed trials",
        "s",
        tuple(ours),
        goal=1.5,
        floor=tuple(floors),
        against="check every digest, parse the records",
    )
