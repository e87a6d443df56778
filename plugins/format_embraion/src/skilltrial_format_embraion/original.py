"""What EmbrAIon's report tells of the suite file itself: its cases as written, and the kinds of their checks."""

from __future__ import annotations

import json

from pydantic import JsonValue

from .structure import read


def cases_as_written(source: bytes) -> dict[str, dict[str, JsonValue]]:
    """The cases of an EmbrAIon suite by their ids, as written; empty where the file is none."""
    try:
        document: JsonValue = json.loads(source.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    suite, _ = read(document)
    if suite is None or not isinstance(document, dict) or not isinstance(document["cases"], list):
        return {}
    return {str(case["id"]): case for case in document["cases"] if isinstance(case, dict)}


def kinds_of_checks(case: dict[str, JsonValue]) -> list[str]:
    """The `type` of each check of a case as written."""
    checks = case["checks"]
    return [str(check["type"]) for check in checks if isinstance(check, dict)] if isinstance(checks, list) else []
