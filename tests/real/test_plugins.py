"""A suite's plugin, installed by the real program: its hook, its server, its skill, and nothing beside them."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from skilltrial.doctor.canaries import PLUGIN, PLUGIN_TEXT
from skilltrial.doctor.planting import plant

SCRIPT = "python3 {plugin}/scripts/scope.py resolve --cwd . --session-id s-1"


@pytest.fixture
def one_case(desk: Any, refusing: Any) -> Path:
    """The guidance suite with one case, in a project that would bring in a server of its own."""
    spec = importlib.util.find_spec("skilltrial_suite_guidance")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(shutil.copytree(spec.submodule_search_locations[0], desk.folder / "suite"))
    path = folder / "suite.yaml"
    yaml = YAML(typ="safe", pure=True)
    suite = yaml.load(path.read_text("utf-8"))
    (case,) = (case for case in suite["cases"] if case["id"] == "explicit-save")
    honest, never = (
        next(one for one in case["rehearsals"] if one["id"] == id) for id in ("honest", "never-reads-the-skill")
    )
    read, _, *rest = honest["script"]
    own = f"{refusing.url}/canary"
    settings = {"enableAllProjectMcpServers": True, "allowedMcpServers": [{"serverUrl": own}]}
    suite["plugin"]["delivery"] = "plugin"
    suite["cases"] = [
        {
            **case,
            "rehearsals": [{**honest, "script": [read, {"run": SCRIPT}, *rest]}, never],
            "workspace": {
                ".mcp.json": json.dumps({"mcpServers": {"canary": {"type": "http", "url": own}}}),
                ".claude/settings.json": json.dumps(settings),
                ".codex/config.toml": f'[mcp_servers.canary]\nurl = "{own}"\n',
            },
        }
    ]
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(suite, file)
    return path


def test_every_promise_holds_with_the_plugin_and_no_other_server_is_reached(
    program: Any, desk: Any, one_case: Path, refusing: Any
) -> None:
    some = [word for id in ("honest", "never-reads-the-skill", "null") for word in ("--rehearsal", id)]
    ran = desk.run("rehearse", one_case, *some, "--out", "run", "--format", "json", *program.flags)

    assert ran.code == 0, ran.out + ran.err
    assert [promise for promise in ran.report["rehearsal"]["promises"] if promise["kept"] != "yes"] == []
    assert (ran.report["plugin"]["delivery"], ran.report["plugin"]["servers"]) == ("plugin", ["powercontext"])
    assert any("installed the suite's plugin" in one for one in ran.report["limitations"])
    assert refusing.asked == []

    honest = "explicit-save/with_skill/honest"
    asked = [json.loads(one["raw"]) for one in desk.records(honest, "fixture-powercontext.jsonl")]
    routes = [note["path"] for note in asked if note["wire"] == "routed"]
    # Commands of Codex's model have no network: its hook reaches the server, and the script says that it does not.
    reached = {"claude": ["/v1/scope-bindings/resolve"], "codex": []}[program.host]
    assert routes == ["/v1/scope-bindings/resolve", "/v1/context/prepare", *reached]
    told = "".join(one["raw"] for one in desk.records(honest, "model.jsonl"))
    assert "powercontext.request-binding.v1" in told
    assert "powercontext.scope-result.v1" in told
    assert ("server_unreachable" in told) is not bool(reached)

    arms = {trial["key"]["arm"]: trial["ran"] for trial in ran.report["trials"] if trial["key"]["label"] == "null"}
    assert arms["with_skill"] == arms["without_skill"]
    assert arms["with_skill"]["plugin"] is not None


LOOPBACK = "127.0.0.1,localhost"


def test_a_program_with_the_suites_plugin_looks_for_no_other_neither_on_the_net_nor_at_the_users(
    program: Any, desk: Any, one_case: Path, refusing: Any
) -> None:
    traces = desk.folder / "started"
    traces.mkdir()
    plant(desk.folder / "home", traces, desk.folder)
    # All that would leave this machine comes to a proxy that lets nothing out; a rehearsal passes no variables on.
    wrapped = desk.folder / program.host
    proxy = f"HTTPS_PROXY={refusing.url} HTTP_PROXY={refusing.url} NO_PROXY={LOOPBACK}"
    wrapped.write_text(f'#!/bin/sh\nexport {proxy}\nexec "{program.binary}" "$@"\n', "utf-8")
    wrapped.chmod(0o755)

    ran = desk.run(
        *("rehearse", one_case, "--rehearsal", "honest", "--out", "run", "--format", "json"),
        *("--host", program.host, "--host-binary", str(wrapped)),
    )

    assert ran.code == 0, ran.out + ran.err
    assert refusing.asked == []
    assert list(traces.iterdir()) == []
    told = "".join(one["raw"] for one in desk.records("explicit-save/with_skill/honest", "model.jsonl"))
    assert PLUGIN_TEXT not in told
    assert PLUGIN not in told


def test_where_nothing_keeps_it_from_that_codex_looks_for_plugins_on_the_net(
    lender: Any, desk: Any, refusing: Any, comes_true: Callable[..., bool]
) -> None:
    home = desk.folder / "home" / ".codex"
    home.mkdir()
    (home / "config.toml").write_text("check_for_update_on_startup = false\n[features]\nplugins = true\n", "utf-8")
    addresses = {"HTTPS_PROXY": refusing.url, "HTTP_PROXY": refusing.url, "NO_PROXY": LOOPBACK}
    key = {"CODEX_API_KEY": "sk-none", "PATH": os.environ["PATH"], "HOME": str(home.parent), "TMPDIR": str(desk.places)}
    provider = f'{{name="E", base_url="{refusing.url}/v1", wire_api="responses", env_key="CODEX_API_KEY"}}'
    own = ("-c", 'model_provider="e"', "-c", f"model_providers.e={provider}")

    subprocess.run(
        (str(lender.binary), "exec", "--skip-git-repo-check", *own, "-"),
        cwd=desk.places, env={**key, **addresses}, input=b"Hello.", capture_output=True, timeout=240, check=False,
    )  # fmt: skip

    # Else the test before this one proves nothing: what a session of ours must not do is done here.
    assert comes_true(lambda: any("github.com" in asked for asked in refusing.asked)), refusing.asked
