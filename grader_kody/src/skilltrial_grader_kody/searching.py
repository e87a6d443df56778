"""What a search shows of an inventory: the nearest entries first, as a search by meaning would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from .inventory import Inventory, Saved
from .primitives import GUIDES, PRIMITIVES

MOST = 10
"""Results, unless the search asks for fewer or more."""
_PRIMITIVES_MOST = 4
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search, and the names of the entries in it that do the whole job."""

    result: JsonValue
    exact: tuple[str, ...] = ()
    is_error: bool = False


def search(inventory: Inventory, arguments: Mapping[str, JsonValue]) -> Found:
    """Look one entity up, or search by words."""
    wanted = arguments.get("entity")
    if isinstance(wanted, str) and wanted.strip():
        return _entity(inventory, wanted.strip())
    query = arguments.get("query")
    words = _stems(query) if isinstance(query, str) else frozenset()
    most = arguments.get("limit")
    saved = sorted(inventory.saved, key=lambda one: -len(words & _stems(f"{one.name} {one.title} {one.description}")))
    saved = saved[: most if isinstance(most, int) else MOST]
    near = sorted(
        (name for name, text in PRIMITIVES.items() if words & _stems(f"{name} {text}")),
        key=lambda name: -len(words & _stems(f"{name} {PRIMITIVES[name]}")),
    )
    results: list[JsonValue] = [_brief(one) for one in saved]
    results += [_primitive(name) for name in near[:_PRIMITIVES_MOST]]
    return Found({"results": results}, tuple(one.name for one in saved if one.serves == "exact"))


def _entity(inventory: Inventory, wanted: str) -> Found:
    sort, _, name = wanted.partition(":")
    if sort == "guide" and name in GUIDES:
        return Found({"entity": wanted, "text": GUIDES[name]})
    if sort in ("capability", "operation") and (full := _full(name)) is not None:
        return Found(_primitive(full))
    if sort == "value" and name in inventory.values and not inventory.values[name].secret:
        return Found({"entity": wanted, "value": inventory.values[name].value})
    saved = inventory.find(wanted)
    if saved is None:
        return Found({"error": {"message": "there is no such entity"}}, is_error=True)
    usage = f"import run from 'kody:{saved.name}/{saved.export}'; return await run({{}});"
    exact = (saved.name,) if saved.serves == "exact" else ()
    return Found({**_brief(saved), "exports": [saved.export], "usage": usage}, exact)


def _full(name: str) -> str | None:
    return next((one for one in (name, f"kody.{name}") if one in PRIMITIVES), None)


def _brief(one: Saved) -> dict[str, JsonValue]:
    return {"entity": f"package:{one.name}", "type": "package", "title": one.title, "description": one.description}


def _primitive(name: str) -> JsonValue:
    return {"entity": f"capability:{name}", "type": "capability", "title": name, "description": PRIMITIVES[name]}


def _stems(text: str) -> frozenset[str]:
    """Words without their endings, as far as English is concerned."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return frozenset(re.sub(r"(ies|ing|ed|es|s|e|y)$", "", word) for word in words if len(word) > 2)
