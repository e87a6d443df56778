"""MCP servers under agents without a screen (`test_rNN`: our list of reports): contact, readiness, own cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = (
    *("--host", "portable", "--records", "events", "--host-option", "mcp_env=MCP_SERVERS", "--retries", "0"),
    *("--", "./agent.sh"),
)
SCOPE = "zcode-guidance-fixture-scope"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
ENDED = '{"type": "TurnEnded", "answer": "Done."}\n{"type": "SessionEnded", "ending": "completed"}\n'
ASKS = """\
#!/usr/bin/env python3
import json, os, sys, urllib.request
url = json.loads(os.environ["MCP_SERVERS"])["memory"]
def ask(method, params, number=1):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    kinds = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with urllib.request.urlopen(urllib.request.Request(url, body, kinds), timeout=60) as answer:
        return json.loads(answer.read())
def tell(**event):
    print(json.dumps(event), flush=True)
def call(tool, **arguments):
    tell(type="ToolRequested", call=tool, tool=tool, server="memory", input=arguments)
    got = ask("tools/call", {"name": tool, "arguments": arguments, "_meta": {"callId": tool}})["result"]
    tell(type="ToolResult", call=tool, content=got["content"][0]["text"], is_error=got["isError"])
sys.stdin.read()
tell(type="ModelRequested", provider="p", model="m", messages=1)
"""
"""An agent that speaks with its server, and tells of it."""


@pytest.fixture
def judged(skilltrial: Command, lay: Any, tmp_path: Any) -> Callable[..., Any]:
    """`judged(lines of the agent, cases)`: the trials of a run, by case, and what the server noted of each."""

    def run(lines: str, cases: str) -> tuple[dict[str, Any], dict[str, list[Any]], str]:
        guidance = files("skilltrial_suite_guidance")
        (tmp_path / "start").mkdir()
        (tmp_path / "start/agent.sh").write_text(f"{ASKS}{lines}\nsys.stdout.write({ENDED!r})\n")
        (tmp_path / "start/agent.sh").chmod(0o755)
        lay(
            {
                "c.json": (guidance / "catalog.json").read_text("utf-8"),
                "r.yaml": (guidance / "replies.yaml").read_text("utf-8"),
                "s.trial.yaml": "arms: [{id: bare}]\ngate: {arm: bare}\n"
                f"fixtures: {{memory: {{use: mcp, catalog: c.json, replies: r.yaml}}}}\ncases:\n{cases}",
            }
        )
        ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)
        assert ran.out, ran.err
        noted = {}
        for path in (tmp_path / "run/trials").glob("*/bare/1/fixture-memory.jsonl"):
            noted[path.parts[-4]] = [json.loads(json.loads(line)["raw"]) for line in path.read_text().splitlines()]
        return {one["key"]["case"]: one for one in ran.trials.values()}, noted, skilltrial("grade", "run").out

    return run


def case(name: str, *expect: str, script: str = "write-denied") -> str:
    checks = "".join(f"      - {one}\n" for one in expect or ("{id: none, calls: {server: memory, exactly: []}}",))
    return (
        f"  {name}:\n    prompt: Remember it.\n    workspace: start\n"
        f"    fixtures: {{memory: {{script: {script}}}}}\n    expect:\n{checks}"
    )


@pytest.mark.parametrize(
    ("lines", "reason", "noted"),
    [
        ("", "fixture_not_contacted", []),
        (f'ask("initialize", {HELLO})', "fixture_tools_not_listed", ["connected"]),
        (
            f'ask("initialize", {HELLO}); ask("resources/list", {{}})',
            "fixture_tools_not_listed",
            ["connected", "refused"],
        ),
    ],
    ids=["never", "not listed", "another method"],
)
def test_r27_r28_a_server_that_was_not_used_is_told_by_what_it_saw_and_no_agent_is_judged_by_it(
    judged: Any, lines: str, reason: str, noted: list[str]
) -> None:
    """Each attempt is on record, so that *never contacted* can be proved; a session without tools is no evidence."""
    trials, seen, text = judged(lines, case("c"))

    verdict = trials["c"]["verdict"]
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", reason, "host")
    assert [note["wire"] for note in seen.get("c", [])] == noted
    assert reason.replace("_", " ") in " ".join(text.split())


@pytest.mark.parametrize("servers", [["memory"], []])
def test_r30_tools_that_were_listed_on_the_wire_and_did_not_reach_the_model_are_no_tools(
    judged: Any, servers: list[str]
) -> None:
    trials, _, _ = judged(
        f'ask("initialize", {HELLO}); ask("tools/list", {{}}); tell(type="Offered", tools=[], servers={servers})',
        case("c"),
    )

    verdict = trials["c"]["verdict"]
    assert (verdict["kind"], verdict["reason"]) == (
        ("passed", None) if servers else ("incomplete", "fixture_not_at_host")
    )


def test_r33_each_case_has_its_own_replies_its_arguments_are_asked_and_an_unknown_call_is_loud(judged: Any) -> None:
    save = f'call("remember_memory", scope_id="{SCOPE}", kind="decision", text="UTC.")'
    stored = "{{id: stored, calls: {{server: memory, tool: remember_memory, is_error: {}}}}}"
    asked = "{{id: said, calls: {{server: memory, tool: remember_memory, arguments: {{text: {}}}}}}}"

    trials, seen, text = judged(
        f'ask("initialize", {HELLO}); ask("tools/list", {{}}); {save}; call("list_scopes"); '
        f'call("publish_artifact", scope_id="{SCOPE}")',
        case("denied", stored.format("true"), asked.format("UTC."), script="write-denied")
        + case("confirmed", stored.format("false"), asked.format("utc."), script="write-confirmed"),
    )

    outcomes = {name: {one["id"]: one["outcome"] for one in trial["checks"]} for name, trial in trials.items()}
    assert outcomes["denied"] == {"stored": "passed", "said": "passed"}
    assert outcomes["confirmed"] == {"stored": "passed", "said": "failed"}
    because = {note["because"] for note in seen["denied"] if note["wire"] == "answered"}
    assert because == {"rule", "unexpected"}
    assert "Calls of memory that its replies don't expect: publish_artifact (2)." in " ".join(text.split())
