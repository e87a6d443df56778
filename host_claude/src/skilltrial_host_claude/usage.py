"""Tokens and cost of one turn. The program counts both over the whole conversation, resumed ones too."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from .lines import Object, inner, whole

_TOKENS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "thinkingTokens")
_PLAIN = ("input_tokens", "output_tokens", "cache_read_input_tokens")
"""The keys of a count's first fields, in their order: of a model, and of a result."""


class Count(NamedTuple):
    """Of one turn, or of a conversation so far; None where unknown. `input` is without what the cache gave or took."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    cost: Decimal | None = None

    def since(self, before: Count) -> Count:
        """This count without what was counted `before`; a field is unknown where either is, or where it went back."""
        return Count(*map(_less, self, before))


NOTHING = Count(0, 0, 0, 0, Decimal(0))
"""What a conversation has used before its first turn."""


def used(results: Sequence[Object], before: Count | None) -> Count | None:
    """What a process used, by its `results`; `before` is what the conversation had used when it began.

    By what each result counts since the one before it; else by the running count; else by the results' own usage,
    which leaves subagents out. None where no result counts anything.
    """
    since = [result.get("model_usage_since_last_result") for result in results]
    if since and all(isinstance(each, dict) for each in since):
        return _sum([_models(each) for each in since if isinstance(each, dict)])
    total = running(results)
    if total is not None and before is not None and (spent := total.since(before)).input is not None:
        return spent
    plain = [_plain(result) for result in results]
    return _sum(plain) if any(each != Count() for each in plain) else None


def running(results: Sequence[Object]) -> Count | None:
    """The running count after a process; None where its last result has none."""
    last = results[-1].get("modelUsage") if results else None
    return _models(last) if isinstance(last, dict) else None


def _models(models: Object) -> Count:
    """The sum over models; an empty table means that none was asked."""
    return _sum([_of_model(each) for each in models.values() if isinstance(each, dict)])


def _of_model(model: Object) -> Count:
    given, made, cached, reasoning = [whole(model, key) for key in _TOKENS]
    return Count(given, made, cached, reasoning, _money(model.get("costUSD")))


def _plain(result: Object) -> Count:
    usage = inner(result, "usage")
    details = inner(usage, "output_tokens_details")
    given, made, cached = [whole(usage, key) for key in _PLAIN]
    return Count(given, made, cached, whole(details, "thinking_tokens"))


def _sum(counts: Sequence[Count]) -> Count:
    if len(counts) == 1:
        return counts[0]
    if not counts:
        return NOTHING
    *tokens, costs = zip(*counts, strict=True)
    given, made, cached, reasoning = map(_total, tokens)
    return Count(given, made, cached, reasoning, None if None in costs else sum(costs, Decimal(0)))


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _less(now: Any, before: Any) -> Any:
    return None if now is None or before is None or now < before else now - before


def _money(value: object) -> Decimal | None:
    """US dollars, without the dust that binary fractions leave."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return Decimal(repr(round(float(value), 9)))
