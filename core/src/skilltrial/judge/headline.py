"""What a run says about a skill, in one of five ways, by an exact rule.

The question is whether the gate's arm passes more often than the reference on the same cases. Were the skill without
effect, then within a case it would be chance alone which of its trials passed in which arm. So the passes of each case
are dealt out anew to its two arms in every way there is, and `chance` is the share of ways in which the whole differs
at least as much as it did, in either direction. With one attempt a case that is the exact sign test of McNemar; with
more it is Fisher's exact test, case by case. It says something about these cases, and nothing about others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

from skilltrial.model.report import Headline, Pair, TrialReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import Owner, VerdictKind

LEVEL = Fraction(1, 20)
"""A difference that chance alone brings in no more than this share of runs is believed."""
MOST_ATTEMPTS = 20
"""No more attempts than this are recommended."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One case: how many of `n` trials passed in each of two arms."""

    ours: int
    theirs: int
    n: int


def headline(
    arm: str,
    reference: str | None,
    pairs: Sequence[Pair],
    trials: Sequence[TrialReport],
    doubts: Sequence[str] = (),
) -> Headline:
    """Say it. `pairs` are those of `arm` against `reference`, `trials` what they were made of.

    A trial of the two arms that shows nothing makes the run prove nothing. What is only unavailable in a pair is
    counted against whatever would be said: it is said only where it holds however that pair would have come out.
    """
    compared = [trial for trial in trials if trial.key.arm in (arm, reference)]
    if doubts:
        return Headline(says="proves_nothing", reason=doubts[0], owner=Owner.OPERATOR, reference=reference)
    if not any(trial.ending for trial in compared):
        return Headline(says="proves_nothing", reason="nothing_ran", owner=Owner.OPERATOR, reference=reference)
    if broken := [trial.verdict for trial in compared if trial.verdict.kind is VerdictKind.INCOMPLETE]:
        (reason, owner), _ = Counter((one.reason, one.owner) for one in broken).most_common(1)[0]
        return Headline(says="proves_nothing", reason=reason, owner=owner, reference=reference)
    kinds = {trial.key: trial.verdict.kind for trial in compared}
    ran = [pair for pair in pairs if kinds.get(_ours(pair, arm)) is not VerdictKind.SKIPPED]
    if reference is None or not ran:
        return Headline(says="cant_tell", reason="nothing_to_compare_with", reference=reference)
    decided = any(kind in (VerdictKind.PASSED, VerdictKind.FAILED) for kind in kinds.values())
    return _compared(reference, ran, decided=decided)


def _compared(reference: str, pairs: Sequence[Pair], *, decided: bool) -> Headline:
    found = Counter(pair.outcome for pair in pairs)
    told = Headline(
        says="cant_tell",
        reference=reference,
        better=found["improved"],
        worse=found["regressed"],
        alike=found["tied-pass"] + found["tied-fail"],
        unavailable=found["unavailable"],
    )
    if found["unavailable"] == len(pairs):
        # Where trials passed or failed and no two can be compared, it is not their checks that are missing.
        return told.model_copy(update={"reason": "pairs_unavailable" if decided else "nothing_verified"})
    for says, missing in (("helps", "regressed"), ("hurts", "improved")):
        cases = tallies(pairs, missing)
        if (share := chance(cases)) <= LEVEL and (surplus(cases) > 0) is (says == "helps"):
            return told.model_copy(update={"says": says, "chance": _decimal(share)})
    seen = tallies(pairs, None)
    told = told.model_copy(update={"chance": _decimal(chance(seen))})
    if found["unavailable"]:
        return told.model_copy(update={"reason": "pairs_unavailable"})
    if all(one.ours == one.theirs for one in seen):
        return told.model_copy(update={"says": "no_difference_seen"})
    needed = enough_attempts(len(seen))
    few = needed is not None and needed > max(one.n for one in seen)
    return told.model_copy(
        update={"reason": "too_few_trials", "attempts_needed": needed} if few else {"reason": "within_chance"}
    )


def tallies(pairs: Iterable[Pair], missing: str | None) -> tuple[Tally, ...]:
    """The cases of `pairs`. A pair that is unavailable counts as `missing`, or not at all where that is None."""
    cases: dict[str, list[str]] = {}
    for pair in pairs:
        outcome = pair.outcome if pair.outcome != "unavailable" else missing
        if outcome is not None:
            cases.setdefault(pair.case, []).append(outcome)
    return tuple(
        Tally(
            ours=sum(one in ("improved", "tied-pass") for one in outcomes),
            theirs=sum(one in ("regressed", "tied-pass") for one in outcomes),
            n=len(outcomes),
        )
        for outcomes in cases.values()
    )


def surplus(cases: Iterable[Tally]) -> int:
    """How many trials more passed on our side."""
    return sum(one.ours - one.theirs for one in cases)


def chance(cases: Sequence[Tally]) -> Fraction:
    """How often chance alone brings a difference at least as large as this one, in either direction: exactly."""
    ways = [1]
    for one in cases:
        passed = one.ours + one.theirs
        here = [comb(one.n, ours) * comb(one.n, passed - ours) if ours <= passed else 0 for ours in range(one.n + 1)]
        ways = _together(ways, here)
    total = prod(comb(2 * one.n, one.ours + one.theirs) for one in cases)
    seen = sum(one.ours for one in cases)
    tail = min(sum(ways[: seen + 1]), sum(ways[seen:]))
    return min(Fraction(1), Fraction(2 * tail, total))


def enough_attempts(cases: int) -> int | None:
    """With how many attempts `cases` could tell, were all trials to pass in one arm and none in the other."""
    for attempts in range(1, MOST_ATTEMPTS + 1):
        if chance([Tally(attempts, 0, attempts)] * cases) <= LEVEL:
            return attempts
    return None


def _together(ways: Sequence[int], more: Sequence[int]) -> list[int]:
    """In how many ways each sum comes about."""
    sums = [0] * (len(ways) + len(more) - 1)
    for at, one in enumerate(ways):
        for beyond, other in enumerate(more):
            sums[at + beyond] += one * other
    return sums


def _ours(pair: Pair, arm: str) -> TrialKey:
    return TrialKey(case=pair.case, arm=arm, label=pair.label)


def _decimal(share: Fraction) -> str:
    return f"{float(share):.4f}".rstrip("0").rstrip(".")
