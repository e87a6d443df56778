"""One conversation with Codex: a process per turn, the prompt on its standard input, its session log read after it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.api import Command, Place, Recorder, SessionStopped, Source

from .lines import inner, text
from .plugin import HOOKS_RUN

_ALWAYS = ("--json", "--skip-git-repo-check")


def command(program: Path, place: Place, environment: Mapping[str, str], thread: str | None, prompt: str) -> Command:
    """The command of one turn: a new conversation, or `thread` taken up again."""
    always = _ALWAYS if place.plugin is None else (*_ALWAYS, HOOKS_RUN)
    # `exec resume` takes no folder: it is started in the project.
    how = ("exec", *always, "-C", str(place.project)) if thread is None else ("exec", "resume", *always, thread)
    # What a prompt holds is the suite's; a lone surrogate in it must not end the run.
    stdin = prompt.encode("utf-8", "surrogatepass")
    return Command(argv=(str(program), *how, "-"), cwd=place.project, env=environment, stdin=stdin)


@dataclass
class Heard:
    """What of the stream is needed to go on. What judging reads is the record, never this."""

    thread: str | None = None
    answer: str = ""
    completed: bool = False

    def hear(self, line: str) -> None:
        """Look at one line of the stream."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        match text(value, "type"):
            case "thread.started":
                self.thread = text(value, "thread_id") or self.thread
            case "turn.completed":
                self.completed = True
            case "turn.failed":
                self.completed = False
            case "item.completed" if text(inner(value, "item"), "type") == "agent_message":
                self.answer = text(inner(value, "item"), "text") or ""
            case _:
                pass


@dataclass
class CodexSession:
    """Starts the program once per turn. `home` is its CODEX_HOME."""

    program: Path
    place: Place
    environment: Mapping[str, str]
    home: Path
    recorder: Recorder
    heard: Heard = field(default_factory=Heard)
    turns: int = 0
    read: dict[Path, int] = field(default_factory=dict)

    def send(self, prompt: str) -> str:
        """Give a prompt; return the last message of the turn. Raises SessionStopped."""
        if self.turns and self.heard.thread is None:
            raise SessionStopped("the program never opened a conversation that could be taken up again")
        thread, self.turns = self.heard.thread, self.turns + 1
        self.heard.answer, self.heard.completed = "", False
        started = command(self.program, self.place, self.environment, thread, prompt)
        try:
            finished = self.place.launcher.run(started, self.recorder, self.heard.hear)
        finally:
            self._keep_log()
        if finished.code != 0 or not self.heard.completed:
            raise SessionStopped("the turn did not end well; the records say how")
        return self.heard.answer

    def _keep_log(self) -> None:
        """Put what the program added to its session logs on record, the main conversation's first."""
        for path in sorted(_logs(self.home), key=lambda each: (self.heard.thread not in {each.stem[-36:]}, each.name)):
            with path.open("rb") as file:
                file.seek(self.read.get(path, 0))
                for line in file:
                    self.recorder.record(Source.SESSION_LOG, line.rstrip(b"\n").decode("utf-8", "surrogateescape"))
                self.read[path] = file.tell()


def _logs(home: Path) -> Iterator[Path]:
    """The session logs; never a link, which the model's commands could have laid."""
    for path in (home / "sessions").glob("*/*/*/rollout-*.jsonl"):
        if path.is_file() and not path.is_symlink():
            yield path
