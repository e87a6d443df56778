"""What `doctor` hears of the program and of what the operator has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Probe
from skilltrial.testing import HostFacade, bind
from skilltrial_host_codex.host import CodexHost


def probe(binary: object) -> Probe:
    return bind(HostFacade, "codex", CodexHost(binary=str(binary))).probe_host()


def test_it_tells_program_version_digest_and_that_nobody_is_logged_in(fake: Any, operator: Path) -> None:
    found = probe(fake.path)

    assert (found.program, found.version) == (fake.path, "0.171.0")
    assert found.told[0].startswith("program sha256 ")
    assert "no login" in found.told
    assert any(".agents/skills" in told for told in found.told)
    assert any("codex login" in todo for todo in found.todo)
    assert fake.starts == []


def test_it_counts_what_of_the_operators_is_not_offered(fake: Any, operator: Path) -> None:
    for name in ("skills/own", "skills/other"):
        (operator / name).mkdir(parents=True)
        (operator / name / "SKILL.md").write_text("canary", "utf-8")
    (operator / "AGENTS.md").write_text("canary", "utf-8")
    (operator / "config.toml").write_text('[mcp_servers.canary]\ncommand = "x"\n', "utf-8")

    told = " ".join(probe(fake.path).told)

    assert "2 skills of your own, 1 MCP servers of your configuration, your AGENTS.md" in told
    assert "canary" not in told


@pytest.mark.parametrize("broken", ["mcp_servers = 3", "[[", ""])
def test_a_configuration_that_cannot_be_read_is_passed_over(broken: str, fake: Any, operator: Path) -> None:
    (operator / "config.toml").write_text(broken, "utf-8")

    assert "MCP" not in " ".join(probe(fake.path).told)


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ('model = "one"\n', "one"),
        ('profile = "p"\nmodel = "one"\n[profiles.p]\nmodel = "two"\n', "two"),
        ('profile = "p"\nmodel = "one"\n[profiles.p]\n', "one"),
        ("model = 3\n", None),
        ("broken", None),
    ],
)
def test_it_tells_which_model_the_operators_own_sessions_ask(
    fake: Any, operator: Path, settings: str, model: str | None
) -> None:
    operator.mkdir(parents=True, exist_ok=True)
    (operator / "config.toml").write_text(settings, "utf-8")

    assert probe(fake.path).own_model == model


def test_a_login_and_a_key_are_present_and_never_shown(
    fake: Any, operator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (operator / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": "sk-canary"}), "utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "env-canary")

    found = probe(fake.path)

    assert "a login with an API key is present" in found.told
    assert "OPENAI_API_KEY is set here" in found.told
    assert found.todo == ("live runs: add --pass-env OPENAI_API_KEY",)
    assert "canary" not in repr(found)


def test_a_program_that_is_not_there_is_something_to_do() -> None:
    found = probe("codex-nowhere")

    assert found.program is None
    assert "npm install -g @openai/codex" in found.todo[0]


def test_a_program_that_does_not_start_is_told(tmp_path: Path, operator: Path) -> None:
    path = tmp_path / "codex"
    path.write_text("no program", "utf-8")
    path.chmod(0o755)

    found = probe(path)

    assert found.version is None
    assert "does not start" in found.told[0]


@pytest.mark.parametrize("said", ["codex-cli 0.999.0", "no version at all"])
def test_a_version_without_recordings_is_told_of(said: str, fake: Any, operator: Path) -> None:
    text = fake.path.read_text("utf-8").replace("codex-cli 0.171.0", said)
    fake.path.write_text(text, "utf-8")

    assert any("--deep" in todo for todo in probe(fake.path).todo)
