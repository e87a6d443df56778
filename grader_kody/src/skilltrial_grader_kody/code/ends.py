"""How a statement leaves its block."""

from __future__ import annotations

from enum import Enum


class End(Enum):
    """MAYBE: on some way it does, on another it does not."""

    RETURN = "return"
    THROW = "throw"
    BREAK = "break"
    CONTINUE = "continue"
    MAYBE = "maybe"
