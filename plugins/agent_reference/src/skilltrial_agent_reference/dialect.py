"""How the model of `skilltrial-agent` asks for an act: the only module of this package that knows skilltrial."""

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

from .tools.skill import NAME as LOAD_SKILL


@dataclass(frozen=True)
class ReferenceDialect:
    """Spells acts as calls of the tools that this agent offers."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        match act:
            case ReadSkill(read_skill=skill):
                if skill not in _offered_skills(tools):
                    raise ActAbsent(f"the skill {skill!r} is not offered")
                return ToolCall(LOAD_SKILL, {"name": skill})
            case ReadFile(read_file=path):
                return _call(tools, "read_file", {"path": path})
            case WriteFile(write_file=file):
                return _call(tools, "write_file", {"path": file.path, "text": file.text})
            case EditFile(edit_file=piece):
                return _call(tools, "edit_file", {"path": piece.path, "old": piece.old, "new": piece.new})
            case Run(run=command):
                return _call(tools, "run_command", {"command": command})
            case Call(call=call):
                if not isinstance(call.arguments, dict):
                    raise ActNotPossible("this program takes an object as a tool's arguments")
                return _call(tools, f"mcp__{call.server}__{call.tool}", call.arguments)
            case _:
                raise ActNotPossible(f"this program has no tool for the act {type(act).__name__}")


def _call(tools: Sequence[ToolOffer], name: str, arguments: Mapping[str, JsonValue]) -> ToolCall:
    if not any(tool.name == name for tool in tools):
        raise ActNotPossible(f"the tool {name} is not offered in this request")
    return ToolCall(name, arguments)


def _offered_skills(tools: Sequence[ToolOffer]) -> frozenset[str]:
    """The names in the enum of the tool that loads skills; none where it is not offered."""
    for tool in tools:
        if tool.name == LOAD_SKILL:
            properties = tool.parameters.get("properties")
            name = properties.get("name") if isinstance(properties, Mapping) else None
            values = name.get("enum") if isinstance(name, Mapping) else None
            return (
                frozenset(value for value in values if isinstance(value, str))
                if isinstance(values, list)
                else frozenset()
            )
    return frozenset()
