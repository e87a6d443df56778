"""Which of the turns that are told is the one that was asked for, and when it is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .lines import Object, inner, text

_SETTLED = frozenset({"prompt_completed", "prompt_failed"})


@dataclass
class Following:
    """One prompt, followed through the messages of its session. The program may begin turns of its own beside it."""

    session: str
    input: str
    prompt: str
    turn: str | None = None
    """The program's name of the turn, once it began."""
    end: Object | None = None
    """What was told with its end."""
    failed: bool = False
    settled: str | None = None
    """The reason for which the session is ready again; until then it takes no other prompt."""
    others: set[str] = field(default_factory=set)
    """Turns that the program began by itself."""

    @property
    def over(self) -> bool:
        """Whether its end was told, and the session is ready again."""
        return self.end is not None and self.settled is not None

    @property
    def completed(self) -> bool:
        """Whether it ended as turns should."""
        return self.over and not self.failed and text(self.end or {}, "resultType") in (None, "success")

    def hear(self, method: str | None, params: Object) -> Literal["begun", "ended"] | None:
        """Look at a notification; says whether this very turn began or ended with it."""
        if text(params, "sessionId") != self.session:
            return None
        if method == "state.updated" and text(params, "reason") in _SETTLED:
            self.settled = text(params, "reason")
            return None
        if method != "session/event":
            return None
        kind, name, payload = text(params, "type"), text(params, "turnId"), inner(params, "payload")
        if kind == "turn.started":
            return self._started(name, payload)
        if kind in ("turn.completed", "turn.failed") and self.end is None and self._ends(name):
            self.end, self.failed = payload, kind == "turn.failed"
            return "ended"
        return None

    def _started(self, name: str | None, payload: Object) -> Literal["begun"] | None:
        given = text(payload, "inputId")
        if given is None:
            ours = text(payload, "input") == self.prompt or text(payload, "inputSource") is None
        else:
            ours = given == self.input
        if ours and self.turn is None:
            self.turn = name or ""
            return "begun"
        self.others.add(name or "")
        return None

    def _ends(self, name: str | None) -> bool:
        # A turn whose model can't be made fails without having begun.
        return (name or "") not in self.others and self.turn in (None, "", name)
