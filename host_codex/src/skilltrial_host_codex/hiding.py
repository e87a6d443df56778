"""Keep lent credentials out of the records, whatever a command of the model may print."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.api import Note, Recorder, Source

MARK = "[redacted:codex login]"


@dataclass
class HidingRecorder:
    """A recorder that replaces `secrets` before anything is passed on."""

    recorder: Recorder
    secrets: tuple[str, ...]

    @property
    def turn(self) -> int:
        """The turn that records belong to."""
        return self.recorder.turn

    @turn.setter
    def turn(self, turn: int) -> None:
        self.recorder.turn = turn

    def record(self, source: Source, raw: str) -> None:
        """Keep one line."""
        for secret in self.secrets:
            raw = raw.replace(secret, MARK)
        self.recorder.record(source, raw)

    def note(self, note: Note) -> None:
        """Keep a fact of the runner's."""
        self.recorder.note(note)
