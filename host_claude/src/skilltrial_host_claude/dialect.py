"""How Claude Code's model asks for an act, from the tools that a request offers.

Its file tools take paths below the project as they are, and edit a file that was not read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from skilltrial.api import (
    Act,
    ActAbsent,
    ActNotPossible,
    Call,
    EditFile,
    ReadFile,
    ReadSkill,
    Run,
    ToolCall,
    ToolOffer,
    WriteFile,
)


@dataclass(frozen=True)
class ClaudeDialect:
    """Spells acts for Claude Code."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec. Which skills there are is in a system text, not in the tools: the arm knows it."""
        names = frozenset(tool.name for tool in tools)
        match act:
            case ReadSkill(read_skill=skill):
                if "Skill" not in names:
                    raise ActAbsent("this request offers no tool that loads skills")
                return ToolCall("Skill", {"skill": skill})
            case ReadFile(read_file=path):
                return _call(names, "Read", {"file_path": path})
            case WriteFile(write_file=file):
                return _call(names, "Write", {"file_path": file.path, "content": file.text})
            case EditFile(edit_file=edit):
                changes = {"file_path": edit.path, "old_string": edit.old, "new_string": edit.new}
                return _call(names, "Edit", changes)
            case Run(run=command):
                return _call(names, "Bash", {"command": command, "description": "Run a command"})
            case Call(call=call):
                if not isinstance(call.arguments, dict):
                    raise ActNotPossible("Claude Code takes an object as a tool's arguments")
                return _call(names, _tool(names, call.server, call.tool), call.arguments)
            case _:
                raise ActNotPossible("Claude Code has no tool for this act")


def _tool(names: frozenset[str], server: str, tool: str) -> str:
    """The name of a server's tool; of a server that a plugin brings, with the plugin's name before it."""
    plain, inside = f"mcp__{server}__{tool}", f"_{server}__{tool}"
    if plain in names:
        return plain
    return next((name for name in sorted(names) if name.startswith("mcp__plugin_") and name.endswith(inside)), plain)


def _call(names: frozenset[str], name: str, arguments: Mapping[str, JsonValue]) -> ToolCall:
    if name not in names:
        raise ActNotPossible(f"this request does not offer the tool {name}")
    return ToolCall(name, arguments)
