"""The tools of MCP servers over streamable HTTP: listed when the agent starts, called as the model asks."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

import httpx

from ..values import Json
from .base import ToolFailed

PROTOCOL = "2025-11-25"
_SECONDS = 60.0
_PAGES = 100


class ServerUnusable(Exception):
    """A server can't be reached, or does not speak the protocol; the message names the server only."""


@dataclass
class Server:
    """One server. Its calls go over one connection, one at a time."""

    name: str
    url: str
    client: httpx.Client
    headers: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def tools(self) -> tuple[ServerTool, ...]:
        """Say hello and list the tools. Raises ServerUnusable."""
        try:
            hello = self._ask("initialize", _hello())
            self.headers["mcp-protocol-version"] = str(hello.get("protocolVersion", PROTOCOL))
            self._tell("notifications/initialized")
            return tuple(ServerTool(self, tool) for tool in self._listed() if isinstance(tool.get("name"), str))
        except (httpx.HTTPError, ToolFailed) as error:
            raise ServerUnusable(f"the server {self.name!r} can't be used ({type(error).__name__})") from error

    def call(self, tool: str, arguments: Mapping[str, Json]) -> str:
        """Call a tool; return the text of what it gives. Raises ToolFailed, also where the result says so."""
        try:
            result = self._ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        except httpx.HTTPError as error:
            raise ToolFailed(f"the server did not answer ({type(error).__name__})") from error
        text = _text(result)
        if result.get("isError") is True:
            raise ToolFailed(text)
        return text

    def _listed(self) -> Iterator[dict[str, Json]]:
        cursor: Json = None
        for _ in range(_PAGES):
            page = self._ask("tools/list", {} if cursor is None else {"cursor": cursor})
            tools = page.get("tools")
            yield from (tool for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def _ask(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        number = next(self.numbers)
        answer = self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if (session := answer.headers.get("mcp-session-id")) is not None:
            self.headers["mcp-session-id"] = session
        for message in _messages(answer):
            if message.get("id") == number:
                if isinstance(error := message.get("error"), dict):
                    raise ToolFailed(str(error.get("message", "the server refused the call")))
                result = message.get("result")
                return result if isinstance(result, dict) else {}
        raise ToolFailed("the server gave no answer")

    def _tell(self, method: str) -> None:
        self._post({"jsonrpc": "2.0", "method": method})

    def _post(self, message: dict[str, Json]) -> httpx.Response:
        headers = {"accept": "application/json, text/event-stream", **self.headers}
        answer = self.client.post(self.url, json=message, headers=headers)
        if answer.status_code >= 400 and not answer.content:
            answer.raise_for_status()
        return answer


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server, as the model is offered it: under a name that tells both."""

    server: Server
    told: Mapping[str, Json]

    @property
    def own(self) -> str:
        """The server's name of it."""
        return str(self.told["name"])

    @property
    def name(self) -> str:
        """The name that the model uses."""
        return f"mcp__{self.server.name}__{self.own}"

    def offer(self) -> dict[str, Json]:
        """The tool as a request offers it."""
        schema = self.told.get("inputSchema")
        parameters: Json = schema if isinstance(schema, dict) else {"type": "object"}
        description: Json = self.told.get("description") or ""
        function: dict[str, Json] = {"name": self.name, "description": description, "parameters": parameters}
        return {"type": "function", "function": function}

    def fault(self, given: Json) -> str | None:
        """What is wrong with the arguments; whether they fit the server's schema is for the server to say."""
        return None if isinstance(given, dict) else "the arguments are not a JSON object"

    def call(self, given: Mapping[str, Json]) -> str:
        """Carry out a call. Raises ToolFailed."""
        return self.server.call(self.own, given)


def connect(servers: Mapping[str, str], client: httpx.Client) -> tuple[ServerTool, ...]:
    """The tools of all servers (name → address). Raises ServerUnusable."""
    return tuple(tool for name, url in servers.items() for tool in Server(name, url, client).tools())


def client() -> httpx.Client:
    """A client that asks no proxy and follows nothing: servers are on this machine."""
    return httpx.Client(timeout=_SECONDS, trust_env=False, follow_redirects=False)


def _hello() -> dict[str, Json]:
    info: dict[str, Json] = {"name": "skilltrial-agent", "version": version("skilltrial-agent-reference")}
    return {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": info}


def _messages(answer: httpx.Response) -> Iterator[dict[str, Json]]:
    """The messages of an answer: one JSON value, or one for each event of a stream."""
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        texts = [line[5:] for line in answer.text.splitlines() if line.startswith("data:")]
    else:
        texts = [answer.text]
    for text in texts:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _text(result: Mapping[str, Json]) -> str:
    """What the model reads of a result: its texts, else its structured content."""
    content = result.get("content")
    texts = (
        [str(item.get("text", "")) for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    )
    return "\n".join(texts) if texts else json.dumps(result.get("structuredContent"))
