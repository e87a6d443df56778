"""From what the fixture received to lifecycle events: one for each thing that a call did, all with its call id.

This is what people had to write down by hand. What a call did is told from its code, never from what the agent says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skilltrial.api import WireCall

from .code.analysis import Analysis, State, analyse
from .code.effects import Act, Kind
from .code.replay import Replay, recorded_calls
from .entities import entity
from .jsontext import as_doubles
from .operations import Sort, sort_of
from .sources import invoked
from .words import Action, Profile, Route

Written = dict[str, Any]
"""An event as a transcript would have it."""

TOOLS = ("search", "execute")


@dataclass(frozen=True, slots=True)
class Recorder:
    """Writes events down as somebody would who watches one case.

    `exact` names the saved entries that do its whole job, for a server that does not mark them itself.
    """

    route: Route
    profile: Profile
    exact: tuple[str, ...] = ()

    def write(self, calls: Sequence[WireCall]) -> list[Written]:
        """The events of a trial, in the order in which its calls arrived."""
        return [event for number, call in enumerate(calls, 1) for event in _events(call, str(number), self)]


def _events(call: WireCall, number: str, recorder: Recorder) -> Iterator[Written]:
    given = call.arguments if isinstance(call.arguments, dict) else {"arguments": call.arguments}
    common: Written = {
        "callId": number,
        "toolName": call.tool if call.tool in TOOLS else "execute",
        "status": "failed" if call.is_error else "succeeded",
        "input": given,
        "output": call.result,
    }
    if call.tool == "search":
        yield common | _search(call, given, recorder)
        return
    for action, more in _executed(call, given, recorder.route):
        yield common | {"action": action.value} | more


def _search(call: WireCall, given: Mapping[str, Any], recorder: Recorder) -> Written:
    """A search; or, as the recording rule has it, an inspection where it read a guide.

    The format that the original scorer reads has no inspection by search: there it is a plain search.
    """
    wanted = given.get("entity")
    if recorder.profile is Profile.STRICT and isinstance(wanted, str) and wanted.strip().startswith("guide:"):
        return {"action": Action.INSPECT.value}
    exact = _marked(call, "exact") if call.marks is not None else _shown(call, recorder.exact)
    match = {"kind": "exact-reusable", "entityId": exact[0]} if exact else {"kind": "no-exact-reusable"}
    return {"action": Action.SEARCH.value, "match": match}


def _shown(call: WireCall, exact: Sequence[str]) -> list[str]:
    """Which of these entries a result shows, as whole names."""
    text = json.dumps(call.result, ensure_ascii=False)
    return [name for name in exact if re.search(rf"(?<![\w@/.-]){re.escape(name)}(?![\w/-])", text)]


def _executed(call: WireCall, given: Mapping[str, Any], route: Route) -> Iterator[tuple[Action, Written]]:
    code, params = given.get("code"), given.get("params")
    known = params if isinstance(params, dict) else None
    gave = Replay(as_doubles(recorded_calls(call.result)))
    analysis = analyse(code, known, gave) if isinstance(code, str) else Analysis(State.EMPTY)
    sorts = {sort_of(act.name) for act, _ in analysis.found if act.kind is Kind.OPERATION}
    # A session that is opened only to read a source is no authoring yet.
    authors = Sort.AUTHORING in sorts or (Sort.OPEN in sorts and Sort.SOURCE not in sorts)
    target = _target(call, given, analysis)
    reads = _reads(analysis, route)
    defers = not sorts.isdisjoint({Sort.DEFER, Sort.SCHEDULE, Sort.REMOVED})
    if reads:
        yield Action.INSPECT, {}
    if authors:
        yield Action.AUTHOR, {}
    if target is not None:
        yield Action.INVOKE, {"targetEntityId": target}
    if defers or not (reads or authors or target is not None):
        # What is neither reading, authoring nor reuse is the one thing that was asked for, or something beside it.
        yield (Action.ONE_OFF if defers or route is Route.ONE_OFF else Action.OTHER), {}


def _reads(analysis: Analysis, route: Route) -> bool:
    """Whether guidance or source is read. To look at packages is a task of its own where nothing is to be authored."""
    names = {act.name for act, _ in analysis.found if act.kind is Kind.OPERATION}
    if any(name == "kody.codingGuideGet" or sort_of(name) is Sort.SOURCE for name in names):
        return True
    return route is Route.AUTHORING and any(sort_of(name) is Sort.GUIDANCE for name in names)


def _target(call: WireCall, given: Mapping[str, Any], analysis: Analysis) -> str | None:
    """The saved entry that was run, by the name that the inventory has for it; else as it was written."""
    ran = _marked(call, "ran")
    if ran:
        return ran[0]
    written = [name for act, _ in analysis.found if (name := _run(act)) is not None]
    written += sorted(invoked(given) or ())
    if not written:
        return None
    named = entity(written[0])
    return named.name if named is not None else written[0]


def _run(act: Act) -> str | None:
    """What an act runs, as it is written there; None where it runs nothing that is saved."""
    if act.kind is Kind.PACKAGE:
        return act.name or "unknown"
    if act.kind is Kind.OPERATION and sort_of(act.name) is Sort.EXECUTION:
        return min(act.texts, default="unknown")
    return None


def _marked(call: WireCall, key: str) -> list[str]:
    """What the fixture noted of a call."""
    marks = call.marks
    found = marks.get(key) if isinstance(marks, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
