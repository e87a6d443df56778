"""Code mode: the calls that a script of the `exec` tool spells out, for those that left no other trace.

A script is never run here. Only calls whose argument is a JSON literal, in a script without branches, are believed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from skilltrial.api import ABSENT, Absent

from .lines import number, several, text, texts
from .outcomes import Outcome, rejection
from .thread import Call, Thread, plain

_CALL = re.compile(r"\btools\.([A-Za-z_]\w*)\(\s*")
_BRANCH = re.compile(r"\b(?:if|for|while|switch|catch|function)\b|=>|\?|\|\||&&")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.S)
_UNKNOWN = re.compile(r"TypeError: tools\.(\w+) is not a function")
_OF_SCRIPT = re.compile(r"\w*Error\b")
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


@dataclass(frozen=True, slots=True)
class Script:
    """A script, the calls that it is known to have made, and those that it only spells out."""

    call: Call
    made: tuple[Call, ...]
    left: tuple[Spelled, ...]


def scripts(thread: Thread) -> dict[str, Script]:
    """The scripts of a conversation, by the id of their `exec` call.

    A made call gets the input that the script spells out: what it asked for, not only what was carried out.
    """
    made: dict[str, list[Call]] = {}
    for call in thread.calls.values():
        if call.parent is not None:
            made.setdefault(call.parent.id, []).append(call)
    found = {}
    for call in thread.calls.values():
        if call.is_script and isinstance(call.input, str):
            children = made.get(call.id, [])
            found[call.id] = Script(call, tuple(children), tuple(_left(spelled_calls(call.input), children)))
    return found


def hidden_calls(script: Script) -> Iterator[tuple[Spelled, Outcome]]:
    """The calls that left no trace but the script's text and output, with what became of them."""
    left, seq = script.left, script.call.output_seq
    if seq is None:
        return
    error = script_error(texts(script.call.output))
    if error is not None:
        yield from _refused(left, error, seq)
        return
    left = tuple(call for call in left if call.input is not ABSENT)
    results = list(_results(script.call, script.made))
    commands = [call for call in left if call.tool == "exec_command"]
    for call in left:
        # Without one result per command nothing says which is whose.
        known = results[0] if call in commands and len(commands) == len(results) == 1 else Outcome()
        yield call, known


def _left(calls: Sequence[Spelled], made: Sequence[Call]) -> list[Spelled]:
    """Those of `calls` that are not among the ones `made`; the others lend these their input."""
    left = list(calls)
    for one in made:
        server = text(one.item, "server")
        for call in left:
            same = plain(call.tool) == plain(one.tool) and call.server == (plain(server) if server else None)
            any_input = call.tool != "exec_command" or call.input is ABSENT
            if same and (any_input or text(call.input, "cmd") == text(one.input, "cmd")):
                left.remove(call)
                one.asked = one.asked if call.input is ABSENT else call.input
                break
    return left


def _refused(left: Sequence[Spelled], error: str, seq: int) -> Iterator[tuple[Spelled, Outcome]]:
    """The call at which a script broke off; what stands behind it never ran."""
    unknown = _UNKNOWN.match(error)
    if unknown is not None:
        call = named(unknown[1])
        found = next((each for each in left if (each.tool, each.server) == (call.tool, call.server)), call)
        yield found, Outcome(seq, rejected="unknown_tool", is_error=True)
    elif left and not _OF_SCRIPT.match(error):
        yield left[0], Outcome(seq, error, is_error=True, rejected=rejection(error))


def _results(script: Call, made: Sequence[Call]) -> Iterator[Outcome]:
    """The results of commands that a script gave out, without those of the calls it is known to have made."""
    known = [text(call.item, "aggregated_output") for call in made]
    for part in several({"parts": script.output}, "parts"):
        try:
            value = json.loads(text(part, "text") or "")
        except (ValueError, RecursionError):
            continue
        code, printed = number(value, "exit_code"), text(value, "output")
        if code is not None and printed is not None and printed not in known:
            yield Outcome(script.output_seq, printed, code != 0, exit=code, output=printed)


def script_error(told: str) -> str | None:
    """The message that ended a script; None where it ran to its end."""
    return told.partition(_ERROR)[2] if told.startswith("Script failed") and _ERROR in told else None
