"""The suites that need an MCP server, on the small agent that comes along: without Node and without a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial_fixture_mcp.catalog import digest

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


LATER = {
    "get_artifact_candidate": "get_candidate",
    "list_artifact_candidates": "list_candidates",
    "approve_artifact_candidate": "approve_candidate",
    "revise_artifact_candidate": "revise_candidate",
}
"""Names of candidate tools, as servers of a later date have them."""


def test_a_catalog_with_the_later_names_is_played_and_judged_alike(
    skilltrial: Command, folder: Path, tmp_path: Path
) -> None:
    catalog = json.loads((folder / "catalog.json").read_bytes())
    tools = [{**tool, "name": LATER.get(tool["name"], tool["name"])} for tool in catalog["tools"]]
    later = {**catalog, "tools": tools}
    (tmp_path / "later.json").write_text(json.dumps({**later, "sha256": digest(later)}), "utf-8")
    some = ("--case", "stale-approval", "--catalog", "later.json")

    ran = skilltrial(
        "rehearse", "guidance", *some, "--out", "run", "--jobs", "2", "--format", "json", *AGENT, within=580
    )

    assert ran.code == 0, ran.err
    assert [one for one in ran.report["rehearsal"]["promises"] if one["kept"] != "yes"] == []
    wire = (tmp_path / "run/trials/stale-approval/with_skill/honest/fixture-powercontext.jsonl").read_text("utf-8")
    called = [json.loads(json.loads(line)["raw"]) for line in wire.splitlines()]
    assert [note["tool"] for note in called if note["wire"] == "called"] == [
        "resolve_scope_binding",
        "get_candidate",
        "approve_candidate",
        "get_candidate",
    ]
