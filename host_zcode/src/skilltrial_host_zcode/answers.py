"""What is answered to the program's own requests: one rule for permissions, alike in all arms, and no wishes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skilltrial.shellwords import started_commands

from .job import Job
from .lines import Object, inner, several, text

PREFERENCES = {
    "nativeSearchEnhancementsEnabled": False,
    "memoryEnabled": False,
    "askUserQuestionAutoResolutionEnabled": False,
}
_EDITS = frozenset({"Write", "Edit", "ApplyPatch"})
_READS = frozenset({"Read", "Glob", "Grep", "TodoWrite", "Skill", "Agent", "Task", "TaskOutput"})
PATHS = ("file_path", "filePath", "path")
"""Under which of these a tool takes a file is not known for certain; what is none of them is not allowed."""
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.M)
_REFUSED = "The rule of this trial does not allow it."
_QUIET = frozenset({"cd", "echo", "pwd", "true", "false"})
"""Words of a shell that change nothing outside of it."""


def answer(method: str, params: Object, job: Job, project: Path) -> dict[str, Any]:
    """The `result` or the `error` of a request of the program's."""
    match method:
        case "session/requestRuntimePreferences":
            return {"result": PREFERENCES}
        case "interaction/requestPermission":
            return {"result": _decided(params, allowed=allows(params, job, project))}
        case "interaction/requestUserInput":
            return {"result": {"action": "decline"}}
        case "interaction/requestProviderRuntimeHeaders":
            return {"result": {"headersApplied": False, "errorMessage": "There are none."}}
        case "interaction/requestOfficialMcpAuthHeaders":
            return {"result": {"ok": False, "reason": "There are none."}}
        case _:
            return {"error": {"code": -32601, "message": f"Method not found: {method}"}}


def allows(params: Object, job: Job, project: Path) -> bool:
    """Whether a call may be carried out. Tools are known by their whole names."""
    tool, given = text(params, "toolName") or "", inner(params, "input")
    if tool in job.tools or tool in job.allow or tool in _READS:
        return True
    if tool in _EDITS:
        return _inside(given, project)
    command = text(given, "command")
    if tool != "Bash" or command is None:
        return False
    rules = [*([word] for word in (*_QUIET, *job.programs)), *_rules(job.allow, tool)]
    started = started_commands(command)
    exact = any(rule == f"{tool}({command})" for rule in job.allow)
    return exact or (
        started is not None and all(any(words[: len(rule)] == rule for rule in rules) for words in started)
    )


def _rules(allow: tuple[str, ...], tool: str) -> Iterator[list[str]]:
    """The beginnings of commands that rules such as `Bash(npm test:*)` name."""
    for rule in allow:
        if rule.startswith(f"{tool}(") and rule.endswith(":*)"):
            begun = started_commands(rule[len(tool) + 1 : -3])
            if begun is not None and len(begun) == 1:
                yield begun[0]


def _inside(given: Object, project: Path) -> bool:
    paths = [project / path for path in _named(given)]
    root = project.resolve()
    return bool(paths) and all(path.resolve().is_relative_to(root) for path in paths)


def _named(given: Object) -> Iterator[str]:
    """The files that a tool is given: under a name of its own, or in the lines of a patch."""
    yield from (path for name in PATHS if (path := text(given, name)))
    for value in given.values():
        if isinstance(value, str):
            yield from (found.strip() for found in _PATCHED.findall(value))


def _decided(params: Object, *, allowed: bool) -> Object:
    """The program's own ready answer of the wanted kind, unchanged; else the shortest that says the same."""
    kind = "allow_once" if allowed else "deny"
    for option in several(params, "options"):
        response = inner(option, "response")
        if text(option, "kind") == kind and text(response, "decision") == kind.removesuffix("_once"):
            return response
    return {"decision": "allow"} if allowed else {"decision": "deny", "reason": _REFUSED}
