"""A host in one file: `sed` as an agent that says back what it is told."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skilltrial.api import Command, HostIdentity, Lending, Place, Probe, Recorder, Sees, Session, SessionStopped, Skill


@dataclass(frozen=True)
class EchoHost:
    """Runs sed, which says back what it is told."""

    binary: str = "sed"

    def describe_host(self) -> HostIdentity:
        return HostIdentity(name="echo", sees=frozenset({Sees.ANSWERS}), records="echo")

    def probe_host(self) -> Probe:
        found = shutil.which(self.binary)
        return Probe(Path(found) if found else None, todo=() if found else (f"install {self.binary}",))

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        return Lending()

    def place_skill(self, skill: Skill, place: Place) -> Path:
        return place.project / ".echo" / skill.id

    @contextmanager
    def open_session(self, place: Place, recorder: Recorder) -> Iterator[Session]:
        yield EchoSession(Command((self.binary, "s/^/echo: /"), place.project, place.environment), place, recorder)


@dataclass
class EchoSession(Session):
    command: Command
    place: Place
    recorder: Recorder

    def send(self, prompt: str) -> str:
        if self.recorder.turn > 1:
            raise SessionStopped("each prompt would be a conversation of its own")
        said: list[str] = []
        command = Command(self.command.argv, self.command.cwd, self.command.env, prompt.encode("utf-8", "replace"))
        if self.place.launcher.run(command, self.recorder, said.append).code != 0:
            raise SessionStopped("sed did not end well; the records say how")
        return "\n".join(line.removeprefix("echo: ") for line in said if line.startswith("echo: "))
