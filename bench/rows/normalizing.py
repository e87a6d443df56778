"""Recorded sessions of real programs into trajectories: the CPU against reading the JSON, the memory of a long one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from ..bench import Bench
from ..figures import Figure, Missing
from ..measure import HAS_PSS, MeasurementFailed, run
from ..workshop import HERE

DRIVER = HERE / "normalizing.py"
HOSTS = ("codex", "claude")
CPU = 3.0
LONG = 200
"""Megabytes of one session."""
MEMORY = 60.0
"""MiB that normalizing it may take beyond normalizing nothing."""


def figures(bench: Bench) -> Iterator[Figure | Missing]:
    """At most 3 times the floor's CPU over all recordings of a host, and 60 MiB for a stream of 200 MB."""
    for host in HOSTS:
        folder = HERE.parent / f"host_{host}" / "tests" / "recordings"
        done = subprocess.run(
            [sys.executable, DRIVER, "recordings", host, folder, str(bench.of(5, 15, 40))],
            env=bench.shop.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise MeasurementFailed(f"normalizing ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        floors, ours = zip(*(map(float, line.split()) for line in done.stdout.splitlines()), strict=True)
        yield Figure(
            f"normalize all recordings of {host}",
            "s",
            tuple(ours),
            goal=CPU,
            floor=tuple(floors),
            against="json.loads of the same lines",
        )
    if not HAS_PSS:
        yield Missing("memory of normalizing", "this system does not tell proportional set sizes")
        return
    for host in HOSTS:
        base, most = (
            run([sys.executable, DRIVER, "stream", host, str(size)], bench.shop.env, memory=True).pss
            for size in (0, LONG)
        )
        yield Figure(
            f"growth of memory, 0 to {LONG} MB of {host} normalized",
            "MiB",
            (most - base,),
            goal=MEMORY,
            note=f"peak PSS {base:.0f} and {most:.0f} MiB; results of 1 KiB",
        )
