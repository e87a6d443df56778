"""What is wrong with a written route, with places."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.replies.faults import Path
from skilltrial.replies.schemas import SchemaFault, compile_schema
from skilltrial.replies.templates import template_faults

from .replies import Route
from .routes import PLACE


def route_faults(route: Route, place: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with a route, with places."""
    given = route.model_fields_set & {"body", "text", "fault"}
    if len(given) != 1:
        yield place, "a route has exactly one of `body`, `text` and `fault`"
    if "text" in given and not isinstance(route.text, str | dict):
        yield (*place, "text"), "a text is wanted here"
    if route.path == "/mcp":
        yield (*place, "path"), "the tools are served on this path"
    names = PLACE.findall(route.path)
    bare = PLACE.sub("x", route.path)
    if "{" in bare or "}" in bare or len(set(names)) != len(names) or not _whole_steps(route.path):
        yield (*place, "path"), "an open place is a whole step of its own name, such as `/v1/scopes/{scope_id}`"
    for key, schema in (("arguments", route.arguments), ("state", route.state)):
        try:
            compile_schema(schema)
        except SchemaFault as error:
            yield (*place, key), str(error)
    for key, written in (("set", route.set), ("body", route.body), ("text", route.text)):
        yield from template_faults(written, (*place, key))


def _whole_steps(path: str) -> bool:
    return all("{" not in step or PLACE.fullmatch(step) for step in path.split("/"))
