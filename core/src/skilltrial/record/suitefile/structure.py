"""Faults of shape: keys, types and bounds of the whole file, by the models of `written`."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ValidationError

from .document import Document, Faults, Path, as_dict, as_list
from .settings import either_form, setting_at
from .wording import SLUG_RULE, WANTED, explain, meant, not_wanted, shown
from .written import CHECK_KEYS, WORKSPACE_KEYS, WrittenSuite


def check_structure(faults: Faults) -> None:
    """Note every fault of shape."""
    document = faults.document
    for error in errors_of(WrittenSuite, document.value):
        path, on_key = walk(document, error["loc"])
        if error["type"] == "too_short" and document.at(path):
            continue  # pydantic counts the items that hold; the others have faults of their own
        above = path[:-1] if path and error["type"] in ("extra_forbidden", "missing") else path
        add(faults, error, path, on_key=on_key, above=above)
    cases = document.at(("cases",))
    for key, case in cases.items() if isinstance(cases, dict) else enumerate(as_list(cases)):
        if isinstance(case, dict):
            _check_case(faults, case, ("cases", key))


def _check_case(faults: Faults, case: dict[str, Any], path: Path) -> None:
    """What a model can't say of a case: this or that, but one of them."""
    observed = case.get("observe") is True
    for one, other in (("prompt", "turns"), ("checks", "expect")):
        given = [key for key in (one, other) if key in case]
        if observed and one == "checks":
            for key in given:
                faults.add((*path, key), "a case that is only observed has no checks", "drop `observe`", key=True)
            continue
        if not given:
            faults.add(path, f"`{one}` is missing in a case", f"add `{one}` or `{other}`")
        if len(given) == 2:
            faults.add((*path, other), f"a case has `{one}` or `{other}`", "keep one of them", key=True)
    for key in ("checks", "expect"):
        for at, check in enumerate(as_list(case.get(key))):
            if isinstance(check, dict) and not check.keys() - (CHECK_KEYS - {"grader"}):
                faults.add((*path, key, at), "the check names no grader", "its first key does: `files: a.txt`")
    workspace = as_dict(case.get("workspace"))
    if not WORKSPACE_KEYS & workspace.keys():
        return
    starts = [key for key in ("folder", "files", "git") if key in workspace and not isinstance(workspace[key], bool)]
    place = (*path, "workspace")
    if len(starts) > 1:
        told = " and ".join(f"`{key}`" for key in starts)
        faults.add(place, f"a workspace starts from one thing; here are {told}", "keep one of them")
    if "ref" in workspace and "git" not in starts:
        faults.add((*place, "ref"), "`ref` needs `git`", "name the repository: `git: .`", key=True)


def add(faults: Faults, error: dict[str, Any], path: Path, *, on_key: bool, above: Path) -> None:
    """Note one pydantic error at `path` in our words."""
    document = faults.document
    value = document.at(path)
    kind = error["type"]
    setting = setting_at(above, document.at(above))
    if on_key:
        faults.add(path, *_bad_key(kind, above=path[:-1]), key=True)
    elif kind in ("union_tag_not_found", "union_tag_invalid"):
        faults.add(path, *_no_act(value, setting.keys))
    elif kind in WANTED and (forms := either_form(path)):
        faults.add(path, *not_wanted(path[-1], forms, setting, value))
    else:
        what, right = explain(kind, error.get("ctx", {}), setting, path[-1] if path else None, value)
        faults.add(path, what, right, key=kind == "extra_forbidden")


def errors_of(model: type[BaseModel], value: object) -> list[dict[str, Any]]:
    """pydantic's errors for `value`, read as JSON by `model`, without the values themselves."""
    try:
        model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        return list(error.errors(include_url=False, include_input=False))  # type: ignore[arg-type]
    return []


def walk(document: Document, loc: tuple[str | int, ...], base: Path = ()) -> tuple[Path, bool]:
    """pydantic's place as a path of the document, and whether it is the key that is meant.

    Tags of unions begin with `:` and drop out, unless the document has such a key.
    """
    path = base
    for step in loc:
        if step == "[key]":
            return path, True
        value = document.at(path)
        there = isinstance(value, dict) and step in value
        if isinstance(step, str) and step.startswith(":") and not there:
            continue
        path = (*path, step)
    return path, False


def _bad_key(kind: str, above: Path) -> tuple[str, str]:
    if kind == "string_pattern_mismatch":
        return f"a key of {setting_at(above, None).noun} does not have the form of an id", SLUG_RULE
    return f"a key of {setting_at(above, None).noun} is empty or too long", ""


def _no_act(value: object, acts: tuple[str, ...]) -> tuple[str, str]:
    if not isinstance(value, dict):
        return "an act is a mapping", f"write one such as `say: …`; acts: {', '.join(acts)}"
    first = next(iter(value), None)
    return f"unknown act{' ' + shown(first) if shown(first) != 'a key' else ''}", meant(first, acts, label="acts")
