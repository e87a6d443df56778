"""The controlled MCP server: calls a second, how late, CPU a call; its start and its memory; beside other servers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from skilltrial.api import Limits, Place, RunInfo, Trial, TrialKey
from skilltrial_fixture_mcp.fixture import McpFixture

from ..bench import Bench
from ..figures import Figure, Missing
from ..load import Load, Server, load, serving
from ..others import NotInstalled, python_with
from ..scripted import REPLIES, catalog, plan
from ..servers.ours import recorder_in

CONNECTIONS = (1, 8, 64)
SERVERS = {"ours": "ours", "Starlette": "starlette_bare", "mcp SDK": "sdk", "FastMCP": "fast"}
"""Their modules in `bench/servers`."""
Measured = dict[str, dict[int, list[Load]]]


def figures(bench: Bench) -> Iterator[Figure | Missing]:
    """Every call of ours is matched, validated and recorded; the others record too, the bare handler keeps nothing."""
    rounds, seconds = bench.of(1, 5, 9), bench.of(2, 2, 5) * 0.2
    pythons: dict[str, Path | None] = dict.fromkeys(SERVERS)
    try:
        pythons["FastMCP"] = python_with("fastmcp")
    except NotInstalled as error:
        del pythons["FastMCP"]
        yield Missing("MCP server: FastMCP beside it", str(error))
    (bench.shop.base / "ours.plan").write_bytes(plan())
    with ExitStack() as stack:
        servers = [stack.enter_context(_serving(bench, name, python)) for name, python in pythons.items()]
        measured: Measured = {server.name: {count: [] for count in CONNECTIONS} for server in servers}
        for server in servers:
            load(server, 8, seconds / 4)  # what only the first calls cost
        for _ in range(rounds):
            for count in CONNECTIONS:
                for server in servers:
                    measured[server.name][count].append(load(server, count, seconds))
        yield from _calls(measured)
        yield _memory(servers)
    yield _starts(bench, pythons)
    yield _first_answer(bench)


def _serving(bench: Bench, name: str, python: Path | None) -> AbstractContextManager[Server]:
    return serving(name, SERVERS[name], bench.shop.base / f"{SERVERS[name]}.jsonl", python)


def _calls(measured: Measured) -> Iterator[Figure]:
    for count in CONNECTIONS:
        ours, sdk = measured["ours"][count], measured["mcp SDK"][count]
        others = {name: found[count] for name, found in measured.items() if name not in ("ours", "mcp SDK")}

        def beside(unit: str, of: str, others: dict[str, list[Load]] = others) -> str:
            told = (f"{name} {statistics.median(getattr(one, of) for one in own):.3g}" for name, own in others.items())
            return f"{', '.join(told)} {unit}"

        where = f"{count} connection{'s' if count > 1 else ''}"
        yield Figure(
            f"MCP server: CPU a call, {where}",
            "µs",
            tuple(one.cpu for one in ours),
            goal=0.25,
            floor=tuple(one.cpu for one in sdk),
            against="the mcp SDK's server, JSON",
            note=beside("µs", "cpu"),
        )
        yield Figure(
            f"MCP server: calls a second, {where}",
            "/s",
            tuple(one.rate for one in ours),
            goal=2.0,
            floor=tuple(one.rate for one in sdk),
            at_least=True,
            against="the mcp SDK's server, JSON",
            note=beside("/s", "rate"),
        )
        yield Figure(
            f"MCP server: 99 of 100 calls answered within, {where}",
            "ms",
            tuple(one.p99 for one in ours),
            goal=0.5,
            floor=tuple(one.p99 for one in sdk),
            against="the mcp SDK's server, JSON",
            note=beside("ms", "p99"),
        )


def _memory(servers: list[Server]) -> Figure:
    ours, *others = servers
    return Figure(
        "MCP server as a process: memory after the calls",
        "MiB",
        (ours.rss,),
        goal=45.0,
        note=", ".join(f"{one.name} {one.rss:.0f} MiB" for one in others),
    )


def _starts(bench: Bench, pythons: Mapping[str, Path | None]) -> Figure:
    """Each in turn, some times: nothing else of the row is as moody as the start of a process."""
    firsts: dict[str, list[float]] = {name: [] for name in pythons}
    for _ in range(bench.of(1, 3, 9)):
        for name, python in pythons.items():
            with _serving(bench, name, python) as server:
                firsts[name].append(server.first)
    ours, sdk = firsts.pop("ours"), firsts.pop("mcp SDK")
    return Figure(
        "MCP server as a process: start to the first answered call",
        "ms",
        tuple(ours),
        goal=0.2,
        floor=tuple(sdk),
        against="the mcp SDK's server",
        note=", ".join(f"{name} {statistics.median(each):.0f} ms" for name, each in firsts.items()),
    )


def _first_answer(bench: Bench) -> Figure:
    """From asking for a fixture that shares the run's server to the first answered call."""
    base = bench.shop.base
    place = Place(base, base, base, {}, None)  # type: ignore[arg-type]
    fixture = McpFixture(catalog="catalog.json", replies="replies.yaml")
    assets = {"catalog.json": catalog(), "replies.yaml": REPLIES}
    recorder = recorder_in(base / "first.jsonl")
    times: list[float] = []
    with fixture.open_fixtures(RunInfo("run"), assets, None) as run:
        for n in range(bench.of(20, 50, 200)):
            trial = Trial(TrialKey(case="case", arm="arm", label=str(n + 1)), ("Do it.",), Limits())
            begun = time.perf_counter()
            with run.start(trial, {}, place, recorder) as offer:
                host, _, path = str(offer.url).removeprefix("http://").partition("/")
                Server("ours", None, host, f"/{path}", begun).shake_hands()  # type: ignore[arg-type]
                times.append((time.perf_counter() - begun) * 1000)
    return Figure(
        "MCP server of a run: a trial's begin to its first answered call",
        "ms",
        tuple(times),
        goal=5.0,
        note="connection, handshake and a call",
    )
