"""Plain HTTP beside the tools: what a script's routes answer, by the same kind of rules, on the same state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from skilltrial.replies.faults import Path
from skilltrial.replies.schemas import Schema, SchemaFault, compile_schema
from skilltrial.replies.strictjson import compact
from skilltrial.replies.templates import Template, compile_template, template_faults

from .replies import Fault, Route

State = dict[str, JsonValue]
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class Routed(BaseModel):
    """The note of a request over plain HTTP, written before it is answered. The judge's own notes are other ones.

    `arguments` are those that the rules saw: `path` (its open places), `query` and `body`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    wire: Literal["routed"] = "routed"
    method: str
    path: str
    arguments: JsonValue
    status: int | None = None
    result: JsonValue = None
    because: Literal["rule", "fault", "unexpected"] = "rule"
    state: JsonValue = None


@dataclass(frozen=True, slots=True)
class Visit:
    """A request over plain HTTP, below the trial's path."""

    method: str
    path: str
    query: Mapping[str, str]
    body: JsonValue


@dataclass(frozen=True, slots=True)
class PlayedRoute:
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


@dataclass(frozen=True, slots=True)
class Page:
    """What a request gets, and the state after it. `text` is None where a fault takes its place."""

    arguments: State
    state: State
    because: Literal["rule", "fault", "unexpected"]
    status: int | None = None
    result: JsonValue = None
    text: str | None = None
    kind: str = "application/json"
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
        kind = "text/plain" if route.plain else "application/json"
        return Page(arguments, after, "rule", route.status, result, text, kind, delay=route.delay)
    nowhere: State = {"path": {}, "query": dict(visit.query), "body": visit.body}
    return Page(nowhere, state, "unexpected", 404, None, "there is nothing here", "text/plain")


def route_faults(route: Route, place: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with a route, with places."""
    given = route.model_fields_set & {"body", "text", "fault"}
    if len(given) != 1:
        yield place, "a route has exactly one of `body`, `text` and `fault`"
    if "text" in given and not isinstance(route.text, str | dict):
        yield (*place, "text"), "a text is wanted here"
    if route.path == "/mcp":
        yield (*place, "path"), "the tools are served on this path"
    names = _PLACE.findall(route.path)
    bare = _PLACE.sub("x", route.path)
    if "{" in bare or "}" in bare or len(set(names)) != len(names) or not _whole_steps(route.path):
        yield (*place, "path"), "an open place is a whole step of its own name, such as `/v1/scopes/{scope_id}`"
    for key, schema in (("arguments", route.arguments), ("state", route.state)):
        try:
            compile_schema(schema)
        except SchemaFault as error:
            yield (*place, key), str(error)
    for key, written in (("set", route.set), ("body", route.body), ("text", route.text)):
        yield from template_faults(written, (*place, key))


def play_route(route: Route) -> PlayedRoute:
    """Make a route ready; it has no fault (see `route_faults`)."""
    found = ((step, _PLACE.fullmatch(step)) for step in route.path.split("/"))
    plain = "text" in route.model_fields_set
    return PlayedRoute(
        method=route.method,
        steps=tuple((step, False) if place is None else (place[1], True) for step, place in found),
        arguments=None if route.arguments is True else compile_schema(route.arguments),
        state=None if route.state is True else compile_schema(route.state),
        set={key: compile_template(value) for key, value in route.set.items()},
        delay=route.delay,
        status=route.status,
        answer=None if route.fault is not None else compile_template(route.text if plain else route.body),
        plain=plain,
        fault=route.fault,
    )


def _whole_steps(path: str) -> bool:
    return all("{" not in step or _PLACE.fullmatch(step) for step in path.split("/"))
