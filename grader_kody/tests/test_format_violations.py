"""S1 to S17: each rule of the format has a generator of its violation, and is broken alone and in pairs."""

from __future__ import annotations

import copy
import json
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial_grader_kody.faults import TranscriptInvalid
from skilltrial_grader_kody.reading import read
from skilltrial_grader_kody.words import Profile

Draw = Callable[[st.SearchStrategy[Any]], Any]
IDS = st.text(string.ascii_letters + "-_ é", min_size=1, max_size=6)

MISSING = object()
WORDLESS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2)
SCALAR = WORDLESS | st.text(max_size=3)
LIST, OBJECT = (
    st.lists(SCALAR, max_size=2),
    st.dictionaries(st.text("ab", max_size=1), SCALAR, max_size=2),
)
VALUE = SCALAR | LIST | OBJECT
NO_TEXT = WORDLESS | LIST | OBJECT | st.just("")
NO_OBJECT = SCALAR | LIST
NOT_ONE = st.none() | st.booleans() | st.integers(2, 9) | st.floats(-2, 0.5) | st.text(max_size=3) | LIST | OBJECT
NEW = st.text(string.ascii_lowercase, min_size=1, max_size=4).map("x-{}".format)
HOSTS = ("warp", "cursor", "claude", "chatgpt")
# Places of a document's results: a search, an invocation, an authoring event, and a skip.
EVENT, INVOKED, AUTHORED, SKIP = (
    (0, "events", 0),
    (0, "events", 2),
    (5, "events", 1),
    (8,),
)
MATCHED = (0, "events", 1, "match")
DAMAGES = (
    (0, 2), (4, "/"), (5, "13"), (8, "32"), (8, "00"), (10, " "), (10, "t"), (11, "24"), (14, "60"), (17, "60"),
    (19, "z"), (19, "+00:00"), (19, ""), (19, ".Z"), (16, "Z"),
)  # fmt: skip


def damaged(draw: Draw) -> object:
    at, text = draw(st.sampled_from(DAMAGES))
    good = "2026-07-14T21:00:00Z"
    if not isinstance(text, str):
        return draw(NO_TEXT)
    return good[:at] + text if at in (16, 19) else good[:at] + text + good[at + len(text) :]


def dropped_or_added(draw: Draw, place: tuple[Any, ...], keys: tuple[str, ...]) -> Any:
    if draw(st.booleans()):
        return (*place, draw(st.sampled_from(keys))), MISSING
    return (*place, draw(NEW)), draw(VALUE)


Part = Callable[[Draw], tuple[tuple[Any, ...], Any]]
"""A place, relative to the results where it begins with a number, and what stands there instead."""
PARTS: dict[str, Part] = {
    "S1": lambda draw: dropped_or_added(draw, (), ("schemaVersion", "evalName", "host", "model", "runAt")),
    "S2": lambda draw: (("schemaVersion",), draw(NOT_ONE)),
    "S3": lambda draw: (("evalName",), draw(VALUE)),
    "S4": lambda draw: (("host",), draw(VALUE | st.sampled_from([host.title() for host in HOSTS]))),
    "S5": lambda draw: (("model",), draw(NO_TEXT)),
    "S6": lambda draw: (("runAt",), damaged(draw)),
    "S7": lambda draw: draw(st.sampled_from([
        ((0,), draw(NO_OBJECT)), ((0, "outcome"), draw(VALUE | st.just(MISSING))),
    ])),
    "S8": lambda draw: draw(st.sampled_from([
        ((0, "caseId"), draw(NO_TEXT)), dropped_or_added(draw, (0,), ("caseId", "events")),
        ((0, "events"), draw(SCALAR | OBJECT)),
    ])),
    "S9": lambda draw: draw(st.sampled_from([
        ((*SKIP, "note"), draw(NO_TEXT)), dropped_or_added(draw, SKIP, ("caseId", "note")), ((*SKIP, "events"), []),
    ])),
    "S10": lambda draw: draw(st.sampled_from([
        ((*EVENT, "callId"), draw(NO_TEXT)), ((*EVENT, "status"), draw(VALUE)),
        dropped_or_added(draw, EVENT, ("callId", "toolName", "status", "input")),
    ])),
    "S11": lambda draw: ((*EVENT, "input"), draw(NO_OBJECT)),
    "S12": lambda draw: ((*draw(st.sampled_from([EVENT, INVOKED, AUTHORED])), "output"), MISSING),
    "S13": lambda draw: draw(st.sampled_from([
        ((*EVENT, "toolName"), draw(VALUE | st.just("execute"))),
        ((*EVENT, "match"), draw(NO_OBJECT | st.just(MISSING))),
    ])),
    "S14": lambda draw: draw(st.sampled_from([
        ((*MATCHED, "kind"), draw(VALUE | st.just(MISSING))),
        ((*MATCHED, "entityId"), draw(NO_TEXT | st.just(MISSING))),
        ((*EVENT, "match", "entityId"), draw(VALUE)),
    ])),
    "S15": lambda draw: draw(st.sampled_from([
        ((*INVOKED, "toolName"), draw(VALUE | st.just("search"))),
        ((*INVOKED, "targetEntityId"), draw(NO_TEXT | st.just(MISSING))),
        ((*INVOKED, "match"), {"kind": "no-exact-reusable"}),
    ])),
    "S16": lambda draw: draw(st.sampled_from([
        ((*AUTHORED, "toolName"), draw(VALUE | st.just("search"))), ((*AUTHORED, "match"), draw(VALUE)),
        ((*AUTHORED, "targetEntityId"), draw(IDS)),
    ])),
    "S17": lambda draw: ((*EVENT, "action"), draw(VALUE | st.sampled_from(["explain-only", "Search"]))),
}  # fmt: skip


def halves(kit: Any) -> Any:
    """A document whose results stand there twice: one half for each of two violations."""
    cases = kit.honest()
    cases["skipped"] = {
        "caseId": kit.ONE_OFF,
        "outcome": "skipped-no-eligible-match",
        "note": "none",
    }
    document = kit.document(cases)
    document["results"] += copy.deepcopy(document["results"])
    return document


def spoil(draw: Draw, rule: str, document: Any, half: int) -> str:
    """Break an S rule; the pointer of the place."""
    path, value = PARTS[rule](draw)
    if path and isinstance(path[0], int):
        path = ("results", path[0] + half * (len(document["results"]) // 2), *path[1:])
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    if value is MISSING:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = value
    return "".join(f"/{step}" for step in path)


def pointers(document: Any, profile: Profile) -> list[str]:
    with pytest.raises(TranscriptInvalid) as told:
        read(json.dumps(document).encode(), profile, lambda event: None)
    return [fault.pointer for fault in told.value.faults]


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", PARTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_each_fault_of_the_format_is_told_with_its_place_and_no_other(
    kit: Any, rule: str, profile: Profile, data: Any
) -> None:
    document = halves(kit)
    where = spoil(data.draw, rule, document, 0)

    told = pointers(document, profile)

    assert where in told
    assert all(one.startswith(where.rpartition("/")[0]) for one in told)


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", PARTS)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_each_fault_of_the_format_is_told_beside_every_other(kit: Any, rule: str, profile: Profile, data: Any) -> None:
    for other in PARTS:
        document = halves(kit)
        first = spoil(data.draw, rule, document, 0)
        second = spoil(data.draw, other, document, 1)

        assert {first, second} <= set(pointers(document, profile))


def test_every_rule_of_the_format_has_a_generator() -> None:
    assert list(PARTS) == [f"S{number}" for number in range(1, 18)]


@settings(max_examples=40, deadline=None)
@given(data=st.data(), fault=st.sampled_from(list(PARTS)))
def test_a_file_with_faults_is_not_scored_however_its_cases_went(kit: Any, data: Any, fault: str) -> None:
    document = halves(kit)
    document["results"][-2]["events"] = []
    where = spoil(data.draw, fault, document, 0)

    assert where in pointers(document, Profile.STRICT)
