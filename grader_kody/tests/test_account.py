"""A real account: what is asked there, what its answers show in whatever form they come, and what a call left."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from ruamel.yaml import YAML

from skilltrial.api import Heard, Question
from skilltrial.testing import AnswererFacade, bind
from skilltrial_grader_kody.answerer import KodyAnswerer
from skilltrial_grader_kody.inventory import read_inventory
from skilltrial_grader_kody.shown import packages

KODY = bind(AnswererFacade, "kody", KodyAnswerer())
SPEC = importlib.util.find_spec("skilltrial_grader_kody")
assert SPEC is not None
assert SPEC.submodule_search_locations is not None
SUITE = Path(SPEC.submodule_search_locations[0]) / "live/suite.yaml"
CASES: dict[str, Any] = {
    case["id"]: case for case in YAML(typ="safe", pure=True).load(SUITE.read_text("utf-8"))["cases"]
}
each_case = pytest.mark.parametrize("id", CASES)


def state(case: Any) -> dict[str, Any]:
    found: dict[str, Any] = case["fixtures"]["kody"]["state"]
    return found


MARKDOWN = """# Search results

1. **Weekly follow-ups** (package)
   Drafts follow-up mails in your tone.
   Entity: `package:follow-ups`, import `kody:@dana/follow-ups/run`
2. **run** (package export): drafts follow-up mails. `package:follow-ups#run`
- **valueList** (capability) `capability:valueList`

## Contact lookup
`package:@dana/contact-lookup`: finds the address of a contact.
"""
STRUCTURED: JsonValue = {
    "matches": [
        {
            "type": "package",
            "entity": "package:follow-ups",
            "title": "Weekly follow-ups",
            "summary": "Drafts follow-up mails in your tone.",
            "exports": [{"entity": "package:follow-ups#run", "import": "kody:@dana/follow-ups/run"}],
        },
        {"type": "capability", "entity": "capability:valueList", "summary": "Lists values; see package: authoring."},
        {"entity": "package:@dana/contact-lookup", "summary": "finds the address of a contact."},
    ]
}
BLOCKS = [{"type": "text", "text": MARKDOWN}]


@pytest.mark.parametrize("answer", [MARKDOWN, STRUCTURED, BLOCKS])
def test_packages_are_found_in_whatever_form_a_search_answers(answer: Any) -> None:
    shown = packages(answer)

    assert [one.name for one in shown] == ["@dana/follow-ups", "@dana/contact-lookup"]
    own = next(one for one in shown if one.name == "@dana/follow-ups")
    assert "Drafts follow-up mails" in own.text
    assert "address" not in own.text


@pytest.mark.parametrize("answer", ["No results.", [], {}, None, 3, "package:", {"a": "package: authoring"}])
def test_nothing_is_found_where_nothing_is(answer: Any) -> None:
    assert packages(answer) == []


def heard(id: str, *answers: Any, is_error: bool = False) -> list[Heard]:
    return [
        Heard(asked, one, is_error) for asked, one in zip(KODY.list_questions(state(CASES[id])), answers, strict=True)
    ]


REUSE, ONCE, BRIEF = "reuse-recurring-email-drafter", "schedule-single-reminder", "author-reusable-scheduled-brief"
LAUNCH: JsonValue = {"entity": "package:@dana/launch", "summary": "Reminds of the launch checklist."}
VALUES = {"calls": [{"call": "kody.valueList", "result": [{"name": "project-updates"}]}]}


@pytest.mark.parametrize(
    ("id", "answers", "why", "skips"),
    [
        (REUSE, (MARKDOWN,), "holds", False),
        (REUSE, (STRUCTURED,), "holds", False),
        (REUSE, ("Nothing found.",), "skipped_no_eligible_match", True),
        (
            REUSE,
            ([STRUCTURED, {"entity": "package:more", "title": "Follow-up mails"}],),
            "skipped_no_eligible_match",
            True,
        ),
        (ONCE, (MARKDOWN,), "holds", False),
        (ONCE, ([LAUNCH],), "exact_result_present", False),
        (ONCE, (None,), "search_unanswered", False),
        (ONCE, ("",), "search_unanswered", False),
        (BRIEF, ("nothing", VALUES), "holds", False),
        (BRIEF, ("nothing", {"calls": [{"result": [{"name": "project-updates-old"}]}]}), "value_missing", False),
        (BRIEF, ("nothing", "- `project-updates` (user)"), "holds", False),
    ],
)
def test_an_account_is_ready_or_says_why_not(id: str, answers: Any, why: str, skips: bool) -> None:
    ready = KODY.check_ready(state(CASES[id]), heard(id, *answers))

    assert (ready.why, ready.skips, ready.holds) == (why, skips, why == "holds")
    json.dumps(ready.found)


def test_an_error_is_no_answer() -> None:
    assert KODY.check_ready(state(CASES[ONCE]), heard(ONCE, "x", is_error=True)).why == "search_unanswered"


def test_what_a_case_declares_beats_what_an_entry_says() -> None:
    told = state(CASES[ONCE]) | {
        "saved": [{"id": "p-1", "name": "@dana/launch", "title": "x", "description": "x", "serves": "primitive"}]
    }
    assert KODY.check_ready(told, [Heard(Question("search", {}), [LAUNCH])]).holds


@each_case
def test_the_words_of_a_case_know_the_exact_result_that_its_inventory_declares_and_no_other(id: str) -> None:
    inventory = read_inventory(state(CASES[id]))

    assert inventory.presupposes.query
    for one in inventory.saved:
        said = f"{one.name} {one.title} {one.description}"
        assert inventory.presupposes.is_exact(said) == (one.serves == "exact"), one.name


@each_case
def test_what_the_honest_scripts_author_is_known_as_exact_for_its_own_case_at_most(id: str) -> None:
    """A reminder that one case left must not make another case's account unfit."""
    authored = {
        "schedule-simple-recurring-reminder": "Every Friday: a reminder to hand in the timesheet",
        "author-reusable-scheduled-brief": "A weekly status brief made from project-updates",
        "author-validated-cleanup-automation": "Cleans names of contacts",
        "schedule-single-reminder": "A reminder to go through the launch checklist",
    }
    presupposed = read_inventory(state(CASES[id])).presupposes
    assert [case for case, said in authored.items() if presupposed.is_exact(said)] == ([id] if id in authored else [])


@pytest.mark.parametrize(
    ("arguments", "is_error", "left"),
    [
        (
            {"code": "await kody.packageSave({ name: '@me/a' });"},
            False,
            ["line 1: kody.packageSave (@me/a) left something"],
        ),
        ({"code": "await kody.packageSave({});"}, True, ["line 1: kody.packageSave may have left something"]),
        ({"code": "if (params.x) await workflows.create({ runAt: 'x' });"}, False, ["workflows.create may have left"]),
        (
            {"code": "import run from 'kody:@me/a/run'; await run({});"},
            False,
            ["kody:@me/a/run may have left something"],
        ),
        ({"code": "await eval(x);"}, False, ["may have left something"]),
        ({"code": "const ("}, False, ["can't be followed and may have left"]),
        ({"invoke": {"entity": "package:@me/a"}}, False, ["@me/a was run and may have left something"]),
        ({"code": "return await kody.packageList({});"}, False, []),
        ({}, False, []),
    ],
)
def test_what_a_call_left_is_told_by_its_code(arguments: Any, is_error: bool, left: list[str]) -> None:
    told = KODY.remark("execute", arguments, None, is_error, state(CASES[ONCE])).left

    assert len(told) == len(left), told
    assert all(want in one for want, one in zip(left, told, strict=True)), told


def test_a_search_is_marked_with_the_exact_results_that_it_showed() -> None:
    now = state(CASES[REUSE])
    assert KODY.remark("search", {}, STRUCTURED, False, now).marks == {"exact": ["@dana/follow-ups"]}
    assert KODY.remark("search", {}, "nothing", False, now).marks == {"exact": []}
    assert KODY.remark("search", {}, "nothing", False, now).left == ()
