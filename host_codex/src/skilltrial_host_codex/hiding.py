"""Keep lent credentials out of the records, whatever a command of the model may print."""

from __future__ import annotations

from skilltrial.api import Recorder, Source

MARK = "[redacted:codex login]"


class HidingRecorder:
    """A recorder that replaces `secrets` in lines before anything is passed on."""

    def __init__(self, recorder: Recorder, secrets: tuple[str, ...]) -> None:
        self._recorder = recorder
        self._secrets = secrets
        self.note = recorder.note

    @property
    def turn(self) -> int:
        """The turn that records belong to."""
        return self._recorder.turn

    @turn.setter
    def turn(self, turn: int) -> None:
        self._recorder.turn = turn

    def record(self, source: Source, raw: str) -> None:
        """Keep one line."""
        for secret in self._secrets:
            raw = raw.replace(secret, MARK)
        self._recorder.record(source, raw)
