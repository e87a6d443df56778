"""A catalog, replies, and a running fixture to speak with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from skilltrial.api import FixtureRun, Launcher, Limits, Offer, Place, RunInfo, Source, Trial, TrialKey
from skilltrial.testing import MemoryRecorder
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture

DATA = Path(__file__).parent / "data"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


def tool(name: str, properties: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A tool whose properties are all required, unless `required` says otherwise."""
    fields = dict(properties or {})
    schema = {
        "type": "object",
        "properties": fields,
        "required": more.pop("required", list(fields)),
        "additionalProperties": False,
    }
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema, **more}


def catalog_of(*tools: Mapping[str, Any], **changes: Any) -> bytes:
    """The bytes of a catalog with these tools."""
    body: dict[str, Any] = {
        "schema_version": 1,
        "server": {"name": "memory server", "version": "3.1"},
        "captured": "2026-11-30",
        "protocol": "2025-11-25",
        "tools": [dict(one) for one in tools],
    }
    body["sha256"] = digest(body)
    return json.dumps(body | changes).encode()


NOTES = (
    tool("save", {"text": {"type": "string"}, "limit": {"type": "integer"}}, required=["text"]),
    tool("find", {"query": {"type": "string"}}, annotations={"readOnlyHint": True}),
    tool("secret"),
    tool("count", outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
)
"""Four tools: what most tests need."""


@dataclass
class Client:
    """A program with HTTP only: it asks the trial's server, and reads what was recorded of it."""

    offer: Offer
    recorder: MemoryRecorder
    http: httpx.Client
    catalog: bytes = b""
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 1_000_000)))

    @property
    def url(self) -> str:
        assert self.offer.url is not None
        return self.offer.url

    @property
    def notes(self) -> list[dict[str, Any]]:
        assert {record.source for record in self.recorder.records} <= {Source.WIRE}
        return [json.loads(record.raw) for record in self.recorder.records]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [note for note in self.notes if note["wire"] == kind]

    def post(self, body: object, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        return self.http.post(self.url, content=content, headers=usual | names)

    def ask(self, method: str, params: object = None, **headers: str) -> Any:
        """Ask in the way of the handshake; the whole answer, the last message where it comes as a stream."""
        body = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method}
        reply = self.post(body if params is None else body | {"params": params}, **headers)
        if reply.headers["content-type"].startswith("text/event-stream"):
            return json.loads(reply.text.rpartition("data: ")[2])
        return reply.json()

    def modern(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> httpx.Response:
        """Ask in the stateless revision."""
        meta = {
            f"{META}protocolVersion": MODERN,
            f"{META}clientInfo": {"name": "tester", "version": "1"},
            f"{META}clientCapabilities": {},
        }
        given = dict(params or {})
        given["_meta"] = meta | given.get("_meta", {})
        named = {"mcp-name": str(given["name"])} if method == "tools/call" else {}
        usual = {"mcp-protocol-version": MODERN, "mcp-method": method, **named}
        body = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": given}
        return self.post(body, **(usual | headers))

    def call(self, name: str, arguments: object = None, **params: Any) -> Any:
        """Call a tool; the result."""
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}, **params})["result"]


def place_of(tmp: Path) -> Place:
    class NoLauncher(Launcher):
        def run(self, command: Any, recorder: Any, on_line: Any = None) -> Any:
            raise AssertionError("a fixture starts no program")

    return Place(tmp, tmp, tmp, {}, NoLauncher())


def trial_of(label: str = "1") -> Trial:
    return Trial(TrialKey(case="case", arm="arm", label=label), ("Do it.",), Limits())


@dataclass(frozen=True)
class Server:
    """A run's server, and how its trials are started."""

    run: FixtureRun
    http: httpx.Client
    place: Place
    catalog: bytes = b""

    @contextmanager
    def trial(self, label: str = "1", recorder: Any = None, **case: Any) -> Iterator[Client]:
        kept = recorder or MemoryRecorder()
        kept.turn = 1
        with self.run.start(trial_of(label), case, self.place, kept) as offer:
            yield Client(offer, kept, self.http, self.catalog)


@contextmanager
def running(
    tmp: Path, catalog: bytes, replies: bytes | None, answerer: Any = None, live: bool = True, **options: Any
) -> Iterator[Server]:
    """A run's server. `lent` are the variables that it is given."""
    lent = options.pop("lent", {})
    fixture = McpFixture(catalog="catalog.json", replies="replies.yaml" if replies is not None else None, **options)
    assets = {"catalog.json": catalog, "replies.yaml": replies or b""}
    with (
        httpx.Client(trust_env=False, verify=False, timeout=10) as http,
        fixture.open_fixtures(RunInfo("run", live=live, lent=lent), assets, answerer) as run,
    ):
        yield Server(run, http, place_of(tmp), catalog)


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """`servers(replies, *tools, **options)` gives a server, the same one whenever the same is asked for."""
    tmp = tmp_path_factory.mktemp("servers")
    kept: dict[str, Server] = {}
    with ExitStack() as stack:

        def get(replies: str, *tools: Mapping[str, Any], **options: Any) -> Server:
            catalog = catalog_of(*(tools or NOTES))
            key = repr((replies, catalog, sorted(options.items())))
            if key not in kept:
                kept[key] = stack.enter_context(running(tmp, catalog, replies.encode(), **options))
            return kept[key]

        yield get


@pytest.fixture
def serve(servers: Any) -> Iterator[Any]:
    """`serve(replies, *tools, **options)` gives a client in a trial of its own."""
    with ExitStack() as stack:

        def start(replies: str, *tools: Mapping[str, Any], case: Any = None, **options: Any) -> Client:
            return stack.enter_context(servers(replies, *tools, **options).trial(**(case or {})))

        yield start


@pytest.fixture
def run_server(tmp_path: Path) -> Any:
    """`run_server(replies)` is the context of a server of its own."""
    return lambda replies, *tools, **options: running(
        tmp_path, catalog_of(*(tools or NOTES)), replies.encode(), **options
    )


@pytest.fixture
def run_forwarding(tmp_path: Path) -> Any:
    """`run_forwarding(catalog, replies=None, **options)` is the context of a server that passes calls on."""
    return lambda catalog, replies=None, **options: running(tmp_path, catalog, replies, mode="forward", **options)


@pytest.fixture(scope="session")
def make_tool() -> Any:
    return tool


@pytest.fixture(scope="session")
def make_catalog() -> Any:
    return catalog_of


@pytest.fixture
def notes_tools() -> Any:
    return NOTES


@pytest.fixture
def data() -> Path:
    return DATA
