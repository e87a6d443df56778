"""The one place that starts programs: within limits, watched, recorded as they print, and ended with all they began.

POSIX lives here and in the modules beside it: `supervisor` (of a run), `capture` (what a program prints), `reaper`
(its end), `kinship` and `running` (whose a process is), `family` (the table of processes), `linux` (what only Linux
has).
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from skilltrial.model.likeness import placeheld
from skilltrial.model.notes import Exited, Interrupted, Leftovers, LimitHit, Spawned, Unavailable
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Command, Finished, Recorder
from skilltrial.model.words import Source
from skilltrial.record.workspace import Folders

from .capture import Capture, prompt_file
from .reaper import GRACE, Reaper
from .running import Running

_SHORTEST, _LONGEST = 0.002, 0.05
"""Seconds between two looks at what a program has printed: short after news, growing while it is silent."""
Why = Literal["missing", "not_executable", "not_a_program", "place_gone", "system"]
Ending = Exited | LimitHit | Unavailable | Interrupted


class TrialLauncher:
    """Starts the programs of one trial. Time and output of all of them together are held to the trial's limits."""

    def __init__(self, reaper: Reaper, stop: int, limits: Limits, folders: Folders) -> None:
        self._reaper = reaper
        self._stop = stop
        self._limits = limits
        self._folders = {
            "project": folders.project,
            "home": folders.home,
            "tmp": folders.tmp,
            "plugins": folders.plugins,
        }
        self._left = {Source.STDOUT: limits.stdout, Source.STDERR: limits.stderr}
        self._deadline: float | None = None
        self._mark = secrets.token_hex(16)

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        """See `Launcher`. What the recorder or `on_line` raise is raised when everything has ended."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._limits.seconds
        with ExitStack() as stack:
            if _readable(self._stop):
                return _finished(Interrupted(), recorder)
            if self._deadline <= time.monotonic():
                return _finished(self._late(), recorder)
            try:
                captures, running = self._start(command, stack)
            except (OSError, ValueError) as error:
                return _finished(Unavailable(why=_why(command, error)), recorder)
            streams = _Streams(captures, recorder, on_line)
            ending, leftovers = self._attend(command, running, streams)
            streams.drain()
            for source, capture in captures.items():
                self._left[source] -= capture.taken
            if streams.over is not None and isinstance(ending, Exited):
                ending = self._flood(streams.over)
            finished = _finished(ending, recorder)
            if leftovers is not None:
                recorder.note(leftovers)
            return finished

    def _start(self, command: Command, stack: ExitStack) -> tuple[dict[Source, Capture], Running]:
        captures = {source: stack.enter_context(Capture(self._mark, left)) for source, left in self._left.items()}
        stdin = prompt_file(self._mark, command.stdin) if command.stdin else os.open(os.devnull, os.O_RDONLY)
        try:
            files = (stdin, captures[Source.STDOUT].descriptor, captures[Source.STDERR].descriptor)
            return captures, self._reaper.start(command, files, self._mark, self._folders.values())
        finally:
            os.close(stdin)

    def _attend(self, command: Command, running: Running, streams: _Streams) -> tuple[Ending, Leftovers | None]:
        try:
            argv = tuple(placeheld(word, self._folders) for word in command.argv)
            streams.recorder.note(Spawned(argv=argv, environment=tuple(sorted(command.env))))
            ending = self._watch(running, streams)
        finally:
            # A flood is not given time to go on.
            leftovers = self._reaper.end(running, grace=0.0 if streams.over else GRACE)
        return ending or Exited(code=running.process.returncode), leftovers

    def _watch(self, running: Running, streams: _Streams) -> Ending | None:
        """Pass on what the program prints until something ends it; None where it does so itself."""
        bell = select.poll()
        bell.register(self._stop, select.POLLIN)
        if running.watch is not None:
            bell.register(running.watch, select.POLLIN)
        pause = _SHORTEST
        deadline = self._deadline or 0.0
        while True:
            left = deadline - time.monotonic()
            rung = bell.poll(0 if streams.behind else max(0.0, min(pause, left)) * 1000)
            if running.exited():
                return None
            if any(descriptor == self._stop for descriptor, _ in rung):
                return Interrupted()
            if left <= 0:
                return self._late()
            pause = _SHORTEST if streams.pump() else min(pause * 2, _LONGEST)
            if streams.over is not None:
                return self._flood(streams.over)
            self._reaper.look()

    def _late(self) -> LimitHit:
        return LimitHit(limit="seconds", value=self._limits.seconds)

    def _flood(self, source: Source) -> LimitHit:
        if source is Source.STDOUT:
            return LimitHit(limit="stdout", value=self._limits.stdout)
        return LimitHit(limit="stderr", value=self._limits.stderr)


class _Streams:
    """The two streams of a program on their way to the recorder."""

    def __init__(
        self, captures: dict[Source, Capture], recorder: Recorder, on_line: Callable[[str], None] | None
    ) -> None:
        self.captures = captures
        self.recorder = recorder
        self._on_line = on_line

    @property
    def over(self) -> Source | None:
        """The stream that went over its limit."""
        return next((source for source, capture in self.captures.items() if capture.over), None)

    @property
    def behind(self) -> bool:
        """There is more to read."""
        return any(capture.behind for capture in self.captures.values())

    def pump(self) -> bool:
        """Pass on some of what came; says whether anything did."""
        before = sum(capture.taken for capture in self.captures.values())
        for source, capture in self.captures.items():
            for line in capture.read():
                self._pass_on(source, line)
        return sum(capture.taken for capture in self.captures.values()) > before

    def drain(self) -> None:
        """Pass on all that came, when nothing comes any more."""
        for source, capture in self.captures.items():
            for line in capture.drain():
                self._pass_on(source, line)

    def _pass_on(self, source: Source, line: str) -> None:
        self.recorder.record(source, line)
        if source is Source.STDOUT and self._on_line is not None:
            self._on_line(line)


def _readable(descriptor: int) -> bool:
    bell = select.poll()
    bell.register(descriptor, select.POLLIN)
    return bool(bell.poll(0))


def _finished(ending: Ending, recorder: Recorder) -> Finished:
    recorder.note(ending)
    return Finished(ending)


def _why(command: Command, error: OSError | ValueError) -> Why:
    if not command.cwd.is_dir():
        return "place_gone"
    program = _program(command)
    if program is None:
        return "missing"
    code = error.errno if isinstance(error, OSError) else None
    if program.is_dir() or code in (errno.ENOEXEC, errno.ENOENT):
        return "not_a_program"  # ENOENT: its interpreter is missing
    return "not_executable" if code == errno.EACCES else "system"


def _program(command: Command) -> Path | None:
    name = command.argv[0]
    if os.sep in name:
        path = command.cwd / name
        return path if path.exists() else None
    found = shutil.which(name, mode=os.F_OK, path=command.env.get("PATH", os.defpath))
    return Path(found) if found else None
