"""The answerer `kody`: plays Kody's `search` and `execute` on the inventory that a case declares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import ConfigDict, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import Heard, Question, Readiness, Remarks, ToolAnswer

from .account import exact, questions, ready
from .code.analysis import State, perform
from .code.running import Undecided
from .code.texts import clean
from .inventory import Inventory, read_inventory, state_faults
from .leftovers import left_by
from .runtime import Runtime, Thrown
from .searching import search
from .shown import packages
from .sources import invoked

_CATCHES = re.compile(r"\b(catch|then|allSettled|any)\b")
"""What code can go on with after an error, wherever it stands."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class KodyAnswerer:
    """Kody's search and execute, on an inventory. Code is not run: what it calls is followed, and answered.

    In front of a real account it answers nothing, and says what to ask there and what each call means.
    """

    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        """See AnswererSpec."""
        return state_faults(state)

    def check_ready(self, state: Mapping[str, JsonValue], heard: Sequence[Heard] | None) -> Readiness:
        """See AnswererSpec."""
        inventory = read_inventory(state)
        return inventory.ready() if heard is None else ready(inventory, heard)

    def list_questions(self, state: Mapping[str, JsonValue]) -> Sequence[Question]:
        """See AnswererSpec. A search; and where the case needs a value, code that lists the names of the values."""
        return tuple(questions(read_inventory(state)))

    def remark(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        is_error: bool,
        state: Mapping[str, JsonValue],
    ) -> Remarks:
        """See AnswererSpec. Marks: `exact`, the exact results of a search."""
        if tool == "search" and not is_error:
            return Remarks({"exact": [*exact(read_inventory(state), packages(result))]})
        return Remarks(left=tuple(left_by(tool, arguments, failed=is_error)))

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """See AnswererSpec.

        Marks: `exact`, the exact results of a search; `ran`, the saved packages that code ran; `created`, what is new.
        """
        inventory = read_inventory(state)
        if tool == "search":
            found = search(inventory, arguments)
            return ToolAnswer(found.result, state, found.is_error, marks={"exact": [*found.exact]})
        if tool == "execute":
            return _execute(inventory, arguments, state)
        return _undecided("this tool is not played here", state)


def _execute(inventory: Inventory, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
    runtime = Runtime(inventory)
    code, params = arguments.get("code"), arguments.get("params")
    try:
        if isinstance(code, str):
            given = params if isinstance(params, dict) else None
            how = perform(code, given, runtime)
            if how is State.UNPARSABLE:
                raise Undecided("the code can't be parsed")
            if how is State.TOO_COMPLEX:
                raise Undecided("the code is too complex to be followed")
            if runtime.thrown is not None and _CATCHES.search(code):
                raise Undecided(f"{runtime.thrown}; the code may catch it")
        else:
            _invoke(runtime, arguments)
    except Undecided as error:
        return _undecided(str(error), state)
    after = runtime.inventory.model_dump(mode="json")
    created: list[JsonValue] = [*runtime.inventory.created[len(inventory.created) :]]
    marks: JsonValue = {"ran": [*runtime.ran], "created": created}
    result: JsonValue = {"calls": runtime.calls}
    if runtime.thrown is not None:
        result = {"error": {"message": runtime.thrown}, "calls": runtime.calls}
    return ToolAnswer(result, after, runtime.thrown is not None, marks)


def _invoke(runtime: Runtime, arguments: Mapping[str, JsonValue]) -> None:
    """Kody's own `invoke` input: a saved package by its name, without code."""
    named = sorted(invoked(arguments) or ())
    saved = next((name for name in named if runtime.inventory.find(name) is not None), None)
    if saved is None:
        runtime.thrown = "Error: give `code`, or an `invoke` that names a saved package"
        return
    try:
        runtime.calls.append({"call": clean(saved), "result": runtime.run(saved, arguments.get("params"))})
    except Thrown as error:
        runtime.thrown = clean(str(error))


def _undecided(why: str, state: Mapping[str, JsonValue]) -> ToolAnswer:
    error: JsonValue = {
        "error": {"code": "FIXTURE_UNSCRIPTED", "message": f"This can't be answered here: {clean(why)}."}
    }
    return ToolAnswer(error, state, is_error=True, scripted=False)
