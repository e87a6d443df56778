"""The host: how the program is started, what it may see, and what of it is kept."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial.api import (
    Can,
    InvalidRequest,
    Limits,
    ModelEndpoint,
    Offer,
    Place,
    Sees,
    SessionStopped,
    Skill,
    Source,
    Trial,
    TrialKey,
    Truncated,
    TurnEnded,
)
from skilltrial.testing import HostFacade, MemoryRecorder, bind
from skilltrial_host_codex.host import CodexHost
from skilltrial_host_codex.normalizer import CodexNormalizer
from skilltrial_host_codex.program import located

TRIAL = Trial(TrialKey(case="c", arm="a", label="1"), ("Hello",), Limits())
ENDPOINT = ModelEndpoint(url="http://127.0.0.1:1/x", model="scripted-1", key="dummy")


@pytest.fixture
def recorder() -> MemoryRecorder:
    return MemoryRecorder()


def send(host: CodexHost, place: Place, recorder: MemoryRecorder, *prompts: str, **given: Any) -> list[str]:
    """Open a session and send these prompts, as the core does."""
    offers, model = given.get("offers", ()), given.get("model", ENDPOINT)
    answers = []
    bound = bind(HostFacade, "codex", host)
    with bound.open_session(TRIAL, place, offers, model, recorder) as session:
        for turn, prompt in enumerate(prompts, 1):
            recorder.turn = turn
            answers.append(session.send(prompt))
    return answers


def test_it_says_what_it_is_before_anything_starts(fake: Any, operator: Path):
    identity = bind(HostFacade, "codex", CodexHost(binary=str(fake.path), effort="high")).describe_host()

    assert (identity.name, identity.version, identity.effort) == ("codex", "0.171.0", "high")
    assert identity.program_sha256 is not None
    assert {Can.MULTI_TURN, Can.MCP_HTTP, Can.MCP_STDIO, Can.SCRIPTED_MODEL} <= identity.can
    assert Sees.SKILL_READS in identity.sees
    assert Sees.COST not in identity.sees
    assert fake.starts == []


def test_a_missing_program_is_said_in_one_sentence():
    with pytest.raises(InvalidRequest, match=r"no program 'codex-nowhere' to run as Codex"):
        CodexHost(binary="codex-nowhere").describe_host()


def test_a_program_that_does_not_start_is_said(tmp_path: Path):
    broken = tmp_path / "codex"
    broken.write_text("no program", "utf-8")
    broken.chmod(0o755)

    with pytest.raises(InvalidRequest, match="does not start as Codex"):
        CodexHost(binary=str(broken)).describe_host()


def test_the_native_program_behind_the_npm_script_is_what_is_started(tmp_path: Path):
    script = tmp_path / "node_modules" / "@openai" / "codex" / "bin" / "codex.js"
    native = (
        tmp_path
        / "node_modules"
        / "@openai"
        / "codex-linux-x64"
        / "vendor"
        / "x86_64-unknown-linux-musl"
        / "bin"
        / "codex"
    )
    for file in (script, native):
        file.parent.mkdir(parents=True)
        file.write_text("", "utf-8")
        file.chmod(0o755)

    assert located(str(script)) == native


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "high", "xhigh", "max"])
def test_embraion_8_1_row_13_real_efforts_are_taken(effort: str, fake: Any):
    assert CodexHost(binary=str(fake.path), model="unlisted", effort=effort).describe_host().effort == effort
    assert CodexHost(binary=str(fake.path), effort=effort).describe_host().effort == effort


@pytest.mark.parametrize("effort", ["hihg", "ultra", "HIGH"])
def test_an_effort_that_the_program_does_not_take_is_refused_before_launch(effort: str, fake: Any):
    for model in (None, "unlisted"):
        with pytest.raises(InvalidRequest, match=f"takes no effort '{effort}'; it takes minimal, low"):
            CodexHost(binary=str(fake.path), model=model, effort=effort).describe_host()


@pytest.mark.parametrize("effort", ["minimal", "medium", "xhigh", "ultra", "hihg"])
def test_an_effort_that_the_list_of_a_named_model_lacks_is_refused(effort: str, fake: Any):
    with pytest.raises(InvalidRequest, match=f"no effort '{effort}' for the model m; it takes low, high, max$"):
        CodexHost(binary=str(fake.path), model="m", effort=effort).describe_host()


@pytest.mark.parametrize("effort", ["low", "high", "max"])
def test_an_effort_of_the_list_of_a_named_model_is_taken(effort: str, fake: Any):
    assert CodexHost(binary=str(fake.path), model="m", effort=effort).describe_host().effort == effort


@pytest.mark.parametrize("model", ["openai/gpt-5", "gpt-5.5[1m]", "arn:aws:bedrock:us-east-1::model/x", 'odd "name"'])
def test_embraion_8_1_row_13_any_model_name_reaches_the_program(
    model: str, fake: Any, place: Place, recorder: MemoryRecorder
):
    send(CodexHost(binary=str(fake.path), model=model), place, recorder, "Hello")

    assert tomllib.loads(fake.starts[0]["config"])["model"] == model


@pytest.mark.parametrize("options", [{"modle": "x"}, {"sandbox": "none"}, {"binary": ""}, {"model": ""}])
def test_unknown_options_are_refused(options: dict[str, Any]):
    with pytest.raises(ValidationError):
        CodexHost(**options)


def test_skills_lie_where_the_program_looks(place: Place, fake: Any):
    host = bind(HostFacade, "codex", CodexHost(binary=str(fake.path)))

    assert host.place_skill(Skill("tidy", "0" * 64, "0" * 64), place) == place.project / ".agents/skills/tidy"


@pytest.mark.parametrize("prompt", ["Hello", "--help", "- a list\n- of things", "зд\u0000", "x" * 200_000])
def test_a_prompt_is_given_on_standard_input_never_as_an_argument(
    prompt: str, fake: Any, place: Place, recorder: MemoryRecorder
):
    (answer,) = send(CodexHost(binary=str(fake.path)), place, recorder, prompt)

    assert answer == f"You said: {prompt}"
    (start,) = fake.starts
    assert start["argv"] == ["exec", "--json", "--skip-git-repo-check", "-C", str(place.project), "-"]
    assert start["prompt"] == prompt
    assert start["cwd"] == str(place.project)


def test_later_turns_take_the_conversation_up_again(fake: Any, place: Place, recorder: MemoryRecorder):
    send(CodexHost(binary=str(fake.path)), place, recorder, "one", "two")

    thread = "01a22be9-681c-7fa0-9e6c-1171cd5970da"
    assert fake.starts[1]["argv"] == ["exec", "resume", "--json", "--skip-git-repo-check", thread, "-"]
    assert fake.starts[1]["cwd"] == str(place.project)


def test_each_turn_keeps_what_it_added_to_the_session_log_once(fake: Any, place: Place, recorder: MemoryRecorder):
    send(CodexHost(binary=str(fake.path)), place, recorder, "one", "two")

    kept = [(r.turn, json.loads(r.raw)["type"]) for r in recorder.records if r.source is Source.SESSION_LOG]
    assert kept == [(1, "session_meta"), (1, "event_msg"), (2, "event_msg")]


def test_a_subagents_log_is_kept_behind_the_main_one(fake: Any, place: Place, recorder: MemoryRecorder):
    send(CodexHost(binary=str(fake.path)), place, recorder, "child")

    metas = [json.loads(r.raw) for r in recorder.records if '"session_meta"' in r.raw]
    assert [meta["payload"]["id"] for meta in metas] == [
        "01a22be9-681c-7fa0-9e6c-1171cd5970da",
        "11111111-681c-7fa0-9e6c-1171cd5970da",
    ]


def test_what_a_resumed_conversation_adds_is_not_taken_for_its_subagents(
    fake: Any, place: Place, recorder: MemoryRecorder
):
    send(CodexHost(binary=str(fake.path)), place, recorder, "child", "two")

    events = tuple(CodexNormalizer().normalize(recorder.records))

    assert [event.turn for event in events if isinstance(event, TurnEnded)] == [1, 2]
    assert not [event for event in events if isinstance(event, Truncated)], "each turn's end is in the main log"


@pytest.mark.parametrize("prompt", ["crash", "fail"])
def test_after_a_turn_that_did_not_end_well_there_is_none(
    prompt: str, fake: Any, place: Place, recorder: MemoryRecorder
):
    with pytest.raises(SessionStopped):
        send(CodexHost(binary=str(fake.path)), place, recorder, prompt)

    assert any('"note": "exited"' in record.raw for record in recorder.records)


def test_embraion_8_1_row_11_the_program_sees_its_place_and_nothing_of_the_operators(
    fake: Any, place: Place, recorder: MemoryRecorder, operator: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CODEX_SANDBOX", "outer")
    monkeypatch.setenv("A_SECRET", "canary")
    (operator / "AGENTS.md").write_text("canary", "utf-8")

    send(CodexHost(binary=str(fake.path)), place, recorder, "Hello")

    (start,) = fake.starts
    assert start["env"].keys() - {"LC_CTYPE"} == {*place.environment, "CODEX_HOME", "MODEL_API_KEY"}
    assert "canary" not in json.dumps(start)


def test_r15_home_and_the_programs_own_home_both_lie_in_the_place(
    fake: Any, place: Place, recorder: MemoryRecorder, operator: Path
):
    send(CodexHost(binary=str(fake.path)), place, recorder, "Hello")

    (start,) = fake.starts
    assert start["env"]["HOME"] == str(place.home)
    assert Path(start["env"]["CODEX_HOME"]).parent == place.home


def test_the_configuration_looks_nothing_up_and_asks_nobody(fake: Any, place: Place, recorder: MemoryRecorder):
    send(CodexHost(binary=str(fake.path), effort="low", sandbox="read-only"), place, recorder, "Hello")

    config = tomllib.loads(fake.starts[0]["config"])
    assert config["approval_policy"] == "never"
    assert config["sandbox_mode"] == "read-only"
    assert config["model"] == "scripted-1"
    assert config["model_reasoning_effort"] == "low"
    assert config["check_for_update_on_startup"] is False
    assert config["skills"] == {"bundled": {"enabled": False}}
    assert not any(config["features"].values())
    provider = config["model_providers"][config["model_provider"]]
    assert provider["base_url"] == "http://127.0.0.1:1/x/v1"
    assert provider["wire_api"] == "responses"
    assert fake.starts[0]["env"][provider["env_key"]] == "dummy"


def test_fixtures_are_offered_over_http_and_stdio(fake: Any, place: Place, recorder: MemoryRecorder):
    offers = (
        Offer("memory", url="http://127.0.0.1:2/mcp"),
        Offer("notes", command=("server", "--flag"), environment={"PLACE": "here"}),
        Offer("bare", command=("server",)),
    )

    send(CodexHost(binary=str(fake.path)), place, recorder, "Hello", offers=offers)

    servers = tomllib.loads(fake.starts[0]["config"])["mcp_servers"]
    assert servers["memory"]["url"] == "http://127.0.0.1:2/mcp"
    assert (servers["notes"]["command"], servers["notes"]["args"]) == ("server", ["--flag"])
    assert servers["notes"]["env"] == {"PLACE": "here"}
    assert servers["bare"]["env"] == {}
    assert "env" not in servers["memory"]
    assert all(server["required"] for server in servers.values())
    assert all(server["default_tools_approval_mode"] == "approve" for server in servers.values())


def test_a_link_among_the_session_logs_is_not_followed(
    fake: Any, place: Place, recorder: MemoryRecorder, tmp_path: Path
):
    logs = place.home / ".codex" / "sessions" / "2026" / "11" / "30"
    secret = tmp_path / "secret"
    secret.write_text("canary\n", "utf-8")
    host = CodexHost(binary=str(fake.path))

    with bind(HostFacade, "codex", host).open_session(TRIAL, place, (), ENDPOINT, recorder) as session:
        logs.mkdir(parents=True)
        (logs / "rollout-x.jsonl").symlink_to(secret)
        session.send("Hello")

    assert "canary" not in "".join(record.raw for record in recorder.records)
