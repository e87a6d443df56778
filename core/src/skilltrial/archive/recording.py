"""Records as they happen: numbered, timed, redacted, flushed, and hashed on the way."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.model.recordlines import line_of
from skilltrial.model.words import Source

from .redaction import Redactor

if TYPE_CHECKING:
    from io import FileIO

    from skilltrial.model.part import Part


class Clock:
    """The time of one trial, and its current turn: shared by all of its recorders."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self.turn = 0

    def seconds(self) -> float:
        """Seconds since the trial began."""
        return time.monotonic() - self._begin


class FileRecorder:
    """Writes one record file. Safe from any thread. Implements `model.trial.Recorder`.

    Once `close` was called, later records are dropped: a server thread may still hold the recorder of a trial that
    has been sealed.
    """

    def __init__(self, path: Path, clock: Clock, redactor: Redactor) -> None:
        self.path = path
        self.redactions = 0
        self.count = 0
        self._clock = clock
        self._redactor = redactor
        self._lock = threading.Lock()
        self._file: FileIO | None = None
        self._closed = False
        self._failed: OSError | None = None
        self._digest = hashlib.sha256()

    @property
    def turn(self) -> int:
        """The current turn, 0 before the first prompt."""
        return self._clock.turn

    @turn.setter
    def turn(self, turn: int) -> None:
        self._clock.turn = turn

    def record(self, source: Source, *lines: str) -> None:
        """Keep lines, all of them at once.

        Raises OSError where the disk refuses, and from then on always: half a line is no record.
        """
        told = [self._redactor.text(line) for line in lines]
        with self._lock:
            if self._closed:
                return
            if self._failed is not None:
                raise self._failed
            text, at, turn = "", self._clock.seconds(), self._clock.turn
            for raw, hits in told:
                self.count += 1
                self.redactions += hits
                text += line_of(self.count, at, source, turn, raw, hits)
            data = text.encode("ascii")
            try:
                if self._file is None:
                    self._file = _private(self.path)
                _write_all(self._file, data)
            except OSError as error:
                self._failed = error
                raise
            self._digest.update(data)

    def note(self, note: Part) -> None:
        """Keep a fact of the runner's."""
        from skilltrial.model.notes import as_raw  # a server of its own process notes nothing, and needs no models

        self.record(Source.RUNNER, as_raw(note))

    def close(self) -> str | None:
        """Stop; return the file's digest, None where nothing was recorded. Raises OSError where a line was lost."""
        with self._lock:
            self._closed = True
            file, self._file = self._file, None
            if file is not None:
                file.close()
            if self._failed is not None:
                raise self._failed
            return None if file is None else self._digest.hexdigest()


def _private(path: Path) -> FileIO:
    """Open a new file that only its owner may read, like every other of an archive. Nothing is held back in it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", buffering=0)


def _write_all(file: FileIO, data: bytes) -> None:
    """Write all of it: the system may take less at a time."""
    while (taken := file.write(data)) < len(data):
        data = data[taken:]
