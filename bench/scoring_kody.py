"""Scores a made transcript in memory, again and again, beside reading it: `scoring_kody.py RESULTS EVENTS REPEATS`.

Prints a line a repetition: seconds of CPU of the floor (read the JSON, touch each event), of the profile `original`
and of `strict`; then one line with the peak of memory that each profile took, in sizes of the transcript.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

from skilltrial_grader_kody.scoring import score
from skilltrial_grader_kody.suite import RoutingSuite, read_suite
from skilltrial_grader_kody.words import Profile

PAD = "// a line of ordinary code that says nothing in particular about anything at all\n" * 4
HITS = {"hits": [{"id": f"package:@me/p{at}", "score": at / 7} for at in range(5)]}
ACTIONS = {
    "existing": ["search", "invoke-existing"],
    "execute-one-off": ["search", "execute-one-off"],
    "package-authoring": ["search", "author-package"],
}


def make(results: int, events: int) -> tuple[RoutingSuite, bytes]:
    """A suite of so many cases, a third a route, and a transcript with so many events a case."""
    cases, made = [], []
    for at in range(results):
        # A single result is an authoring one: only that route takes many events.
        route = list(ACTIONS)[at % 3] if results > 1 else "package-authoring"
        required = ACTIONS[route]
        case = f"case-{at}"
        cases.append(
            {
                "id": case,
                "prompt": "Please.",
                "inventory": {"mode": "controlled", "precondition": "None."},
                "expected": {
                    "route": route,
                    "requiredActions": required,
                    "allowedActions": required,
                    "terminalAction": required[-1],
                },
            }
        )
        made.append({"caseId": case, "outcome": "completed", "events": _events(case, route, events)})
    suite = {"schemaVersion": 2, "name": "package-discovery-routing", "cases": cases}
    suite["actionCardinality"] = {"searchMinimum": 1, "readOnlyMaximum": 3, "authoringStepMaximum": 8}
    head = {"schemaVersion": 1, "evalName": "package-discovery-routing", "host": "cursor", "model": "m"}
    whole = {**head, "runAt": "2026-07-14T21:00:00Z", "results": made}
    return read_suite(json.dumps(suite).encode()), json.dumps(whole).encode()


def _events(case: str, route: str, count: int) -> list[dict[str, object]]:
    entity = f"package:@me/{case}"
    exact = {"kind": "exact-reusable", "entityId": entity} if route == "existing" else {"kind": "no-exact-reusable"}
    searches = 1 if route == "package-authoring" else count - 1
    found: list[dict[str, object]] = [
        {**_event(f"s{at}", "search", "search"), "input": {"query": "x"}, "output": HITS, "match": exact}
        for at in range(searches)
    ]
    code = {
        "existing": f"import run from 'kody:@me/{case}'; await run()",
        "execute-one-off": "return await kody.valueList({})",
        "package-authoring": "await kody.repoEditFiles({});",
    }[route]
    action = ACTIONS[route][-1]
    more = {"targetEntityId": entity} if route == "existing" else {}
    result = {"ok": True, "lines": ["done"] * 5}
    return found + [
        {**_event(f"e{at}", action, "execute"), "input": {"code": PAD + code}, "output": result, **more}
        for at in range(count - searches)
    ]


def _event(call: str, action: str, tool: str) -> dict[str, object]:
    return {"callId": call, "action": action, "toolName": tool, "status": "succeeded"}


def floor(data: bytes) -> int:
    """Read the JSON and touch each event."""
    return sum(len(event["callId"]) for result in json.loads(data)["results"] for event in result["events"])


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Seconds of CPU that it takes, the mean of so many times."""
    begin = time.process_time()
    for _ in range(rounds):
        work()
    return (time.process_time() - begin) / rounds


def main() -> None:
    """Measure and print."""
    results, events, repeats = map(int, sys.argv[1:4])
    suite, data = make(results, events)
    works: list[Callable[[], object]] = [partial(floor, data)]
    works += [partial(score, data, suite, profile) for profile in (Profile.ORIGINAL, Profile.STRICT)]
    for work in works:
        work()
    rounds = max(1, 2_000 // (results * events))
    for _ in range(repeats):
        sys.stdout.write(" ".join(str(seconds(work, rounds)) for work in works) + "\n")
    peaks = []
    for work in works[1:]:
        tracemalloc.start()
        work()
        peaks.append(tracemalloc.get_traced_memory()[1] / len(data))
        tracemalloc.stop()
    sys.stdout.write(" ".join(map(str, peaks)) + "\n")


if __name__ == "__main__":
    main()
