"""Recorded sessions of real programs normalized: CPU against reading the JSON; a long one judged: memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from ..bench import Bench
from ..figures import Figure, Missing
from ..measure import HAS_PSS, MeasurementFailed, run
from ..workshop import HERE

DRIVER = HERE / "normalizing.py"
HOSTS = ("codex", "claude")
SESSIONS = ("codex", "codex+log", "claude")
CPU = 3.0
LONG = 200
"""Megabytes of one session."""
MEMORY = 60.0
"""MiB that judging it may take beyond judging nothing."""


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
    for what in SESSIONS:
        with TemporaryDirectory(dir=bench.shop.base) as place:
            base, most = (_peak(bench, what, size, Path(place)) for size in (0, LONG))
        yield Figure(
            f"growth of memory, 0 to {LONG} MB of {what} judged",
            "MiB",
            (most - base,),
            goal=MEMORY,
            note=f"peak PSS {base:.0f} and {most:.0f} MiB; results of 1 KiB",
        )


def _peak(bench: Bench, what: str, size: int, folder: Path) -> float:
    """MiB at the peak of reading, normalizing and judging a session of so many megabytes from its file."""
    file = folder / f"{size}.jsonl"
    subprocess.run([sys.executable, DRIVER, "write", what, str(size), file], env=bench.shop.env, check=True)
    return run([sys.executable, DRIVER, "judge", what, str(file)], bench.shop.env, memory=True).pss
