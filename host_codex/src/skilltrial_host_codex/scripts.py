"""Code mode: the calls that a script of the `exec` tool spells out, for those that left no other trace.

A script is never run here. Only calls whose argument is a JSON literal, in a script without branches, are believed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from skilltrial.api import ABSENT, Absent

_CALL = re.compile(r"\btools\.([A-Za-z_]\w*)\(\s*")
_BRANCH = re.compile(r"\b(?:if|for|while|switch|catch|function)\b|=>|\?|\|\||&&")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.S)
_ERROR = "Script error:\n"


@dataclass(frozen=True, slots=True)
class Spelled:
    """`tools.NAME(argument)` as it stands in a script."""

    tool: str
    server: str | None
    input: Any | Absent = ABSENT


def spelled_calls(script: str) -> tuple[Spelled, ...]:
    """The calls of a script, in order; none where the script branches, since then no reading says what ran."""
    bare = _STRINGS.sub('""', script)
    if _BRANCH.search(bare):
        return ()
    decoder, found = json.JSONDecoder(), []
    for match in _CALL.finditer(script):
        try:
            argument, _ = decoder.raw_decode(script, match.end())
        except (ValueError, RecursionError):
            argument = ABSENT
        found.append(named(match[1], argument))
    # A call inside a string is text: the bare script must name as many.
    return tuple(found) if len(found) == len(_CALL.findall(bare)) else ()


def named(name: str, argument: Any | Absent = ABSENT) -> Spelled:
    """`mcp__SERVER__TOOL` is a server's tool; any other name is the program's own."""
    parts = name.split("__", 2)
    if len(parts) == 3 and parts[0] == "mcp":
        return Spelled(parts[2], parts[1], argument)
    return Spelled(name, None, argument)


def script_error(told: str) -> str | None:
    """The message that ended a script; None where it ran to its end."""
    return told.partition(_ERROR)[2] if told.startswith("Script failed") and _ERROR in told else None
