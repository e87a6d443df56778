"""How the real server is reached where the mode is `forward`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from .upstream import Line
from .upstream_stdio import StdioLine


def reach(url: str | None, command: tuple[str, ...] | None, lent: Mapping[str, str]) -> Callable[[], Line]:
    """What makes a connection to it: at `url`, or by its `command`. `lent` is its credential by the variable's name."""
    if command is not None:
        return partial(StdioLine, command, lent)
    from .upstream_http import HttpLine  # needs the extra `forward`

    return partial(HttpLine, str(url), next(iter(lent.values()), None))
