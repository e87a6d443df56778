"""The fixture's side of one trial: questions that programs lay down, on record before they are answered."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, JsonValue

from skilltrial.api import Answered, Called, Placed, Recorder, Refused, Source
from skilltrial.replies.scripts import State
from skilltrial.replies.strictjson import NotStrict, compact, read

from .playing import Decision, Play, decide

BELL = "bell"
LARGEST = 64 * 1024 * 1024
"""Bytes of one question."""
TOLD = ("exit", "stdout", "stderr", "cut")
"""What is recorded of a real program's answer; `cut` where more was printed than is kept."""
_NUMBER = re.compile(r"[0-9a-f]{16}(-done)?")


class SpoolGone(RuntimeError):
    """The folder through which programs ask was taken away: calls may have been made that are on no record."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as the program told it."""

    program: str
    argv: list[JsonValue]
    cwd: str
    stdin: str | None


@dataclass(slots=True)
class Spool:
    """Answers the programs of one trial, one question at a time, in a thread of its own."""

    folder: Path
    project: Path
    play: Play
    state: State
    programs: tuple[str, ...]
    recorder: Recorder
    _calls: int = 0
    _forwarded: dict[str, int] = field(default_factory=dict)
    """Question → number of a call whose real program has not answered yet."""
    _broken: Exception | None = None
    _over: bool = False
    _bell: int = -1
    _thread: threading.Thread | None = None

    def open(self) -> None:
        """Begin to listen."""
        self.folder.mkdir(mode=0o700)
        os.mkfifo(self.folder / BELL, 0o600)
        # For reading and writing: without a writer of our own, the end of each program would be the end of the pipe.
        self._bell = os.open(self.folder / BELL, os.O_RDWR)
        self._record(Placed(programs=self.programs))
        self._thread = threading.Thread(target=self._serve, name="fixture-commands", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End, and raise what broke meanwhile. Real programs that have not ended are recorded as such."""
        gone = not (self.folder / BELL).exists()
        self._over = True
        os.write(self._bell, b"\n")
        if self._thread is not None:
            self._thread.join()
        os.close(self._bell)
        for number in self._forwarded.values():
            self._answered(number, Decision("forwarded", self.state), is_error=True)
        if self._broken is not None:
            raise self._broken
        if gone:
            raise SpoolGone

    def _serve(self) -> None:
        rest = b""
        while not self._over:
            *lines, rest = (rest + os.read(self._bell, 65536)).split(b"\n")
            for line in lines:
                try:
                    self._answer(line.decode("ascii", "replace"))
                except Exception as error:  # noqa: BLE001 - a full disk, or our own fault: `close` raises it
                    self._broken = self._broken or error
                    (self.folder / BELL).unlink(missing_ok=True)  # nobody is answered any more, and all hear of it

    def _answer(self, number: str) -> None:
        if not number:
            return
        asked = self._question(number) if _NUMBER.fullmatch(number) else None
        if isinstance(asked, Asked):
            self._reply(number, self._called(number, asked))
        elif asked is not None and (call := self._forwarded.pop(number.removesuffix("-done"), None)) is not None:
            told = {key: asked[key] for key in TOLD if asked[key] is not False}
            is_error = asked["exit"] != 0
            self._record(Answered(number=call, result=told, is_error=is_error, because="forwarded", state=self.state))
            self._reply(number, {})
        else:
            self._record(Refused(why="not_asked"))

    def _question(self, number: str) -> Asked | Mapping[str, JsonValue] | None:
        """The question of a number; None where none lies there that a program of ours could have written."""
        path = self.folder / f"{number}.asked"
        try:
            if path.is_symlink() or path.stat().st_size > LARGEST:
                return None
            value = read(path.read_bytes())
            path.unlink()
        except (OSError, NotStrict):
            return None
        match value:
            case {"program": str(program), "argv": list(argv), "cwd": str(cwd), "stdin": str() | None as stdin}:
                known = program in self.programs and all(isinstance(word, str) for word in argv)
                return Asked(program, argv, cwd, stdin) if known and not number.endswith("-done") else None
            case {"exit": int(code), "stdout": str(out), "stderr": str(err), "cut": bool(cut)}:
                done: dict[str, JsonValue] = {"exit": code, "stdout": out, "stderr": err, "cut": cut}
                return done if number.endswith("-done") else None
        return None

    def _called(self, question: str, asked: Asked) -> dict[str, JsonValue]:
        self._calls += 1
        number = self._calls
        arguments: dict[str, JsonValue] = {"argv": asked.argv, "cwd": self._below(asked.cwd), "stdin": asked.stdin}
        self._record(Called(number=number, tool=asked.program, arguments=arguments))
        decision = decide(self.play, self.state, asked.program, arguments)
        self.state = decision.state
        if decision.because == "forwarded":
            self._forwarded[question] = number
        else:
            self._answered(number, decision, is_error=decision.exit != 0)
        return {
            "because": decision.because,
            "exit": decision.exit,
            "stdout": decision.stdout,
            "stderr": decision.stderr,
            "files": dict(decision.files),
            "delay": decision.delay,
            "fault": decision.fault,
        }

    def _answered(self, number: int, decision: Decision, *, is_error: bool) -> None:
        self._record(
            Answered(
                number=number,
                result=decision.result,
                is_error=is_error,
                because=decision.because,
                state=decision.state,
            )
        )

    def _below(self, cwd: str) -> str:
        """The folder of a call: below the project where it lies there, else as it is."""
        try:
            return Path(cwd).relative_to(self.project.resolve()).as_posix()
        except ValueError:
            return cwd

    def _reply(self, number: str, answer: dict[str, JsonValue]) -> None:
        """Lay down an answer, whole."""
        part = self.folder / f"{number}.part"
        part.write_text(compact(answer), encoding="utf-8")
        part.rename(self.folder / f"{number}.answered")

    def _record(self, note: BaseModel) -> None:
        self.recorder.record(Source.WIRE, note.model_dump_json())
