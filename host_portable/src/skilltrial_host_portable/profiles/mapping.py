"""One line of a described program → what it tells, by the rules of a profile. Pure and total."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import TypeVar

from pydantic import JsonValue

from skilltrial.api import ABSENT, Absent, Cause
from skilltrial.causes import cause_of_status, cause_of_words

from .pointers import first, found
from .profile import FailMap, Numbers, Profile, Rule, Text, UsageMap, When

N = TypeVar("N", int, Decimal)


class NotALine(Exception):
    """It is no JSON object. `cut` says that it means to be one."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__()
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Call:
    """The model asked for a tool."""

    id: str
    tool: str
    input: JsonValue | Absent


@dataclass(frozen=True, slots=True)
class Result:
    """What a call returned."""

    id: str
    content: JsonValue
    failed: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a turn failed."""

    cause: Cause


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one request to the model used; None where the line does not say."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    cost: Decimal | None = None

    def plus(self, other: Tokens) -> Tokens:
        """Both together. What only one of them knows is known of that one."""
        return Tokens(
            _sum(self.input, other.input),
            _sum(self.output, other.output),
            _sum(self.cached, other.cached),
            _sum(self.reasoning, other.reasoning),
            _sum(self.cost, other.cost),
        )


@dataclass
class Meaning:
    """What one line tells, all of its rules together."""

    known: bool = False
    """A rule with a condition took it, or it is to be ignored."""
    missing: list[str] = field(default_factory=list)
    """Pointers of rules that led nowhere, though the rule needs them."""
    session: str | None = None
    version: str | None = None
    model: str | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    """Placed skills whose body the line shows."""
    tokens: Tokens | None = None
    ends: bool = False
    failure: Failure | None = None


def read_line(raw: str) -> dict[str, JsonValue]:
    """The object of a line. Raises NotALine."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise NotALine(cut=raw.lstrip().startswith("{")) from None
    if not isinstance(value, dict):
        raise NotALine(cut=False)
    return value


def meaning_of(value: JsonValue, profile: Profile, skills: Mapping[str, str] = MappingProxyType({})) -> Meaning:
    """What a line tells. `skills` are the placed ones: id → path of the folder."""
    meaning = Meaning(known=any(holds(value, when) for when in profile.ignore))
    for rule in profile.lines:
        if holds(value, rule.when) and not (rule.unless and holds(value, rule.unless)):
            meaning.known = meaning.known or bool(rule.when)
            _apply(rule, value, meaning, skills)
    return meaning


def holds(value: JsonValue, when: When) -> bool:
    """Whether each pointer leads to the value that is asked for. `1`, `1.0` and `true` differ."""
    return all(any(_same(one, want) for one in found(value, pointer)) for pointer, want in when.items())


def cause_of(status: JsonValue, message: JsonValue) -> Cause:
    """The cause of a failed request: by its HTTP status, that with which the message begins, or words in it."""
    code = status if isinstance(status, int) and not isinstance(status, bool) else None
    if code is None and isinstance(message, str) and message[:3].isascii() and message[:3].isdigit():
        code = int(message[:3])
    if code is not None:
        return cause_of_status(code) or Cause.UNCLASSIFIED
    return (cause_of_words(message) if isinstance(message, str) else None) or Cause.UNCLASSIFIED


def _apply(rule: Rule, value: JsonValue, meaning: Meaning, skills: Mapping[str, str]) -> None:
    meaning.session = meaning.session or _text(value, rule.session)
    meaning.version = meaning.version or _text(value, rule.version)
    meaning.model = meaning.model or _text(value, rule.model)
    if rule.call:
        call, tool = _needed(value, rule.call.id, meaning), _needed(value, rule.call.tool, meaning)
        if call and tool:
            given = found(value, rule.call.input) if rule.call.input is not None else []
            meaning.calls.append(Call(call, tool, given[0] if given else ABSENT))
    if rule.result and (call := _needed(value, rule.result.id, meaning)):
        failed = bool(rule.result.failed) and holds(value, rule.result.failed)
        meaning.results.append(Result(call, first(value, rule.result.content), failed))
    if rule.reject and (call := _needed(value, rule.reject.id, meaning)):
        meaning.rejected.append((call, rule.reject.reason))
    if rule.answer is not None:
        meaning.answer.extend(one for one in found(value, rule.answer) if isinstance(one, str))
    if rule.loaded:
        texts = [one for one in found(value, rule.loaded.text) if isinstance(one, str)]
        for skill, folder in skills.items():
            mark = rule.loaded.mark.replace("{skill}", skill).replace("{folder}", folder)
            if any(mark in text for text in texts):
                meaning.loaded.append(skill)
    if rule.usage:
        used = _tokens(value, rule.usage)
        meaning.tokens = meaning.tokens.plus(used) if meaning.tokens else used
    meaning.ends = meaning.ends or rule.ends
    if rule.fails:
        meaning.failure = Failure(_cause(value, rule.fails))


def _cause(value: JsonValue, fails: FailMap) -> Cause:
    return fails.cause or cause_of(first(value, fails.status), first(value, fails.message))


def _needed(value: JsonValue, pointer: str, meaning: Meaning) -> str | None:
    text = _text(value, pointer)
    if text is None:
        meaning.missing.append(pointer)
    return text


def _text(value: JsonValue, pointer: str | None) -> str | None:
    one = first(value, pointer)
    return one if isinstance(one, str) and one else None


def _tokens(value: JsonValue, usage: UsageMap) -> Tokens:
    return Tokens(
        _whole(value, usage.input),
        _whole(value, usage.output),
        _whole(value, usage.cached),
        _whole(value, usage.reasoning),
        _number(value, usage.cost),
    )


def _whole(value: JsonValue, numbers: Numbers | None) -> int | None:
    number = _number(value, numbers)
    return None if number is None else int(number)


def _number(value: JsonValue, numbers: Numbers | None) -> Decimal | None:
    """The sum of what stands there; None where nothing does, so that what is not told is never zero."""
    pointers = () if numbers is None else (numbers,) if isinstance(numbers, str) else tuple(numbers)
    told = list(_numbers(value, pointers))
    return sum(told, Decimal(0)) if told else None


def _numbers(value: JsonValue, pointers: tuple[str, ...]) -> Iterator[Decimal]:
    for pointer in pointers:
        for one in found(value, pointer):
            if isinstance(one, int | float) and not isinstance(one, bool):
                number = Decimal(str(one))
                if number.is_finite() and number >= 0:
                    yield number


def _same(one: JsonValue, want: object) -> bool:
    if isinstance(want, Text):
        return isinstance(one, str) and one.startswith(want.starts) and want.contains in one
    if isinstance(want, list):
        return any(_same(one, each) for each in want)
    return type(one) is type(want) and one == want


def _sum(one: N | None, other: N | None) -> N | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
