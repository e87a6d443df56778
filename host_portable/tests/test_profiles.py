"""A program that is described by a file: how it is read, what follows from it, how it is started."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from skilltrial.api import (
    ActNotPossible,
    Call,
    Can,
    Declared,
    EditFile,
    ModelEndpoint,
    Offer,
    ReadSkill,
    Run,
    Sees,
    SessionStopped,
    Source,
    ToolOffer,
    notes,
)
from skilltrial_host_portable.host import PortableHost
from skilltrial_host_portable.profiles.command import command
from skilltrial_host_portable.profiles.dialect import DeclaredDialect
from skilltrial_host_portable.profiles.filling import filled, put
from skilltrial_host_portable.profiles.pointers import found
from skilltrial_host_portable.profiles.reading import profile_of, read_profile, shipped

ENDPOINT = ModelEndpoint(url="http://127.0.0.1:9/x", model="m-1", key="k")
VALUE: Any = {"a": [{"b": 1}, {"b": 2}], "x/y": 3}
SMALL = """\
name: acme
made_for: acme 1
command: [acme, run, "{model_arguments}", "{resume}", --, "{prompt}"]
resume: [--continue, "{session}"]
model: [-m, "{model}"]
environment: {ACME_CONFIG: "{config}/acme.json"}
files: {"{config}/acme.json": {quiet: true}}
scripted: {files: {"{config}/acme.json": {base: "{model_url}/v1", key: "{model_key}"}}}
mcp: {file: "{config}/acme.json", at: "/servers/{server}", value: {url: "{url}"}}
lines:
  - {session: /id}
  - {when: {/kind: say}, answer: /text}
  - {when: {/kind: done}, ends: true}
  - {when: {/kind: broke}, fails: {status: /status}}
"""


def acme(**more):
    profile = Path("acme.yaml")
    profile.write_text(SMALL, "utf-8")
    return PortableHost(profile="acme.yaml", **{"command": None, **more})


def dialect_of(name):
    options: Any = PortableHost(profile=name).describe_host().dialect_options
    return DeclaredDialect(**options)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", shipped())
def test_a_profile_that_comes_along_shows_all_that_is_needed_for_checks_on_calls(name):
    identity = PortableHost(profile=name).describe_host()

    assert {Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.SKILL_READS, Sees.TOKENS} <= identity.sees
    assert identity.can == {Can.MULTI_TURN, Can.MCP_HTTP, Can.PROGRAMS, Can.MODEL, Can.SCRIPTED_MODEL}
    assert identity.records == "profile"
    assert dialect_of(name).server_tool is not None


def test_what_a_profile_does_not_map_is_not_shown():
    identity = acme().describe_host()

    assert identity.sees == {Sees.ANSWERS}
    assert identity.dialect == "acme"


def test_every_fault_of_a_profile_is_told_at_once_with_its_place():
    text = SMALL.replace("made_for: acme 1\n", "").replace("answer:", "awnser:").replace("/kind: done", "kind: done")

    with pytest.raises(ValueError, match="made_for: this key is needed") as error:
        profile_of(text.encode())

    assert "lines/1/awnser: unknown key; did you mean `answer`?" in str(error.value)
    assert "lines/2/when/kind: a JSON Pointer begins with /" in str(error.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("{when: {/kind: done}, ends: true}", "{when: {/kind: done}, session: /x}"), "ends: true"),
        (('"{resume}", ', ""), "`resume` needs an item {resume}"),
        (("{session: /id}", "{version: /id}"), "where the session's id stands"),
        (('{"{config}/acme.json": {quiet: true}}', "{/etc/passwd: x}"), "below {config} or {home}"),
        (('{"{config}/acme.json": {quiet: true}}', '{"{home}/../x": x}'), "below {config} or {home}"),
        (("name: acme", "name: Acme!"), "lower-case letters"),
        (("name: acme", "name: acme\nname: b"), "given twice"),
        (("name: acme", "name: ["), "not valid YAML"),
    ],
)
def test_a_profile_that_could_not_work_is_refused(change, says):
    assert change[0] in SMALL

    with pytest.raises(ValueError, match=r".") as error:
        profile_of(SMALL.replace(*change).encode())

    assert says in str(error.value)


def test_no_text_of_a_profile_goes_into_an_error():
    canary = "CANARY-91"
    for broken in (f"- {canary}", f"name: {canary}\nmade_for: [{canary}]", f'"{canary}', canary):
        with pytest.raises(ValueError, match=r".") as error:
            profile_of(broken.encode())
        assert canary not in str(error.value)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"", b"[" * 3000, b"a: &a [*a, *a]\n", b"name: 2001-01-01\nmade_for: .nan\n"]
)
def test_bytes_that_are_no_profile_break_nothing(data):
    with pytest.raises(ValueError, match=r"."):
        profile_of(data)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"profile": "nobody"}, "there are opencode, pi"),
        ({"profile": "./none.yaml"}, "can't be read"),
        ({"profile": 3}, "a file, or the name of a profile"),
        ({"profile": "pi", "records": "events"}, "the profile says what `records` would"),
        ({"profile": "pi", "command": ("pi", "--flag")}, "only the program is given"),
        ({"command": ("agent",), "model": "m"}, "can't be told a model"),
        ({}, "needs the option `command`"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, says):
    with pytest.raises(ValidationError) as error:
        PortableHost(**options)

    assert says in str(error.value)


def test_the_turns_of_a_conversation_are_started_as_the_profile_says(launcher, recorder, place, trial):
    launcher.outputs = [['{"id":"s-1"}', '{"kind":"say","text":"One."}', '{"kind":"done"}'], ['{"kind":"done"}']]
    offers = (Offer(name="orders", url="http://127.0.0.1:9/mcp"),)

    with acme(model="big").open_session(trial, place, offers, None, recorder) as session:
        answers = [session.send("-first"), session.send("second")]

    first, second = launcher.commands
    assert answers == ["One.", ""]
    assert first.argv[1:] == ("run", "-m", "big", "--", "-first")
    assert second.argv[1:] == ("run", "-m", "big", "--continue", "s-1", "--", "second")
    config = Path(first.env["ACME_CONFIG"])
    assert json.loads(config.read_text()) == {"quiet": True, "servers": {"orders": {"url": "http://127.0.0.1:9/mcp"}}}
    assert place.home in config.parents
    assert first.stdin == b""


def test_a_scripted_model_is_told_as_the_profile_says(launcher, recorder, place, trial):
    launcher.outputs = [['{"kind":"done"}']]

    with acme().open_session(trial, place, (), ENDPOINT, recorder) as session:
        session.send("go")

    config = json.loads(Path(launcher.commands[0].env["ACME_CONFIG"]).read_text())
    assert config == {"quiet": True, "base": "http://127.0.0.1:9/x/v1", "key": "k"}
    assert launcher.commands[0].argv[1:] == ("run", "-m", "m-1", "--", "go")


def test_the_profile_is_on_record_before_the_first_line(launcher, recorder, place, trial):
    launcher.outputs = [['{"kind":"done"}']]

    with acme().open_session(trial, place, (), ENDPOINT, recorder) as session:
        session.send("go")

    ((_, note),) = [(record, note) for record, note in notes(recorder.records) if isinstance(note, Declared)]
    assert recorder.records[0].source is Source.RUNNER
    value: Any = note.value
    assert value["profile"]["name"] == "acme"
    assert value["project"] == str(place.project)


def test_a_turn_that_told_no_end_is_no_turn(launcher, recorder, place, trial):
    launcher.outputs = [['{"kind":"done"}', '{"kind":"broke","status":500}']]

    with acme().open_session(trial, place, (), None, recorder) as session, pytest.raises(SessionStopped):
        session.send("go")


def test_acts_are_spelled_with_the_tools_that_are_offered():
    dialect = dialect_of("pi")
    offered = [ToolOffer("read"), ToolOffer("edit"), ToolOffer("mcp__orders__lookup")]

    skill = dialect.spell(ReadSkill(read_skill="x"), offered)
    edit = dialect.spell(EditFile.model_validate({"edit_file": {"path": "a", "old": "{new}", "new": "{old}"}}), offered)
    call = dialect.spell(
        Call.model_validate({"call": {"server": "orders", "tool": "lookup", "arguments": {"id": "{path}"}}}), offered
    )

    assert (skill.name, skill.arguments) == ("read", {"path": ".agents/skills/x/SKILL.md"})
    # What is put in is not read again.
    assert edit.arguments == {"path": "a", "edits": [{"oldText": "{new}", "newText": "{old}"}]}
    assert (call.name, call.arguments) == ("mcp__orders__lookup", {"id": "{path}"})
    with pytest.raises(ActNotPossible):
        dialect.spell(Run(run="ls"), offered)


@pytest.mark.parametrize(
    ("pointer", "values"),
    [
        ("", [{"a": [{"b": 1}, {"b": 2}], "x/y": 3}]),
        ("/a/*/b", [1, 2]),
        ("/a/1/b", [2]),
        ("/a/9/b", []),
        ("/x~1y", [3]),
    ],
)
def test_pointers(pointer, values):
    assert found(VALUE, pointer) == values


def test_values_are_put_where_they_belong():
    assert put({"a": {"b": 1}}, "/a/c", {"d": 2}) == {"a": {"b": 1, "c": {"d": 2}}}
    assert filled({"{x}": ["{x}{y}", 1]}, {"{x}": "{y}", "{y}": "2"}) == {"{y}": ["{y}2", 1]}


def test_the_command_lists_shows_and_tries(tmp_path):
    run = CliRunner().invoke
    recording = Path(__file__).parent / "recordings" / "pi-1.6.0" / "matrix.jsonl"

    listed = run(command, ["list"])
    shown = run(command, ["show", "pi"])
    tried = run(command, ["try", "pi", str(recording), "--skill", "invoice-format", "--server", "orders"])
    (tmp_path / "cut.jsonl").write_text('{"type":"session","id":"x"}\n{"type":"strange"}\n{"type":', "utf-8")
    cut = run(command, ["try", "pi", str(tmp_path / "cut.jsonl")])
    wrong = run(command, ["try", "nobody", str(recording)])

    assert listed.output.split()[0] == "opencode"
    assert profile_of(shown.output.encode()) == read_profile("pi").profile
    assert tried.exit_code == 0, tried.output
    assert "SkillStep skill=invoice-format step=read" in tried.output
    assert "tool=lookup_order server=orders" in tried.output
    assert "0 not understood; the session ended: completed" in tried.output
    assert cut.exit_code == 1
    assert "1 not understood; the session ended: invalid_events" in cut.output
    assert wrong.exit_code == 2
    assert "there are opencode, pi" in wrong.output
