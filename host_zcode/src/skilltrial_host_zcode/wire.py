"""The bridge's end of the pipe: the program's lines as they come, ours one after the other, both on record in order."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from .job import Stage
from .lines import Object

_LONGEST = 64 * 1024 * 1024
"""Bytes of a line; a longer one is passed on in pieces, and means nothing."""
_AHEAD = 64
"""Lines that may have been read and not looked at: who floods has to wait."""

_NAP = 60.0
"""Seconds: no wait is asked of the system that it can't count."""


class Silent(Exception):
    """Nothing came in time."""


class Gone(Exception):
    """The program closed its output."""


class Wire:
    """A started program. Whatever it prints is printed anew as it came; what we send is told on lines of our own."""

    def __init__(self, argv: Sequence[str], cwd: Path) -> None:
        self._process = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._read: queue.Queue[bytes] = queue.Queue(_AHEAD)
        self._gone = False
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        stdout, stdin = self._process.stdout, self._process.stdin
        if stdout is None or stdin is None:
            raise RuntimeError("a program without pipes")
        # A reader and a writer of their own: neither side may wait for the other with both pipes full.
        self._reader = threading.Thread(target=self._reading, args=(stdout,), daemon=True)
        self._writer = threading.Thread(target=self._writing, args=(stdin,), daemon=True)
        self._reader.start()
        self._writer.start()

    def hear(self, until: float) -> Object | None:
        """The next message; None for a line that is none. Raises Silent at the time `until`, Gone at the end."""
        if self._gone:
            raise Gone
        line = self._line(until)
        if not line:
            self._gone = True
            raise Gone
        message = _message(line)
        if message is not None and "bridge" in message:
            say("odd", line=line.decode("utf-8", "replace").rstrip("\n"))
            return None
        sys.stdout.buffer.write(line if line.endswith(b"\n") else line + b"\n")
        sys.stdout.buffer.flush()
        return message

    def _line(self, until: float) -> bytes:
        while True:
            left = until - time.monotonic()
            try:
                return self._read.get(timeout=min(max(0.0, left), _NAP))
            except queue.Empty:
                if left <= _NAP:
                    raise Silent from None

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, behind those that were sent before."""
        say("sent", message=message)
        self._unsent.put(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")

    def close(self, patience: float) -> int | None:
        """Close its input and wait for its end; kill it where that does not come. Its exit code, None if killed."""
        self._unsent.put(None)
        until = time.monotonic() + patience
        with suppress(Silent, Gone):
            while True:
                self.hear(until)
        try:
            return self._process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None

    def _reading(self, stdout: BinaryIO) -> None:
        # Unbuffered, so that nothing waits for more to come: lines are put together here.
        kept = bytearray()
        while piece := stdout.read(65536):
            *lines, rest = piece.split(b"\n")
            for line in lines:
                self._read.put(bytes(kept) + line + b"\n")
                kept.clear()
            kept += rest
            if len(kept) > _LONGEST:
                self._read.put(bytes(kept) + b"\n")
                kept.clear()
        if kept:
            self._read.put(bytes(kept))
        self._read.put(b"")

    def _writing(self, stdin: BinaryIO) -> None:
        with suppress(OSError):
            while (line := self._unsent.get()) is not None:
                while line:
                    line = line[stdin.write(line) :]
        with suppress(OSError):
            stdin.close()


def say(stage: Stage, **more: object) -> None:
    """A line of the bridge's own."""
    sys.stdout.buffer.write(json.dumps({"bridge": stage, **more}, separators=(",", ":")).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()


def _message(line: bytes) -> Object | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
