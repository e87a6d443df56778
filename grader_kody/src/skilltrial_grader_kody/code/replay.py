"""What the calls of a program gave, as it was recorded: so that what follows from them can be told afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .effects import Act
from .texts import clean
from .values import UNKNOWN, Value, of_json


class Replay:
    """Answers calls in the order in which they were recorded, as long as it is certain which is which."""

    def __init__(self, calls: Sequence[Any]) -> None:
        self._calls = list(reversed(calls))

    def answer(self, act: Act, arguments: Sequence[Value], *, certain: bool) -> Value:
        """The value of a call; not known from the first one on that may not be the recorded one."""
        if certain and self._calls:
            call = self._calls.pop()
            if isinstance(call, dict) and call.get("call") == clean(act.name) and "result" in call:
                return of_json(call["result"])
        self._calls.clear()
        return UNKNOWN


def recorded_calls(output: Any) -> list[Any]:
    """The calls that an answer of the fixture lists."""
    calls = output.get("calls") if isinstance(output, dict) else None
    return calls if isinstance(calls, list) else []
