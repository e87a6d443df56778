"""Tokens and cost of a turn, from a program that counts over the whole conversation."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial_host_claude.usage import NOTHING, Count, running
from skilltrial_host_claude.usage import used as used_or_unknown


def model(input: int, output: int = 1, *, cached: int = 0, cost: float = 0.0, thinking: int = 0):
    return {
        "inputTokens": input,
        "outputTokens": output,
        "cacheReadInputTokens": cached,
        "thinkingTokens": thinking,
        "costUSD": cost,
    }


def plain(input: int, output: int = 1):
    return {"usage": {"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 0}}


def used(results, before) -> Count:
    """What a turn used, where it is known."""
    count = used_or_unknown(results, before)
    assert count is not None
    return count


def test_what_each_result_counts_since_the_last_one_is_added_up():
    """A subagent's tokens are in no result's own usage."""
    results = [
        {**plain(200), "modelUsage": {"m": model(400)}, "model_usage_since_last_result": {"m": model(400)}},
        {**plain(100), "modelUsage": {"m": model(400)}, "model_usage_since_last_result": {}},
    ]

    assert used(results, NOTHING).input == 400


def test_without_that_the_earlier_turns_are_taken_away():
    before = running([{"modelUsage": {"m": model(1400, 350, cost=0.01372)}}])
    results = [{**plain(200, 50), "modelUsage": {"m": model(1600, 400, cost=0.01568)}}]

    assert used(results, before) == Count(200, 50, 0, 0, Decimal("0.00196"))


def test_a_count_that_went_back_is_not_trusted():
    before = running([{"modelUsage": {"m": model(1400)}}])

    assert used([{**plain(200), "modelUsage": {"m": model(100)}}], before).input == 200


def test_results_that_count_nothing_are_unknown_not_zero():
    assert used_or_unknown([{}], NOTHING) is None
    assert used_or_unknown([{"usage": {}}], NOTHING) is None
    assert used_or_unknown([], NOTHING) is None


def test_a_count_that_one_result_lacks_is_unknown_for_the_turn():
    counted = used([plain(5), {"usage": {"output_tokens": 3}}], NOTHING)

    assert (counted.input, counted.output) == (None, 4)


def test_several_models_are_added_up():
    since = {"a": model(10, 2, cached=3, cost=0.5), "b": model(1, 1, cached=1, cost=0.25)}

    assert used([{"model_usage_since_last_result": since}], NOTHING) == Count(11, 3, 4, 0, Decimal("0.75"))


@pytest.mark.parametrize("value", [True, -1, 1.5, "5", None, [5]])
def test_only_whole_numbers_are_counts(value):
    assert used([{"model_usage_since_last_result": {"m": {**model(1), "inputTokens": value}}}], NOTHING).input is None


@pytest.mark.parametrize("cost", [True, "0.1", None, float("nan"), float("inf"), -0.1, 1e300])
def test_only_sums_of_money_are_costs(cost):
    assert used([{"model_usage_since_last_result": {"m": {**model(1), "costUSD": cost}}}], NOTHING).cost is None


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_the_turns_add_up_to_the_conversation(inputs):
    """R59: what a turn used is counted once, whichever turn it was."""
    before: Count | None = NOTHING
    total = counted = 0
    for input in inputs:
        total += input
        results = [{"modelUsage": {"m": model(total)}}]
        counted += used(results, before).input or 0
        before = running(results)

    assert counted == total
