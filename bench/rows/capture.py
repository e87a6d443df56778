"""What a program prints, on its way into an archive: how fast, and in how much memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ..bench import Bench
from ..figures import Figure, Missing
from ..measure import HAS_PSS, run
from ..workshop import HERE, Workshop

DRIVER = HERE / "capturing.py"
SMALL = 10


def figures(bench: Bench) -> Iterator[Figure | Missing]:
    """Megabytes per second, by the clock and of CPU: on a busy machine only the second says something about us."""
    shop, size = bench.shop, bench.of(50, 200, 200)
    if shop.emitter is None:
        yield Missing("capture", "no C compiler, so nothing here prints fast enough")
        return
    walls, cpus = [], []
    for _ in range(bench.of(2, 3, 5)):
        told = shop.fresh("capture.txt")
        run(_words(shop, size, told), shop.env)
        wall, cpu = map(float, told.read_text(encoding="ascii").split())
        walls.append(size / wall)
        cpus.append(size / cpu)
    for name, rates in (("by the clock", walls), ("by CPU time", cpus)):
        yield Figure(f"capture of {size} MB, {name}", "MB/s", tuple(rates), 100.0, at_least=True, note="lines of 1 KiB")
    if not HAS_PSS:
        yield Missing("memory of capture", "this system does not tell proportional set sizes")
        return
    few, all_ = (run(_words(shop, one, shop.fresh("capture.txt")), shop.env, memory=True).pss for one in (SMALL, size))
    yield Figure(
        f"growth of memory, {SMALL} to {size} MB captured",
        "MiB",
        (all_ - few,),
        goal=8.0,
        note=f"peak PSS {few:.0f} and {all_:.0f} MiB",
    )


def _words(shop: Workshop, megabytes: int, told: Path) -> list[str | Path]:
    program = shop.emitter or Path()
    return [sys.executable, DRIVER, program, str(megabytes), shop.fresh("records"), told]
