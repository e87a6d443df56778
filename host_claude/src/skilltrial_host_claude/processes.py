"""One process of the conversation: what it said of its end, and whether that may be believed."""

from __future__ import annotations

from dataclasses import dataclass, field

from skilltrial.api import Cause, Ending, Owner

from .causes import blame, owner_of_start
from .lines import Object, text

Outcome = tuple[Ending, Cause | None, Owner | None]

_KEPT = 20_000
"""Characters of stderr that are looked at."""


@dataclass
class Process:
    """`inits` counts the begins of turns; the program begins a further one by itself when a background task is over."""

    turn: int
    code: int | None = None
    inits: int = 0
    results: list[Object] = field(default_factory=list)
    error: Object = field(default_factory=dict)
    """The last message that the program itself wrote because its model failed."""
    by_model: bool = False
    """A model said or did something."""
    tasks: bool = False
    """Background tasks are still running, and the program waits for them."""
    notified: bool = False
    """One of them is over, and the model has yet to hear of it."""
    damaged: bool = False
    unserved: bool = False
    """A server that it was given never came up."""
    logged: bool = False
    """Its session log is among the records."""
    logs: bool = False
    """It was started so that it keeps one."""
    stderr: str = ""
    last: int = 0
    """The record of its last result."""

    def told(self, line: str) -> None:
        """Keep what it says to people."""
        if len(self.stderr) < _KEPT:
            self.stderr += f"{line[:_KEPT]}\n"

    @property
    def answer(self) -> str | None:
        """Its last words; None where it ended with an error, or did not end. A wake-up may have nothing to add."""
        if not self.results or not _well(self.results[-1]):
            return None
        words = [text(result, "result") or "" for result in self.results if _well(result)]
        return next((each for each in reversed(words) if each.strip()), words[-1])

    def outcome(self, answer: str | None) -> Outcome:
        """How it ended. An error that it told beats its exit code; what is missing is never a success."""
        last: Object = self.results[-1] if self.results else {}
        if last.get("is_error") is True or (self.error and not self.results):
            return (Ending.HOST_FAILED, *blame(last, self.error))
        if not (self.damaged or self.results or self.inits) and self.code:
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, owner_of_start(self.stderr)
        if not self._complete or last.get("is_error") is not False or not text(last, "subtype"):
            return Ending.INVALID_EVENTS, None, Owner.HOST
        if not _well(last):
            return (Ending.HOST_FAILED, *blame(last, self.error))
        return self._success(answer)

    @property
    def _complete(self) -> bool:
        """Nothing is missing: each turn that was begun has its result, and nothing is awaited any more."""
        ended = self.code is not None and len(self.results) >= max(self.inits, 1)
        return ended and not self.damaged and not self.tasks and not self.notified

    def _success(self, answer: str | None) -> Outcome:
        if self.code != 0:
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        if self.unserved:
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.FIXTURE
        if "local_command" in self.results[-1]:
            # A prompt that is a command of the program's own never reaches a model.
            return Ending.HOST_FAILED, Cause.EMPTY, Owner.OPERATOR
        if not self.by_model or not (answer or "").strip():
            return Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL
        if not self.logged and self.logs:
            # It goes on where it can't write its state, and what only the log shows is missing.
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR
        return Ending.COMPLETED, None, None


def _well(result: Object) -> bool:
    """Exactly a success: `subtype` alone says so of API errors too."""
    return result.get("is_error") is False and text(result, "subtype") == "success"
