"""The words and names by which what is planted in a made-up user's home is known, and commands that leave a trace."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

CANARY = "doctor-canary"
"""The name of the user's own skill and server."""
CANARY_TEXT = "CANARY-4e7b"
"""Stands in the user's own skill, instructions and commands; a request to the model that holds it shows a leak."""
PLUGIN = "doctor-canary-plugin"
"""The name of the plugin that the user installed; what it brings is offered with this name before it."""
PLUGIN_TEXT = "PLUGIN-CANARY-9d02"
"""Stands in what the plugin brings."""
MEMORY_TEXT = "MEMORY-CANARY-51c8"
"""Stands in what a program has remembered of the user."""
MEMORY_FOLDER = "doctor-canary-memory"
"""Where Claude Code keeps that."""
PROJECT_TEXT = "PROJECT-CANARY-a83f"
"""Stands in what Claude Code has remembered of the project in which the trials lie."""
SHOP = "canary-shop"
"""The marketplace of the plugin."""
PLUGIN_ID = f"{PLUGIN}@{SHOP}"
VERSION = "1.0.0"
CLAUDE, CODEX = ".claude", ".codex"
"""Where each program keeps a user's state, below the home."""
AGENTS: Mapping[str, str] = {CLAUDE: "Claude Code", CODEX: "Codex"}


def leaves(started: Path, name: str) -> list[str]:
    """A command that leaves a file of this name in the folder `started`."""
    return ["/bin/sh", "-c", ': > "$0"', str(started / name)]


def hooks(command: list[str]) -> dict[str, object]:
    """The command as a hook of each session's and each prompt's beginning, as both programs write it."""
    hook = {"hooks": [{"type": "command", "command": shlex.join(command)}]}
    return {"SessionStart": [hook], "UserPromptSubmit": [hook]}


def skill(name: str, text: str) -> str:
    """A `SKILL.md` that holds the text in its description and in its body."""
    return f"---\nname: {name}\ndescription: Use this for every note. {text}\n---\n{text}\n"


def shop(home: Path, agent: str) -> Path:
    """The folder of the marketplace, one for each program."""
    return home / agent / "plugins" / "marketplaces" / SHOP


def installed(home: Path, agent: str) -> Path:
    """Where the program keeps the plugin once it is installed."""
    return home / agent / "plugins" / "cache" / SHOP / PLUGIN / VERSION


def remembered(home: Path, project: Path) -> Path:
    """Where Claude Code keeps what it remembers of one project, known by the root of its repository."""
    named = re.sub(r"[^A-Za-z0-9]", "-", str(project.resolve()))
    return home / CLAUDE / "projects" / named / "memory" / "MEMORY.md"


def write(file: Path, text: str) -> None:
    """Write a file, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def write_json(file: Path, value: object) -> None:
    """Write a value as JSON."""
    write(file, json.dumps(value))
