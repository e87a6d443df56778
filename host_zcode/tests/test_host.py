"""The host: what it finds, what it writes into a place, and how it starts the bridge."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial.api import (
    Can,
    Command,
    EvidenceKind,
    Exited,
    Finished,
    InvalidRequest,
    Limits,
    ModelEndpoint,
    Offer,
    Place,
    PlacedPlugin,
    Recorder,
    SessionStopped,
    Trial,
    TrialKey,
)
from skilltrial_host_zcode.host import ZcodeHost
from skilltrial_host_zcode.program import UNCHECKED
from skilltrial_host_zcode.surroundings import fence, short

TRIAL = Trial(TrialKey(case="a", arm="with_skill", label="1"), ("One.",), Limits(), allow=("WebFetch",))
ENDPOINT = ModelEndpoint(url="http://127.0.0.1:8/run/x", model="scripted", key="dummy")


class Notes:
    """A recorder that keeps notes."""

    def __init__(self) -> None:
        self.turn, self.notes = 1, list[Any]()

    def record(self, source: Any, *lines: str) -> None:
        """Kept by nobody here."""

    def note(self, note: Any) -> None:
        """Keep it."""
        self.notes.append(note)


@dataclass
class Launcher:
    """Starts nothing; keeps what it was to start, and what lay in the home then."""

    home: Path
    commands: list[Command] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        """Nothing was said."""
        self.commands.append(command)
        self.files = {
            path.relative_to(self.home).as_posix(): path.read_text("utf-8")
            for path in self.home.rglob("*")
            if path.is_file()
        }
        return Finished(Exited(code=1))


@pytest.fixture
def host(standin: Path, table: Path) -> Callable[..., ZcodeHost]:
    return lambda **options: ZcodeHost(binary=str(standin), table=str(table), **options)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Launcher]:
    """`opened(host, ...)`: what the program would have been started with."""
    for name in ("project", "home", "tmp"):
        (tmp_path / name).mkdir()
    launcher = Launcher(tmp_path / "home")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    place = Place(tmp_path / "project", tmp_path / "home", tmp_path / "tmp", environment, launcher)

    def start(host: ZcodeHost, model: ModelEndpoint | None = ENDPOINT, offers: Any = (), **more: Any) -> Launcher:
        given = replace(place, **{**more, "environment": {**environment, **more.get("environment", {})}})
        with host.open_session(TRIAL, given, offers, model, Notes()) as session, pytest.raises(SessionStopped):
            session.send("One.")
        return launcher

    return start


def job(launcher: Launcher) -> dict[str, Any]:
    """What the bridge was told."""
    told: dict[str, Any] = json.loads(launcher.commands[0].stdin)
    return told


def test_a_stand_in_is_known_by_what_it_says_of_itself(host: Any, node: Path, table: Path, tmp_path: Path) -> None:
    real = tmp_path / "bin" / "zcode.cjs"
    real.write_text("#!/bin/sh\necho 0.16.9\n", "utf-8")
    real.chmod(0o755)

    stands_in = host().describe_host()
    runs = ZcodeHost(binary=str(real), node=str(node), table=str(table)).describe_host()

    assert (stands_in.evidence_kind, stands_in.version) == (EvidenceKind.STAND_IN_HOST, "stand-in 0.16.9")
    assert (runs.evidence_kind, runs.version) == (EvidenceKind.LIVE_ZCODE, "0.16.9")
    assert stands_in.caveats == runs.caveats == (UNCHECKED,)
    assert UNCHECKED in host().probe_host().told
    assert Can.PLUGINS in runs.can


@pytest.mark.parametrize("says", ["0.16", "zcode 0.16.9", "", "v", "my stand-in 0.16.9"])
def test_a_program_that_tells_no_version_is_none(table: Path, tmp_path: Path, says: str) -> None:
    program = tmp_path / "other"
    program.write_text(f"#!/bin/sh\necho '{says}'\n", "utf-8")
    program.chmod(0o755)

    with pytest.raises(InvalidRequest, match="does not tell a version"):
        ZcodeHost(binary=str(program), table=str(table)).describe_host()


@pytest.mark.parametrize(
    ("version", "will_do"), [("v22.4.9", False), ("v22.5.0", True), ("v24.1.0", True), ("", False)]
)
def test_an_old_node_is_refused(table: Path, tmp_path: Path, version: str, will_do: bool) -> None:
    (tmp_path / "zcode.cjs").write_text("", "utf-8")
    node = tmp_path / "node"
    node.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} || echo 0.16.9\n', "utf-8")
    node.chmod(0o755)
    host = ZcodeHost(binary=str(tmp_path / "zcode.cjs"), node=str(node), table=str(table))

    if will_do:
        assert host.describe_host().version == "0.16.9"
    else:
        with pytest.raises(InvalidRequest, match=r"needs Node 22\.5"):
            host.describe_host()


def test_the_table_is_found_where_the_desktop_application_has_it(tmp_path: Path) -> None:
    program = tmp_path / "resources/glm/zcode"
    table = tmp_path / "resources/config/provider/zcode-builtin.json"
    for file, text in ((program, "#!/bin/sh\necho 0.16.9\n"), (table, "{}")):
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")
    program.chmod(0o755)

    assert ZcodeHost(binary=str(program)).describe_host().version == "0.16.9"


def test_all_that_the_program_gets_is_the_trials(host: Any, opened: Any, tmp_path: Path, table: Path) -> None:
    offers = (
        Offer(name="orders", url="http://127.0.0.1:9/x", tools=("look_up",)),
        Offer(name="programs", programs=tmp_path, tools=("gh",)),
    )

    started = opened(host(effort="high"), offers=offers)

    home = str(tmp_path / "home")
    (command,) = started.commands
    assert command.argv[:3] == (sys.executable, "-m", "skilltrial_host_zcode.bridge")
    assert command.argv[-2:] == ("app-server", "--stdio")
    assert command.cwd == tmp_path / "project"
    personal = f"{home}/.zcode/v2/provider_config.json"
    assert {name: value for name, value in command.env.items() if name.startswith("ZCODE_")} == {
        "ZCODE_DATA_BASE_DIR": home,
        "ZCODE_BUILTIN_PROVIDER_CONFIG_FILE": str(table),
        "ZCODE_PERSONAL_PROVIDER_CONFIG_FILE": personal,
    }
    told = job(started)
    selection = {"providerId": "skilltrial", "modelId": "scripted", "options": {"reasoningLevel": "high"}}
    assert (told["model"], told["effort"], told["mode"]) == (selection, "high", "build")
    assert told["tools"] == ["mcp__orders__look_up"]
    assert (told["programs"], told["allow"]) == (["gh"], ["WebFetch"])
    assert [server["url"] for server in told["servers"]] == ["http://127.0.0.1:9/x"]
    providers = json.loads(started.files[".zcode/v2/provider_config.json"])
    (rule,) = providers["config"]["providerConfigRules"]["providerRules"]
    assert rule["config"]["access"] == {"type": "api-key", "apiKey": "dummy"}
    assert rule["config"]["api"] == {"type": "openai-chat-completions", "baseUrl": "http://127.0.0.1:8/run/x/v1"}
    assert providers["config"]["defaultModelSelection"] == selection
    assert json.loads(started.files[".zcode/cli/config.json"])["plugins"] == {"enabled": False, "dirs": []}


def test_each_protocol_has_its_own_address(host: Any, opened: Any) -> None:
    started = opened(host(api="anthropic-messages"))

    assert '"baseUrl": "http://127.0.0.1:8/run/x"' in started.files[".zcode/v2/provider_config.json"]


def test_a_key_stands_in_the_trials_place_alone_and_is_gone_afterwards(host: Any, opened: Any, tmp_path: Path) -> None:
    live = host(model="m", base_url="https://models.example/v1", key_env="MY_KEY")

    started = opened(live, None, environment={"MY_KEY": "key-8c1f", "OTHER": "kept"})

    assert '"apiKey": "key-8c1f"' in started.files[".zcode/v2/provider_config.json"]
    assert "MY_KEY" not in started.commands[0].env
    assert started.commands[0].env["OTHER"] == "kept"
    assert b"key-8c1f" not in started.commands[0].stdin
    assert not (tmp_path / "home/.zcode/v2/provider_config.json").exists()
    lent = live.lend_host({"MY_KEY": "key-8c1f"}, 60)
    assert "MY_KEY" in lent.told[0]
    assert "key-8c1f" not in repr(lent)


@pytest.mark.parametrize(
    ("options", "passed", "lacks"),
    [
        ({}, {}, "--model MODEL, --host-option base_url=URL, --pass-env ZCODE_API_KEY"),
        ({"model": "m"}, {"ZCODE_API_KEY": "k"}, "--host-option base_url=URL"),
        ({"model": "m", "base_url": "http://x/v1"}, {"ZCODE_API_KEY": " "}, "--pass-env ZCODE_API_KEY"),
    ],
)
def test_what_a_live_run_lacks_is_told(host: Any, options: dict[str, str], passed: dict[str, str], lacks: str) -> None:
    with pytest.raises(InvalidRequest, match=f"add {lacks}"):
        host(**options).lend_host(passed, 60)


def test_a_plugin_is_the_programs_to_install(host: Any, opened: Any, tmp_path: Path) -> None:
    folder = tmp_path / "plugins/local/acme/1.0.0"
    folder.mkdir(parents=True)
    entries = {"mcpServers": {"orders": {"type": "http", "url": "${ORDERS_URL}/mcp", "headers": {"X": "${ZCODE_X}"}}}}
    (folder / ".mcp.json").write_text(json.dumps(entries), "utf-8")
    offers = (
        Offer(name="orders", url="http://127.0.0.1:9/x", tools=("look_up",)),
        Offer(name="other", url="http://127.0.0.1:9/y", tools=("see",)),
    )
    plugin = PlacedPlugin("acme", "1.0.0", folder, ("orders",))

    started = opened(host(), offers=offers, plugin=plugin, environment={"ORDERS_URL": "http://127.0.0.1:9/z"})

    told = job(started)
    assert [server["name"] for server in told["servers"]] == ["other"]
    assert told["tools"] == ["mcp__plugin_acme_orders__look_up", "mcp__other__see"]
    assert told["plugin"] == "acme"
    settings = json.loads(started.files[".zcode/cli/config.json"])["plugins"]
    assert settings == {"enabled": True, "dirs": [str(folder)]}
    written = json.loads((folder / ".mcp.json").read_text("utf-8"))["mcpServers"]["orders"]
    assert (written["url"], written["headers"]["X"]) == ("http://127.0.0.1:9/z/mcp", "${ZCODE_X}")


def test_a_long_temporary_folder_gets_a_short_name(tmp_path: Path) -> None:
    brief, long = tmp_path / "t", tmp_path / ("x" * 80)
    long.mkdir()

    with short(Path("/tmp/a")) as same, short(long) as link:
        assert same == Path("/tmp/a")
        assert len(str(link)) + len("/znr-00000000-0000-0000-0000-000000000000.sock") <= 103
        (link / "made").write_text("x", "utf-8")
        assert stat.S_IMODE(link.parent.stat().st_mode) == 0o700
    assert (long / "made").is_file()
    assert not link.parent.exists()
    assert not brief.exists()


def test_a_project_within_a_repository_is_one_of_its_own(tmp_path: Path) -> None:
    outer, alone = tmp_path / "outer", tmp_path / "alone"
    for folder in (outer / "project", alone):
        folder.mkdir(parents=True)
    (outer / ".git").mkdir()

    fence(outer / "project")
    fence(alone)

    assert not (alone / ".git").exists()
    told = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"],
        cwd=outer / "project",
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(told.stdout.strip()) == (outer / "project").resolve()


@pytest.mark.parametrize(
    "options",
    [
        {"api": "rest"},
        {"base_url": "ftp://x"},
        {"base_url": "https://me:secret@x"},
        {"key_env": "A B"},
        {"patience": 0},
        {"binary": ""},
        {"nonsense": 1},
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ZcodeHost(**options)
