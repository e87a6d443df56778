"""Checks on the words of an answer."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from skilltrial.api import Ending, Outcome, Sees, SessionEnded, TurnEnded
from skilltrial.testing import of_turn

TABLE = [
    ({"answers": "STATUS: SAVED"}, "STATUS: SAVED.", "holds"),
    ({"answers": "STATUS: SAVED"}, "**STATUS: SAVED**", "holds"),
    ({"answers": "STATUS: SAVED"}, "status: saved", "text_missing"),
    ({"answers": "STATUS: SAVED", "ignore_case": True}, "status: saved", "holds"),
    ({"answers": "4"}, "It is 4.", "holds"),
    ({"answers": "4"}, "It is 42.", "text_missing"),
    ({"answers": "4"}, "42, no, 4", "holds"),
    ({"answers": "4", "whole_words": False}, "It is 42.", "holds"),
    ({"answers": "cat"}, "concatenate", "text_missing"),
    ({"answers": "cat"}, "cats", "text_missing"),
    ({"answers": "cat"}, "my_cat", "text_missing"),
    ({"answers": "cat"}, "cat-like", "holds"),
    ({"answers": "кот"}, "который", "text_missing"),
    ({"answers": "кот"}, "Это кот!", "holds"),
    ({"answers": "cafe"}, "cafe\u0301", "text_missing"),
    ({"answers": "c++"}, "c++11", "holds"),
    ({"answers": ".py"}, "a.py", "holds"),
    ({"answers": ".py"}, "a.pyc", "text_missing"),
    ({"answers": "猫"}, "猫", "holds"),
    ({"answers": "two\nlines"}, "two\r\nlines", "holds"),
    ({"answers": ["a", "b"]}, "b a", "holds"),
    ({"answers": ["a", "c"]}, "b a", "text_missing"),
    ({"answers": {"lacks": "STATUS: SAVED"}}, "STATUS: FAILED", "holds"),
    ({"answers": {"lacks": "STATUS: SAVED"}}, "not STATUS: SAVED", "text_present"),
    ({"answers": {"lacks": "4"}}, "42", "holds"),
    ({"answers": {"lacks": ["x", "a"]}}, "b a", "text_present"),
    ({"answers": {"starts_with": "STATUS: SAVED"}}, "  STATUS: SAVED now\n", "holds"),
    ({"answers": {"starts_with": "STATUS: SAVED"}}, "**STATUS: SAVED**", "begins_otherwise"),
    ({"answers": {"starts_with": "STATUS: SAVED"}}, "> STATUS: SAVED", "begins_otherwise"),
    ({"answers": {"ends_with": "done."}}, "All done.\n\n", "holds"),
    ({"answers": {"ends_with": "done."}}, "done. Bye", "ends_otherwise"),
    ({"answers": {"equals": "NO_MATCHES"}}, "\nNO_MATCHES ", "holds"),
    ({"answers": {"equals": "NO_MATCHES\n"}}, "NO_MATCHES", "holds"),
    ({"answers": {"equals": "NO_MATCHES"}}, "NO_MATCHES.", "answer_differs"),
    ({"answers": {"equals": ""}}, " ", "holds"),
    ({"answers": {"matches": r"^\d+$"}}, " 42 ", "holds"),
    ({"answers": {"matches": r"^\d+$"}}, "42!", "pattern_missing"),
    ({"answers": {"matches_not": r"\d"}}, "none", "holds"),
    ({"answers": {"matches_not": r"\d"}}, "42", "pattern_present"),
    ({"answers": {"max_words": 2}}, "two words", "holds"),
    ({"answers": {"max_words": 2}}, "now three words", "too_long"),
    ({"answers": {"max_chars": 3}}, "abc\n", "holds"),
    ({"answers": {"max_chars": 3}}, "abcd", "too_long"),
]
REPORTED = {"starts_with": "STATUS: FAILED", "contains": "FIXTURE_WRITE_DENIED", "lacks": "STATUS: SAVED"}


@pytest.mark.parametrize(("check", "answer", "reason"), TABLE)
def test_a_check_on_words(judged, answered, check, answer, reason):
    result = judged(check, answered(answer))
    assert result.reason == reason
    assert result.outcome is (Outcome.PASSED if reason == "holds" else Outcome.FAILED)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("STATUS: FAILED (FIXTURE_WRITE_DENIED)", "holds"),
        ("STATUS: FAILED, the server said `FIXTURE_WRITE_DENIED`.", "holds"),
        ("STATUS: FAILED", "text_missing"),
        ("I could not save. STATUS: FAILED FIXTURE_WRITE_DENIED", "begins_otherwise"),
        ("STATUS: FAILED FIXTURE_WRITE_DENIED. Later: STATUS: SAVED", "text_present"),
    ],
)
def test_all_predicates_of_one_check_must_hold(judged, answered, answer, reason):
    assert judged({"answers": REPORTED}, answered(answer)).reason == reason


@pytest.mark.parametrize("check", [check for check, _, _ in TABLE] + [{"answers": {"list": []}}])
@pytest.mark.parametrize("answers", [(None,), ("STATUS: SAVED", None)])
def test_an_answer_that_was_not_seen_decides_nothing(judged, answered, check, answers):
    result = judged(check, answered(*answers))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, "answer_not_seen", "host")


def test_the_last_turn_is_the_one_that_counts(judged, answered):
    assert judged({"answers": "two"}, answered("one", "two")).outcome is Outcome.PASSED
    assert judged({"answers": "one"}, answered("one", "two")).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("turn", "answers", "reason"),
    [
        (1, ("one", "two"), "holds"),
        (2, ("one", "two"), "text_missing"),
        (2, ("two", "one"), "holds"),
        (1, ("one", None), "holds"),
        (2, ("one", None), "answer_not_seen"),
        (1, (None, "one"), "answer_not_seen"),
        (None, ("one", None), "answer_not_seen"),
        (None, ("two", "one"), "holds"),
    ],
)
def test_a_check_may_be_about_one_turn(judged, answered, turn, answers, reason):
    ends = [TurnEnded(seq=at, turn=at, answer=answer) for at, answer in enumerate(answers, 1)]
    whole = replace(answered(*answers), events=(*ends, SessionEnded(seq=9, turn=2, ending=Ending.COMPLETED)))
    evidence = whole if turn is None else of_turn(whole, turn)
    assert judged({"answers": "one"}, evidence).reason == reason


def test_answers_must_be_shown(grader, read):
    assert grader.check_needs(read({"answers": "x"})) == {Sees.ANSWERS}


@pytest.mark.parametrize("predicate", ["matches", "matches_not"])
def test_a_pattern_without_end_is_unverified_and_the_graders_fault(judged, answered, predicate):
    start = time.process_time()
    result = judged({"answers": {predicate: "(x+x+)+y"}}, answered("x" * 3_000))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, "pattern_too_slow", "grader")
    assert time.process_time() - start < 5


def test_what_is_plainly_wrong_outweighs_a_slow_pattern(judged, answered):
    check = {"answers": {"matches": "(x+x+)+y", "max_words": 1}}
    assert judged(check, answered("x" * 3_000 + " and more")).reason == "too_long"
