"""Checks on each call of a tool: its arguments and what came of it."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import JsonValue, model_validator

from skilltrial.api import Absent, CheckOptions, CheckResult, Evidence
from skilltrial.checks.wording import as_json, cut

from .attempts import Attempt, all_are_shown, attempts
from .describing import Name, Names, Pointer, Schema, Traits
from .reasons import Reason, failed, unverified


class CallCheck(CheckOptions):
    """Each call of a tool (or the first, the last, any) has these arguments and this result.

    There must be one, unless the call is `optional`.
    """

    subject: ClassVar[str | None] = "server"

    server: Name | None = None
    tool: Name | Names
    """The tool, or one of several names of it."""
    optional: bool = False
    """Whether it holds too where there is no call."""
    which: Literal["each", "first", "last", "any"] = "each"
    arguments: dict[str, JsonValue] | None = None
    no_other_arguments: bool = False
    arguments_schema: Schema = True
    is_error: bool | None = None
    result: dict[Pointer, JsonValue] | None = None
    result_schema: Schema = True

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.traits().words():
            raise ValueError("say what the call must be like: `arguments`, `is_error`, `result` or a schema")
        return self

    def traits(self) -> Traits:
        """What the call must be like."""
        return Traits.model_validate({name: getattr(self, name) for name in Traits.model_fields})

    def sentence(self) -> str:
        """See CheckOptions."""
        of = "" if self.server is None else f" of {cut(self.server)}"
        which = {"each": "each call", "first": "the first call", "last": "the last call", "any": "a call"}[self.which]
        tool = cut(self.tool) if isinstance(self.tool, str) else " or ".join(map(cut, self.tool))
        return f"{which} of {tool}{of}{', if there is one,' if self.optional else ''} is one {self.traits().words()}"


def call_holds(check: CallCheck, evidence: Evidence) -> CheckResult:
    """Answer a CallCheck."""
    tools = (check.tool,) if isinstance(check.tool, str) else check.tool
    found = [one for one in attempts(evidence, check.server, ()) if one.is_of(tools)]
    if not found and not check.optional:
        raise failed(Reason.NOT_CALLED)
    chosen = {"each": found, "any": found, "first": found[:1], "last": found[-1:]}[check.which]
    answers = [_about(check.traits(), attempt) for attempt in chosen]
    if check.which == "any" and found:
        return _best(answers, chosen)
    for answer in answers:
        if answer is not None and answer.value in (Reason.ARGUMENTS_DIFFER, Reason.RESULT_DIFFERS):
            raise failed(answer, seen=_seen(chosen))
    unknown = next((answer for answer in answers if answer is not None), None)
    if unknown is not None:
        raise unverified(unknown)
    if not all_are_shown(evidence, check.server):
        raise unverified(Reason.CALLS_NOT_SHOWN)
    return CheckResult.passed(seen=_seen(chosen))


def _best(answers: list[Reason | None], chosen: list[Attempt]) -> CheckResult:
    if None in answers:
        return CheckResult.passed(seen=_seen(chosen))
    unknown = next((one for one in answers if one in (Reason.ARGUMENTS_NOT_SHOWN, Reason.RESULT_NOT_SHOWN)), None)
    if unknown is not None:
        raise unverified(unknown)
    raise failed(answers[0] or Reason.NOT_CALLED, seen=_seen(chosen))


def _about(traits: Traits, attempt: Attempt) -> Reason | None:
    """Why the call is not so, or why that can't be told; None where it is."""
    arguments, result = traits.about_arguments(attempt), traits.about_result(attempt)
    if arguments is False:
        return Reason.ARGUMENTS_DIFFER
    if result is False:
        return Reason.RESULT_DIFFERS
    if arguments is None:
        return Reason.ARGUMENTS_NOT_SHOWN
    return Reason.RESULT_NOT_SHOWN if result is None else None


def _seen(chosen: list[Attempt]) -> str:
    shown = ["not shown" if isinstance(one.arguments, Absent) else as_json(one.arguments) for one in chosen]
    return cut("; ".join(shown), 200)
