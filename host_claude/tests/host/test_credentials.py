"""A trial is lent only what can not hurt the user: variables that were passed on by name."""

from __future__ import annotations

import hashlib
import json

import pytest

from skilltrial.api import InvalidRequest
from skilltrial.testing import HostFacade, bind
from skilltrial_host_claude import credentials
from skilltrial_host_claude.host import ClaudeHost

BEDROCK = {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "r"}
VERTEX = {"CLAUDE_CODE_USE_VERTEX": "1", "CLOUD_ML_REGION": "r", "ANTHROPIC_VERTEX_PROJECT_ID": "p"}


@pytest.fixture
def ours(tmp_path):
    """An operator's environment, with an empty home."""
    return {"HOME": str(tmp_path)}


@pytest.mark.parametrize(
    ("passed", "names"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "ANTHROPIC_API_KEY"),
        ({"ANTHROPIC_AUTH_TOKEN": "k"}, "ANTHROPIC_AUTH_TOKEN"),
        ({"CLAUDE_CODE_OAUTH_TOKEN": "k"}, "CLAUDE_CODE_OAUTH_TOKEN"),
        ({**BEDROCK, "AWS_BEARER_TOKEN_BEDROCK": "t"}, "AWS_BEARER_TOKEN_BEDROCK"),
        ({**BEDROCK, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"}, "AWS_ACCESS_KEY_ID"),
        ({**VERTEX, "GOOGLE_APPLICATION_CREDENTIALS": "/f"}, "GOOGLE_APPLICATION_CREDENTIALS"),
    ],
)
def test_what_is_passed_on_is_told_as_present_not_as_valid(passed, names, ours):
    told = credentials.lent(passed, ours)

    assert names in told
    assert told.endswith("present, not checked")


@pytest.mark.parametrize("passed", [{}, {"ANTHROPIC_API_KEY": ""}, {"ANTHROPIC_API_KEY": " "}, {"PATH": "x"}])
def test_without_a_credential_it_is_said_before_anything_starts(passed, ours):
    with pytest.raises(InvalidRequest, match=r"no credential.*--pass-env ANTHROPIC_API_KEY"):
        credentials.lent(passed, ours)


def test_a_key_that_is_only_set_is_not_taken_but_named(ours):
    with pytest.raises(InvalidRequest, match="ANTHROPIC_AUTH_TOKEN is set, pass it on") as caught:
        credentials.lent({}, {**ours, "ANTHROPIC_AUTH_TOKEN": "a secret value"})

    assert "a secret value" not in str(caught.value)


@pytest.mark.parametrize("passed", [BEDROCK, {**BEDROCK, "AWS_ACCESS_KEY_ID": "a"}, {**BEDROCK, "AWS_PROFILE": "p"}])
def test_half_a_providers_variables_are_not_enough(passed, ours):
    with pytest.raises(InvalidRequest, match="AWS_SECRET_ACCESS_KEY"):
        credentials.lent(passed, ours)


@pytest.mark.parametrize("value", ["0", "false", ""])
def test_a_switch_that_is_off_is_no_provider(value, ours):
    assert "ANTHROPIC_API_KEY" in credentials.lent({"CLAUDE_CODE_USE_VERTEX": value, "ANTHROPIC_API_KEY": "k"}, ours)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".claude/.credentials.json", "{}"),
        (".claude.json", json.dumps({"oauthAccount": {"emailAddress": "somebody"}})),
    ],
)
def test_r19_a_stored_login_is_recognised_answered_and_left_alone(file, content, ours, tmp_path):
    """In a file, or in the macOS keychain, of which only the account's name is seen."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    before = path.stat()

    with pytest.raises(InvalidRequest, match="claude setup-token") as caught:
        credentials.lent({}, ours)

    assert "somebody" not in str(caught.value)
    assert (path.read_text(), path.stat().st_mtime_ns) == (content, before.st_mtime_ns)
    assert sorted(each.name for each in tmp_path.rglob("*") if each.is_file()) == [path.name]


@pytest.mark.parametrize("content", ["no JSON", "[]", "{}", '{"oauthAccount": null}', "[" * 100_000])
def test_settings_without_an_account_are_no_login(content, ours, tmp_path):
    (tmp_path / ".claude.json").write_text(content)

    assert not credentials.stored(ours)


def test_the_operators_own_folder_is_where_their_variable_says(tmp_path):
    (tmp_path / ".credentials.json").write_text("{}")

    assert credentials.stored({"HOME": "/nowhere", "CLAUDE_CONFIG_DIR": str(tmp_path)})


@pytest.fixture
def binary(tmp_path):
    """A program that says `loggedIn` as the file beside it tells, and writes into its state as the real one does."""
    path = tmp_path / "claude"
    path.write_text(
        "#!/bin/sh\n"
        'case $1 in --version) echo "9.9.9 (Claude Code)";;\n'
        f'auth) touch "$CLAUDE_CONFIG_DIR/.claude.json"; cat {tmp_path}/status;; esac\n'
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("status", "taken"), [('{"loggedIn": true}', True), ("unknown command", True), ("[]", True)])
def test_the_program_itself_is_asked_what_it_takes(status, taken, binary, tmp_path, monkeypatch):
    (tmp_path / "status").write_text(status)
    operators = tmp_path / "operators"
    operators.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(operators))

    lending = bind(HostFacade, "claude", ClaudeHost(binary=str(binary))).lend_host({"ANTHROPIC_API_KEY": "k"}, 600)

    assert len(lending.told) == taken
    assert list(operators.iterdir()) == []


def test_what_the_program_does_not_take_is_refused(binary, tmp_path):
    (tmp_path / "status").write_text('{"loggedIn": false}')

    with pytest.raises(InvalidRequest, match="auth status"):
        bind(HostFacade, "claude", ClaudeHost(binary=str(binary))).lend_host({"ANTHROPIC_API_KEY": "k"}, 600)


def test_a_probe_tells_what_is_there_and_what_to_do(binary, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a secret value")

    probe = bind(HostFacade, "claude", ClaudeHost(binary=str(binary))).probe_host()

    assert (probe.program, probe.version) == (binary, "9.9.9")
    assert probe.told[0] == f"program sha256 {hashlib.sha256(binary.read_bytes()).hexdigest()}"
    assert "ANTHROPIC_API_KEY is set" in probe.told
    assert any("9.9.9 is not among the recorded ones" in each for each in probe.told)
    assert any("--pass-env ANTHROPIC_API_KEY" in each for each in probe.todo)
    assert "a secret value" not in repr(probe)


def test_a_probe_of_a_program_that_cannot_be_read_says_so(tmp_path):
    path = tmp_path / "claude"
    path.write_text('#!/bin/sh\necho "9.9.9 (Claude Code)"\nrm "$0"\n')
    path.chmod(0o755)

    probe = bind(HostFacade, "claude", ClaudeHost(binary=str(path))).probe_host()

    assert (probe.program, probe.version) == (path, "9.9.9")
    assert any("readable" in each for each in probe.todo)
    assert not any("sha256" in each for each in probe.told)


def test_a_probe_of_nothing_says_how_to_install_it():
    probe = bind(HostFacade, "claude", ClaudeHost(binary="no-such-claude")).probe_host()

    assert probe.program is None
    assert "npm install" in probe.todo[0]
