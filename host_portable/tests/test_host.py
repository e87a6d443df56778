"""What the host says of itself, and what it starts."""

import hashlib
import json
import os
import socket
from dataclasses import replace
from typing import Literal

import pytest

from skilltrial.api import (
    Can,
    EvidenceKind,
    Exited,
    InvalidRequest,
    LimitHit,
    ModelEndpoint,
    Sees,
    SessionStopped,
    Skill,
)
from skilltrial_host_portable.host import PortableHost

MODEL = ModelEndpoint(url="http://127.0.0.1:1/run/abc", model="scripted-1", key="dummy")


@pytest.fixture
def opened(trial, place, recorder):
    """`opened(host, model)`: an open session of the host in the place."""

    def open_(host, model=None, in_place=None):
        return host.open_session(trial, in_place or place, (), model, recorder)

    return open_


# --- what it says of itself -----------------------------------------------------------------------------------


def test_r11_a_plain_command_shows_nothing_and_says_so():
    identity = PortableHost(command=("agent",)).describe_host()

    assert identity.sees == frozenset()
    assert identity.records == "portable"
    assert identity.accounting is None
    assert identity.evidence_kind is EvidenceKind.LIVE_PORTABLE
    assert identity.ambient == ()


def test_a_program_that_prints_events_shows_what_it_promises_and_nothing_more():
    full = PortableHost(command=("agent",), records="events").describe_host()
    less = PortableHost(command=("agent",), records="events", shows=frozenset({Sees.ANSWERS})).describe_host()
    silent = PortableHost(command=("agent",), shows=frozenset({Sees.ANSWERS})).describe_host()

    assert {Sees.ANSWERS, Sees.TOOL_CALLS, Sees.SKILL_READS} <= full.sees
    assert not full.sees & {Sees.COST, Sees.PERMISSIONS}
    assert full.records == "events"
    assert less.sees == {Sees.ANSWERS}
    assert less.accounting is None
    assert silent.sees == frozenset()


def test_several_turns_are_possible_only_where_a_conversation_can_be_continued():
    assert Can.MULTI_TURN not in PortableHost(command=("agent",)).describe_host().can
    assert Can.MULTI_TURN in PortableHost(command=("agent",), resume=("--continue",)).describe_host().can


def test_the_dialect_is_the_programs_own_name_unless_another_is_asked_for():
    assert PortableHost(command=("/opt/bin/some-agent", "-x")).describe_host().dialect == "some-agent"
    assert PortableHost(command=("agent",), dialect="other").describe_host().dialect == "other"


def test_r22_the_program_is_known_by_its_bytes(tmp_path, monkeypatch):
    program = tmp_path / "agent"
    program.write_bytes(b"#!/bin/sh\n")
    program.chmod(0o755)
    digest = hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    monkeypatch.setenv("PATH", str(tmp_path))

    assert PortableHost(command=("agent",)).describe_host().program_sha256 == digest
    assert PortableHost(command=(str(program),)).describe_host().program_sha256 == digest
    assert PortableHost(command=("missing",)).describe_host().program_sha256 is None
    assert PortableHost(command=("./agent",)).describe_host().program_sha256 is None


@pytest.mark.parametrize("kind", ["own", "copy"])
def test_r16_a_home_with_the_operators_state_is_declared(kind, tmp_path):
    home = "own" if kind == "own" else f"copy:{tmp_path}"

    (what,) = PortableHost(command=("agent",), home=home).describe_host().ambient

    assert str(tmp_path) not in what


@pytest.mark.parametrize("folder", [".agents/skills", ".x/y"])
def test_r2_a_skill_lies_under_its_own_name(place, folder):
    skill = Skill(id="notes", sha256="0" * 64, body_sha256="0" * 64)

    assert PortableHost(command=("a",), skill_dir=folder).place_skill(skill, place) == place.project / folder / "notes"


# --- what it starts -------------------------------------------------------------------------------------------


def test_a_turn_is_a_process_in_the_project_with_the_prompt_on_stdin(opened, launcher, place):
    with opened(PortableHost(command=("./agent.sh", "--flag"))) as session:
        answer = session.send("Сделай.")

    (command,) = launcher.commands
    assert command.argv == ("./agent.sh", "--flag")
    assert command.cwd == place.project
    assert command.stdin == "Сделай.".encode()
    assert command.env == place.environment
    assert answer == ""


def test_the_prompt_is_never_an_argument_or_a_variable(opened, launcher):
    with opened(PortableHost(command=("agent",), resume=("--continue",)), MODEL) as session:
        session.send("canary")

    (command,) = launcher.commands
    assert "canary" not in repr((command.argv, command.env))


def test_the_endpoint_reaches_the_command_by_variables_and_placeholders(opened, launcher):
    host = PortableHost(
        command=("agent", "--url={model_url}/v1", "--model", "{model}"), endpoint_env={"X_URL": "{model_url}/x"}
    )

    with opened(host, MODEL) as session:
        session.send("Work.")

    (command,) = launcher.commands
    assert command.argv[1:] == ("--url=http://127.0.0.1:1/run/abc/v1", "--model", "scripted-1")
    assert command.env["MODEL_URL"] == "http://127.0.0.1:1/run/abc"
    assert command.env["OPENAI_BASE_URL"] == "http://127.0.0.1:1/run/abc/v1"
    assert command.env["OPENAI_API_KEY"] == "dummy"
    assert command.env["OPENAI_MODEL"] == "scripted-1"
    assert command.env["X_URL"] == "http://127.0.0.1:1/run/abc/x"


def test_a_usual_variable_can_be_changed_and_left_out(opened, launcher):
    host = PortableHost(command=("agent",), endpoint_env={"OPENAI_BASE_URL": "{model_url}", "OPENAI_MODEL": ""})

    with opened(host, MODEL) as session:
        session.send("Work.")

    (command,) = launcher.commands
    assert command.env["OPENAI_BASE_URL"] == "http://127.0.0.1:1/run/abc"
    assert "OPENAI_MODEL" not in command.env


def test_the_endpoints_key_replaces_one_that_was_passed_through(opened, launcher, place):
    lent = replace(place, environment={**place.environment, "OPENAI_API_KEY": "of-the-operator"})

    with opened(PortableHost(command=("agent",)), MODEL, lent) as session:
        session.send("Work.")

    assert launcher.commands[0].env["OPENAI_API_KEY"] == "dummy"


def test_a_live_run_gets_no_variable_of_an_endpoint(opened, launcher, place):
    with opened(PortableHost(command=("agent",), endpoint_env={"X": "{model_url}"})) as session:
        session.send("Work.")

    assert launcher.commands[0].env == place.environment


def test_a_placeholder_without_an_endpoint_is_refused_by_name(opened):
    with pytest.raises(InvalidRequest, match="model_url"), opened(PortableHost(command=("agent", "{model_url}"))):
        pass


def test_braces_that_are_no_placeholder_stay(opened, launcher):
    with opened(PortableHost(command=("sh", "-c", "echo ${x} {y} {}"))) as session:
        session.send("Work.")

    assert launcher.commands[0].argv[2] == "echo ${x} {y} {}"


def test_the_second_turn_continues_the_conversation(opened, launcher):
    with opened(PortableHost(command=("agent",), resume=("--continue", "last"))) as session:
        session.send("one")
        session.send("two")

    assert [command.argv for command in launcher.commands] == [("agent",), ("agent", "--continue", "last")]


def test_without_a_way_to_continue_there_is_no_second_turn(opened, launcher):
    with opened(PortableHost(command=("agent",))) as session:
        session.send("one")
        with pytest.raises(SessionStopped):
            session.send("two")

    assert len(launcher.commands) == 1


@pytest.mark.parametrize("ending", [Exited(code=3), Exited(code=-9), LimitHit(limit="seconds", value=1)])
def test_after_a_program_that_did_not_end_well_there_is_no_further_turn(opened, launcher, ending):
    launcher.endings = [ending]

    with opened(PortableHost(command=("agent",), resume=("-c",))) as session, pytest.raises(SessionStopped):
        session.send("one")


def test_the_answer_is_seen_only_in_events(opened, launcher):
    ended = json.dumps({"type": "TurnEnded", "answer": "Done."})
    expected: tuple[tuple[Literal["events", "none"], str], ...] = (("events", "Done."), ("none", ""))
    for records, answer in expected:
        launcher.outputs = [["noise", '{"TurnEnded"', ended]]
        with opened(PortableHost(command=("agent",), records=records)) as session:
            assert session.send("Work.") == answer


# --- homes ----------------------------------------------------------------------------------------------------


def test_a_copied_home_is_the_trials_own(opened, launcher, place, tmp_path):
    source = tmp_path / "prepared"
    (source / ".agent").mkdir(parents=True)
    (source / ".agent/login").write_text("state")
    (source / "link").symlink_to(".agent/login")
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(os.path.relpath(source / "socket"))
        with opened(PortableHost(command=("agent",), home=f"copy:{source}")) as session:
            session.send("Work.")

    assert launcher.commands[0].env["HOME"] == str(place.home)
    assert (place.home / ".agent/login").read_text() == "state"
    assert (place.home / "link").is_symlink()
    assert not (place.home / "socket").exists()


def test_the_operators_own_home_is_lent_as_it_is(opened, launcher, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "operator"))

    with opened(PortableHost(command=("agent",), home="own")) as session:
        session.send("Work.")

    assert launcher.commands[0].env["HOME"] == str(tmp_path / "operator")


@pytest.mark.parametrize("kind", ["own", "copy"])
def test_in_a_rehearsal_no_home_is_lent(opened, launcher, place, tmp_path, kind):
    source = tmp_path / "prepared"
    source.mkdir()
    (source / "login").write_text("secret")
    host = PortableHost(command=("agent",), home="own" if kind == "own" else f"copy:{source}")

    with opened(host, MODEL, replace(place, live=False)) as session:
        session.send("Work.")

    assert launcher.commands[0].env["HOME"] == str(place.home)
    assert list(place.home.iterdir()) == []


def test_an_agent_of_the_same_environment_is_found_though_it_is_not_on_the_path(
    opened, launcher, monkeypatch, tmp_path, place
):
    beside, before = tmp_path / "beside/agent", tmp_path / "before/agent"
    for program in (beside, before):
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(beside.with_name("python")))
    on_path = replace(place, environment={**place.environment, "PATH": str(before.parent)})

    for chosen in (place, on_path):
        with opened(PortableHost(command=("agent",)), None, chosen) as session:
            session.send("Work.")

    assert [command.argv[0] for command in launcher.commands] == [str(beside), "agent"]
