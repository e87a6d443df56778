"""A stand-in for an agent program: it connects to the servers that it is offered, and calls what its prompt says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp import Client, MCPError
from pydantic.dataclasses import dataclass

from skilltrial.api import Can, EvidenceKind, Exited, HostIdentity, Lending, Probe, Sees, Source, Spawned


@dataclass(frozen=True)
class StandIn:
    """Takes a prompt in JSON: a list of calls, each a tool and its arguments."""

    def describe_host(self) -> HostIdentity:
        return HostIdentity(
            name="stand-in",
            can=frozenset({Can.MCP_HTTP}),
            sees=frozenset({Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS}),
            records="events",
            evidence_kind=EvidenceKind.STAND_IN_HOST,
        )

    def probe_host(self) -> Probe:
        return Probe(program=None)

    def lend_host(self, passed: Any, seconds: int) -> Lending:
        return Lending()

    def place_skill(self, skill: Any, place: Any) -> Any:
        return place.project / "skills" / skill.id

    @contextmanager
    def open_session(self, trial: Any, place: Any, offers: Any, model: Any, recorder: Any) -> Iterator[Any]:
        yield Conversation(offers[0], recorder)


class Conversation:
    """One connection for each prompt."""

    def __init__(self, offer: Any, recorder: Any) -> None:
        self.offer = offer
        self.recorder = recorder

    def send(self, prompt: str) -> str:
        self.recorder.note(Spawned(argv=("stand-in",)))
        asyncio.run(self._call(json.loads(prompt)))
        self._say(type="TurnEnded", answer="done")
        self._say(type="SessionEnded", ending="completed")
        self.recorder.note(Exited(code=0))
        return "done"

    async def _call(self, calls: Any) -> None:
        async with Client(self.offer.url, read_timeout_seconds=20) as client:
            await client.list_tools()
            for number, (tool, arguments) in enumerate(calls):
                id = f"call-{number}"
                self._say(type="ToolRequested", call=id, tool=tool, server=self.offer.name, input=arguments)
                try:
                    came = await client.call_tool(tool, arguments)
                except MCPError:
                    self._say(type="ToolResult", call=id, content="an error", is_error=True)
                    continue
                self._say(
                    type="ToolResult",
                    call=id,
                    content=str(getattr(came.content[0], "text", "")),
                    is_error=came.is_error,
                )

    def _say(self, **event: Any) -> None:
        self.recorder.record(Source.STDOUT, json.dumps(event))
