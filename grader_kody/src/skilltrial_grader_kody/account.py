"""A real account: what is asked there before a session, and what its answers tell. No suite knows its entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from skilltrial.api import Heard, Question, Readiness

from .inventory import Inventory
from .shown import Shown, names_in, packages

UNREADABLE = "search_unanswered"
"""Why a case can't begin whose account did not say what it holds."""
_VALUES = "import { kody } from 'kody:runtime';\nreturn await kody.valueList({});"


def questions(inventory: Inventory) -> Iterator[Question]:
    """What is asked for a case: a search for what does its job, and the names of the values if it needs one."""
    if inventory.presupposes.query is None:
        return
    yield Question("search", {"query": inventory.presupposes.query})
    if inventory.presupposes.values:
        yield Question("execute", {"code": _VALUES})


def ready(inventory: Inventory, heard: Sequence[Heard]) -> Readiness:
    """Whether the case may begin, by what the account answered."""
    if not heard or any(one.is_error or not _says_something(one.result) for one in heard):
        return Readiness(False, UNREADABLE)
    shown = [one for answer in heard if answer.question.tool == "search" for one in packages(answer.result)]
    values = [answer.result for answer in heard if answer.question.tool == "execute"]
    lacking = [name for name in inventory.presupposes.values if not any(names_in(name, one) for one in values)]
    names: JsonValue = [one.name for one in shown]
    return inventory.presupposes.readiness(exact(inventory, shown), lacking, shown=names)


def _says_something(result: JsonValue) -> bool:
    """Whether an answer can be looked through. An account without entries says so in some way; this is none."""
    return isinstance(result, str | list | dict) and result != ""


def exact(inventory: Inventory, shown: Sequence[Shown]) -> list[str]:
    """The names of those entries that do the whole job: as the case declares them, else by what they say."""
    return [one.name for one in shown if _does_it(inventory, one)]


def _does_it(inventory: Inventory, one: Shown) -> bool:
    declared = inventory.find(one.name)
    return declared.serves == "exact" if declared is not None else inventory.presupposes.is_exact(one.text)
