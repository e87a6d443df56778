"""A zoo of agents: each ends in one named ending, nothing outlives it, and the next run is unharmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from skilltrial.model.notes import Exited, Interrupted, Leftovers, LimitHit, Spawned, Unavailable
from skilltrial.model.part import Part
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Command, Finished
from skilltrial.model.words import Source
from skilltrial.record import family
from skilltrial.record.supervisor import Supervisor
from skilltrial.record.workspace import Folders, make_folders, remove

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")
ANIMAL = Path(__file__).parent / "zoo" / "animal.py"
MOST = Limits(seconds=20, stdout=20_000_000, stderr=1_000_000)


@dataclass
class Kept:
    """A recorder that keeps everything in memory."""

    turn: int = 0
    lines: list[tuple[Source, str]] = field(default_factory=list)
    notes: list[Part] = field(default_factory=list)

    def record(self, source: Source, raw: str) -> None:
        self.lines.append((source, raw))

    def note(self, note: Part) -> None:
        self.notes.append(note)

    def of(self, source: Source) -> list[str]:
        return [line for one, line in self.lines if one is source]

    @property
    def leftovers(self) -> Leftovers | None:
        return next((note for note in self.notes if isinstance(note, Leftovers)), None)


@contextmanager
def fresh_folders() -> Iterator[Folders]:
    folders = make_folders()
    try:
        yield folders
    finally:
        remove(folders.root)


@dataclass
class Zoo:
    """Runs animals in one place under one supervisor."""

    supervisor: Supervisor
    folders: Folders
    marker: str

    def run(
        self,
        animal: str,
        argument: str = "",
        *,
        limits: Limits = MOST,
        stdin: bytes = b"",
        recorder: Kept | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> tuple[Finished, Kept]:
        argv = (sys.executable, "-S", str(ANIMAL), animal, self.marker, argument)
        return self.start(argv, limits=limits, stdin=stdin, recorder=recorder, on_line=on_line)

    def start(
        self,
        argv: tuple[str, ...],
        *,
        limits: Limits = MOST,
        stdin: bytes = b"",
        recorder: Kept | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> tuple[Finished, Kept]:
        kept = recorder or Kept()
        command = Command(argv, self.folders.project, {"PATH": os.environ["PATH"]}, stdin)
        finished = self.supervisor.launcher(limits, self.folders).run(command, kept, on_line)
        return finished, kept

    def survivors(self) -> list[int]:
        """Processes that show the marker on their command line."""
        found = []
        for row in family.table().values():
            try:
                line = Path(f"/proc/{row.pid}/cmdline").read_bytes()
            except OSError:
                continue
            if self.marker.encode() in line and row.alive:
                found.append(row.pid)
        return found


@pytest.fixture
def zoo() -> Iterator[Zoo]:
    """Checks after each test that nothing survived, no zombie is ours, no descriptor leaked, and a run still works."""
    before = set(Path("/proc/self/fd").iterdir())
    with Supervisor() as supervisor, fresh_folders() as folders:
        zoo = Zoo(supervisor, folders, f"zoo-{uuid4().hex}")
        yield zoo
        assert zoo.survivors() == []
        if not supervisor.cancelled:
            finished, kept = zoo.start(("/bin/sh", "-c", "echo unharmed"))
            assert (finished.code, kept.lines) == (0, [(Source.STDOUT, "unharmed")])
    assert [row for row in family.table().values() if row.parent == os.getpid()] == []
    assert set(Path("/proc/self/fd").iterdir()) == before


# How programs end


def test_a_program_that_ends_by_itself_has_its_exit_code(zoo: Zoo) -> None:
    finished, kept = zoo.run("exits_three")
    assert finished == Finished(Exited(code=3))
    assert [type(note) for note in kept.notes] == [Spawned, Exited]


def test_a_program_killed_by_a_signal_has_a_negative_exit_code(zoo: Zoo) -> None:
    finished, _ = zoo.run("kills_itself")
    assert finished.code == -signal.SIGKILL


def test_a_program_whose_leading_thread_ends_is_watched_to_its_real_end(zoo: Zoo) -> None:
    finished, kept = zoo.run("vanishing_leader")
    assert (finished.code, kept.of(Source.STDOUT)) == (7, ["went on"])


@pytest.mark.parametrize("animal", ["hangs", "ignores_term", "stops_itself"])
def test_the_time_limit_ends_a_program_that_does_not_end(zoo: Zoo, animal: str) -> None:
    begun = time.monotonic()
    finished, kept = zoo.run(animal, limits=Limits(seconds=1))
    assert finished == Finished(LimitHit(limit="seconds", value=1))
    assert finished.code is None
    assert kept.notes[-1] == finished.ending
    assert 1 <= time.monotonic() - begun < 3


def test_a_program_may_tidy_up_when_its_time_is_over(zoo: Zoo) -> None:
    finished, kept = zoo.run("tidies_up_on_term", limits=Limits(seconds=1))
    assert isinstance(finished.ending, LimitHit)
    assert kept.of(Source.STDOUT) == ["here", "tidied"]


def test_the_time_limit_is_for_all_programs_of_a_trial(zoo: Zoo) -> None:
    launcher = zoo.supervisor.launcher(Limits(seconds=1), zoo.folders)
    kept = Kept()
    command = Command(("/bin/sh", "-c", "sleep 0.7; echo done"), zoo.folders.project, {"PATH": os.environ["PATH"]})
    begun = time.monotonic()
    assert launcher.run(command, kept).code == 0
    assert isinstance(launcher.run(command, kept).ending, LimitHit)
    assert isinstance(launcher.run(command, kept).ending, LimitHit)
    assert time.monotonic() - begun < 1.5
    assert kept.of(Source.STDOUT) == ["done"]


def test_the_output_limit_is_for_all_programs_of_a_trial(zoo: Zoo) -> None:
    launcher = zoo.supervisor.launcher(Limits(stdout=10), zoo.folders)
    kept = Kept()
    command = Command(("/bin/echo", "12345"), zoo.folders.project, {})
    endings = [launcher.run(command, kept).ending for _ in range(2)]
    assert endings == [Exited(code=0), LimitHit(limit="stdout", value=10)]
    assert kept.of(Source.STDOUT) == ["12345", "1234"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no-such-program", "missing"),
        ("./no-such-file", "missing"),
        ("./plain.txt", "not_executable"),
        ("./folder", "not_a_program"),
        ("./no-shebang", "not_a_program"),
        ("./lost-interpreter", "not_a_program"),
    ],
)
def test_a_program_that_can_not_be_started_is_unavailable_for_a_reason(zoo: Zoo, name: str, why: str) -> None:
    project = zoo.folders.project
    (project / "plain.txt").write_text("text")
    (project / "folder").mkdir()
    for script, text in (("no-shebang", "just text\n"), ("lost-interpreter", "#!/no/such/interpreter\n")):
        (project / script).write_text(text)
        (project / script).chmod(0o755)
    finished, kept = zoo.start((name,))
    assert finished == Finished(Unavailable(why=why))  # type: ignore[arg-type]
    assert kept.notes == [finished.ending]


@pytest.mark.parametrize("argument", ["x" * 3_000_000, "nul \0 in it"], ids=["too long", "with a NUL"])
def test_an_argument_that_the_system_refuses_is_unavailable(zoo: Zoo, argument: str) -> None:
    finished, _ = zoo.start(("/bin/true", argument))
    assert finished.ending == Unavailable(why="system")


def test_a_place_that_vanished_is_told_from_a_missing_program(zoo: Zoo) -> None:
    zoo.folders.project.rmdir()
    finished, _ = zoo.start(("/bin/true",))
    zoo.folders.project.mkdir()
    assert finished.ending == Unavailable(why="place_gone")


# What programs print


def test_a_flood_before_the_exit_arrives_whole(zoo: Zoo) -> None:
    finished, kept = zoo.run("floods_and_exits")
    assert finished.code == 0
    assert kept.of(Source.STDOUT) == ["x" * 99] * 60_000


@pytest.mark.parametrize(("stream", "setting", "limit"), [("1", "stdout", 1_000_050), ("2", "stderr", 300_000)])
def test_a_flood_without_end_hits_its_limit_and_keeps_what_fits(
    zoo: Zoo, stream: str, setting: str, limit: int
) -> None:
    finished, kept = zoo.run("floods_without_end", stream, limits=Limits(stdout=1_000_050, stderr=300_000))
    assert finished.ending == LimitHit(limit=setting, value=limit)  # type: ignore[arg-type]
    lines = kept.of(Source(setting))
    assert len("\n".join(lines)) in (limit, limit - 1)
    assert set(lines[:-1]) == {"y" * 99}


def test_a_line_without_end_hits_the_limit_too(zoo: Zoo) -> None:
    finished, kept = zoo.run("floods_with_a_line_without_end", limits=Limits(stdout=2_000_000))
    assert finished.ending == LimitHit(limit="stdout", value=2_000_000)
    assert kept.of(Source.STDOUT) == ["z" * 2_000_000]


@pytest.mark.parametrize(("limit", "ending"), [(6, Exited(code=0)), (5, LimitHit(limit="stdout", value=5))])
def test_exactly_the_limit_is_not_over_it(zoo: Zoo, limit: int, ending: Part) -> None:
    finished, _ = zoo.start(("/bin/echo", "12345"), limits=Limits(stdout=limit))
    assert finished.ending == ending


def test_what_is_no_utf8_survives_byte_for_byte(zoo: Zoo) -> None:
    _, kept = zoo.run("invalid_utf8")
    came = "\n".join(kept.of(Source.STDOUT)).encode("utf-8", "surrogateescape")
    assert came == b"good\n\xff\xfe bad \xc3\n\xe2\x82\nnul\0in\0it\n\xed\xa0\x80\r\n"


def test_a_line_of_five_megabytes_is_one_line(zoo: Zoo) -> None:
    _, kept = zoo.run("one_long_line")
    assert kept.of(Source.STDOUT) == ["a" * 5_000_000, "end"]


def test_a_last_line_without_newline_is_kept(zoo: Zoo) -> None:
    _, kept = zoo.run("no_final_newline")
    assert kept.lines == [(Source.STDOUT, "one"), (Source.STDOUT, "two"), (Source.STDERR, "three")]


def test_a_program_that_closes_its_streams_is_still_waited_for(zoo: Zoo) -> None:
    begun = time.monotonic()
    finished, kept = zoo.run("closes_stdout")
    assert (finished.code, kept.of(Source.STDOUT)) == (0, ["before"])
    assert time.monotonic() - begun > 0.2


def test_lines_arrive_while_the_program_runs(zoo: Zoo) -> None:
    at: list[tuple[str, float]] = []
    begun = time.monotonic()
    zoo.run("slow_lines", on_line=lambda line: at.append((line, time.monotonic() - begun)))
    assert [line for line, _ in at] == ["0", "1", "2", "3", "4"]
    assert at[-1][1] - at[0][1] > 0.25


def test_a_program_that_opens_its_stdout_anew_takes_nothing_back(zoo: Zoo) -> None:
    _, kept = zoo.run("reopens_its_streams")
    assert kept.of(Source.STDOUT)[0] == "first"


def test_a_prompt_of_a_megabyte_arrives_whole(zoo: Zoo) -> None:
    _, kept = zoo.run("counts_stdin", stdin=b"p" * 1_000_000)
    assert kept.of(Source.STDOUT) == ["1000000"]


def test_a_program_that_never_reads_its_prompt_is_not_waited_for(zoo: Zoo) -> None:
    finished, kept = zoo.run("reads_nothing", stdin=b"p" * 1_000_000)
    assert (finished.code, kept.of(Source.STDOUT)) == (0, ["did not look"])


def test_a_program_without_prompt_reads_an_end(zoo: Zoo) -> None:
    _, kept = zoo.run("counts_stdin")
    assert kept.of(Source.STDOUT) == ["0"]


def test_a_program_gets_its_environment_and_a_mark_and_nothing_of_ours(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    _, kept = zoo.start(("/usr/bin/env",))
    assert {line.partition("=")[0] for line in kept.of(Source.STDOUT)} == {"PATH", "SESSION_MARK"}


def test_the_record_of_a_start_names_the_place_by_placeholders(zoo: Zoo) -> None:
    folders = zoo.folders
    _, kept = zoo.start(("/bin/true", f"--cd={folders.project}/x", str(folders.home), f"{folders.tmp}:{folders.tmp}"))
    assert kept.notes[0] == Spawned(argv=("/bin/true", "--cd={project}/x", "{home}", "{tmp}:{tmp}"))


# What programs leave behind


@pytest.mark.parametrize(
    ("animal", "least"),
    [("forks", 1), ("double_forks", 1), ("own_session", 1), ("scrubs", 1), ("many_children", 40), ("respawns", 2)],
)
def test_nothing_outlives_a_program_that_ended_by_itself(zoo: Zoo, animal: str, least: int) -> None:
    finished, kept = zoo.run(animal)
    begun = time.monotonic()
    assert zoo.survivors() == []
    assert time.monotonic() - begun < 1
    assert finished.code == 0
    assert kept.leftovers is not None
    assert kept.leftovers.ended >= least
    assert (kept.leftovers.unstopped, kept.leftovers.attributed) == (0, True)


def test_a_leftover_that_ignores_term_is_killed_within_a_second(zoo: Zoo) -> None:
    begun = time.monotonic()
    _, kept = zoo.run("leaves_a_deaf_child")
    assert kept.leftovers == Leftovers(ended=1)
    assert time.monotonic() - begun < 2
    assert zoo.survivors() == []


def test_a_leftover_can_not_write_after_the_end(zoo: Zoo) -> None:
    _, kept = zoo.run("writes_after_exit")
    seen = list(kept.lines)
    time.sleep(0.4)
    assert kept.lines == seen == [(Source.STDOUT, "in time")]


def test_nothing_outlives_a_time_limit(zoo: Zoo) -> None:
    zoo.run("hides_and_returns", "300", limits=Limits(seconds=1))
    assert zoo.survivors() == []


def test_a_program_without_children_leaves_no_note(zoo: Zoo) -> None:
    _, kept = zoo.run("reads_nothing")
    assert kept.leftovers is None


def test_a_broken_recorder_ends_the_program_and_is_heard(zoo: Zoo) -> None:
    class Full(Kept):
        def record(self, source: Source, raw: str) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        zoo.run("hangs", recorder=Full())
    assert zoo.survivors() == []


# Many at once


def test_cancel_ends_all_programs_soon_and_starts_none_any_more(zoo: Zoo) -> None:
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(zoo.run, animal) for animal in ["hangs"] * 6 + ["ignores_term", "hides_and_returns"]]
        while len(zoo.survivors()) < 7:
            time.sleep(0.01)
        begun = time.monotonic()
        zoo.supervisor.cancel()
        endings = [future.result()[0].ending for future in running]
        took = time.monotonic() - begun
    assert endings[:7] == [Interrupted()] * 7
    assert took < 3
    finished, kept = zoo.run("exits_three")
    assert (finished.ending, kept.notes) == (Interrupted(), [Interrupted()])


def test_cancel_may_come_from_a_signal_handler(zoo: Zoo) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: zoo.supervisor.cancel())
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
        finished, _ = zoo.run("hangs")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert finished.ending == Interrupted()


def test_thirty_two_at_once_do_not_disturb_each_other(zoo: Zoo) -> None:
    def agent(number: int) -> tuple[int | None, list[str], Leftovers | None]:
        script = f"echo {number}; sleep 0.3; echo end; {'sleep 300 &' if number % 4 == 0 else ''} exit {number}"
        with fresh_folders() as folders:
            finished, kept = Zoo(zoo.supervisor, folders, zoo.marker).start(("/bin/sh", "-c", script))
        return finished.code, kept.of(Source.STDOUT), kept.leftovers

    with ThreadPoolExecutor(32) as pool:
        results = list(pool.map(agent, range(64)))
    for number, (code, lines, leftovers) in enumerate(results):
        assert (code, lines) == (number, [str(number), "end"])
        assert leftovers == (Leftovers(ended=1) if number % 4 == 0 else None)


def test_a_leftover_of_another_trial_that_still_runs_is_left_alone(zoo: Zoo) -> None:
    script = "(setsid sh -c 'sleep 0.8; echo served' &); sleep 1.2; echo end"
    with fresh_folders() as elsewhere, ThreadPoolExecutor(1) as pool:
        other = Zoo(zoo.supervisor, elsewhere, zoo.marker)
        server = pool.submit(other.start, ("/bin/sh", "-c", script))
        time.sleep(0.3)
        for _ in range(5):
            assert zoo.run("own_session")[1].leftovers == Leftovers(ended=1)
        _, kept = server.result()
    assert kept.of(Source.STDOUT) == ["served", "end"]


def test_an_orphan_seen_before_it_hid_is_attributed_among_many(zoo: Zoo) -> None:
    with ThreadPoolExecutor(3) as pool, fresh_folders() as one, fresh_folders() as two:
        others = [
            pool.submit(Zoo(zoo.supervisor, place, zoo.marker).start, ("/bin/sleep", "2")) for place in (one, two)
        ]
        time.sleep(0.1)
        _, kept = zoo.run("scrubs_slowly")
        assert zoo.survivors() == []
        assert kept.leftovers == Leftovers(ended=1)
        assert [future.result()[1].leftovers for future in others] == [None, None]


def test_an_orphan_that_nobody_can_be_told_to_own_ends_with_the_last_that_may(zoo: Zoo) -> None:
    with ThreadPoolExecutor(1) as pool, fresh_folders() as elsewhere:
        other = pool.submit(Zoo(zoo.supervisor, elsewhere, zoo.marker).start, ("/bin/sleep", "0.8"))
        time.sleep(0.1)
        _, kept = zoo.run("scrubs")
        # then: it could be the other trial's, so it lives, and both say that they are in doubt
        assert kept.leftovers == Leftovers(ended=0, attributed=False)
        assert len(zoo.survivors()) == 1
        assert other.result()[1].leftovers == Leftovers(ended=1, attributed=False)
        assert zoo.survivors() == []


def test_our_own_helpers_are_not_taken_for_orphans(zoo: Zoo) -> None:
    helper = subprocess.Popen(["/bin/sleep", "300"])
    try:
        zoo.run("scrubs")
        assert helper.poll() is None
    finally:
        helper.kill()
        helper.wait()


def test_what_is_left_at_the_end_of_a_run_is_swept() -> None:
    marker = f"zoo-{uuid4().hex}"
    with Supervisor() as supervisor, fresh_folders() as folders:
        zoo = Zoo(supervisor, folders, marker)
        # given: an orphan that comes to us from a program of no trial
        subprocess.run([sys.executable, "-S", str(ANIMAL), "scrubs", marker], stdin=subprocess.DEVNULL, check=True)
        assert len(zoo.survivors()) == 1
    assert zoo.survivors() == []


def test_a_supervisor_starts_nothing_outside_its_with(zoo: Zoo) -> None:
    with pytest.raises(RuntimeError, match="inside its `with`"):
        Supervisor().launcher(MOST, zoo.folders)
