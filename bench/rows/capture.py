"""What a program prints, on its way into an archive: how fast, and in how much memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..bench import Bench
from ..figures import Figure, Missing
from ..measure import HAS_PSS, run
from ..workshop import HERE

DRIVER = HERE / "capturing.py"
SMALL = 10


def figures(bench: Bench) -> Iterator[Figure | Missing]:
    """Megabytes per second through the launcher and the recorder, without the start of Python."""
    shop, size = bench.shop, bench.of(50, 200, 200)
    if shop.emitter is None:
        yield Missing("capture", "no C compiler, so nothing here prints fast enough")
        return
    rates = []
    for _ in range(bench.of(1, 3, 5)):
        told = shop.fresh("capture.txt")
        run([sys.executable, DRIVER, shop.emitter, str(size), shop.fresh("records"), told], shop.env)
        rates.append(size / float(told.read_text(encoding="ascii")))
    yield Figure(f"capture of {size} MB in lines of 1 KiB", "MB/s", tuple(rates), goal=100.0, at_least=True)
    if not HAS_PSS:
        yield Missing("memory of capture", "this system does not tell proportional set sizes")
        return
    grown = [
        run(
            [sys.executable, DRIVER, shop.emitter, str(one), shop.fresh("records"), shop.fresh("capture.txt")],
            shop.env,
            memory=True,
        ).pss
        for one in (SMALL, size)
    ]
    yield Figure(
        f"memory of capture, {SMALL} to {size} MB",
        "MiB",
        (grown[1] - grown[0],),
        goal=8.0,
        note=f"growth of peak PSS, {grown[0]:.0f} to {grown[1]:.0f} MiB",
    )
