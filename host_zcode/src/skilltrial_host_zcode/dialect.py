"""How ZCode's model asks for an act, from the tools that a request offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from skilltrial.api import (
    Act,
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

from .answers import PATHS
from .naming import native
from .skills import LOADER

_OLD, _NEW = ("old_string", "oldString", "old"), ("new_string", "newString", "new")
_CONTENT = ("content", "text")


@dataclass(frozen=True)
class ZcodeDialect:
    """Spells acts for ZCode. What its tools call their arguments is read from their schemas."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        match act:
            case ReadSkill(read_skill=skill):
                return _call(tools, LOADER, ((("skill",), skill),))
            case ReadFile(read_file=path):
                return _call(tools, "Read", ((PATHS, path),))
            case WriteFile(write_file=file):
                return _call(tools, "Write", ((PATHS, file.path), (_CONTENT, file.text)))
            case EditFile(edit_file=edit):
                return _call(tools, "Edit", ((PATHS, edit.path), (_OLD, edit.old), (_NEW, edit.new)))
            case Run(run=command):
                return _call(tools, "Bash", ((("command",), command),))
            case Call(call=call):
                return _server_call(tools, call.server, call.tool, call.arguments)
            case _:
                raise ActNotPossible(f"ZCode has no tool for the act {type(act).__name__}")


def _call(tools: Sequence[ToolOffer], name: str, given: Sequence[tuple[Sequence[str], str]]) -> ToolCall:
    """A call of the program's own tool; each value under the first of its names that the tool's schema has."""
    tool = next((one for one in tools if one.name == name), None)
    if tool is None:
        raise ActNotPossible(f"this request does not offer the tool {name}")
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    return ToolCall(name, {next((key for key in keys if key in known), keys[0]): value for keys, value in given})


def _server_call(tools: Sequence[ToolOffer], server: str, tool: str, arguments: JsonValue) -> ToolCall:
    """A server's tool, which a plugin may have brought."""
    if not isinstance(arguments, dict):
        raise ActNotPossible("ZCode takes an object as a tool's arguments")
    wanted = native(server, tool)
    end = wanted.removeprefix("mcp_")
    for name in (one.name for one in tools):
        if name == wanted or (name.startswith("mcp__plugin_") and name.endswith(end)):
            return ToolCall(name, arguments)
    raise ActNotPossible(f"this request offers no tool {tool!r} of the server {server!r}")
