"""The program versions whose lines this normalizer was made from and is tested with."""

from __future__ import annotations

RECORDED: frozenset[str] = frozenset({"2.1.332"})
"""A new version enters with its recordings; until then its trajectories carry a notice."""


def is_recorded(version: str) -> bool:
    """Whether the lines of this version are among the recordings."""
    return version in RECORDED
