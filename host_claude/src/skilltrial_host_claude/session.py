"""One conversation with Claude Code: a process per turn, the prompt on its standard input, its log read after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.api import Command, Place, Recorder, SessionStopped, Source

from .lines import inner, several, text

_SESSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_ROWS = ('"type":"user"', '"type":"attachment"')
_ATTACHED = frozenset({"file", "instructions", "skill_listing"})


@dataclass
class Heard:
    """What of the stream is needed to go on. What judging reads is the record, never this."""

    session: str | None = None
    answer: str = ""
    well: bool = False

    def hear(self, line: str) -> None:
        """Look at one line of the stream."""
        if '"session_id"' not in line:
            return
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        kind, session = text(value, "type"), text(value, "session_id")
        if kind in ("system", "result") and session is not None and _SESSION.fullmatch(session):
            self.session = session
        if kind == "result":
            self.well = value.get("is_error") is False and text(value, "subtype") == "success"
            self.answer = text(value, "result") or self.answer


@dataclass
class ClaudeSession:
    """Starts `program` with `arguments` once per turn. `state` is the folder in which it keeps its own files."""

    program: Path
    arguments: tuple[str, ...]
    place: Place
    environment: Mapping[str, str]
    state: Path
    recorder: Recorder
    heard: Heard = field(default_factory=Heard)
    turns: int = 0
    read: dict[Path, int] = field(default_factory=dict)

    def send(self, prompt: str) -> str:
        """Give a prompt; return the last words of the turn. Raises SessionStopped."""
        if self.turns and self.heard.session is None:
            raise SessionStopped("the program never opened a conversation that could be taken up again")
        resumed = ("--resume", self.heard.session) if self.turns and self.heard.session is not None else ()
        self.turns += 1
        self.heard.answer, self.heard.well = "", False
        command = Command(
            argv=(str(self.program), *self.arguments, *resumed),
            cwd=self.place.project,
            env=self.environment,
            # What a prompt holds is the suite's; a lone surrogate in it must not end the run.
            stdin=prompt.encode("utf-8", "surrogatepass"),
        )
        try:
            finished = self.place.launcher.run(command, self.recorder, self.heard.hear)
        finally:
            self._keep_log()
        if finished.code != 0 or not self.heard.well:
            raise SessionStopped("the turn did not end well; the records say how")
        return self.heard.answer

    def _keep_log(self) -> None:
        """Put on record what the session log has beyond the stream: prompts, files that they named, instructions.

        The rest of it repeats the stream and the requests, with all of the program's own prompts.
        """
        for path in self._logs():
            with path.open("rb") as file:
                file.seek(self.read.get(path, 0))
                for line in file:
                    row = line.rstrip(b"\n").decode("utf-8", "surrogateescape")
                    if _tells(row):
                        self.recorder.record(Source.SESSION_LOG, row)
                self.read[path] = file.tell()

    def _logs(self) -> Iterator[Path]:
        """The conversation's log; never a link, which the model's commands could have laid."""
        for path in self.state.glob(f"projects/*/{self.heard.session}.jsonl") if self.heard.session else ():
            if path.is_file() and not path.is_symlink():
                yield path


def _tells(row: str) -> bool:
    """Whether a row says what the stream does not."""
    if not any(mark in row for mark in _ROWS):
        return False
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        return True
    if text(value, "type") == "attachment":
        return text(inner(value, "attachment"), "type") in _ATTACHED
    blocks = several(value.get("message"), "content") if isinstance(value, dict) else ()
    return text(value, "type") == "user" and not any(text(block, "type") == "tool_result" for block in blocks)
