"""Commands of `setup` and `after`: run in the place by a shell, their output kept."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.model.evidence import CommandResult
from skilltrial.model.notes import Exited
from skilltrial.model.part import Part
from skilltrial.model.trial import Command, Place
from skilltrial.model.words import Source

MOST_OUTPUT = 100_000
"""Characters kept of each stream."""


class _Collected:
    """A recorder that keeps the lines of one command in memory."""

    turn = 0

    def __init__(self) -> None:
        self.lines: dict[Source, list[str]] = {Source.STDOUT: [], Source.STDERR: []}
        self.code: int | None = None

    def record(self, source: Source, *lines: str) -> None:
        """Keep lines of stdout or stderr."""
        if source in self.lines:
            self.lines[source].extend(lines)

    def note(self, note: Part) -> None:
        """Keep the exit code."""
        if isinstance(note, Exited):
            self.code = note.code

    def text(self, source: Source) -> str:
        """What a stream said, cut at the end."""
        return "\n".join(self.lines[source])[:MOST_OUTPUT]


def run_commands(commands: tuple[str, ...], place: Place) -> Iterator[CommandResult]:
    """Run each command in the project, in order, also after one that failed."""
    for command in commands:
        collected = _Collected()
        place.launcher.run(Command(("/bin/sh", "-c", command), place.project, place.environment), collected)
        yield CommandResult(command, collected.code, collected.text(Source.STDOUT), collected.text(Source.STDERR))
