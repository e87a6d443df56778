"""EmbrAIon's six kinds of check as questions of the `files` grader; and where such a question means something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from .written import (
    Case,
    ChangedPathsWithin,
    Check,
    FileAbsent,
    FileContains,
    FileExists,
    JsonFieldEquals,
    UnchangedPath,
)

IGNORED = ("__pycache__/", ".git/", "node_modules/", ".venv/")
"""What a run leaves out of its listing, unless a check speaks of it."""


def converted(check: Check, number: int) -> dict[str, JsonValue]:
    """The check in the long form; its id tells its kind and its number, which counts from 0 as in EmbrAIon's report."""
    return {"id": f"{check.type}-{number}", "grader": "files", **_options(check)}


def _options(check: Check) -> dict[str, JsonValue]:
    match check:
        case FileExists():
            return {"path": check.path, "exists": True}
        case FileAbsent():
            return {"path": check.path, "exists": False}
        case FileContains():
            return {"path": check.path, "contains": check.text}
        case JsonFieldEquals():
            return {"path": check.path, "pointer": pointer(check.field), "equals": check.value}
        case UnchangedPath():
            return {"path": check.path, "unchanged": True}
        case ChangedPathsWithin():
            return {"changed_within": list(check.paths)}


def pointer(field: str) -> str:
    """The JSON Pointer of a dotted field: `a.b/c` → `/a/b~1c`."""
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in field.split("."))


def ignored(case: Case) -> tuple[list[JsonValue], list[str]]:
    """The globs that the case ignores, and those that it must not ignore since a check names a path there."""
    steps = {step for path in _paths(case) for step in path.split("/")}
    looked_at = [glob for glob in IGNORED if glob.rstrip("/") in steps]
    return [glob for glob in IGNORED if glob not in looked_at], looked_at


def _paths(case: Case) -> Iterator[str]:
    for check in case.checks:
        yield from check.paths if isinstance(check, ChangedPathsWithin) else (check.path,)


KINDS: dict[str, str] = {
    "file-exists": "`exists: true`",
    "file-absent": "`exists: false`",
    "file-contains": "`contains`",
    "json-field-equals": "`pointer` and `equals`",
    "unchanged-path": "`unchanged: true`",
    "changed-paths-within": "`changed_within`",
}
"""Kind of check → what it is asked by."""

RULES: dict[str, str] = {
    "json-field-equals": (
        "values are compared strictly: `1`, `1.0` and `true` differ, a missing field is not null, NaN and a key given "
        "twice are no JSON; a byte order mark is passed over"
    ),
    "unchanged-path": (
        "the executable bit counts, a folder stands for all that is below it, and a path that was never there is "
        "`unverified` instead of passing"
    ),
    "changed-paths-within": "folders and executable bits that changed count too",
}
"""Kind of check → what it means here and did not mean there."""


def changes(check: Check, fixture: Path) -> Iterator[str]:
    """What this one check means otherwise here, beyond the rules of its kind."""
    match check:
        case FileContains() if "\r" in check.text:
            yield "its text has a carriage return, which could never be found there; here every line end is a newline"
        case FileContains() if "\ufeff" in check.text:
            yield "its text has a byte order mark, which is passed over at the beginning of a file here"
        case JsonFieldEquals():
            if check.value is None:
                yield "a missing field passed there; here the field must be there and be null"
            if any(step.isascii() and step.isdigit() for step in check.field.split(".")):
                yield "a number in its field was only a key there; here it also counts the items of a list"
        case UnchangedPath() if (fixture / check.path).is_dir():
            yield "its path is a folder, which passed whatever happened; here all below it must be as before"
        case UnchangedPath() if not (fixture / check.path).exists():
            yield "its path is not in the fixture, where it passed unless the file was made; here it is `unverified`"
        case _:
            pass
