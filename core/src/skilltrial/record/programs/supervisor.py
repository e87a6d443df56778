"""Made once for a run: gives each trial what starts its programs, and ends them all when the user says so."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Launcher
from skilltrial.record.workspace import Folders

from . import linux
from .process import TrialLauncher
from .reaper import Reaper


def losses() -> tuple[str, ...]:
    """What can't be had on this system, a sentence each, for the report."""
    if linux.HERE:
        return ()
    return (
        "Output is kept in an unlinked temporary file while a program runs, not in memory.",
        "A descendant that leaves its program's process group and its parent within a second may outlive its trial.",
        "The environment of other processes can't be read, so descendants are known by group and ancestry only.",
    )


def refuse_platform() -> None:
    """Raise InvalidRequest where agents can't be run: asked before anything is written, too."""
    if os.name == "nt":
        raise InvalidRequest("running agents needs Linux or macOS; here `lint`, `grade`, `verify` and `import` work")


class Supervisor:
    """One at a time in a process. `launcher` may be called from any thread, `cancel` from a signal handler.

    Programs that are started in another way must stay in our own session, or they may be taken for an orphan.
    """

    def __init__(self) -> None:
        self.cancelled = False
        self._reaper: Reaper | None = None
        self._stop: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        refuse_platform()
        self._stop = os.pipe()
        self._reaper = Reaper()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        reaper, stop = self._reaper, self._stop
        self._reaper = self._stop = None
        if reaper is not None:
            reaper.close()
        for descriptor in stop or ():
            os.close(descriptor)

    def launcher(self, limits: Limits, folders: Folders) -> Launcher:
        """What starts the programs of one trial in its folders; its clock starts with the first program."""
        if self._reaper is None or self._stop is None:
            raise RuntimeError("a supervisor starts programs only inside its `with`")
        return TrialLauncher(self._reaper, self._stop[0], limits, folders)

    def cancel(self) -> None:
        """End every program now, and start none any more."""
        self.cancelled = True
        if self._stop is not None:
            os.write(self._stop[1], b"x")
