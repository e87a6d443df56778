"""Plain HTTP beside the tools: what a script's routes answer, by the same kind of rules, on the same state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from skilltrial.replies.fitting import Schema
from skilltrial.replies.strictjson import compact
from skilltrial.replies.templates import Template, compile_template

if TYPE_CHECKING:
    from pydantic import JsonValue

    from skilltrial.replies.scripts import State

    from .plain import Fault, PlainRoute

PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""An open place of a path."""


class Visit(NamedTuple):
    """A request over plain HTTP, below the trial's path."""

    method: str
    path: str
    query: Mapping[str, str]
    body: JsonValue


class PlayedRoute(NamedTuple):
    """A route, ready to be held against requests. Its `steps` are texts, or the names of open places."""

    method: str
    steps: tuple[tuple[str, bool], ...]
    arguments: Schema | None
    state: Schema | None
    set: Mapping[str, Template]
    delay: float
    status: int
    answer: Template | None
    plain: bool
    """Whether the answer is a text; else it is JSON."""
    fault: Fault | None

    def taken(self, visit: Visit) -> State | None:
        """The arguments of a request to this route; None where it goes elsewhere."""
        given = visit.path.split("/")
        if visit.method != self.method or len(given) != len(self.steps):
            return None
        places: State = {}
        for step, (text, is_open) in zip(given, self.steps, strict=True):
            if is_open and step:
                places[text] = step
            elif is_open or step != text:
                return None
        return {"path": places, "query": dict(visit.query), "body": visit.body}


class Page(NamedTuple):
    """What a request gets, and the state after it. `text` is None where a fault takes its place."""

    arguments: State
    state: State
    because: Literal["rule", "fault", "unexpected"]
    status: int | None = None
    result: JsonValue = None
    text: str | None = None
    kind: bytes = b"application/json"
    fault: Fault | None = None
    delay: float = 0.0


def visit_page(routes: tuple[PlayedRoute, ...], state: State, visit: Visit) -> Page:
    """Decide a request: the first route that fits, else 404."""
    for route in routes:
        arguments = route.taken(visit)
        if arguments is None or not (route.arguments is None or route.arguments.fits(arguments)):
            continue
        if route.state is not None and not route.state.fits(state):
            continue
        after = state | {key: value.fill(arguments, state) for key, value in route.set.items()}
        if route.answer is None:
            return Page(arguments, after, "fault", fault=route.fault, delay=route.delay)
        result = route.answer.fill(arguments, after)
        text = result if route.plain and isinstance(result, str) else compact(result)
        kind = b"text/plain; charset=utf-8" if route.plain else b"application/json"
        return Page(arguments, after, "rule", route.status, result, text, kind, delay=route.delay)
    nowhere: State = {"path": {}, "query": dict(visit.query), "body": visit.body}
    return Page(nowhere, state, "unexpected", 404, None, "there is nothing here", b"text/plain; charset=utf-8")


def routed(visit: Visit, page: Page) -> str:
    """The note of a request, written before it is answered. The judge's own notes are other ones.

    `arguments` are those that the rules saw: `path` (its open places), `query` and `body`.
    """
    return compact(
        {
            "wire": "routed",
            "method": visit.method,
            "path": visit.path,
            "arguments": page.arguments,
            "status": page.status,
            "result": page.result,
            "because": page.because,
            "state": page.state,
        }
    )


def play_route(route: PlainRoute) -> PlayedRoute:
    """Make a route ready; it has no fault."""
    found = ((step, PLACE.fullmatch(step)) for step in route["path"].split("/"))
    plain, fault = "text" in route, route.get("fault")
    arguments, state = route.get("arguments", True), route.get("state", True)
    return PlayedRoute(
        method=route.get("method", "GET"),
        steps=tuple((step, False) if place is None else (place[1], True) for step, place in found),
        arguments=None if arguments is True else Schema(arguments),
        state=None if state is True else Schema(state),
        set={key: compile_template(value) for key, value in route.get("set", {}).items()},
        delay=route.get("delay", 0.0),
        status=route.get("status", 200),
        answer=None if fault is not None else compile_template(route.get("text") if plain else route.get("body")),
        plain=plain,
        fault=fault,
    )
