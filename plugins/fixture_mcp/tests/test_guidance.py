"""Five cases about memory tools, written as replies: every condition of their order, and the candidate's states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SCOPE = "zcode-guidance-fixture-scope"
CANDIDATE = "zcode-guidance-candidate"
TEXT = "Project Atlas uses UTC for all timestamps."
ID = {"type": "string", "minLength": 1, "maxLength": 256}
CASES = ("ordinary-coding", "explicit-save", "empty-search", "failed-save", "stale-approval")
LESSONS = {1: "Approve only the version you reviewed.", 2: "Re-read a changed candidate before any new approval."}


@pytest.fixture
def memory(serve: Any, make_tool: Any, data: Path) -> Any:
    """`memory(case)` gives a client of a server that plays the case."""
    candidate = {"scope_id": ID, "candidate_id": ID}
    approve = candidate | {"expected_version": {"type": "integer", "minimum": 1}}
    search = {"scope_id": ID, "query": ID}
    remember = {"scope_id": ID, "kind": ID, "text": {"type": "string", "minLength": 1}}
    tools = (
        make_tool("resolve_scope_binding", {"directory": {"type": "string"}}, required=[]),
        make_tool("get_scope", {"scope_id": ID}),
        make_tool("list_scopes"),
        make_tool("search_memory", search | {"limit": {"type": "integer"}}, required=list(search)),
        make_tool(
            "remember_memory",
            remember | {"expected_revision": {"type": ["integer", "null"], "minimum": 1}},
            required=list(remember),
        ),
        make_tool("list_memory_entries", {"scope_id": ID}),
        make_tool("get_artifact_candidate", candidate),
        make_tool("get_candidate", candidate),
        make_tool("approve_artifact_candidate", approve),
        make_tool("approve_candidate", approve),
    )
    replies = (data / "guidance.replies.yaml").read_text(encoding="utf-8")
    return lambda case: serve(replies, *tools, case={"script": case})


def last(client: Any) -> tuple[Any, bool]:
    """Body and error flag of the latest answer, as they are on record."""
    answered = client.of("answered")[-1]
    return answered["result"], answered["is_error"]


def asked(client: Any, tool: str, **arguments: Any) -> tuple[Any, bool]:
    sent = client.call(tool, arguments)
    body, flag = last(client)
    assert sent["isError"] is flag
    return body, flag


@pytest.mark.parametrize("case", CASES)
def test_scope_is_resolved_whatever_is_asked_and_any_other_scope_is_refused(memory: Any, case: str) -> None:
    client = memory(case)

    assert asked(client, "resolve_scope_binding", directory="x") == ({"scope_id": SCOPE}, False)
    scope, flag = asked(client, "get_scope", scope_id="of-somebody")
    assert (scope["scope_id"], scope["parent_scope_id"], scope["context_refs"], flag) == (SCOPE, None, [], False)
    for tool, arguments in (
        ("list_scopes", {}),
        ("search_memory", {"scope_id": "other", "query": "q"}),
        ("remember_memory", {"scope_id": SCOPE.upper(), "kind": "decision", "text": TEXT}),
        ("approve_candidate", {"scope_id": "other", "candidate_id": CANDIDATE, "expected_version": 1}),
    ):
        body, flag = asked(client, tool, **arguments)
        assert (body["error"]["code"], flag) == ("FIXTURE_SCOPE_MISMATCH", True)
    assert client.of("answered")[-1]["state"] == {"version": 1}


@pytest.mark.parametrize("case", CASES)
def test_a_search_finds_nothing(memory: Any, case: str) -> None:
    client = memory(case)

    body, flag = asked(client, "search_memory", scope_id=SCOPE, query="Atlas retry")

    assert (body, flag) == ({"memory": None, "mode": None, "hits": []}, False)
    assert client.notes[-2]["arguments"] == {"scope_id": SCOPE, "query": "Atlas retry"}


@pytest.mark.parametrize("case", [case for case in CASES if case != "explicit-save"])
def test_only_one_case_lets_anything_be_saved(memory: Any, case: str) -> None:
    body, flag = asked(memory(case), "remember_memory", scope_id=SCOPE, kind="decision", text=TEXT)

    assert (body["error"]["code"], flag) == ("FIXTURE_WRITE_DENIED", True)


def test_what_was_saved_comes_back_with_its_own_text_and_a_constant_kind(memory: Any) -> None:
    body, flag = asked(memory("explicit-save"), "remember_memory", scope_id=SCOPE, kind="note", text="Überall UTC.")

    reference = {"family": "memory", "artifact_id": "memory", "revision": 1}
    assert body["memory"] == body["entry"]["citation"]["memory_ref"] == reference
    assert (body["entry"]["kind"], body["entry"]["text"], body["entry"]["state"]) == (
        "decision",
        "Überall UTC.",
        "active",
    )
    assert not flag


def test_the_newer_contract_confirms_one_active_record(memory: Any) -> None:
    client = memory("explicit-save-atomic")

    assert asked(client, "search_memory", scope_id=SCOPE, query="q") == ({"mode": "text", "hits": []}, False)
    body, _ = asked(client, "remember_memory", scope_id=SCOPE, kind="decision", text=TEXT)

    (record,) = body["records"]
    assert (record["artifact"]["family"], record["state"], record["kind"], record["text"]) == (
        "atomic-memory",
        "active",
        "decision",
        TEXT,
    )


@pytest.mark.parametrize(
    ("read", "approve"),
    [("get_artifact_candidate", "approve_artifact_candidate"), ("get_candidate", "approve_candidate")],
)
@pytest.mark.parametrize("version", [1, 2, 7])
def test_a_candidate_changes_under_the_first_approval_and_stays_pending(
    memory: Any, read: str, approve: str, version: int
) -> None:
    client = memory("stale-approval")

    def shown() -> tuple[int, str, str, None]:
        body, flag = asked(client, read, scope_id=SCOPE, candidate_id="any-id")
        assert (body["candidate_id"], flag) == (CANDIDATE, False)
        return body["version"], body["proposal"]["lesson"], body["status"], body["result_artifact"]

    assert shown() == shown() == (1, LESSONS[1], "pending", None)
    for _ in range(2):
        body, flag = asked(client, approve, scope_id=SCOPE, candidate_id=CANDIDATE, expected_version=version)
        assert (body["error"]["code"], flag) == ("candidate_conflict", True)
        assert body["error"]["details"] == {"expected_version": version, "current_version": 2}
        assert shown() == (2, LESSONS[2], "pending", None)
    assert [note["state"]["version"] for note in client.of("answered")] == [1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("case", CASES)
def test_everything_else_in_the_catalog_is_unexpected(memory: Any, case: str) -> None:
    client = memory(case)

    body, flag = asked(client, "list_memory_entries", scope_id=SCOPE)

    assert (body["error"]["code"], flag) == ("FIXTURE_UNEXPECTED_OPERATION", True)
    assert client.of("answered")[-1]["because"] == "unexpected"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"scope_id": SCOPE, "kind": "decision", "text": ""},
        {"scope_id": SCOPE, "kind": "decision", "text": TEXT, "extra": 1},
        {"scope_id": SCOPE, "kind": "decision", "text": TEXT, "expected_revision": 0},
    ],
)
def test_arguments_that_break_the_input_schema_never_reach_a_rule(memory: Any, arguments: dict[str, Any]) -> None:
    client = memory("explicit-save")

    body, flag = asked(client, "remember_memory", **arguments)

    assert (body["error"]["code"], flag) == ("FIXTURE_INVALID_ARGUMENTS", True)
    assert client.notes[-2]["arguments"] == arguments


def test_a_catalog_of_their_own_and_no_instructions(memory: Any) -> None:
    client = memory("ordinary-coding")

    told = client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})["result"]
    listed = client.ask("tools/list")["result"]["tools"]

    assert "instructions" not in told
    assert len(listed) == 10


@pytest.mark.parametrize("case", CASES)
def test_a_plugins_hook_finds_what_it_asks_beside_the_tools(memory: Any, case: str) -> None:
    client = memory(case)
    origin = client.url.removesuffix("/mcp")

    assert client.http.get(f"{origin}/health/ready").json() == {"status": "ready"}
    assert client.http.get(f"{origin}/v1/scopes/any%20id").json()["scope_id"] == SCOPE
    assert client.http.post(f"{origin}/v1/scope-bindings/resolve", json={"x": 1}).json() == {"scope_id": SCOPE}
    prepared = client.http.post(f"{origin}/v1/context/prepare").json()
    assert (prepared["status"], prepared["content"], prepared["content_bytes"]) == ("empty", None, 0)
    assert client.http.post(f"{origin}/v1/memory/flush").status_code == 404
    assert [note["status"] for note in client.of("routed")] == [200, 200, 200, 200, 404]
    assert client.of("called") == []
