"""How Codex's model asks for an act, from the tools that a request offers.

Three sets of tools are known: the classic one (`exec_command`, `apply_patch`, servers' tools in namespaces), the one
of models that Codex does not know (no `apply_patch`), and code mode (one tool `exec` that runs JavaScript).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import dirname

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

from .thread import plain

_SKILLS = ".agents/skills"
_PLUGINS = "../plugins/*/*/*/skills"
"""Where a trial has those of a plugin that was installed: the program tells its model, not us."""
_EDIT = (
    """t=$(cat -- "$f" && printf x) || exit 1; t=${t%x}; case $t in *"$o"*) """
    """printf %s "${t%%"$o"*}$n${t#*"$o"}" > "$f";; """
    """*) echo 'the text to replace is not in the file' >&2; exit 1;; esac"""
)
"""Replaces one piece of a file that does not begin and end with its lines, as a patch's pieces must."""


@dataclass(frozen=True)
class CodexDialect:
    """Spells acts for Codex."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        offered = frozenset(tool.name.rpartition("/")[2] for tool in tools)
        names = frozenset(tool.name for tool in tools)
        scripted = "exec" in offered and "exec_command" not in offered
        if isinstance(act, Call):
            return _server_call(act, names, scripted)
        patch = _patch(act) if scripted or "apply_patch" in offered else None
        if patch is not None:
            return _script("apply_patch", patch) if scripted else ToolCall("apply_patch", patch)
        arguments: dict[str, JsonValue] = {"cmd": _shell(act)}
        if scripted:
            return _script("exec_command", arguments)
        if "exec_command" not in offered:
            raise ActNotPossible("this request offers no tool that runs commands")
        return ToolCall("exec_command", arguments)


def _server_call(act: Call, names: frozenset[str], scripted: bool) -> ToolCall:
    """A server's tool. Codex often defers these, and still takes a call by name; so an unlisted one is spelled too."""
    namespace, tool, arguments = f"mcp__{plain(act.call.server)}", plain(act.call.tool), act.call.arguments
    if scripted:
        return _script(f"{namespace}__{tool}", arguments)
    listed = any(name.startswith((f"{namespace}/", f"{namespace}__")) for name in names)
    if not listed and "tool_search" not in names:
        raise ActNotPossible(f"this request offers no tool of the server {act.call.server!r}")
    if not isinstance(arguments, dict):
        raise ActNotPossible("Codex takes an object as a tool's arguments")
    return ToolCall(tool, arguments, namespace)


def _script(tool: str, argument: JsonValue) -> ToolCall:
    return ToolCall("exec", f"text(await tools.{tool}({json.dumps(argument)}));")


def _patch(act: Act) -> str | None:
    """The act as a patch; None where a patch, made of whole lines, can't say it."""
    match act:
        case WriteFile(write_file=file) if file.text.endswith("\n") and "\r" not in file.text:
            lines = "".join(f"+{line}\n" for line in file.text[:-1].split("\n"))
            return f"*** Begin Patch\n*** Add File: {file.path}\n{lines}*** End Patch\n"
        case EditFile(edit_file=edit) if edit.old.endswith("\n") and edit.new.endswith("\n"):
            old = "".join(f"-{line}\n" for line in edit.old[:-1].split("\n"))
            new = "".join(f"+{line}\n" for line in edit.new[:-1].split("\n"))
            return f"*** Begin Patch\n*** Update File: {edit.path}\n@@\n{old}{new}*** End Patch\n"
        case _:
            return None


def _shell(act: Act) -> str:
    """The act as a command of a POSIX shell."""
    match act:
        case Run(run=command):
            return command
        case ReadSkill(read_skill=skill):
            return f"cat {shlex.quote(f'{_SKILLS}/{skill}/SKILL.md')} || cat {_PLUGINS}/{shlex.quote(skill)}/SKILL.md"
        case ReadFile(read_file=path):
            return f"cat -- {shlex.quote(path)}"
        case WriteFile(write_file=file):
            path, folder = shlex.quote(file.path), dirname(file.path)
            made = f"mkdir -p -- {shlex.quote(folder)} && " if folder else ""
            return f"{made}printf %s {shlex.quote(file.text)} > {path}"
        case EditFile(edit_file=edit):
            values = {"f": edit.path, "o": edit.old, "n": edit.new}
            return "; ".join((*(f"{name}={shlex.quote(value)}" for name, value in values.items()), _EDIT))
        case _:
            raise ActNotPossible("Codex has no tool for this act")
