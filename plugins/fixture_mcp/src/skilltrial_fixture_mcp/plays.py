"""A plain script → what is played: schemas and templates compiled, for each tool the rules that may fit it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skilltrial.replies.fitting import Schema
from skilltrial.replies.templates import compile_template

from .answers import Answering
from .playing import Play, PlayedRule
from .routes import play_route

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .plain import PlainRule, PlainScript
    from .tools import Tool

Compiled = tuple["PlainRule", Schema | None, Schema | None]
"""A rule with the schemas of its arguments and of the state, where it has some."""


def play_of(script: PlainScript, tools: Mapping[str, Tool]) -> Play:
    """Make a script ready to be played on these tools; it has no fault."""
    rules = [(rule, _schema(rule.get("arguments", True)), _schema(rule.get("state", True))) for rule in script["rules"]]
    return Play(
        state=script["state"],
        hidden=frozenset(script["hidden"]),
        rules={
            name: tuple(_played(rule, tool) for rule in rules if _is_for(rule[0], name)) for name, tool in tools.items()
        },
        routes=tuple(map(play_route, script["routes"])),
    )


def _played(compiled: Compiled, tool: Tool) -> PlayedRule:
    rule, arguments, state = compiled
    reply = rule.get("reply")
    answering = None if reply is None else Answering.of(reply, has_output=tool.output is not None)
    return PlayedRule(
        arguments=arguments,
        state=state,
        set={key: compile_template(value) for key, value in rule.get("set", {}).items()},
        hide=frozenset(rule.get("hide", ())),
        show=frozenset(rule.get("show", ())),
        delay=rule.get("delay", 0.0),
        answering=answering,
        answer=answering.fill(None, None) if answering is not None and answering.fixed else None,
        fault=rule.get("fault"),
    )


def _schema(written: dict[str, JsonValue] | bool) -> Schema | None:
    return None if written is True else Schema(written)


def _is_for(rule: PlainRule, tool: str) -> bool:
    named = rule.get("tool")
    return named is None or named == tool or (isinstance(named, list) and tool in named)
