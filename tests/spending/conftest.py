"""Agents that count how often they were started, and that print events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

COUNTS = 'echo started >> "$COUNT"; n=$(wc -l < "$COUNT")\n'
"""How an agent of these tests knows how often it was started: its place is a fresh one each time."""


@pytest.fixture
def counts() -> str:
    """The lines of an agent that counts how often it was started, as `$n`; `counting` is what it needs for that."""
    return COUNTS


@pytest.fixture
def counting(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a counting agent."""
    return {"COUNT": str(tmp_path / "count")}


@pytest.fixture
def started_times() -> Callable[[Path], int]:
    """How often a counting agent was started, by the folder of the test."""

    def read(tmp_path: Path) -> int:
        counter = tmp_path / "count"
        return len(counter.read_text().splitlines()) if counter.exists() else 0

    return read


@pytest.fixture
def events() -> Callable[..., str]:
    """Make a counting agent that prints events and ends with a code."""

    def make(*lines: str, code: int = 0, work: str = "echo hello > greeting.txt") -> str:
        return f"#!/bin/sh\n{COUNTS}{work}\ncat <<'EOF'\n" + "\n".join(lines) + f"\nEOF\nexit {code}\n"

    return make
