"""Whether what the fixtures offer is what the suite's cases were written for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .suite import Suite
from .trial import FixtureIdentity


def lacking(suite: Suite, offered: Mapping[str, FixtureIdentity]) -> Iterator[str]:
    """What each fixture's `contract` misses: `CODE: fixture 'NAME' does not offer TOOLS`, a sentence a code.

    A fixture of which nothing is known offers nothing.
    """
    for name, use in suite.fixtures.items():
        tools = frozenset((*offered[name].tools, *offered[name].aliases)) if name in offered else frozenset()
        for code, wanted in use.contract.items():
            if missing := [tool for tool in wanted if tool not in tools]:
                yield f"{code}: fixture {name!r} does not offer {', '.join(missing)}"
