"""The suite: eight cases in our own words, whose prompts give nothing away."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from skilltrial.api import InvalidRequest
from skilltrial_grader_kody.suite import DATA, read_suite, shipped_suite
from skilltrial_grader_kody.words import Action, Route

SUITE = shipped_suite()


def test_there_are_eight_cases_on_three_routes():
    routes = Counter(case.expected.route for case in SUITE.cases)

    assert len({case.id for case in SUITE.cases}) == 8
    assert routes == {Route.EXISTING: 2, Route.ONE_OFF: 3, Route.AUTHORING: 3}


def test_the_limits_are_one_search_three_reads_eight_steps():
    limits = SUITE.actionCardinality

    assert (limits.searchMinimum, limits.readOnlyMaximum, limits.authoringStepMaximum) == (1, 3, 8)


def test_only_the_reuse_cases_depend_on_the_inventory():
    dependent = {case.id for case in SUITE.cases if case.may_be_skipped}

    assert dependent == {case.id for case in SUITE.cases if case.expected.route is Route.EXISTING}


@pytest.mark.parametrize("case", SUITE.cases, ids=lambda case: case.id)
def test_no_prompt_gives_the_route_away(case):
    prompt = case.prompt.lower()

    assert not re.search(r"\bpackages?\b", prompt)
    for label in (*Route, *Action):
        assert label.value not in prompt
    for word in ("kody", "workflow", "execute", "search"):
        assert not re.search(rf"\b{word}\b", prompt)


@pytest.mark.parametrize("case", SUITE.cases, ids=lambda case: case.id)
def test_what_is_required_is_allowed_and_the_end_is_required(case):
    assert set(case.expected.requiredActions) <= set(case.expected.allowedActions)
    assert case.expected.terminalAction in case.expected.requiredActions


def shipped() -> dict:
    return json.loads(files("skilltrial_grader_kody").joinpath(DATA).read_bytes())


def test_a_suite_with_a_doubled_case_id_is_invalid():
    value = shipped()
    value["cases"].append(value["cases"][0])

    with pytest.raises(InvalidRequest, match="same id"):
        read_suite(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("key", "value"),
    [("requiredActions", ["author-package"]), ("terminalAction", "other-execute"), ("route", "nowhere"), ("more", 1)],
)
def test_a_suite_that_contradicts_itself_is_invalid(key, value):
    written = shipped()
    written["cases"][2]["expected"][key] = value

    with pytest.raises(InvalidRequest, match="cases/2/expected"):
        read_suite(json.dumps(written).encode())
