"""A part that answers where replies leave a call open: after the rules, with its marks on record, never sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import pytest
from pydantic import JsonValue

from skilltrial.api import Question, Readiness, Remarks, ToolAnswer, TrialNotBegun
from skilltrial.testing import AnswererFacade, MemoryRecorder, bind
from skilltrial_fixture_mcp.fixture import McpFixture

REPLIES = "scripts: {one: {state: {saved: 0}, rules: [{tool: find, reply: {text: by a rule}}]}}"


class Counting:
    """Counts what is saved; can't tell what a text `?` would be answered."""

    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        return () if isinstance(state.get("saved"), int) else ("`saved` is a number",)

    def check_ready(self, state: Mapping[str, JsonValue]) -> Readiness:
        saved = state["saved"]
        return Readiness(saved == 0, "something_saved" if saved else "holds", skips=saved == 2, found=saved)

    def list_questions(self) -> Sequence[Question]:
        return ()

    def remark(self) -> Remarks:
        return Remarks()

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        saved = state["saved"]
        assert isinstance(saved, int)
        text = arguments.get("text")
        return ToolAnswer(
            {"saved": saved + 1},
            {"saved": saved + 1},
            is_error=text == "!",
            marks={"secret": text},
            scripted=text != "?",
        )


@pytest.fixture
def answered(run_server: Any) -> Any:
    return run_server(REPLIES, answerer=bind(AnswererFacade, "counting", Counting()))


def test_it_answers_what_no_rule_answers_and_keeps_its_state(answered: Any) -> None:
    with answered as server, server.trial() as client:
        assert client.call("find", {"query": "x"})["content"][0]["text"] == "by a rule"
        first, second = (client.call("save", {"text": "x"}) for _ in range(2))
        refused = client.call("save", {"text": "!"})

    assert [json.loads(one["content"][0]["text"]) for one in (first, second)] == [{"saved": 1}, {"saved": 2}]
    assert refused["isError"] is True
    answers = client.of("answered")
    assert [one["because"] for one in answers] == ["rule", "answerer", "answerer", "answerer"]
    assert [one["state"] for one in answers] == [{"saved": count} for count in range(4)]


def test_its_marks_are_on_record_and_not_on_the_wire(answered: Any) -> None:
    with answered as server, server.trial() as client:
        reply = client.call("save", {"text": "canary"})

    assert "canary" not in json.dumps(reply)
    assert client.of("answered")[0]["marks"] == {"secret": "canary"}


def test_what_it_cannot_tell_is_marked_as_unscripted(answered: Any) -> None:
    with answered as server, server.trial() as client:
        client.call("save", {"text": "?"})

    assert client.of("answered")[0]["because"] == "unscripted"


def test_arguments_that_do_not_fit_never_reach_it(answered: Any) -> None:
    with answered as server, server.trial() as client:
        client.call("save", {"text": 1})

    assert client.of("answered")[0]["because"] == "invalid_arguments"


@pytest.mark.parametrize(("saved", "skips"), [(1, False), (2, True)])
def test_a_trial_whose_precondition_does_not_hold_is_not_begun(answered: Any, saved: int, skips: bool) -> None:
    kept = MemoryRecorder()
    with (
        answered as server,
        pytest.raises(TrialNotBegun) as caught,
        server.trial(recorder=kept, state={"saved": saved}),
    ):
        raise AssertionError("no session may be opened")

    assert (caught.value.why, caught.value.skips) == ("something_saved", skips)
    note = json.loads(kept.records[0].raw)
    assert note == {"wire": "presupposed", "holds": False, "why": "something_saved", "found": saved, "asked": None}


def test_the_state_of_a_case_is_checked_by_it_beforehand(make_catalog: Any, notes_tools: Any) -> None:
    fixture = McpFixture(catalog="catalog.json", replies="replies.yaml")
    assets = {"catalog.json": make_catalog(*notes_tools), "replies.yaml": REPLIES.encode()}

    counting = bind(AnswererFacade, "counting", Counting())
    assert fixture.check_fixture(assets, {}, counting) == ()
    assert fixture.check_fixture(assets, {"state": {"saved": "x"}}, counting) == ("`saved` is a number",)


def test_a_call_is_on_record_by_itself_before_an_answerer_sees_it(run_server: Any) -> None:
    kept = MemoryRecorder()
    seen: list[list[str]] = []

    class Looking(Counting):
        def answer_call(self, tool: str, arguments: Any, state: Any) -> ToolAnswer:
            seen.append([json.loads(record.raw)["wire"] for record in kept.records])
            return super().answer_call(tool, arguments, state)

    looking = bind(AnswererFacade, "looking", Looking())
    with run_server(REPLIES, answerer=looking) as server, server.trial(recorder=kept) as client:
        client.call("save", {"text": "x"})

    assert seen == [["presupposed", "connected", "called"]]
    assert [note["wire"] for note in client.notes] == ["presupposed", "connected", "called", "answered"]


def test_an_answerer_that_breaks_leaves_the_call_unanswered(run_server: Any) -> None:
    class Breaking(Counting):
        def answer_call(self, tool: str, arguments: Any, state: Any) -> ToolAnswer:
            raise RuntimeError("broken")

    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "save", "arguments": {"text": "x"}}}
    broken = bind(AnswererFacade, "breaking", Breaking())
    with (
        run_server(REPLIES, answerer=broken) as server,
        pytest.raises(RuntimeError, match="broken"),
        server.trial() as client,
    ):
        reply: httpx.Response = client.post(body)
    assert reply.status_code == 500
    assert len(client.of("called")) == 1
    assert client.of("answered") == []
