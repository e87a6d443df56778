"""What an answerer says: whether a trial may begin, and what a call is answered where fixed replies can't know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether what a trial presupposes is there. `why` is a word for the report, `found` what was looked at.

    Where it does not hold no session is opened: the trial is incomplete, or with `skips` skipped; owner operator.
    """

    holds: bool
    why: str = "holds"
    skips: bool = False
    found: JsonValue = None


@dataclass(frozen=True, slots=True)
class Question:
    """A call that tells whether what a trial presupposes is there. It must change nothing."""

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a real server answered a question."""

    question: Question
    result: JsonValue
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is to be noted of a call that a real server answered.

    `marks` are facts for graders, as a ToolAnswer has them. `left` names what the call made and left there, for whoever
    must clean up, a line each; what only may have been left is named, too, and says so.
    """

    marks: JsonValue = None
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call is answered. `result` goes to the agent, `state` is the state after it.

    `marks` are facts for graders; they go into the evidence and never to the agent. `scripted` is False where nobody
    can tell what the server under study would have answered: the trial is then incomplete, owner fixture.
    """

    result: JsonValue
    state: Mapping[str, JsonValue]
    is_error: bool = False
    marks: JsonValue = None
    scripted: bool = True


class Answerer(Protocol):
    """A bound answerer, as a fixture gets it (the hooks are AnswererSpec's)."""

    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        """The faults of a state at the begin of trials."""

    def check_ready(self, state: Mapping[str, JsonValue], heard: Sequence[Heard] | None = None) -> Readiness:
        """Whether a trial that begins in this state may begin; `heard` is what a real server said to the questions."""

    def list_questions(self, state: Mapping[str, JsonValue]) -> Sequence[Question]:
        """What a real server is asked before a trial that begins in this state."""

    def remark(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        is_error: bool,
        state: Mapping[str, JsonValue],
    ) -> Remarks:
        """What is to be noted of a call that a real server answered; `result` is None where it did not."""

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """What a call is answered."""
