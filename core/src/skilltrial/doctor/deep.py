"""The probe suite, rehearsed on the installed program by the ordinary engine, from a made-up user's home.

In a process of its own: what the user's home is belongs to a whole process, and what is planted in the made-up
one must meet the program just as the user's own things would.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from skilltrial.model.errors import Exit, RunIncomplete

from .canaries import CLAUDE, CODEX
from .planting import plant

SUITE = Path(__file__).parent / "probe" / "suite.yaml"
TOOLS = SUITE.with_name("tools.yaml")
"""Needs a part that plays MCP servers."""
PLAYED = ("does-it", "goes-on", "leaves-the-project", "unauthorized")
"""The scripts of `SUITE`; what its cases are worth is nobody's question here, so no built-in agent plays them."""
CALLS = ("calls-it",)
"""The script of `TOOLS`."""
_STATE = {"CLAUDE_CONFIG_DIR": CLAUDE, "CODEX_HOME": CODEX}
"""Variables by which programs find a user's state, so that the made-up home is also that."""
_PLACES = "places"
_LONGEST = 900
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A made-up user's home, and a host that is played from there. `folder` holds all of it."""

    host: str
    flags: tuple[str, ...]
    folder: Path

    def play(self, suite: Path, scripts: Sequence[str]) -> Path:
        """Rehearse these scripts of a suite; return the archive. Raises RunIncomplete with what the rehearsal said."""
        archive = self.folder / suite.stem
        asked = (word for id in scripts for word in ("--rehearsal", id))
        command = (sys.executable, "-m", "skilltrial", "rehearse", str(suite), "--host", self.host, *self.flags, *asked)
        try:
            done = subprocess.run(
                (*command, "--out", str(archive), "--seed", "0", "--quiet", "--format", "json"),
                cwd=self.folder,
                env=_environment(self.folder / "home", self.folder / _PLACES),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunIncomplete(f"the probes of {self.host!r} did not end within {_LONGEST} s") from None
        if done.returncode not in (Exit.PASSED, Exit.FAILED, Exit.INCOMPLETE):
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RunIncomplete(
                f"the probes of {self.host!r} can't be played: "
                f"{said[-1].removeprefix('error: ') if said else 'no reason'}"
            )
        return archive

    @property
    def started(self) -> tuple[str, ...]:
        """The programs of the made-up user that were started."""
        return tuple(sorted(file.name for file in (self.folder / "started").iterdir()))


@contextmanager
def staged(host: str, flags: Sequence[str]) -> Iterator[Stage]:
    """Make a user's home for the probes of a host with these flags; it is there while the context lasts."""
    with TemporaryDirectory(prefix="skilltrial-doctor-") as name:
        folder = Path(name)
        # To a program that looks for a repository's root the trials lie in one project, which the user knows.
        for made in ("home", "started", _PLACES, ".git"):
            (folder / made).mkdir()
        plant(folder / "home", folder / "started", folder)
        yield Stage(host, tuple(flags), folder)


def _environment(home: Path, places: Path) -> dict[str, str]:
    state = {name: str(home / folder) for name, folder in _STATE.items()}
    ours = {
        # With another home Python would not find what the user installed for himself,
        "PYTHONUSERBASE": site.getuserbase(),
        # and the user's next run would not find what this one leaves where it is killed.
        "XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME") or str(Path("~/.local/state").expanduser()),
    }
    return {**os.environ, **ours, **state, "HOME": str(home), "TMPDIR": str(places)}
