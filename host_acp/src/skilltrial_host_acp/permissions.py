"""Whether a call may be carried out: by one rule that is alike in all arms."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skilltrial.shellwords import started_commands

from .job import Job

_HARMLESS = frozenset({"read", "search", "think"})
_INSIDE = frozenset({"edit", "delete", "move"})
"""Kinds of calls that are allowed where every file that they name lies in the project."""
_STARTS_NOTHING = frozenset({"fetch", "switch_mode"}) | _HARMLESS | _INSIDE
_COMMANDS = ("command", "cmd", "script")
"""Names under which agents tell what a shell is given."""
_QUIET = frozenset({"cd", "echo", "pwd", "true", "false"})
"""Words of a shell that change nothing outside of it."""
_READERS = _QUIET | {"cat", "grep", "head", "ls", "nl", "stat", "tail", "wc"}
_BEFORE_A_TOOL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_./-]|:(?: (?=\S))?)*+")
"""What agents put before the name of a server's tool: the server's, in their own words. No command with arguments."""


@dataclass(frozen=True)
class Call:
    """What an agent asks to do, by all that it told of it."""

    title: str
    kind: str
    commands: tuple[str, ...] = ()
    """What a shell is given, where the input tells it."""
    paths: tuple[str, ...] = ()

    @classmethod
    def told(cls, fields: Mapping[str, Any]) -> Call:
        """A call by the fields of the protocol's `ToolCallUpdate`."""
        given = fields.get("rawInput")
        commands = (given.get(name) for name in _COMMANDS) if isinstance(given, Mapping) else ()
        return cls(
            title=str(fields.get("title") or ""),
            kind=str(fields.get("kind") or "other"),
            commands=tuple(_script(command) for command in commands if command),
            paths=tuple(str(one["path"]) for one in fields.get("locations") or ()),
        )


def allows(job: Job, project: Path, call: Call) -> bool:
    """Whether `call` may be carried out."""
    title, kind = call.title, call.kind
    if kind in job.allow or title in job.allow:
        return True
    if not (kind == "execute" and call.commands) and _is_tool(title, job.tools, path=kind != "execute"):
        return True
    rules = [*([program] for program in job.programs), *(rule.split() for rule in job.allow if rule.strip())]
    if call.commands or kind == "execute":
        own = _READERS if kind in _HARMLESS else _QUIET
        rules += [[word] for word in own]
        return all(script in job.allow or _follows(script, rules) for script in call.commands or (title.strip("` "),))
    begins = any(title.startswith(f"{rule} ") for rule in job.allow)
    if begins and (kind in _STARTS_NOTHING or _follows(title, rules)):
        return True
    return kind in _HARMLESS or (kind in _INSIDE and _lie_in(project, call.paths))


def _follows(script: str, rules: Iterable[list[str]]) -> bool:
    """Whether each command of a script begins with one of the rules."""
    started = started_commands(script)
    return started is not None and all(any(words[: len(rule)] == rule for rule in rules) for words in started)


def _script(command: object) -> str:
    """A command as a text; as a list, it is a program and its arguments."""
    return shlex.join(map(str, command)) if isinstance(command, list) else str(command)


def _is_tool(title: str, tools: Iterable[str], *, path: bool) -> bool:
    """Whether a title is the name of a tool, alone or after its server's. A `path` is one of the ways to join them."""
    for tool in tools:
        before = title.removesuffix(tool)
        if title == tool:
            return True
        if before != title and before.endswith(("_", ":", "/") if path else ("_", ":")):
            return _BEFORE_A_TOOL.fullmatch(before) is not None
    return False


def _lie_in(project: Path, paths: tuple[str, ...]) -> bool:
    root = project.resolve()
    return bool(paths) and all((project / path).resolve().is_relative_to(root) for path in paths)
