"""One conversation: a bridge process per turn, the second one on taking up what the first one began."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from skilltrial.api import Command, Place, Recorder, SessionStopped, Unavailable

from .following import Following
from .job import Job
from .lines import text
from .talking import NotALine, Talking

BRIDGE = "skilltrial_host_zcode.bridge"


@dataclass
class ZcodeSession:
    """Starts the bridge for each turn. `job` is what all turns share; `files` are needed for a start."""

    program: tuple[str, ...]
    files: tuple[Path, ...]
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
        if any(not file.is_file() for file in self.files):
            # The bridge would start all the same: that its program is gone is the launcher's kind of news.
            self.recorder.note(Unavailable(why="missing"))
            raise SessionStopped("the program is gone")
        # What is no text can't be told in JSON: a lone surrogate becomes a question mark.
        said = prompt.encode("utf-8", "replace").decode("utf-8")
        job = replace(self.job, prompt=said, session=self.session)
        command = Command(
            argv=(sys.executable, "-m", BRIDGE, *self.program),
            cwd=self.place.project,
            env=self.environment,
            stdin=job.write(),
        )
        heard = _Heard()
        finished = self.place.launcher.run(command, self.recorder, heard.hear)
        self.session = heard.talking.session or self.session
        following = heard.following
        if finished.code != 0 or following is None or not following.completed:
            raise SessionStopped("the turn did not end well; the records say how")
        return text(following.end or {}, "response") or ""


@dataclass
class _Heard:
    """What of the lines is needed to go on. What judging reads is the record, never this."""

    talking: Talking = field(default_factory=Talking)

    @property
    def following(self) -> Following | None:
        return self.talking.following

    def hear(self, line: str) -> None:
        try:
            self.talking.read(line)
        except NotALine:
            return
