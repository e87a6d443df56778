"""One conversation: a process per turn, the prompt on its standard input."""

from __future__ import annotations

import json
from dataclasses import dataclass

from skilltrial.api import Command, Place, Recorder, SessionStopped


@dataclass
class PortableSession:
    """Starts `command` for each turn, with the arguments `resume` added from the second one on."""

    command: Command
    resume: tuple[str, ...]
    place: Place
    recorder: Recorder
    answers: bool
    """Whether standard output holds events, and so the answer."""
    turn: int = 0

    def send(self, prompt: str) -> str:
        """Give a prompt; return the answer, or nothing where it is not seen. Raises SessionStopped."""
        self.turn += 1
        if self.turn > 1 and not self.resume:
            raise SessionStopped("without resume arguments each turn would be a conversation of its own")
        answer = _Answer()
        command = Command(
            argv=self.command.argv + (self.resume if self.turn > 1 else ()),
            cwd=self.command.cwd,
            env=self.command.env,
            # What a prompt holds is the suite's; a lone surrogate in it must not end the run.
            stdin=prompt.encode("utf-8", "surrogatepass"),
        )
        finished = self.place.launcher.run(command, self.recorder, answer.hear if self.answers else None)
        if finished.code != 0:
            raise SessionStopped("the program did not end well; the records say how")
        return answer.text


@dataclass
class _Answer:
    text: str = ""

    def hear(self, line: str) -> None:
        """Keep the answer of a line that tells the end of a turn. What judging reads is the record, never this."""
        if '"TurnEnded"' not in line:
            return
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict) and value.get("type") == "TurnEnded" and isinstance(value.get("answer"), str):
            self.text = value["answer"]
