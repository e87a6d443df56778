"""Runs of so many trials: ours from end to end, and the floor's."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .measure import Cost, MeasurementFailed, run
from .workshop import HERE, Workshop

FLOOR = HERE / "floors" / "trials.py"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run took, and the seconds from the start of its first trial to the end of its last."""

    cost: Cost
    span: float


def ours(shop: Workshop, count: int, jobs: int, *, wait: int = 0, memory: bool = False, keep: str = "") -> Ran:
    """`skilltrial run`: agents that wait so many milliseconds, full evidence, judged. `keep` names its archive."""
    out = shop.fresh(keep or "run")
    how = ["--host", "portable", "--quiet", "--seed", "1", "--jobs", str(jobs)]
    cost = run(
        [shop.skilltrial, "run", shop.suite(count), *how, "--out", out, "--", shop.agent, str(wait)],
        shop.env,
        memory=memory,
    )
    return Ran(cost, _span([_clocks(file) for file in out.glob("trials/*/*/*/trial.json")], count))


def floor(shop: Workshop, count: int, jobs: int, *, wait: int = 0) -> Ran:
    """The floor's run of the same."""
    out = shop.fresh("floor.jsonl")
    cost = run([sys.executable, FLOOR, shop.workspace, str(count), str(jobs), out, shop.agent, str(wait)], shop.env)
    told = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return Ran(cost, _span([(one["start"], one["end"]) for one in told], count))


def archive(shop: Workshop, count: int) -> Path:
    """A sealed archive of so many trials, made when it is first asked for."""
    name = f"sealed-{count}"
    if not (shop.base / name / "manifest.json").exists():
        ours(shop, count, 4, keep=name)
    return shop.base / name


def _clocks(file: Path) -> tuple[float, float]:
    """When a sealed trial began and ended, in seconds since the epoch."""
    facts = json.loads(file.read_bytes())
    start = datetime.fromisoformat(facts["started"]).timestamp()
    return start, start + facts["setup_seconds"] + facts["agent_seconds"] + facts["closing_seconds"]


def _span(clocks: Sequence[tuple[float, float]], count: int) -> float:
    if len(clocks) != count:
        raise MeasurementFailed(f"{len(clocks)} of {count} trials were kept")
    return max(end for _, end in clocks) - min(start for start, _ in clocks)
