"""The real agent programs, as npm installs them, in folders of their own. No provider is ever asked.

A host joins these tests by one line in `HOSTS`.
"""

from __future__ import annotations

import http.server
import json
import os
import platform
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.record.suitefile.document import read

BIN = Path(__file__).parent.parent.parent / "hosts" / "node_modules" / ".bin"
Command = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """What the tests must know of a host: its names for the same things."""

    host: str
    version: str
    key: str
    """The variable of a key."""
    address: str
    """The variable of another address of the provider."""
    below: str
    """What of a path such an address has."""
    without_login: str
    """What is said where there is nothing to log in with."""
    lends_a_file: bool = False
    """Whether its sessions may get a copy of the user's login."""

    @property
    def binary(self) -> Path:
        return BIN / self.host

    @property
    def flags(self) -> tuple[str, ...]:
        return ("--host", self.host, "--host-binary", str(self.binary))


HOSTS = (
    Program("codex", "0.171.0", "CODEX_API_KEY", "OPENAI_BASE_URL", "/v1", "codex login", lends_a_file=True),
    Program("claude", "2.1.332", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "", "claude setup-token"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.real)


@pytest.fixture(params=HOSTS, ids=lambda program: program.host, scope="session")
def program(request: pytest.FixtureRequest) -> Program:
    """Each real program; where it is not installed its tests are skipped by name, but never in CI with Node there."""
    return installed(request.param)


@pytest.fixture(params=[one for one in HOSTS if one.lends_a_file], ids=lambda program: program.host, scope="session")
def lender(request: pytest.FixtureRequest) -> Program:
    """Each real program whose sessions may get a copy of a login."""
    return installed(request.param)


@pytest.fixture(scope="session")
def claude() -> Program:
    """The real Claude Code."""
    return installed(next(one for one in HOSTS if one.host == "claude"))


@pytest.fixture(scope="session")
def opencode() -> Path:
    """The real opencode, which npm has here for Linux on x86_64 only."""
    program = BIN.parent / "opencode-linux-x64" / "bin" / "opencode"
    if not program.exists():
        here = platform.system() == "Linux" and platform.machine() == "x86_64"
        why = "real program opencode is not installed: `make agents` does it where there are Node and npm"
        if here and os.environ.get("CI") and shutil.which("node") and shutil.which("npm"):
            pytest.fail(why)
        pytest.skip(why)
    return program


def installed(found: Program) -> Program:
    """The program, where it is there."""
    if not found.binary.exists():
        why = f"real program {found.host} is not installed: `make agents` does it where there are Node and npm"
        if os.environ.get("CI") and shutil.which("node") and shutil.which("npm"):
            pytest.fail(why)
        pytest.skip(why)
    return found


@dataclass
class Desk:
    """A place on this machine of its own: a home, a temporary folder, a state folder; and `skilltrial` run in it."""

    folder: Path
    skilltrial: Command
    env: Mapping[str, str]

    def run(self, *arguments: str | Path, env: Mapping[str, str] | None = None, within: float = 280) -> Any:
        return self.skilltrial(*arguments, env={**self.env, **(env or {})}, within=within)

    def rehearse(self, program: Program, suite: str, *arguments: str) -> Any:
        """Rehearse a suite text with the skill `probe` beside it, in the arm that has it; its own scripts only."""
        path = self.lay(suite)
        arms = () if "--arm" in arguments else ("--arm", "with_skill")
        cases: Any = read(path.name, path.read_bytes()).value
        scripts = [script["id"] for case in cases["cases"].values() for script in case["rehearsals"]]
        own = [word for id in scripts for word in ("--rehearsal", id)]
        return self.run("rehearse", path, "--out", "run", "--format", "json", *arms, *own, *program.flags, *arguments)

    def lay(self, suite: str) -> Path:
        path = self.folder / "probe.trial.yaml"
        path.write_text(suite, "utf-8")
        skill = self.folder / "probe" / "SKILL.md"
        skill.parent.mkdir(exist_ok=True)
        skill.write_text("---\nname: probe\ndescription: How to probe.\n---\nPROBE-BODY: write made.txt.\n", "utf-8")
        return path

    def records(self, trial: str, name: str = "host.jsonl") -> list[dict[str, Any]]:
        lines = (self.folder / "run" / "trials" / trial / name).read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    @property
    def places(self) -> Path:
        """Where trials have their places."""
        return self.folder / "tmp"

    def processes(self) -> list[str]:
        """The command lines of processes that work in this desk's places, or know of them."""
        mark = str(self.places).encode()
        return [name for name, traces in processes() if mark in traces]


def processes() -> Iterator[tuple[str, bytes]]:
    """Every living process but ours: its command line, and command line, variables and folder together."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            line = (folder / "cmdline").read_bytes()
            traces = line + (folder / "environ").read_bytes() + bytes((folder / "cwd").readlink())
        except OSError:
            continue
        if state not in "ZX" and int(folder.name) != os.getpid():
            yield line.replace(b"\0", b" ").decode("utf-8", "replace"), traces


@pytest.fixture
def desk(tmp_path: Path, skilltrial: Command) -> Desk:
    """A desk of one's own: nothing of this machine's user is seen, and nothing is left to him."""
    env = {}
    for name, folder in (("HOME", "home"), ("TMPDIR", "tmp"), ("XDG_STATE_HOME", "state")):
        (tmp_path / folder).mkdir()
        env[name] = str(tmp_path / folder)
    env |= {"CODEX_HOME": str(tmp_path / "home/.codex"), "CLAUDE_CONFIG_DIR": str(tmp_path / "home/.claude")}
    return Desk(tmp_path, skilltrial, env)


@dataclass
class Endpoint:
    """A provider that is none, on the loopback."""

    url: str
    asked: list[str] = field(default_factory=list)
    """Paths that were asked for, with the key that came."""
    bodies: list[str] = field(default_factory=list)
    """What each of them was asked with."""


@pytest.fixture
def refusing() -> Iterator[Endpoint]:
    """A provider that answers everything with 401; as a proxy it lets nothing out, and says who was wanted."""

    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            key = self.headers.get("authorization") or self.headers.get("x-api-key") or ""
            found.asked.append(f"{self.path} {key}")
            found.bodies.append(body.decode("utf-8", "replace"))
            kind = {"type": "authentication_error", "message": "this key is wrong", "code": "invalid_api_key"}
            data = json.dumps({"type": "error", "error": kind}).encode()
            self.send_response(401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_CONNECT = do_POST  # noqa: N815 - the names that the server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    found = Endpoint(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def silent() -> Iterator[str]:
    """An address that takes connections and never answers: as a proxy it lets nothing out."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def within(seconds: float) -> Iterator[Callable[[], bool]]:
    """`left()` is true until the time is over."""
    until = time.monotonic() + seconds

    def left() -> bool:
        time.sleep(0.05)
        return time.monotonic() < until

    yield left


@pytest.fixture
def comes_true() -> Callable[..., bool]:
    """Wait until something holds; whether it came to hold in time."""

    def wait(holds: Callable[[], object], seconds: float = 30) -> bool:
        with within(seconds) as left:
            while not holds():
                if not left():
                    return bool(holds())
        return True

    return wait
