"""One conversation: a bridge process per turn, the second one on taking up what the first one began."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from skilltrial.api import Command, Place, Recorder, SessionStopped

from .job import Job
from .reading import Messages

BRIDGE = "skilltrial_host_acp.bridge"


@dataclass
class AcpSession:
    """Starts the bridge for each turn. `job` is what all turns share."""

    program: tuple[str, ...]
    environment: Mapping[str, str]
    job: Job
    place: Place
    recorder: Recorder
    session: str | None = None
    turns: int = 0

    def send(self, prompt: str) -> str:
        """Give a prompt; return the answer. Raises SessionStopped."""
        self.turns += 1
        if self.turns > 1 and self.session is None:
            raise SessionStopped("no conversation was opened that could be taken up again")
        # What is no text can't be told in JSON: a lone surrogate becomes a question mark.
        said = prompt.encode("utf-8", "replace").decode("utf-8")
        job = self.job.model_copy(update={"prompt": said, "session": self.session if self.turns > 1 else None})
        # A program that is gone is started by itself: so the launcher puts on record why it can't be.
        there = shutil.which(self.program[0]) is not None
        command = Command(
            argv=(sys.executable, "-m", BRIDGE, *self.program) if there else self.program,
            cwd=self.place.project,
            env=self.environment,
            stdin=json.dumps(job.model_dump()).encode("ascii"),
        )
        heard = _Heard()
        finished = self.place.launcher.run(command, self.recorder, heard.hear)
        self.session = heard.messages.session or self.session
        if finished.code != 0 or not heard.messages.ended:
            raise SessionStopped("the turn did not end well; the records say how")
        return "".join(heard.messages.answer)


@dataclass
class _Heard:
    """What of the lines is needed to go on. What judging reads is the record, never this."""

    messages: Messages = field(default_factory=Messages)

    def hear(self, line: str) -> None:
        self.messages.line(line)
