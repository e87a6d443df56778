"""Which hosts a run is for, and what a routing policy says of it: from the command line to the archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--", "./agent.sh")
CODEX = """\
#!/bin/sh
echo codex-cli 0.171.0
exit 1
"""
"""A program that is there and tells its version, and no more."""


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """An environment in which no agent is installed."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    return {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "none")}


def test_a_command_needs_no_host(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", *AGENT)

    assert ran.code == 0, ran.err
    assert "on portable" in ran.err


def test_the_one_agent_that_is_installed_is_meant(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str]
) -> None:
    suite = greeter()
    none = skilltrial("rehearse", suite, "--dry-run", env=nowhere)
    lay({"bin/codex": CODEX})
    one = skilltrial("rehearse", suite, "--dry-run", env=nowhere)
    lay({"bin/claude": CODEX})
    two = skilltrial("rehearse", suite, "--dry-run", env=nowhere)

    assert none.code == 2
    assert "no agent program was found" in none.err
    assert one.code == 0, one.err
    assert "on codex 0.171.0" in one.out
    assert two.code == 2
    assert "give --host with one of: claude, codex" in two.err


def test_several_hosts_get_an_archive_each_and_the_worst_code_wins(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str], tmp_path: Path
) -> None:
    suite = greeter()
    lay({"bin/codex": CODEX, "bin/claude": CODEX})

    ran = skilltrial(
        *("rehearse", suite, "--host", "codex", "--host", "claude", "--out", "all", "--arm", "with_skill"),
        env=nowhere,
    )

    assert ran.code == 3, ran.out + ran.err
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"codex", "claude"}
    plans = [json.loads((tmp_path / "all" / host / "plan.json").read_bytes()) for host in ("codex", "claude")]
    assert plans[0]["seed"] == plans[1]["seed"]
    assert "codex: exit 3 (incomplete)" in ran.err
    assert "claude: exit 3 (incomplete)" in ran.err


def test_nothing_starts_where_one_of_the_hosts_can_not(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str], tmp_path: Path
) -> None:
    suite = greeter()
    lay({"bin/codex": CODEX})

    ran = skilltrial("rehearse", suite, "--host", "codex", "--host", "claude", "--out", "all", env=nowhere)

    assert ran.code == 2
    assert "no program 'claude'" in ran.err
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize("flag", [("--host-binary", "x"), ("--host-option", "a=b"), ("--", "cmd")])
def test_what_is_for_one_host_is_not_given_to_several(
    skilltrial: Command, greeter: Callable[..., Path], flag: tuple[str, ...]
) -> None:
    ran = skilltrial("rehearse", greeter(), "--host", "codex", "--host", "claude", *flag)

    assert ran.code == 2
    assert "is for one host" in ran.err


def test_the_route_of_a_run_is_in_its_archive(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], tmp_path: Path
) -> None:
    suite = greeter()
    lay({"skilltrial.policy.yaml": "routes: [{id: any-command, hosts: [portable], data: [PUBLIC]}]\n"})

    refused = skilltrial("run", suite, "--out", "refused", *AGENT)
    ran = skilltrial("run", suite, "--out", "run", "--data", "PUBLIC", "--route-class", "complex", *AGENT)

    assert refused.code == 2
    assert "no route lets host 'portable' do ordinary work with PRIVATE data" in refused.err
    assert not (tmp_path / "refused").exists()
    assert ran.code == 0, ran.err
    route = json.loads((tmp_path / "run" / "request.json").read_bytes())["route"]
    assert (route["rule"], route["route_class"], route["data"]) == ("any-command", "complex", "PUBLIC")
    assert "complex work with PUBLIC data goes by any-command" in ran.err
    assert skilltrial("verify", "run").code == 0


def test_a_route_that_sets_a_model_is_refused_where_the_host_takes_none(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], tmp_path: Path
) -> None:
    suite = greeter()
    lay({".embraion/routing.yaml": "overrides: {portable: {routes: {ordinary: {model: m}}}}\n"})
    before = sorted(str(path) for path in (tmp_path / ".embraion").rglob("*"))

    ran = skilltrial("run", suite, "--out", "run", *AGENT)

    assert ran.code == 2
    assert "overrides.portable.routes.ordinary of .embraion/routing.yaml sets a model, which host 'portable'" in ran.err
    assert sorted(str(path) for path in (tmp_path / ".embraion").rglob("*")) == before


def test_a_rehearsal_asks_no_provider_and_needs_no_route(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None]
) -> None:
    suite = greeter()
    lay({"skilltrial.policy.yaml": "routes: [{id: nobody, hosts: [nobody]}]\n"})

    assert skilltrial("rehearse", suite, "--dry-run", "--", "skilltrial-agent").code == 0
