"""The journal: a line for each trial that was sealed, in the order in which they were."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from skilltrial.model.trial import TrialKey

from .layout import JOURNAL


class Journal:
    """Appends whole lines. A torn last line (the process was killed) is told from a whole one by its newline."""

    def __init__(self, root: Path) -> None:
        self.path = root / JOURNAL
        self._lock = threading.Lock()

    def append(self, key: TrialKey, seal_sha256: str) -> None:
        """Say that the trial was sealed with that seal."""
        self._write({"trial": key.path, "seal": seal_sha256})

    def withdraw(self, key: TrialKey) -> None:
        """Say that the trial's seal does not count any more: it is run anew."""
        self._write({"trial": key.path, "seal": None})

    def _write(self, value: dict[str, str | None]) -> None:
        line = json.dumps(value, sort_keys=True) + "\n"
        with self._lock:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                # A torn line of a run that was killed must not swallow this one.
                torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                os.write(descriptor, (b"\n" if torn else b"") + line.encode("ascii"))
            finally:
                os.close(descriptor)

    def read(self) -> dict[str, str]:
        """Trial folder → digest of its seal, from the whole lines; without those that were withdrawn."""
        if not self.path.exists():
            return {}
        sealed: dict[str, str] = {}
        for line in self.path.read_bytes().split(b"\n")[:-1]:
            try:
                value = json.loads(line)
                trial, seal = str(value["trial"]), value["seal"]
            except (ValueError, KeyError, TypeError):
                continue
            if seal is None:
                sealed.pop(trial, None)
            else:
                sealed[trial] = str(seal)
        return sealed
