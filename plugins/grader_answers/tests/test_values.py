"""Checks on the value that an answer is."""

from __future__ import annotations

import json
import time

import pytest

from skilltrial.api import Outcome

FORMS = [
    "{}",
    " {}\n",
    "`{}`",
    "```\n{}\n```",
    "```json\n{}\n```",
    "```Python\n {} \n```",
    "``` JSON\n{}\n```",
    "```{}```",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("literal", ["[1, 2]", "[1,2]", "[ 1 ,\n2 ]"])
def test_equivalent_renderings_of_a_list_all_pass(judged, answered, form, literal):
    answer = form.replace("{}", literal)
    assert judged({"answers": {"list": [1, 2]}}, answered(answer)).outcome is Outcome.PASSED
    assert judged({"answers": {"pointer": "/1", "equals": 2}}, answered(answer)).outcome is Outcome.PASSED
    assert judged({"answers": {"schema": {"maxItems": 2}}}, answered(answer)).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The answer is [1, 2]", "not_a_list"),
        ("[1, 2].", "not_a_list"),
        ("[1, 2] done", "not_a_list"),
        ("(1, 2)", "not_a_list"),
        ("1, 2", "not_a_list"),
        ("", "not_a_list"),
        ("```py\n[1, 2]\n```", "not_a_list"),
        ("```javascript\n[1, 2]\n```", "not_a_list"),
        ("~~~\n[1, 2]\n~~~", "not_a_list"),
        ("``[1, 2]``", "not_a_list"),
        ("`[1, 2]", "not_a_list"),
        ("[1, 2]`", "not_a_list"),
        ("`", "not_a_list"),
        ("````\n[1, 2]\n````", "not_a_list"),
        ("```\n[1, 2]", "not_a_list"),
        ("```\n[1, 2]\n```\nDone.", "not_a_list"),
        ("```\n[1, 2]\n```\n```\n[1, 2]\n```", "not_a_list"),
        ("[1, 2,]", "not_a_list"),
        ("[1, 2] # two", "not_a_list"),
        ("[1]+[2]", "not_a_list"),
        ('{"0": 1}', "not_a_list"),
        ("null", "not_a_list"),
        ("[" * 100_000, "not_a_list"),
        ("'" * 100_000, "not_a_list"),
        ('"\\' * 9_999, "not_a_list"),
        ('"\\' * 300_000, "not_a_list"),
        ("[1, 3]", "list_differs"),
        ("[2, 1]", "list_differs"),
        ("[1]", "list_differs"),
        ("[1.0, 2.0]", "list_differs"),
        ('["1", "2"]', "list_differs"),
        ("[true, 2]", "list_differs"),
        ("[[1, 2]]", "list_differs"),
    ],
)
def test_anything_else_than_the_list_fails(judged, answered, answer, reason):
    start = time.process_time()
    result = judged({"answers": {"list": [1, 2]}}, answered(answer))
    assert (result.outcome, result.reason) == (Outcome.FAILED, reason)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("['a', 'b']", ["a", "b"]),
        ("[True, False, None]", [True, False, None]),
        ("""['it\\'s', "it's", 'say "x"']""", ["it's", "it's", 'say "x"']),
        ("""["True", 'None']""", ["True", "None"]),
        (r"['tab\t', 'back\\slash']", ["tab\t", "back\\slash"]),
        ("['кот', {'a': 1}]", ["кот", {"a": 1}]),
    ],
)
def test_a_list_may_be_spelled_as_python_does(judged, answered, literal, value):
    assert judged({"answers": {"list": value}}, answered(f"```python\n{literal}\n```")).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"status": "pending", "n": [1]}', "holds"),
        ('```json\n{"status": "pending"}\n```', "holds"),
        ('{"status": "done"}', "value_differs"),
        ('{"state": "pending"}', "pointer_missing"),
        ('Here: {"status": "pending"}', "not_json"),
        ('{"status": "pending", "status": "done"}', "not_json"),
        ("NaN", "not_json"),
    ],
)
def test_a_value_in_json(judged, answered, answer, reason):
    assert judged({"answers": {"pointer": "/status", "equals": "pending"}}, answered(answer)).reason == reason


@pytest.mark.parametrize("beside", [False, True])
def test_a_schema_is_held(judged, answered, beside):
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    check = {"answers": {"schema": "s/a.json" if beside else schema}}
    assets = {"s/a.json": json.dumps(schema).encode()}
    assert judged(check, answered('{"n": 1}', assets=assets)).outcome is Outcome.PASSED
    assert judged(check, answered('{"n": "1"}', assets=assets)).reason == "schema_not_met"
    assert judged(check, answered("{}", assets=assets)).reason == "schema_not_met"
    assert judged(check, answered("n = 1", assets=assets)).reason == "not_json"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "asset_missing"),
        (b"{", "schema_unusable"),
        (b'{"type": 3}', "schema_unusable"),
        (b'{"$ref": "http://127.0.0.1:9/x"}', "schema_unusable"),
        (b'{"$id": "http://127.0.0.1:9/y", "$ref": "x"}', "schema_unusable"),
    ],
)
def test_a_schema_that_can_t_decide_is_the_operators(judged, answered, data, reason):
    result = judged({"answers": {"schema": "s.json"}}, answered("{}", assets={} if data is None else {"s.json": data}))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, reason, "operator")


def test_a_slow_pattern_in_a_schema_ends(judged, answered):
    result = judged({"answers": {"schema": {"pattern": "(x+x+)+y"}}}, answered(json.dumps("x" * 3_000)))
    assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, "pattern_too_slow")
