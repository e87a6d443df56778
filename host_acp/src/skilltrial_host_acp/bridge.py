"""A process of its own that holds one turn with an agent over the Agent Client Protocol.

`python -m skilltrial_host_acp.bridge PROGRAM ARGUMENT...` with a Job on standard input. Each message that goes or comes
is a line on standard output; so are the bridge's own words, and the agent's lines that are no messages. It is watched
and ended like any other agent program.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import acp
from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, text_block
from acp.client.connection import ClientSideConnection
from acp.connection import StreamEvent
from acp.schema import (
    AcpMcpServer,
    ClientCapabilities,
    EnvVariable,
    FileSystemCapabilities,
    HttpMcpServer,
    Implementation,
    McpServerStdio,
    SseMcpServer,
)
from acp.transports import spawn_stdio_transport

from .client import Client
from .job import Job, Server, Stage
from .lines import LONGEST, Lines


class Refused(Exception):
    """The agent can't do what the session needs."""


def main() -> int:
    """Hold the turn; return the exit code: 0 where the agent answered the prompt."""
    job = Job.read(sys.stdin.buffer.read())
    try:
        asyncio.run(converse(job, tuple(sys.argv[1:])))
    except Refused as error:
        say("refused", str(error))
    except RequestError as error:
        say("failed", f"error {error.code}")
    except (OSError, ConnectionError, EOFError, ValueError, TypeError) as error:
        say("failed", type(error).__name__)
    else:
        return 0
    return 1


async def converse(job: Job, command: tuple[str, ...]) -> None:
    """Open or take up the conversation, and give it the prompt."""
    cwd = str(Path.cwd())
    async with spawn_stdio_transport(*command, env=dict(os.environ), cwd=cwd, stderr=None, limit=LONGEST) as (
        spoken,
        writer,
        _process,
    ):
        client = Client(job, cwd)
        agent = connect_to_agent(
            # What the client does not offer, the library refuses by itself.
            cast("acp.Client", client),
            Lines(spoken, writer, sys.stdout.buffer),
            observers=[_heard, client.heard],
        )
        try:
            await _turn(agent, job, cwd)
        finally:
            await agent.close()


async def _turn(agent: ClientSideConnection, job: Job, cwd: str) -> None:
    begun = await agent.initialize(
        protocol_version=PROTOCOL_VERSION,
        client_capabilities=ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        ),
        client_info=Implementation(name="skilltrial", version=version("skilltrial-host-acp")),
    )
    can = begun.agent_capabilities
    if any(server.url is not None for server in job.servers) and not (
        can and can.mcp_capabilities and can.mcp_capabilities.http
    ):
        raise Refused("mcp_http")
    servers: list[HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio]
    servers = [_server(server) for server in job.servers]
    if job.session is None:
        session = (await agent.new_session(cwd=cwd, mcp_servers=servers)).session_id
    else:
        if not (can and can.load_session):
            raise Refused("load_session")
        session = job.session
        await agent.load_session(cwd=cwd, session_id=session, mcp_servers=servers)
    # What an agent tells before this is the past of a conversation that was taken up.
    say("prompted", session)
    await agent.prompt(prompt=[text_block(job.prompt)], session_id=session)


def say(stage: Stage, word: str) -> None:
    """A line of the bridge's own."""
    _line({"bridge": stage, "word": word})


def _heard(event: StreamEvent) -> None:
    _line({"from": "agent" if event.direction.value == "incoming" else "client", "message": event.message})


def _line(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _server(server: Server) -> HttpMcpServer | McpServerStdio:
    if server.url is not None:
        return HttpMcpServer(type="http", name=server.name, url=server.url, headers=[])
    environment = [EnvVariable(name=name, value=value) for name, value in server.environment.items()]
    return McpServerStdio(name=server.name, command=server.command[0], args=list(server.command[1:]), env=environment)


if __name__ == "__main__":
    sys.exit(main())
