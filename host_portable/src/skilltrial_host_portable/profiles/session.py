"""One conversation with a described program: a process per turn, taken up by the id that its lines told."""

from __future__ import annotations

from dataclasses import dataclass, field

from skilltrial.api import Command, Place, Recorder, SessionStopped

from .laying import Laid
from .mapping import NotALine, meaning_of, read_line


@dataclass
class Heard:
    """What of the lines is needed to go on. What judging reads is the record, never this."""

    laid: Laid
    session: str | None = None
    answer: list[str] = field(default_factory=list)
    ended: bool = False

    def hear(self, line: str) -> None:
        """Look at one line."""
        try:
            meaning = meaning_of(read_line(line), self.laid.profile)
        except NotALine:
            return
        self.session = self.session or meaning.session
        if meaning.calls:
            self.answer.clear()
        self.answer.extend(meaning.answer)
        self.ended = (self.ended or meaning.ends) and (meaning.ends or meaning.failure is None)


@dataclass
class ProfileSession:
    """Starts the program once per turn."""

    laid: Laid
    place: Place
    recorder: Recorder
    session: str | None = None
    turns: int = 0

    def send(self, prompt: str) -> str:
        """Give a prompt; return the answer. Raises SessionStopped."""
        self.turns += 1
        if self.turns > 1 and self.session is None:
            raise SessionStopped("the program never told the id of a conversation that could be taken up again")
        heard = Heard(self.laid, self.session)
        command = Command(
            argv=self.laid.arguments(prompt, self.session if self.turns > 1 else None),
            cwd=self.place.project,
            env=self.laid.environment,
            stdin=prompt.encode("utf-8", "surrogatepass") if self.laid.on_stdin else b"",
        )
        finished = self.place.launcher.run(command, self.recorder, heard.hear)
        self.session = heard.session
        if finished.code != 0 or not heard.ended:
            raise SessionStopped("the turn did not end well; the records say how")
        return "".join(heard.answer)
