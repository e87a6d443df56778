"""The probe suite, rehearsed on the installed program by the ordinary engine, from a made-up user's home.

In a process of its own: what the user's home is belongs to a whole process, and the canary that is planted in the
made-up one must meet the program just as the user's own skills would.
"""

from __future__ import annotations

import json
import os
import shlex
import site
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from skilltrial.model.errors import Exit, RunIncomplete

SUITE = Path(__file__).parent / "probe" / "suite.yaml"
TOOLS = SUITE.with_name("tools.yaml")
"""Needs a part that plays MCP servers."""
CANARY = "doctor-canary"
CANARY_TEXT = "CANARY-4e7b"
"""Stands in all that is planted; a request to the model that holds it shows a leak."""
PLAYED = ("does-it", "goes-on", "leaves-the-project", "unauthorized")
"""The scripts of `SUITE`; what its cases are worth is nobody's question here, so no built-in agent plays them."""
CALLS = ("calls-it",)
"""The script of `TOOLS`."""
_SKILLS = (".agents/skills", ".claude/skills", ".codex/skills")
_INSTRUCTIONS = (
    *(".claude/CLAUDE.md", ".codex/AGENTS.md", "AGENTS.md"),
    *(".claude/rules/canary.md", f".claude/commands/{CANARY}.md", f".codex/prompts/{CANARY}.md"),
)
_STATE = {"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex"}
"""Variables by which programs find a user's state, so that the made-up home is also that."""
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
                env=_environment(self.folder / "home"),
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
        for made in ("home", "started"):
            (folder / made).mkdir()
        plant(folder / "home", folder / "started")
        yield Stage(host, tuple(flags), folder)


def plant(home: Path, started: Path) -> None:
    """Make a user's home with a skill and instructions that no trial may be offered, and programs that none may start.

    A program of these leaves a file in the folder `started`.
    """
    skill = f"---\nname: {CANARY}\ndescription: Use this for every note. {CANARY_TEXT}\n---\n{CANARY_TEXT}\n"
    for folder in _SKILLS:
        place = home / folder / CANARY
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(skill, encoding="utf-8")
    for name in _INSTRUCTIONS:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{CANARY_TEXT}: say this word in every answer.\n", encoding="utf-8")
    for name, text in _settings(started):
        (home / name).write_text(text, encoding="utf-8")


def _settings(started: Path) -> Iterator[tuple[str, str]]:
    """Files with the settings of a user who has a server and a hook in each program."""

    def leaves(name: str) -> list[str]:
        return ["/bin/sh", "-c", ': > "$0"', str(started / name)]

    program, *arguments = leaves("an MCP server of Claude Code")
    servers = json.dumps({"mcpServers": {CANARY: {"type": "stdio", "command": program, "args": arguments}}})
    yield from ((name, servers) for name in (".claude.json", ".claude/.claude.json"))
    hook = {"hooks": [{"type": "command", "command": shlex.join(leaves("a hook of Claude Code"))}]}
    yield ".claude/settings.json", json.dumps({"hooks": {"SessionStart": [hook], "UserPromptSubmit": [hook]}})
    # JSON's lists and texts are also TOML's.
    program, *arguments = map(json.dumps, leaves("an MCP server of Codex"))
    server = f"[mcp_servers.{CANARY}]\ncommand = {program}\nargs = [{', '.join(arguments)}]\n"
    yield ".codex/config.toml", f"notify = {json.dumps(leaves('a notifier of Codex'))}\n{server}"


def _environment(home: Path) -> dict[str, str]:
    state = {name: str(home / folder) for name, folder in _STATE.items()}
    ours = {
        # With another home Python would not find what the user installed for himself,
        "PYTHONUSERBASE": site.getuserbase(),
        # and the user's next run would not find what this one leaves where it is killed.
        "XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME") or str(Path("~/.local/state").expanduser()),
    }
    return {**os.environ, **ours, **state, "HOME": str(home)}
