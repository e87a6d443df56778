"""A made-up user's home, full of what no trial may be offered and of programs that none may start.

All of it lies where Claude Code and Codex lay it themselves. Commands of a plugin in Codex are left out, which makes
skills of them when it installs one. What Claude Code remembers lies in two places: in the one folder that this user
gave it for all projects, and, where it does not hear of that, in the project's own.
"""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from .canaries import (
    AGENTS,
    CANARY,
    CANARY_TEXT,
    CLAUDE,
    CODEX,
    MEMORY_FOLDER,
    MEMORY_TEXT,
    PLUGIN,
    PLUGIN_TEXT,
    PROJECT_TEXT,
    SHOP,
    VERSION,
    hooks,
    installed,
    leaves,
    remembered,
    shop,
    skill,
    write,
    write_json,
)
from .usersettings import settle

_SKILLS = (".agents/skills", ".claude/skills", ".codex/skills")
_INSTRUCTIONS = (
    *(".claude/CLAUDE.md", ".codex/AGENTS.md", "AGENTS.md"),
    *(".claude/rules/canary.md", f".claude/commands/{CANARY}.md", f".codex/prompts/{CANARY}.md"),
)
_MEMORIES = (f"{CLAUDE}/{MEMORY_FOLDER}/MEMORY.md", f"{CODEX}/memories/memory_summary.md")


def plant(home: Path, started: Path, project: Path) -> None:
    """Fill the home of a user who worked on a project before.

    A program of the user's that is started leaves a file in the folder `started`.
    """
    for folder in _SKILLS:
        write(home / folder / CANARY / "SKILL.md", skill(CANARY, CANARY_TEXT))
    for name in _INSTRUCTIONS:
        write(home / name, f"{CANARY_TEXT}: say this word in every answer.\n")
    for name in _MEMORIES:
        write(home / name, f"# Memory\n\nThe user wants {MEMORY_TEXT} in every answer.\n")
    write(remembered(home, project), f"# Memory\n\nThe user wants {PROJECT_TEXT} in every answer.\n")
    for agent, called in AGENTS.items():
        source = shop(home, agent) / PLUGIN
        listed = {"name": PLUGIN, "source": f"./{PLUGIN}"}
        manifest = {"name": SHOP, "owner": {"name": "somebody"}, "plugins": [listed]}
        write_json(source.parent / ".claude-plugin" / "marketplace.json", manifest)
        _plugin(source, agent, called, started)
        copytree(source, installed(home, agent))
    settle(home, started)


def _plugin(folder: Path, agent: str, called: str, started: Path) -> None:
    manifest = {"name": PLUGIN, "version": VERSION, "description": f"Keeps notes. {PLUGIN_TEXT}"}
    write_json(folder / f"{agent}-plugin" / "plugin.json", manifest)
    write(folder / "skills" / "notes" / "SKILL.md", skill("notes", PLUGIN_TEXT))
    if agent == CLAUDE:
        write(folder / "commands" / "note.md", f"---\ndescription: {PLUGIN_TEXT}\n---\n{PLUGIN_TEXT}\n")
    write_json(folder / "hooks" / "hooks.json", {"hooks": hooks(leaves(started, f"a plugin's hook of {called}"))})
    # A server by the name of one of the user's own would give way to it.
    program, *arguments = leaves(started, f"a plugin's MCP server of {called}")
    write_json(folder / ".mcp.json", {"mcpServers": {"notes": {"command": program, "args": arguments}}})
