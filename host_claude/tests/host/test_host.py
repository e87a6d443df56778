"""What the host starts: a fresh state, the project's settings only, nothing of the operator's, alike for all arms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from skilltrial.api import Can, InvalidRequest, ModelEndpoint, Offer, Sees, Skill
from skilltrial.testing import HostFacade, bind
from skilltrial_host_claude.host import ClaudeHost


def test_the_host_says_what_it_is(binary):
    identity = bind(HostFacade, "claude", ClaudeHost(model="claude-opus-5-5", effort="high")).describe_host()

    assert (identity.name, identity.version, identity.records) == ("claude", "2.1.332", "claude")
    assert (identity.model, identity.effort) == ("claude-opus-5-5", "high")
    assert identity.program_sha256 is not None
    assert identity.can == frozenset(Can)
    assert identity.sees == frozenset(Sees)


def test_a_program_that_is_not_there_is_said_before_anything_starts():
    with pytest.raises(InvalidRequest, match=r"no-such-claude.*npm install"):
        ClaudeHost(binary="no-such-claude").describe_host()


def test_a_file_that_is_no_program_is_said_before_anything_starts(tmp_path):
    path = tmp_path / "claude"
    path.write_bytes(b"\x7fnothing")
    path.chmod(0o755)

    with pytest.raises(InvalidRequest, match="does not start as Claude Code"):
        ClaudeHost(binary=str(path)).describe_host()


@pytest.mark.parametrize("effort", ["ultra", "minimal", "none", "HIGH", ""])
def test_embraion_14_an_effort_that_the_program_would_pass_over_is_refused(effort):
    with pytest.raises(ValidationError, match="effort"):
        ClaudeHost(effort=effort)


@pytest.mark.parametrize(("told", "refused"), [("(low, medium, high)", True), ("", True), ("(low, max)", False)])
def test_an_effort_is_held_to_the_installed_programs_own_list(told, refused, binary):
    option = f"--effort <level> Effort level\n {told}" if told else "--model <model>"
    binary.write_text(f"#!/bin/sh\necho '{option}'\n")

    if refused:
        with pytest.raises(InvalidRequest, match="no effort 'max'"):
            ClaudeHost(effort="max").describe_host()
    else:
        assert ClaudeHost(effort="max").describe_host().effort == "max"


@pytest.mark.parametrize("model", ["openai/gpt-5", "us.anthropic.claude-opus-5-5-v1:0", "claude-opus-5-5[1m]", "opus"])
def test_embraion_8_1_row_13_any_models_name_is_taken(model, stage):
    """embraion.md 8.1, row 13: names with `/`, `:` and `[` are real."""
    argv = stage.command(model=model).argv

    assert argv[argv.index("--model") + 1] == model


@pytest.mark.parametrize("model", ["--dangerously-skip-permissions", "-p", " x", "a b", ""])
def test_a_models_name_is_never_an_option(model):
    with pytest.raises(ValidationError, match="model"):
        ClaudeHost(model=model)


def test_the_command_is_the_one_that_isolates(stage):
    argv = stage.command(effort="xhigh").argv

    assert argv[1:] == (
        *("-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Skill"),
        *("--setting-sources", "project", "--strict-mcp-config", "--permission-mode", "acceptEdits"),
        *("--effort", "xhigh"),
    )


def test_the_prompt_is_standard_input_and_never_an_argument(stage):
    prompt = "--help\n/skill $(rm) \ud800 'é'"

    with stage.open() as session:
        session.send(prompt)

    command = stage.program.started[0]
    assert command.stdin == prompt.encode("utf-8", "surrogatepass")
    assert not any("skill $" in word for word in command.argv)
    assert command.cwd == stage.place.project


def test_embraion_8_1_row_11_nothing_of_the_operators_environment_gets_in(stage, monkeypatch):
    """embraion.md 8.1, row 11: an outer session's variables have made the inner one refuse to start."""
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "ANTHROPIC_MODEL"):
        monkeypatch.setenv(name, "the operator's")

    env = stage.command().env

    assert "the operator's" not in env.values()
    assert not env.keys() & {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}


def test_r19_the_state_lies_in_the_place_by_the_variable_that_works(stage):
    """HOME alone is not enough, and minimal mode would switch skills off."""
    command = stage.command()

    state = Path(command.env["CLAUDE_CONFIG_DIR"])
    assert state.parent == stage.place.home
    assert command.env["HOME"] == str(stage.place.home)
    assert "--bare" not in command.argv
    assert "CLAUDE_CODE_SIMPLE" not in command.env
    assert state.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "names",
    [
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_AUTH_TOKEN",),
        ("CLAUDE_CODE_OAUTH_TOKEN",),
        ("CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK"),
        ("CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"),
    ],
)
def test_credentials_that_were_passed_by_name_reach_the_program(names, stage):
    lent = dict.fromkeys(names, "lent")
    env = stage.lent(lent).command().env

    assert lent.items() <= env.items()


def test_a_model_endpoint_takes_the_place_of_every_provider(stage):
    lent = dict.fromkeys(
        ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"), "1"
    )
    endpoint = ModelEndpoint("http://127.0.0.1:1/run/x", "scripted-1", "dummy")

    command = stage.lent(lent, live=False).command(endpoint=endpoint)

    assert command.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1/run/x"
    assert command.env["ANTHROPIC_API_KEY"] == "dummy"
    assert not command.env.keys() & lent.keys()
    assert command.argv[-2:] == ("--model", "scripted-1")
    assert command.env["ENABLE_TOOL_SEARCH"] == "false"
    assert command.env["CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"] == "1"


def test_a_live_session_is_what_users_have_but_for_what_could_mix_trials(stage):
    env = stage.command().env

    assert "ENABLE_TOOL_SEARCH" not in env
    assert "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS" not in env
    assert env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] == "1"
    assert env["DISABLE_AUTOUPDATER"] == "1"


@pytest.mark.parametrize(
    ("lent", "live", "retries"),
    [
        ({}, True, "3"),
        ({"CLAUDE_CODE_MAX_RETRIES": "10"}, True, "10"),
        ({"CLAUDE_CODE_MAX_RETRIES": "0"}, True, "0"),
        ({}, False, "2"),
    ],
)
def test_a_failed_request_is_asked_again_only_a_few_times_unless_the_user_says_so(lent, live, retries, stage):
    """The program's own ten would let a wrong key take minutes."""
    assert stage.lent(lent, live=live).command().env["CLAUDE_CODE_MAX_RETRIES"] == retries


def test_bundled_skills_can_be_left_out(stage):
    assert stage.command(bundled_skills=False).env["CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"] == "1"


def test_r18_arms_differ_in_nothing_that_is_started(stage):
    with stage.open(skills=("invoice-format",)) as session:
        session.send("Do it")
    with stage.open(skills=()) as session:
        session.send("Do it")

    treated, baseline = stage.program.started
    assert treated == baseline


def test_r8_a_skill_with_tools_of_its_own_is_not_asked_for_in_vain(stage):
    """Without it the program asks before it loads such a skill, and nobody answers."""
    argv = stage.command(allow=("Bash(git *)", "WebFetch", "Skill")).argv

    start = argv.index("--allowedTools")
    assert argv[start + 1 : start + 5] == ("Skill", "Bash(git *)", "WebFetch", "--setting-sources")


@pytest.mark.parametrize("rule", ["--dangerously-skip-permissions", "-p", "", "  "])
def test_a_rule_is_never_an_option(rule, stage):
    with pytest.raises(InvalidRequest, match="allow"):
        stage.command(allow=(rule,))


def test_fixtures_are_the_only_servers_and_need_no_asking(stage):
    offers = (
        Offer("memory", url="http://127.0.0.1:1/mcp", tools=("remember", "forget")),
        Offer("local", command=("python3", "-m", "server", "--x"), environment={"PLACE": "here"}),
        Offer("bare", command=("server",)),
    )

    argv = stage.command(offers=offers).argv

    file = Path(argv[argv.index("--mcp-config") + 1])
    assert file.is_relative_to(stage.place.home)
    assert file.stat().st_mode & 0o077 == 0
    assert json.loads(file.read_text()) == {
        "mcpServers": {
            "memory": {"type": "http", "url": "http://127.0.0.1:1/mcp"},
            "local": {
                "type": "stdio",
                "command": "python3",
                "args": ["-m", "server", "--x"],
                "env": {"PLACE": "here"},
            },
            "bare": {"type": "stdio", "command": "server", "args": [], "env": {}},
        }
    }
    assert "--strict-mcp-config" in argv
    allowed = argv[argv.index("--allowedTools") + 1 : argv.index("--mcp-config")]
    assert allowed == ("Skill", "mcp__memory__remember", "mcp__memory__forget", "mcp__local", "mcp__bare")


def test_a_skill_lies_where_the_program_looks(stage):
    skill = Skill("invoice-format", "0" * 64, "0" * 64)

    folder = bind(HostFacade, "claude", ClaudeHost()).place_skill(skill, stage.place)

    assert folder == stage.place.project / ".claude" / "skills" / "invoice-format"
