"""A score as JSON: the keys of the original's report, in its order."""

from __future__ import annotations

import json
from typing import Any

from .scoring import Score, totals
from .words import Route


def report(score: Score) -> dict[str, Any]:
    """The report's document."""
    return {
        "ok": score.ok,
        "host": score.host,
        "model": score.model,
        "totals": totals(score.cases),
        "byRoute": {route.value: totals([one for one in score.cases if one.route is route]) for route in Route},
        "cases": [
            {
                "caseId": one.case,
                "route": one.route.value,
                "status": one.status.value,
                "errors": [str(finding) for finding in one.findings],
            }
            for one in score.cases
        ],
        "errors": [str(finding) for finding in score.findings],
    }


def render(document: dict[str, Any]) -> str:
    """The document's text, with its newline. Surrogates that stand alone stay escaped."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(document, indent=2)
    return f"{text}\n"
