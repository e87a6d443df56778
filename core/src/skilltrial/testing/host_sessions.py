"""What a session does while all goes well: the prompt arrives, every line is recorded, the answer comes back."""

from __future__ import annotations

import os
from typing import Any

import pytest

from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.errors import SessionStopped
from skilltrial.model.events import SessionEnded, SessionStarted, TurnStarted
from skilltrial.model.notes import Exited, Spawned
from skilltrial.model.words import Ending, Source

from .contracts import demand
from .programs import Answer, Print
from .stages import Stage

PROMPT = "Kit: \"double\" 'single' $HOME `date` {braces} %s --flag\n\n-second line\twith a tab, й and 😀\n"
GOOD = ((Answer("KIT-ANSWER one"),), (Answer("KIT-ANSWER two"),))


class HostSessions:
    """Part of HostContract."""

    def test_a_good_session_is_completed(self, stage: Stage) -> None:
        """Its records make one SessionEnded, `completed`; each process that was started is on record with its end."""
        scene = stage.played(GOOD)
        demand(scene.stopped is None, f"a good turn raised SessionStopped: {scene.stopped}")
        ends = [event for event in stage.events(scene) if isinstance(event, SessionEnded)]
        demand(
            len(ends) == 1 and ends[0].ending is Ending.COMPLETED,
            f"a good session must end with one SessionEnded `completed`, not {ends}",
        )
        demand(
            len(scene.noted(Spawned)) == len(scene.noted(Exited)) >= 1,
            "programs must be started by place.launcher.run: their starts and ends are not on record",
        )

    def test_the_prompt_arrives_as_it_is(self, stage: Stage) -> None:
        """Byte for byte, on standard input or as one argument: no shell, no trimming."""
        stage.played(GOOD, PROMPT)
        demand(stage.program.starts, "send did not start the program")
        start = stage.program.starts[0]
        told = [start["prompt"], *start["argv"]]
        demand(
            any(PROMPT in one or PROMPT.replace("\n", "\\n").replace('"', '\\"') in one for one in told),
            f"the prompt did not arrive as it was sent; the program got {told!r}",
        )

    def test_a_prompt_of_odd_characters_harms_nobody(self, stage: Stage) -> None:
        """Half a character and a NUL may come from a suite: they may be refused by the program, never raise."""
        for odd in ("half \ud800 a character", "a\0b", ""):
            with stage.opened(GOOD) as (_, send):
                try:
                    send(odd)
                except SessionStopped:
                    continue
                except Exception as error:
                    raise AssertionError(f"the prompt {odd!r} raised {type(error).__name__}") from error

    def test_the_program_works_in_the_project(self, stage: Stage) -> None:
        """Its working folder is `place.project`."""
        scene = stage.played(GOOD)
        demand(
            stage.program.starts[0]["cwd"] == str(scene.place.project),
            "the program was not started in place.project",
        )

    def test_the_environment_is_the_places(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every variable of `place.environment` arrives unchanged; nothing of the operator's own gets in."""
        monkeypatch.setenv("KIT_OPERATOR_CANARY", "kit-operator")
        place = stage.place(passed={"KIT_PASSED": "kit passed"})
        stage.played(GOOD, place=place)
        env = stage.program.starts[0]["env"]
        demand("KIT_OPERATOR_CANARY" not in env, "a variable of the operator's got in; copy place.environment instead")
        lacking = [name for name, value in place.environment.items() if env.get(name) != value]
        demand(not lacking, f"variables of place.environment did not arrive as they are: {', '.join(lacking)}")

    def test_every_line_is_recorded_as_it_came(self, stage: Stage) -> None:
        """Lines of both streams, odd bytes, long lines and a last one without newline: in order, none changed."""
        lines = ["KIT plain", "KIT \udcff\udcfe odd bytes", "KIT " + "long " * 20_000, "", "KIT й"]
        script = (
            (
                Print("out", "\n".join(lines) + "\n"),
                Print("err", "KIT error one\nKIT error two\n"),
                Answer("KIT-ANSWER"),
                Print("out", "KIT last"),
            ),
        )
        scene = stage.played(script)
        seen = scene.lines(Source.STDOUT)
        told = [line for line in seen if line.startswith("KIT ") or line == ""]
        # What the program prints at the end of its turn stands between these and the last line.
        demand(told[: len(lines)] == lines, "lines of standard output were changed, dropped or came in another order")
        demand(any(line.startswith("KIT last") for line in seen), "the line before the last ones is not on record")
        errors = [line for line in scene.lines(Source.STDERR) if line.startswith("KIT ")]
        demand(errors == ["KIT error one", "KIT error two"], "lines of standard error are not on record as they came")

    def test_the_answer_comes_back_only_where_it_is_seen(self, stage: Stage) -> None:
        """`send` returns the last message where the host claims ANSWERS, else the empty text."""
        seen = Sees.ANSWERS in stage.host().describe_host().sees
        scene = stage.played(GOOD)
        wanted = ["KIT-ANSWER one"] if seen else [""]
        demand(scene.answers == wanted, f"send returned {scene.answers}; with these claims it must return {wanted}")

    def test_the_project_is_left_as_it_was(self, stage: Stage) -> None:
        """The host itself writes nothing into the project: each change there is taken for the agent's."""
        with stage.opened(GOOD) as (scene, send):
            before = scene.listing()
            send("Kit prompt one.")
            after = scene.listing()
        made = sorted(before.keys() ^ after.keys()) or [name for name in before if before[name] != after[name]]
        demand(not made, f"the host changed the project: {', '.join(made)}; use place.home or place.tmp")

    def test_sessions_share_nothing(self, stage: Stage) -> None:
        """A second session of the same host, in a place of its own, knows nothing of the first."""
        host = stage.host()
        first = stage.played(GOOD, host=host)
        second = stage.played(GOOD, host=host)
        ids = [
            {event.session for event in stage.events(scene) if isinstance(event, SessionStarted) and event.session}
            for scene in (first, second)
        ]
        told = stage.given(stage.program.starts[-1])
        demand(str(first.place.project.parent) not in told, "the second session was told folders of the first")
        demand(not ids[0] & ids[1], "the second session went on with the first one's conversation")
        demand(not any(one in told for one in ids[0]), "the second session was told the first one's id")
        demand(second.answers == first.answers, "the second session did not go as the first")

    def test_two_sessions_at_once_do_not_mix(self, stage: Stage) -> None:
        """Trials run in threads: two open sessions of one host each keep to their own place and records."""
        host = stage.host()
        with stage.opened(GOOD, host=host) as (one, send_one), stage.opened(GOOD, host=host) as (two, send_two):
            send_two("Kit prompt of two.")
            send_one("Kit prompt of one.")
        starts = stage.program.starts
        demand(
            [start["cwd"] for start in starts] == [str(two.place.project), str(one.place.project)],
            "two open sessions mixed up their places",
        )
        for scene in (one, two):
            demand(len(scene.noted(Spawned)) == 1, "a session recorded what another one did")

    def test_each_turn_is_told(self, stage: Stage) -> None:
        """MULTI_TURN: the second prompt goes on with the conversation. Without it `send` raises SessionStopped."""
        claimed = Can.MULTI_TURN in stage.host().describe_host().can
        scene = stage.played(GOOD, "Kit prompt one.", "Kit prompt two.")
        if not claimed:
            demand(
                scene.stopped is not None and len(stage.program.starts) == 1,
                "the host does not claim MULTI_TURN and took a second prompt: claim it, or raise SessionStopped",
            )
            return
        demand(scene.stopped is None, f"the host claims MULTI_TURN, and the second turn stopped: {scene.stopped}")
        events = stage.events(scene)
        turns = [event.turn for event in events if isinstance(event, TurnStarted)]
        demand(turns == [1, 2], f"two prompts were sent; the trajectory has the turns {turns}")
        sessions = {event.session for event in events if isinstance(event, SessionStarted) and event.session}
        demand(len(sessions) <= 1, "the second turn was another conversation")
        _demand_continued(stage.program.starts, sessions)


def _demand_continued(starts: list[dict[str, Any]], sessions: set[Any]) -> None:
    """Where each turn is a process, the second must have been told to go on: it was started in another way."""
    if len(starts) < 2:
        return
    first, second = starts[0], starts[1]
    told = [one for key in ("argv", "told") for one in second[key] if one not in first[key]]
    known = any(str(one) in second["prompt"] or one in os.fsencode(str(second["env"])).decode() for one in sessions)
    demand(told or known, "the second turn's process was started like the first: a conversation of its own")
