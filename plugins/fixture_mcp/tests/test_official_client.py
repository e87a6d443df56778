"""The official client lists and calls the tools, in both eras and over both transports."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import threading
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from skilltrial_fixture_mcp.requests import BODY_LIMIT

RULES = """
scripts:
  one:
    rules:
      - {tool: save, reply: {body: {saved: {$argument: /text}}}}
      - {tool: count, reply: {body: {n: 3}}}
      - {tool: find, arguments: {properties: {query: {const: change}}}, hide: [secret], reply: {text: fewer}}
      - {tool: find, arguments: {properties: {query: {const: broken}}}, fault: malformed}
      - {tool: find, arguments: {properties: {query: {const: drop}}}, fault: drop}
      - {tool: find, arguments: {properties: {query: {const: "500"}}}, fault: server_error}
      - {tool: find, arguments: {properties: {query: {const: hang}}}, fault: hang}
      - {tool: find, delay: 0.05, reply: {text: nothing, isError: true}}
"""
ERAS = {"auto": "2026-07-28", "2026-07-28": "2026-07-28", "legacy": "2025-11-25"}


def server_of(client: Any) -> Any:
    if client.offer.url is not None:
        return client.offer.url
    program, *arguments = client.offer.command
    return StdioServerParameters(command=program, args=arguments, env=dict(client.offer.environment))


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize("mode", list(ERAS))
def test_it_lists_and_calls_and_its_era_is_on_record(serve: Any, transport: str, mode: str) -> None:
    ours = serve(RULES, transport=transport)

    async def use() -> list[Any]:
        async with Client(server_of(ours), mode=mode, read_timeout_seconds=20) as client:
            assert client.protocol_version == ERAS[mode]
            tools = (await client.list_tools()).tools
            meta: Any = {"callId": "call_1"}
            saved = await client.call_tool("save", {"text": "Grüße"}, meta=meta)
            counted = await client.call_tool("count", {})
            return [[tool.name for tool in tools], saved, counted, await client.call_tool("find", {"query": "x"})]

    names, saved, counted, found = asyncio.run(use())

    assert names == list(ours.offer.tools)
    assert saved.content[0].text == '{"saved":"Grüße"}'
    assert counted.structured_content == {"n": 3}
    assert (found.is_error, found.content[0].text) == (True, "nothing")
    connected = ours.of("connected")
    assert [(note["era"], note["transport"]) for note in connected] == [(ERAS[mode], transport)]
    called = ours.of("called")
    assert [(note["tool"], note["joins"]) for note in called] == [("save", "call_1"), ("count", None), ("find", None)]
    assert {note["count"] for note in ours.of("tools_listed")} == {4}


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize("era", ["handshake", "2026-07-28"])
def test_it_finds_the_one_era_that_a_server_speaks(serve: Any, transport: str, era: str) -> None:
    ours = serve(RULES, transport=transport, era=era)

    async def use() -> str:
        async with Client(server_of(ours), mode="auto", read_timeout_seconds=20) as client:
            await client.list_tools()
            return client.protocol_version

    assert asyncio.run(use()) == ("2025-11-25" if era == "handshake" else era)


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_it_hears_that_the_list_has_changed(serve: Any, transport: str) -> None:
    ours = serve(RULES, transport=transport)

    async def use() -> list[str]:
        heard = asyncio.Event()

        async def hear(message: Any) -> None:
            if "list_changed" in str(getattr(message, "method", message)):
                heard.set()

        async with Client(server_of(ours), mode="legacy", message_handler=hear) as client:
            await asyncio.sleep(0.2)  # its stream over HTTP opens beside the first request
            await client.call_tool("find", {"query": "change"})
            await asyncio.wait_for(heard.wait(), 5)
            return [tool.name for tool in (await client.list_tools()).tools]

    assert asyncio.run(use()) == ["save", "find", "count"]


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("fault", ["drop", "500", "hang", "broken"])
def test_each_fault_reaches_it_as_an_error(serve: Any, transport: str, mode: str, fault: str) -> None:
    ours = serve(RULES, transport=transport)

    async def use() -> None:
        async with Client(server_of(ours), mode=mode, read_timeout_seconds=1) as client:
            await client.call_tool("find", {"query": fault})

    with pytest.raises((MCPError, ExceptionGroup)):
        asyncio.run(asyncio.wait_for(use(), 20))

    assert [note["because"] for note in ours.of("answered")][:1] == ["fault"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_many_clients_at_once_all_get_their_own_answers(serve: Any, mode: str) -> None:
    ours = serve(RULES)

    async def use(n: int) -> str:
        async with Client(ours.url, mode=mode) as client:
            return str((await client.call_tool("save", {"text": f"t{n}"})).content[0].text)  # type: ignore[union-attr]

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(use(n) for n in range(12)))

    assert asyncio.run(all_of_them()) == [f'{{"saved":"t{n}"}}' for n in range(12)]
    assert sorted(note["number"] for note in ours.of("answered")) == list(range(1, 13))


def test_a_bridge_ends_with_its_trial_and_with_its_host(servers: Any) -> None:
    with servers(RULES, transport="stdio").trial() as client:
        command, environment = client.offer.command, {**os.environ, **client.offer.environment}
        closed = subprocess.run(command, env=environment, input=b"", capture_output=True, timeout=10, check=False)
        left = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert left.stdin is not None
        assert left.stdout is not None
        left.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        left.stdin.flush()
        assert left.stdout.readline() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'

    with left:
        assert left.wait(10) == 0
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")


@pytest.mark.parametrize("value", ["", "x/y", "1/token", "70000/token", "/token", "80"])
def test_a_bridge_without_its_trial_says_so_and_ends(serve: Any, value: str) -> None:
    command = serve(RULES, transport="stdio").offer.command
    environment = {**os.environ, "SKILLTRIAL_FIXTURE": value}

    ended = subprocess.run(command, env=environment, input=b"", capture_output=True, timeout=10, check=False)

    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.decode().count("\n") == 1


def test_a_bridge_with_a_guessed_token_gets_nothing(serve: Any) -> None:
    offer = serve(RULES, transport="stdio").offer
    port = offer.environment["SKILLTRIAL_FIXTURE"].partition("/")[0]
    environment = {**os.environ, "SKILLTRIAL_FIXTURE": f"{port}/guessed"}

    ended = subprocess.run(
        offer.command,
        env=environment,
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        timeout=10,
        check=False,
    )

    assert ended.stdout == b""


@pytest.mark.parametrize(
    ("line", "code", "why"),
    [
        (b"{", -32700, "not_json"),
        (b"[]", -32600, "batch"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "batch"),
        (b'{"jsonrpc":"2.0","id":1,"method":"nope"}', -32601, "unknown_method"),
        (b'{"id":1}', -32600, "not_a_message"),
    ],
)
def test_a_bridge_brings_the_corners_of_json_rpc_too(serve: Any, line: bytes, code: int, why: str) -> None:
    ours = serve(RULES, transport="stdio")
    environment = {**os.environ, **ours.offer.environment}
    with subprocess.Popen(ours.offer.command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        timer = threading.Timer(60, bridge.kill)
        timer.start()
        bridge.stdin.write(b'\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + line + b"\n")
        bridge.stdin.flush()
        answer = bridge.stdout.readline()
        bridge.stdin.close()
        timer.cancel()

    assert f'"code":{code}' in answer.decode()
    assert ours.of("refused") == [{"wire": "refused", "why": why}]


def test_requests_over_a_bridge_that_reuse_one_id_are_each_answered(serve: Any) -> None:
    ours = serve(RULES, transport="stdio")
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "save", "arguments": {"text": str(n)}}}
        for n in range(16)
    ]

    lines = spoken_to(ours, b"".join(json.dumps(one).encode() + b"\n" for one in asked), len(asked))

    assert [json.loads(line)["id"] for line in lines] == [1] * len(asked)
    assert all("result" in json.loads(line) for line in lines)
    assert [note["arguments"] for note in ours.of("called")] == [{"text": str(n)} for n in range(16)]
    assert len(ours.of("answered")) == 16


def test_a_line_beyond_the_limit_ends_the_bridge_and_is_on_record(serve: Any) -> None:
    ours = serve(RULES, transport="stdio")

    assert spoken_to(ours, b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * BODY_LIMIT + b'"}\n', 1) == [b""]
    assert ours.of("refused") == [{"wire": "refused", "why": "too_large"}]


def spoken_to(ours: Any, said: bytes, answers: int) -> list[bytes]:
    """So many lines of what a bridge answers; an empty one where it has ended."""
    environment = {**os.environ, **ours.offer.environment}
    with subprocess.Popen(ours.offer.command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        timer = threading.Timer(60, bridge.kill)
        timer.start()
        with contextlib.suppress(BrokenPipeError):
            bridge.stdin.write(said)
            bridge.stdin.flush()
        lines = [bridge.stdout.readline() for _ in range(answers)]
        with contextlib.suppress(BrokenPipeError):
            bridge.stdin.close()
        timer.cancel()
    return lines
