"""The classes of work and of data that routing policies tell apart."""

from __future__ import annotations

from typing import Literal, get_args

RouteClass = Literal["bounded-read", "bounded-write", "ordinary", "substantial", "complex", "critical"]
DataClass = Literal["PUBLIC", "PRIVATE", "CONFIDENTIAL"]
CLASSES: tuple[str, ...] = get_args(RouteClass)
"""Of work, from light to grave."""
DATA: tuple[str, ...] = get_args(DataClass)
"""Of data."""
