"""Scripts by name: chosen by a case, and taking rules from each other."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.replies.faults import Faults
from skilltrial.replies.scripts import check_includes, choice_fault, chosen, first_state, included
from skilltrial.replies.written import Word, Written


class Rule(Written):
    include: Word | None = None
    id: str = ""


@pytest.mark.parametrize(
    ("scripts", "options", "says"),
    [
        (["one"], {}, None),
        (["one", "two"], {"script": "two", "state": {"n": 1}}, None),
        (["one", "two"], {}, "which `script` of the replies it plays: one, two"),
        (["one"], {"script": "three"}, "no such `script`; they have one"),
        (["one"], {"script": 1}, "no such `script`"),
        (["one"], {"state": []}, "`state` is a mapping"),
        (["one"], {"state": {"n": ["\ud800"]}}, "`state` has half a character"),
        (["one"], {"scripts": "one"}, "can't set `scripts` of this fixture; it can set `script` and `state`"),
    ],
)
def test_a_case_chooses_one_script(scripts: list[str], options: Any, says: str | None) -> None:
    fault = choice_fault(scripts, options)

    assert fault is None if says is None else says in str(fault)


def test_what_a_case_chose_and_where_its_state_begins() -> None:
    assert chosen(["one", "two"], {"script": "two"}) == "two"
    assert chosen(["one"], {}) == "one"
    assert first_state({"a": 1, "b": 2}, {"state": {"b": 3}}) == {"a": 1, "b": 3}
    assert first_state({"a": 1}, {}) == {"a": 1}


def test_included_rules_stand_where_they_are_named() -> None:
    rules = {
        "all": [Rule(id="1"), Rule(include="some"), Rule(id="4")],
        "some": [Rule(id="2"), Rule(include="last")],
        "last": [Rule(id="3")],
    }
    faults = Faults()

    check_includes(rules, faults)

    made = {name: [rule.id for rule in own] for name, own in rules.items()}
    assert faults.found == {}
    assert list(included("all", rules, made)) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("rules", "place", "says"),
    [
        ({"a": [Rule(include="b")]}, ("scripts", "a", "rules", 0, "include"), "no script of this name"),
        ({"a": [Rule(include="a")]}, ("scripts", "a", "rules", 0, "include"), "in a circle"),
        ({"a": [Rule(include="b", id="x")], "b": []}, ("scripts", "a", "rules", 0), "stands alone"),
        ({"a": [Rule(include="b")], "b": [Rule(include="a")]}, ("scripts", "b", "rules", 0, "include"), "in a circle"),
    ],
)
def test_a_faulty_include_has_its_place(rules: Any, place: Any, says: str) -> None:
    faults = Faults()

    check_includes(rules, faults)

    assert says in faults.found[place]
