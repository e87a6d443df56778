"""The plugin that surrounds the skill: its hook and its script, started as hosts and agents start them."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

SCOPE = "zcode-guidance-fixture-scope"
BINDING, PREPARE = "/v1/scope-bindings/resolve", "/v1/context/prepare"
EMPTY = {"schema": "powercontext.prepared-context.v1", "status": "empty", "content": None, "content_bytes": 0}
PROMPT = {"session_id": "s-1", "cwd": "/place/project", "hook_event_name": "UserPromptSubmit", "prompt": "Save it"}


@pytest.fixture(scope="module")
def package() -> Path:
    spec = importlib.util.find_spec("skilltrial_suite_guidance")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@pytest.fixture
def plugin(package: Path, tmp_path: Path) -> Path:
    """A copy, as it lies in a trial."""
    return Path(shutil.copytree(package / "plugin", tmp_path / "powercontext"))


@dataclass
class Server:
    """What the server answers by path, and what it was asked."""

    url: str = ""
    answers: dict[str, Any] = field(default_factory=lambda: {BINDING: {"scope_id": SCOPE}, PREPARE: EMPTY})
    asked: list[tuple[str, str, Any]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")
            found.asked.append((self.command, self.path, body))
            answer = found.answers.get(self.path)
            data = b"no json" if answer == "garbage" else json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST  # noqa: N815 - the name that the server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        found.url = f"http://127.0.0.1:{listening.server_port}"
        yield found
        listening.shutdown()
        thread.join()


def start(program: Path, *arguments: str, url: str | None, stdin: str = "") -> tuple[int, str, str]:
    """Its exit code, and what it printed, with a proxy that lets nothing through."""
    variables = {"http_proxy": "http://127.0.0.1:9", "PYTHONPATH": ""}
    if url is not None:
        variables["POWERCONTEXT_SERVER_URL"] = url
    command = [sys.executable, str(program), *arguments]
    done = subprocess.run(command, input=stdin, env=variables, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def hook(plugin: Path, url: str | None) -> tuple[int, str, str]:
    return start(plugin / "hooks/user_prompt_submit.py", url=url, stdin=json.dumps(PROMPT))


def resolve(plugin: Path, url: str | None) -> tuple[int, Any]:
    code, out, _ = start(plugin / "scripts/scope.py", "resolve", "--cwd", "/x", "--session-id", "s-1", url=url)
    return code, json.loads(out)


def test_the_hook_puts_scope_and_script_into_the_context(plugin: Path, server: Server) -> None:
    code, out, _ = hook(plugin, server.url)

    told = json.loads(out)["hookSpecificOutput"]
    label, _, binding = told["additionalContext"].partition("\n")
    assert (code, told["hookEventName"], label) == (0, "UserPromptSubmit", "PowerContext, for this request:")
    assert json.loads(binding) == {
        "schema": "powercontext.request-binding.v1",
        "scope_id": SCOPE,
        "session_id": "s-1",
        "scope_script": str(plugin / "scripts/scope.py"),
    }


def test_it_asks_for_the_binding_and_for_context_and_for_nothing_else(plugin: Path, server: Server) -> None:
    """No capture, no flush, nothing generated."""
    hook(plugin, server.url)

    assert [(method, path) for method, path, _ in server.asked] == [("POST", BINDING), ("POST", PREPARE)]
    binding, prepare = (body for _, _, body in server.asked)
    assert [key["kind"] for key in binding["binding_keys"]] == ["session", "workspace"]
    assert "/place/project" not in json.dumps(binding)
    assert prepare == {"scope_id": SCOPE, "query": "Save it", "max_bytes": 8000}


def test_context_that_the_server_has_stands_behind_the_binding(plugin: Path, server: Server) -> None:
    server.answers[PREPARE] = {**EMPTY, "status": "ready", "content": "UTC it is."}
    _, out, _ = hook(plugin, server.url)

    assert json.loads(out)["hookSpecificOutput"]["additionalContext"].endswith("\nUTC it is.")


@pytest.mark.parametrize("name", ["capture_prompts", "boundary_flush", "generation"])
def test_what_is_switched_off_can_t_be_switched_on(plugin: Path, server: Server, name: str) -> None:
    switches = json.loads((plugin / "powercontext.json").read_text("utf-8"))
    assert switches == {"capture_prompts": False, "boundary_flush": False, "generation": False}
    (plugin / "powercontext.json").write_text(json.dumps({**switches, name: True}), "utf-8")

    code, out, err = hook(plugin, server.url)

    assert (code, out, server.asked) == (1, "", [])
    assert name in err


def test_the_script_says_which_scope_is_bound_and_only_reads(plugin: Path, server: Server) -> None:
    assert resolve(plugin, server.url) == (
        0,
        {
            "schema": "powercontext.scope-result.v1",
            "status": "resolved",
            "scope_id": SCOPE,
            "session_key_used": True,
            "workspace_key_used": True,
        },
    )
    assert [path for _, path, _ in server.asked] == [BINDING]


@pytest.mark.parametrize("command", ["bind", "unbind", "flush"])
def test_the_script_has_no_command_that_writes(plugin: Path, server: Server, command: str) -> None:
    code, out, _ = start(plugin / "scripts/scope.py", command, "--cwd", "/x", url=server.url)

    assert (code, out, server.asked) == (2, "", [])


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "server_answered_404"),
        ({}, "no_scope_bound"),
        ([], "server_answer_unreadable"),
        ("garbage", "server_unreachable"),
    ],
)
def test_without_a_scope_both_say_why_and_fail(plugin: Path, server: Server, answer: Any, code: str) -> None:
    server.answers[BINDING] = answer

    failed, out, err = hook(plugin, server.url)

    assert (failed, out) == (1, "")
    assert code in err
    assert resolve(plugin, server.url) == (
        1,
        {"schema": "powercontext.scope-result.v1", "status": "failed", "code": code},
    )


def test_a_server_that_is_not_named_or_not_there_is_said(plugin: Path) -> None:
    assert resolve(plugin, None)[1]["code"] == "server_not_configured"
    assert resolve(plugin, "http://127.0.0.1:1")[1]["code"] == "server_unreachable"


def test_starting_them_leaves_nothing_in_the_plugin(plugin: Path, server: Server) -> None:
    """What two arms have alike must stay so."""
    before = {path: path.read_bytes() for path in plugin.rglob("*") if path.is_file()}
    hook(plugin, server.url)
    resolve(plugin, server.url)

    assert {path: path.read_bytes() for path in plugin.rglob("*") if path.is_file()} == before


def test_the_suite_gives_the_plugin_what_its_entries_ask_for(package: Path) -> None:
    suite = YAML(typ="safe", pure=True).load((package / "suite.yaml").read_text("utf-8"))
    plugin = suite["plugin"]
    (entry,) = json.loads((package / "plugin/.mcp.json").read_text("utf-8"))["mcpServers"].items()

    assert (entry[0], entry[1]["url"]) == ("powercontext", "${POWERCONTEXT_SERVER_URL}/mcp")
    assert plugin["variables"] == {"POWERCONTEXT_SERVER_URL": "powercontext"}
    assert entry[0] in suite["fixtures"]
    hooks = json.loads((package / "plugin/hooks/hooks.json").read_text("utf-8"))["hooks"]
    commands = [one["command"] for entries in hooks.values() for each in entries for one in each["hooks"]]
    assert [command.split()[0] for command in commands] == plugin["programs"]
