"""The tool that runs a shell command in the project, for a bounded time and with bounded output."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .base import Argument, Tool, ToolFailed

OUTPUT_LIMIT = 50_000
"""Bytes of output that a model is shown; what comes after is read and dropped."""
_GRACE = 0.2
"""Seconds for which output is still awaited after the shell itself has ended."""
_TICK = 0.05


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands. `environment` is what they get: the agent's own, without its key."""

    project: Path
    environment: Mapping[str, str]
    seconds: float

    def tools(self) -> tuple[Tool, ...]:
        """Run."""
        return (
            Tool(
                "run_command",
                f"Run a shell command in the project, for at most {self.seconds:g} seconds. "
                "The result begins with its exit code.",
                self.run,
                {"command": Argument("The command, as for sh -c.")},
            ),
        )

    def run(self, command: str) -> str:
        """Exit code and output (both streams, as they came). Nothing that the command started is left running.

        Raises ToolFailed with the same text where the exit code is not 0.
        """
        if "\0" in command:
            raise ToolFailed("a command can't hold a NUL")
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self.project,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with process:
            try:
                output, dropped = _watch(process, self.seconds)
            finally:
                # Before the shell is reaped: until then its group's number can't belong to anybody else.
                late = _ended(process) is False
                _kill(process)
        head = f"ended after {self.seconds:g} seconds, its limit" if late else f"exit code {process.returncode}"
        tail = f"\n[cut: {dropped} more bytes]" if dropped else ""
        told = f"{head}\n{output.decode('utf-8', 'replace')}{tail}"
        if late or process.returncode != 0:
            # As other agents have it: a command that failed is a result that is an error.
            raise ToolFailed(told)
        return told


def _watch(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, int]:
    """Read until the output ends, the shell has ended, or time is up. Returns what is kept and the count dropped."""
    if process.stdout is None:
        return b"", 0
    kept, dropped = bytearray(), 0
    deadline, ended = time.monotonic() + seconds, False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (now := time.monotonic()) < deadline:
            if not ended and _ended(process):
                ended, deadline = True, min(deadline, now + _GRACE)
            if not selector.select(_TICK):
                continue
            data = os.read(process.stdout.fileno(), 65_536)
            if not data:
                break
            room = OUTPUT_LIMIT - len(kept)
            kept += data[:room]
            dropped += max(0, len(data) - room)
    while not _ended(process) and time.monotonic() < deadline:
        time.sleep(_TICK)
    return bytes(kept), dropped


def _ended(process: subprocess.Popen[bytes]) -> bool:
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
