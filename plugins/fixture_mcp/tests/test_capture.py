"""`catalog capture`: a real server's tools, frozen."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skilltrial.api import InvalidRequest
from skilltrial_fixture_mcp.catalog import read_catalog
from skilltrial_fixture_mcp.catalog_command import command

SERVER = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("real", version="9", log_level="ERROR")

@server.tool()
def remember(text: str, scope: str = "own") -> dict[str, int]:
    """Save one memory."""
    raise SystemExit("a capture calls nothing")

server.run("stdio")
'''


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["capture", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_stdio_servers_tools_are_frozen(tmp_path: Path) -> None:
    program, out = tmp_path / "server.py", tmp_path / "catalog.json"
    program.write_text(SERVER, encoding="utf-8")

    said = run("--command", shlex.join((sys.executable, str(program))), "--out", str(out))

    catalog, faults = read_catalog("catalog.json", out.read_bytes())
    assert (said.exit_code, said.output) == (0, f"{out}: 1 tools\n")
    assert faults == []
    assert catalog is not None
    assert (catalog.server, catalog.version) == ("real", "9")
    assert catalog.tools["remember"].raw["inputSchema"]["required"] == ["text"]  # type: ignore[index,call-overload]


@pytest.mark.parametrize("era", ["handshake", "2026-07-28"])
def test_a_capture_of_our_own_server_gives_the_same_tools(
    serve: Any, tmp_path: Path, notes_tools: Any, era: str
) -> None:
    client = serve("scripts: {one: {rules: []}}", era=era)
    out = tmp_path / "catalog.json"

    run("--url", client.url, "--out", str(out))

    body = json.loads(out.read_bytes())
    assert body["tools"] == list(notes_tools)
    assert body["protocol"] == ("2025-11-25" if era == "handshake" else era)
    assert client.of("called") == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "catalog.json"
    out.write_text("mine", encoding="utf-8")

    with pytest.raises(InvalidRequest, match="never overwritten"):
        run("--url", "http://127.0.0.1:9/mcp", "--out", str(out))

    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--url", "http://127.0.0.1:9/mcp?key=canary"), "could not be asked for its tools"),
        (("--command", "/nowhere/canary"), "could not be asked for its tools"),
        (("--command", shlex.join((sys.executable, "-c", "canary"))), "could not be asked for its tools"),
        (
            ("--command", shlex.join((sys.executable, "-c", "import time; time.sleep(60)")), "--seconds", "1"),
            "within 1 seconds",
        ),
        (("--command", "'"), "no command line"),
        (("--command", ""), "no command line"),
        (("--url", "http://127.0.0.1:9", "--token-env", "NO_SUCH_VARIABLE"), "the environment has no NO_SUCH_VARIABLE"),
    ],
)
def test_what_cannot_be_captured_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    out = tmp_path / "catalog.json"

    with pytest.raises(InvalidRequest, match=says) as told:
        run(*arguments, "--out", str(out))

    assert "canary" not in str(told.value)
    assert not out.exists()


@pytest.mark.parametrize("arguments", [(), ("--url", "http://x", "--command", "y")])
def test_one_server_is_wanted(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    said = run(*arguments, "--out", str(tmp_path / "c.json"))

    assert said.exit_code == 2
    assert "either --url or --command" in said.output
