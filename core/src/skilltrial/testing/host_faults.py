"""What becomes of a session when the program misbehaves: a record and an ending, never an exception or a leftover."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.model.errors import SessionStopped
from skilltrial.model.events import SessionEnded
from skilltrial.model.notes import Exited, LimitHit, Unavailable
from skilltrial.model.suite import Limits
from skilltrial.model.words import Ending

from .contracts import demand
from .programs import Act, Answer, Crash, Flood, Hang, LeaveChild
from .stages import Scene, Stage, eventually


@dataclass(frozen=True)
class _Expected:
    note: type
    endings: tuple[Ending, ...]
    what: str


def _misbehave(stage: Stage, act: Act, expected: _Expected, limits: Limits) -> Scene:
    scene = Scene(stage.place(limits), None)  # type: ignore[arg-type]
    with stage.opened(((act,),), place=scene.place) as (scene, send):
        try:
            send("Kit prompt one.")
        except SessionStopped as stopped:
            scene.stopped = stopped
        except Exception as error:
            raise AssertionError(
                f"{expected.what} raised {type(error).__name__}; `send` raises SessionStopped, and the records say why"
            ) from error
    demand(scene.stopped is not None, f"{expected.what}, and `send` returned as if the turn had ended well")
    demand(
        scene.noted(expected.note),
        f"{expected.what}, and no {expected.note.__name__} is on record; start programs by place.launcher.run",
    )
    ends = [event.ending for event in stage.events(scene) if isinstance(event, SessionEnded)]
    demand(
        len(ends) == 1 and ends[0] in expected.endings,
        f"{expected.what}: the ending is {ends}, it must be {' or '.join(expected.endings)}",
    )
    return scene


class HostFaults:
    """Part of HostContract."""

    def test_a_crash_is_an_ending(self, stage: Stage) -> None:
        """A program that exits with 3 in the middle of a turn: `host_failed`, or `invalid_events`."""
        expected = _Expected(Exited, (Ending.HOST_FAILED, Ending.INVALID_EVENTS), "the program crashed")
        _misbehave(stage, Crash(3), expected, Limits(seconds=60))

    def test_an_early_end_is_no_success(self, stage: Stage) -> None:
        """A program that exits with 0 before its turn has ended was not completed, where the host sees turns end."""
        scene = stage.played(((Crash(0),),))
        whole = stage.played(((Answer("KIT-ANSWER"),),))
        if [record.raw for record in scene.records[3:]] == [record.raw for record in whole.records[3:]]:
            return  # it prints nothing by which the end of a turn could be told
        shows_end = len(whole.records) > len(scene.records)
        ends = [event.ending for event in stage.events(scene) if isinstance(event, SessionEnded)]
        demand(
            not shows_end or not stage.host().describe_host().sees or ends != [Ending.COMPLETED],
            "a turn without its last lines was taken for completed",
        )

    def test_a_program_that_hangs_ends_at_the_time_limit(self, stage: Stage) -> None:
        """`limits.seconds` ends it: `time_limit`."""
        expected = _Expected(LimitHit, (Ending.TIME_LIMIT,), "the program hung")
        _misbehave(stage, Hang(), expected, Limits(seconds=1))

    def test_a_flood_ends_at_the_output_limit(self, stage: Stage) -> None:
        """`limits.stdout` ends it: `output_limit`."""
        expected = _Expected(LimitHit, (Ending.OUTPUT_LIMIT,), "the program printed without end")
        _misbehave(stage, Flood(), expected, Limits(seconds=60, stdout=100_000))

    def test_a_program_that_is_gone_is_an_ending(self, stage: Stage) -> None:
        """Its file vanished after the session was opened: `host_unavailable`."""
        with stage.opened(((Answer("KIT-ANSWER"),),)) as (scene, send):
            stage.program.path.unlink()
            try:
                send("Kit prompt one.")
            except SessionStopped as stopped:
                scene.stopped = stopped
            except Exception as error:
                raise AssertionError(
                    f"a program that is gone raised {type(error).__name__}; the launcher makes a record of it"
                ) from error
        demand(scene.stopped is not None, "the program is gone, and `send` returned an answer")
        demand(scene.noted(Unavailable), "the program is gone, and no Unavailable is on record")
        ends = [event.ending for event in stage.events(scene) if isinstance(event, SessionEnded)]
        demand(ends == [Ending.HOST_UNAVAILABLE], f"the program is gone: the ending is {ends}")

    def test_nothing_outlives_a_turn(self, stage: Stage) -> None:
        """A child that the program leaves behind is ended before `send` returns, in a session of its own too."""
        for own in (False, True):
            place = stage.place()
            child = LeaveChild(place.project / "late.txt", own_session=own)
            stage.played(((child, Answer("KIT-ANSWER")),), place=place)
            demand(stage.program.children, "the fake program left no child; nothing was tested")
            demand(not stage.alive(), "a process outlived its session; use place.launcher.run")

    def test_nothing_is_written_after_a_turn(self, stage: Stage) -> None:
        """What a child would have written later is not written: the project was listed already."""
        place = stage.place()
        late = place.project / "late.txt"
        stage.played(((LeaveChild(late), Answer("KIT-ANSWER")),), place=place)
        eventually(lambda: late.exists() or not stage.alive())
        demand(not late.exists(), "a process wrote into the project after the session; use place.launcher.run")

    def test_a_secret_that_is_printed_reaches_no_record(self, stage: Stage) -> None:
        """Everything goes by the recorder, which replaces known secrets; the host keeps no copy of its own."""
        secret = "kit-secret-5fd81c"  # noqa: S105 - made up
        place = stage.place(passed={"KIT_SECRET": secret})
        script: tuple[tuple[Act, ...], ...] = ((Answer(f"the key is {secret}"),), (Answer(secret), Crash(3)))
        with stage.opened(script, place=place, secrets={"KIT_SECRET": secret}) as (scene, send):
            for prompt in ("Kit prompt one.", "Kit prompt two."):
                try:
                    send(prompt)
                except SessionStopped as stopped:
                    demand(secret not in str(stopped), "SessionStopped tells a secret that the program printed")
                    break
        held = [record.seq for record in scene.records if secret in record.raw]
        demand(not held, f"records {held} hold a secret; write nothing past the recorder")
        demand(not any(secret.encode() in data for data in scene.listing().values()), "the project holds a secret")
