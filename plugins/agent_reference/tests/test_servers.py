"""Tools of MCP servers: how they are listed, offered and called, and what becomes of a server that fails."""

import json

import httpx
import pytest

from skilltrial_agent_reference.tools.base import ToolFailed
from skilltrial_agent_reference.tools.servers import ServerUnusable, connect

TOOLS = [{"name": f"t{n}", "description": "d", "inputSchema": {"type": "object"}} for n in range(3)]


class Answering:
    """A server that answers by hand: two pages of tools, and whatever a call's name says."""

    def __init__(self, *, stream=False):
        self.seen, self.stream = [], stream

    def __call__(self, request):
        message = json.loads(request.content)
        self.seen.append((message["method"], dict(request.headers)))
        if "id" not in message:
            return httpx.Response(202)
        answer = {"jsonrpc": "2.0", "id": message["id"], **self.answer(message["method"], message["params"])}
        if self.stream:
            text = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'
            text += f"data: {json.dumps(answer)}\n\n"
            return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})
        return httpx.Response(200, json=answer, headers={"mcp-session-id": "s-1"})

    def answer(self, method, params):
        if method == "initialize":
            return {"result": {"protocolVersion": "2025-11-25"}}
        if method == "tools/list":
            return {"result": {"tools": TOOLS[2:]} if params else {"tools": TOOLS[:2], "nextCursor": "more"}}
        return {
            "t0": {"result": {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}},
            "t1": {"result": {"content": [{"type": "text", "text": "refused"}], "isError": True}},
            "t2": {"error": {"code": -32602, "message": "bad arguments"}},
        }[params["name"]]


def tools_of(answering):
    return connect({"orders": "http://127.0.0.1:9/x"}, httpx.Client(transport=httpx.MockTransport(answering)))


@pytest.mark.parametrize("stream", [False, True])
def test_all_pages_are_listed_and_offered_under_names_that_tell_the_server(stream):
    answering = Answering(stream=stream)

    tools = tools_of(answering)

    assert [tool.name for tool in tools] == ["mcp__orders__t0", "mcp__orders__t1", "mcp__orders__t2"]
    assert tools[0].offer()["function"] == {
        "name": "mcp__orders__t0",
        "description": "d",
        "parameters": {"type": "object"},
    }
    assert [method for method, _ in answering.seen] == [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/list",
    ]


def test_the_session_and_the_protocol_are_told_with_each_request():
    answering = Answering()

    tools_of(answering)[0].call({})

    _, headers = answering.seen[-1]
    assert headers["mcp-session-id"] == "s-1"
    assert headers["mcp-protocol-version"] == "2025-11-25"


def test_what_a_call_gives_is_text_and_what_fails_is_an_error():
    one, two, three = tools_of(Answering())

    assert one.call({"a": [1]}) == "one\ntwo"
    with pytest.raises(ToolFailed, match="refused"):
        two.call({})
    with pytest.raises(ToolFailed, match="bad arguments"):
        three.call({})
    assert one.fault({"a": 1}) is None
    assert one.fault("text") is not None


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(500), httpx.Response(200, text="no json"), httpx.Response(200, json=[1]), httpx.ConnectError("x")],
)
def test_a_server_that_can_not_be_used_is_told_by_its_name_alone(answer):
    def handle(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ServerUnusable, match="'orders' can't be used") as error:
        tools_of(handle)

    assert "127.0.0.1" not in str(error.value)
