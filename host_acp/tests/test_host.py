"""The host: what it says of itself, and how it starts the bridge."""

import json
import sys

import pytest
from pydantic import ValidationError

from skilltrial.api import (
    Can,
    Declared,
    Exited,
    Finished,
    Limits,
    ModelEndpoint,
    Offer,
    Place,
    Sees,
    SessionStopped,
    Trial,
    TrialKey,
)
from skilltrial_host_acp.host import AcpHost

SAID = {"sessionUpdate": "agent_message_chunk", "content": {"text": "Done."}}
LINES = [
    '{"bridge":"prompted","word":"s-1"}',
    '{"from":"client","message":{"id":2,"method":"session/prompt"}}',
    json.dumps({"from": "agent", "message": {"method": "session/update", "params": {"update": SAID}}}),
    '{"from":"agent","message":{"id":2,"result":{"stopReason":"end_turn"}}}',
]


class Recorder:
    def __init__(self):
        self.turn, self.notes = 1, []

    def record(self, source, *lines):
        """Kept by nobody here."""

    def note(self, note):
        self.notes.append(note)


class Launcher:
    def __init__(self, *turns):
        self.turns, self.commands = list(turns), []

    def run(self, command, recorder, on_line=None):
        self.commands.append(command)
        lines, code = self.turns.pop(0)
        for line in lines:
            on_line(line)
        return Finished(Exited(code=code))


def place_of(tmp_path, launcher):
    return Place(tmp_path, tmp_path / "home", tmp_path / "tmp", {"PATH": "/usr/bin:/bin"}, launcher)


TRIAL = Trial(TrialKey(case="a", arm="with_skill", label="1"), ("One.", "Two."), Limits(), allow=("execute",))


def test_it_says_what_the_protocol_shows():
    host = AcpHost(command=("sh", "--acp"))
    identity = host.describe_host()

    assert identity.sees == {Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.PERMISSIONS}
    assert Can.SCRIPTED_MODEL not in identity.can
    assert identity.program_sha256 is not None
    assert host.probe_host().todo == ()
    assert AcpHost(command=("no-such-agent",)).probe_host().todo != ()


def test_each_turn_is_a_bridge_and_the_second_takes_the_first_up(tmp_path):
    launcher, recorder = Launcher((LINES, 0), (LINES, 0)), Recorder()
    host = AcpHost(
        command=("sh", "--acp"), environment={"ACME_HOME": "{home}/acme"}, endpoint_env={"URL": "{model_url}/v1"}
    )
    offers = (Offer(name="orders", url="http://127.0.0.1:9/x", tools=("look_up",)),)
    endpoint = ModelEndpoint(url="http://127.0.0.1:8", model="m")

    with host.open_session(TRIAL, place_of(tmp_path, launcher), offers, endpoint, recorder) as session:
        answers = [session.send("One."), session.send("Two.\ud800")]

    assert answers == ["Done.", "Done."]
    first, second = (json.loads(command.stdin) for command in launcher.commands)
    assert (first["prompt"], first["session"]) == ("One.", None)
    assert (second["prompt"], second["session"]) == ("Two.?", "s-1")
    assert first["servers"][0]["url"] == "http://127.0.0.1:9/x"
    assert (first["tools"], first["allow"]) == (["look_up"], ["execute"])
    command = launcher.commands[0]
    assert command.argv[0] == sys.executable
    assert command.argv[-1] == "--acp"
    assert command.env["URL"] == "http://127.0.0.1:8/v1"
    assert command.env["ACME_HOME"] == f"{tmp_path}/home/acme"
    (declared,) = [note for note in recorder.notes if isinstance(note, Declared)]
    assert declared.value == {"servers": {"orders": ["look_up"]}, "project": str(tmp_path)}


@pytest.mark.parametrize(("lines", "code"), [(LINES, 1), (LINES[:3], 0), ([], 0)])
def test_a_turn_that_did_not_end_well_is_the_last(tmp_path, lines, code):
    launcher = Launcher((lines, code))

    with (
        AcpHost(command=("sh",)).open_session(TRIAL, place_of(tmp_path, launcher), (), None, Recorder()) as session,
        pytest.raises(SessionStopped),
    ):
        session.send("One.")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"command": ()},
        {"command": ("",)},
        {"command": ("a",), "skill_dir": "../x"},
        {"command": ("a",), "skill_dir": "/x"},
        {"command": ("a",), "environment": {"A B": "x"}},
        {"command": ("a",), "nonsense": 1},
    ],
)
def test_options_that_do_not_fit_are_refused(options):
    with pytest.raises(ValidationError):
        AcpHost(**options)
