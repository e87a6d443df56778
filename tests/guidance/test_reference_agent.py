"""The suites that need an MCP server, on the small agent that comes along: without Node and without a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = (
    *("--host", "portable", "--records", "events", "--host-option", "mcp_env=MCP_SERVERS"),
    *("--host-option", 'resume=["--continue"]', "--", "skilltrial-agent"),
)


SOME = ("--case", "failed-save", "--case", "stale-approval")
"""Cases of the guidance suite with all kinds of calls; the real programs play all five."""


@pytest.mark.parametrize(
    ("suite", "cases", "promises"),
    [("guidance", SOME, 30), ("package-discovery-routing", (), 80)],
    ids=["guidance", "kody"],
)
def test_every_promise_holds_on_the_reference_agent(
    skilltrial: Command, suite: str, cases: tuple[str, ...], promises: int
) -> None:
    ran = skilltrial("rehearse", suite, *cases, "--out", "run", "--jobs", "2", "--format", "json", *AGENT, within=580)

    assert ran.code == 0, ran.err
    told = ran.report["rehearsal"]["promises"]
    assert [promise for promise in told if promise["kept"] != "yes"] == []
    assert len(told) >= promises
    assert ran.report["host"]["name"] == "portable"
