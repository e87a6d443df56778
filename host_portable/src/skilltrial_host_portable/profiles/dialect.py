"""The dialect `declared`: how a program's model asks for acts, as its profile says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

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
    act_name,
)

from .filling import filled
from .profile import Acts, Spelled

NAME = "declared"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class DeclaredDialect:
    """Spells acts by templates."""

    acts: Acts = Field(default_factory=Acts)
    server_tool: str | None = None
    """How an MCP server's tool is named, with `{server}` and `{tool}`; None where the program takes no servers."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        if isinstance(act, Call):
            return self._server_call(act, tools)
        name = act_name(act)
        spelled: Spelled | None = getattr(self.acts, name or "", None)
        if spelled is None:
            raise ActNotPossible(f"the profile does not say how this program's model asks for {name}")
        arguments = filled(spelled.arguments, _parts(act))
        return ToolCall(_offered(spelled.tool, tools), arguments if isinstance(arguments, dict) else {})

    def _server_call(self, act: Call, tools: Sequence[ToolOffer]) -> ToolCall:
        if self.server_tool is None:
            raise ActNotPossible("the profile does not say how this program is told of servers")
        if not isinstance(act.call.arguments, dict):
            raise ActNotPossible("this program takes an object as a tool's arguments")
        parts = {"{server}": act.call.server, "{tool}": act.call.tool}
        return ToolCall(_offered(str(filled(self.server_tool, parts)), tools), act.call.arguments)


def _offered(name: str, tools: Sequence[ToolOffer]) -> str:
    if not any(tool.name == name for tool in tools):
        raise ActNotPossible(f"the tool {name} is not offered in this request")
    return name


def _parts(act: Act) -> Mapping[str, JsonValue]:
    match act:
        case ReadSkill(read_skill=skill):
            return {"{skill}": skill}
        case ReadFile(read_file=path):
            return {"{path}": path}
        case WriteFile(write_file=file):
            return {"{path}": file.path, "{text}": file.text}
        case EditFile(edit_file=edit):
            return {"{path}": edit.path, "{old}": edit.old, "{new}": edit.new}
        case Run(run=command):
            return {"{command}": command}
        case _:
            return {}
