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


POLICY = "routes: [{id: agents, hosts: [codex, portable], classes: [ordinary], data: [PUBLIC], models: [m-1, m-2]}]\n"


def test_a_rehearsal_is_held_to_the_hosts_and_models_of_a_policy_and_gives_no_data_away(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str], tmp_path: Path
) -> None:
    suite = greeter()
    lay({"bin/codex": CODEX, "bin/claude": CODEX, "skilltrial.policy.yaml": POLICY, "other/p.yaml": POLICY})
    rehearse = ("rehearse", suite, "--arm", "with_skill", "--out")

    other = skilltrial(*rehearse, "other-host", "--host", "claude", env=nowhere)
    model = skilltrial(*rehearse, "other-model", "--host", "codex", "--model", "m-3", env=nowhere)
    work = skilltrial(*rehearse, "other-work", "--host", "codex", "--route-class", "critical", env=nowhere)
    named = skilltrial(*rehearse, "named", "--host", "claude", "--policy", "other/p.yaml", env=nowhere)
    ran = skilltrial(*rehearse, "ran", "--host", "codex", env=nowhere)

    for refused in (other, named):
        assert refused.code == 2
        assert "no route lets host 'claude" in refused.err
    assert (model.code, work.code) == (2, 2)
    assert "does not allow the model 'm-3'; it allows m-1, m-2" in model.err
    assert "do critical work" in work.err
    assert {path.name for path in tmp_path.iterdir() if (path / "plan.json").exists()} == {"ran"}
    request = json.loads((tmp_path / "ran" / "request.json").read_bytes())
    assert (request["route"]["rule"], request["route"]["data"], request["options"]["model"]) == ("agents", None, "m-1")
    assert "a rehearsal of ordinary work goes by agents" in " ".join(ran.err.split())


def test_a_rehearsal_passes_over_a_model_that_its_host_can_not_be_told(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None]
) -> None:
    suite = greeter()
    lay({"skilltrial.policy.yaml": POLICY})

    ran = skilltrial("rehearse", suite, "--dry-run", "--", "skilltrial-agent")

    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ("routes: [{id: any-command, hosts: [portable], data: [PUBLIC]}]\n", None),
        ("routes: [{id: others, hosts: [codex]}]\n", "no route lets host 'portable' do complex work with PUBLIC"),
        ("routes: [{id: light, classes: [ordinary]}]\n", "no route lets host 'portable' do complex work"),
        ("routes: [{id: sets, models: [m]}]\n", "sets of skilltrial.policy.yaml sets a model, which host"),
        ("routes: [{id: sets, colour: red}]\n", "colour"),
        (None, "this run began by any-command of skilltrial.policy.yaml, and no policy is found from here"),
        ("--policy", None),
    ],
)
def test_the_policy_is_asked_again_when_a_run_is_taken_up(
    skilltrial: Command,
    greeter: Callable[..., Path],
    lay: Callable[..., None],
    tmp_path: Path,
    now: str | None,
    says: str | None,
) -> None:
    policy = "routes: [{id: any-command, hosts: [portable], data: [PUBLIC]}]\n"
    suite = greeter()
    lay({"skilltrial.policy.yaml": policy, "kept.yaml": policy})
    asked = ("--data", "PUBLIC", "--route-class", "complex", "--max-sessions", "1")
    begun = skilltrial("run", suite, "--out", "run", "--jobs", "1", *asked, *AGENT)
    (tmp_path / "skilltrial.policy.yaml").unlink()
    flags = ("--policy", "kept.yaml") if now == "--policy" else ()
    if now is not None and not flags:
        lay({"skilltrial.policy.yaml": now})
    before = sorted(str(path) for path in (tmp_path / "run").rglob("*"))

    again = skilltrial("run", "--resume", "run", *flags)

    assert begun.code == 3, begun.err
    if says is None:
        assert again.code == 0, again.err
    else:
        assert again.code == 2, again.err
        assert says in " ".join(again.err.split())
        assert sorted(str(path) for path in (tmp_path / "run").rglob("*")) == before


def test_a_run_that_began_without_a_policy_asks_the_one_that_there_is_now(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None]
) -> None:
    skilltrial("run", greeter(), "--out", "run", "--jobs", "1", "--max-sessions", "1", *AGENT)
    lay({"skilltrial.policy.yaml": "routes: [{id: nobody, hosts: [nobody]}]\n"})

    refused = skilltrial("run", "--resume", "run")
    lay({"skilltrial.policy.yaml": "routes: [{id: all}]\n"})
    taken = skilltrial("run", "--resume", "run")

    assert refused.code == 2
    assert "no route lets host 'portable' do ordinary work with PRIVATE data" in refused.err
    assert taken.code == 0, taken.err


def test_json_of_several_hosts_is_a_line_for_each_and_of_one_host_as_ever(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str]
) -> None:
    suite = greeter()
    lay({"bin/codex": CODEX, "bin/claude": CODEX})
    rehearse = ("rehearse", suite, "--arm", "with_skill", "--format", "json", "--out")

    two = skilltrial(*rehearse, "two", "--host", "codex", "--host", "claude", env=nowhere)
    one = skilltrial(*rehearse, "one", "--host", "codex", env=nowhere)

    reports = [json.loads(line) for line in two.out.splitlines()]
    assert [report["host"]["name"] for report in reports] == ["codex", "claude"]
    again = skilltrial("grade", "two/claude", "--format", "json")
    assert json.loads(again.out) == reports[1]
    assert json.loads(one.out)["host"]["name"] == "codex"
    assert one.out.startswith("{\n")


def test_a_document_of_one_host_is_not_written_for_several(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], nowhere: dict[str, str], tmp_path: Path
) -> None:
    suite = greeter()
    lay({"bin/codex": CODEX, "bin/claude": CODEX})

    ran = skilltrial(
        *("rehearse", suite, "--host", "codex", "--host", "claude", "--report", "embraion", "--out", "x"), env=nowhere
    )

    assert ran.code == 2
    assert "--report embraion writes a document of one host" in " ".join(ran.err.split())
    assert not (tmp_path / "x").exists()
