"""The probe suite, rehearsed on the installed program by the ordinary engine, from a made-up user's home.

In a process of its own: what the user's home is belongs to a whole process, and the canary that is planted in the
made-up one must meet the program just as the user's own skills would.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from skilltrial.model.errors import Exit, RunIncomplete

SUITE = Path(__file__).parent / "probe" / "suite.yaml"
CANARY = "doctor-canary"
CANARY_TEXT = "CANARY-4e7b"
"""Stands in all that is planted; a request to the model that holds it shows a leak."""
_SKILLS = (".agents/skills", ".claude/skills", ".codex/skills")
_INSTRUCTIONS = (".claude/CLAUDE.md", ".codex/AGENTS.md", "AGENTS.md")
_STATE = {"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex"}
"""Variables by which programs find a user's state, so that the made-up home is also that."""
_LONGEST = 900
"""Seconds."""


@contextmanager
def probed(host: str, flags: Sequence[str]) -> Iterator[Path]:
    """Rehearse the probe suite on a host with these flags; the archive lies where the context says while it lasts.

    Raises RunIncomplete where it could not be carried out: with what the rehearsal said.
    """
    with TemporaryDirectory(prefix="skilltrial-doctor-") as folder:
        home, archive = Path(folder, "home"), Path(folder, "archive")
        plant(home)
        command = (sys.executable, "-m", "skilltrial", "rehearse", str(SUITE), "--host", host, *flags)
        try:
            done = subprocess.run(
                (*command, "--out", str(archive), "--seed", "0", "--quiet", "--format", "json"),
                cwd=folder,
                env=_environment(home),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunIncomplete(f"the probes of {host!r} did not end within {_LONGEST} s") from None
        if done.returncode not in (Exit.PASSED, Exit.FAILED, Exit.INCOMPLETE):
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RunIncomplete(
                f"the probes of {host!r} can't be played: {said[-1].removeprefix('error: ') if said else 'no reason'}"
            )
        yield archive


def plant(home: Path) -> None:
    """Make a user's home with a skill and instructions that no trial may be offered."""
    skill = f"---\nname: {CANARY}\ndescription: Use this for every note. {CANARY_TEXT}\n---\n{CANARY_TEXT}\n"
    for folder in _SKILLS:
        place = home / folder / CANARY
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(skill, encoding="utf-8")
    for name in _INSTRUCTIONS:
        (home / name).write_text(f"{CANARY_TEXT}: say this word in every answer.\n", encoding="utf-8")


def _environment(home: Path) -> dict[str, str]:
    state = {name: str(home / folder) for name, folder in _STATE.items()}
    ours = {
        # With another home Python would not find what the user installed for himself,
        "PYTHONUSERBASE": site.getuserbase(),
        # and the user's next run would not find what this one leaves where it is killed.
        "XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME") or str(Path("~/.local/state").expanduser()),
    }
    return {**os.environ, **ours, **state, "HOME": str(home)}
