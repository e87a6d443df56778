"""The five headlines, and the exact chance that they stand on."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.judge.headline import Tally, chance, enough_attempts, headline
from skilltrial.model.report import Pair, PairOutcome, TrialReport, Verdict
from skilltrial.model.words import Ending, Owner, VerdictKind

KINDS = {"P": VerdictKind.PASSED, "F": VerdictKind.FAILED, "U": VerdictKind.UNVERIFIED}
OUTCOMES: dict[str, PairOutcome] = {"PF": "improved", "FP": "regressed", "PP": "tied-pass", "FF": "tied-fail"}


def said(w, *pairs, attempts=1, broken=None, doubts=()):
    """The headline of pairs such as `PF` (ours passed, theirs failed), `attempts` of them a case."""
    found, trials = [], []
    for at, (ours, theirs) in enumerate(pairs):
        case, label = f"case-{at // attempts}", str(at % attempts + 1)
        outcome = OUTCOMES.get(ours + theirs, "unavailable")
        found.append(Pair(case=case, label=label, reference="without_skill", outcome=outcome))
        for arm, letter in (("with_skill", ours), ("without_skill", theirs)):
            kind = KINDS.get(letter, VerdictKind.INCOMPLETE if letter == "I" else VerdictKind.SKIPPED)
            verdict = Verdict(kind=kind, reason=None if letter == "P" else broken or "told", owner=Owner.HOST)
            ending = None if letter == "S" else Ending.COMPLETED
            trials.append(TrialReport(key=w.key(case, arm, label), polarity="positive", verdict=verdict, ending=ending))
    return headline("with_skill", "without_skill", found, trials, doubts)


@pytest.mark.parametrize(
    ("pairs", "attempts", "says", "reason"),
    [
        (["PF"] * 6, 1, "helps", None),
        (["FP"] * 6, 1, "hurts", None),
        (["PF"] * 5, 1, "cant_tell", "too_few_trials"),
        (["PF"], 1, "cant_tell", "too_few_trials"),
        (["PF"] * 4, 4, "helps", None),
        (["PF"] * 3, 3, "cant_tell", "too_few_trials"),
        (["PF"] * 8 + ["FP"], 1, "helps", None),
        (["PF"] * 8 + ["FP"] * 2, 1, "cant_tell", "within_chance"),
        (["PP"], 1, "no_difference_seen", None),
        (["FF", "PP"], 1, "no_difference_seen", None),
        (["PF", "FP"], 2, "no_difference_seen", None),
        (["PF", "FP"], 1, "cant_tell", "too_few_trials"),
        (["PF"] * 3 + ["FP"] * 3, 1, "cant_tell", "within_chance"),
        (["PF"] * 9 + ["UF"], 1, "helps", None),
        (["PF"] * 6 + ["UF"], 1, "cant_tell", "pairs_unavailable"),
        (["PP", "UU"], 1, "cant_tell", "pairs_unavailable"),
        (["UU", "UU"], 1, "cant_tell", "nothing_verified"),
        (["UU", "PU"], 1, "cant_tell", "pairs_unavailable"),
        (["UU", "UF"], 1, "cant_tell", "pairs_unavailable"),
        (["PF"] * 6 + ["SS"], 1, "helps", None),
        (["SS"], 1, "proves_nothing", "nothing_ran"),
        (["PF"] * 20 + ["PI"], 1, "proves_nothing", "host_failed"),
        ([], 1, "proves_nothing", "nothing_ran"),
    ],
)
def test_the_headline_is_decided_as_it_is_written(w, pairs, attempts, says, reason):
    told = said(w, *pairs, attempts=attempts, broken="host_failed" if reason == "host_failed" else None)

    assert (told.says, told.reason) == (says, reason)
    assert (told.owner is not None) is (says == "proves_nothing")


def test_a_broken_run_says_whose_it_is_and_an_unseen_pair_never_helps(w):
    assert said(w, "PF", "PI", broken="host_failed").owner is Owner.HOST
    assert said(w, *["PF"] * 9, doubts=("sources_changed",)).reason == "sources_changed"
    # With one pair unseen that could have been worse, nine are still enough; with two, they are not any more.
    assert said(w, *["PF"] * 9, "UF").says == "helps"
    assert said(w, *["PF"] * 9, "UF", "FU").says == "cant_tell"


def test_trials_that_were_decided_and_can_not_be_compared_are_not_told_to_be_unverified(w):
    """Other models answered, say, or the arms ran with more that differs: their checks decided all the same."""
    verdict = Verdict(kind=VerdictKind.PASSED)
    trials = [
        TrialReport(key=w.key(arm=arm), polarity="positive", verdict=verdict, ending=Ending.COMPLETED)
        for arm in ("with_skill", "without_skill")
    ]
    pair = Pair(case=w.key().case, label="1", reference="without_skill", outcome="unavailable")

    told = headline("with_skill", "without_skill", [pair], trials)

    assert (told.says, told.reason, told.unavailable) == ("cant_tell", "pairs_unavailable", 1)


def test_without_an_arm_to_compare_with_nothing_can_be_told(w):
    trial = TrialReport(
        key=w.key(), polarity="positive", verdict=Verdict(kind=VerdictKind.PASSED), ending=Ending.COMPLETED
    )

    told = headline("with_skill", None, [], [trial])

    assert (told.says, told.reason) == ("cant_tell", "nothing_to_compare_with")


def test_how_many_attempts_could_tell():
    assert [enough_attempts(cases) for cases in (1, 2, 3, 5, 6, 20)] == [4, 3, 2, 2, 1, 1]


@pytest.mark.parametrize(("better", "worse"), [(n, m) for n in range(7) for m in range(7)])
def test_with_one_attempt_it_is_the_exact_sign_test(better, worse):
    cases = [Tally(1, 0, 1)] * better + [Tally(0, 1, 1)] * worse + [Tally(1, 1, 1), Tally(0, 0, 1)]
    flips = list(product((0, 1), repeat=better + worse))
    tail = min(sum(sum(one) >= better for one in flips), sum(sum(one) <= better for one in flips))

    assert chance(cases) == min(1, Fraction(2 * tail, len(flips)))


TALLIES = st.integers(1, 3).flatmap(lambda n: st.builds(Tally, st.integers(0, n), st.integers(0, n), st.just(n)))


@given(st.lists(TALLIES, min_size=1, max_size=3))
def test_the_chance_is_the_share_of_all_ways_to_deal_the_passes(cases):
    """Every way of dealing each case's passes to its trials is written down, and counted."""
    deals = []
    for one in cases:
        passed = one.ours + one.theirs
        deals.append([sum(at < one.n for at in chosen) for chosen in combinations(range(2 * one.n), passed)])
    sums = [sum(deal) for deal in product(*deals)]
    seen = sum(one.ours for one in cases)
    tail = min(sum(one >= seen for one in sums), sum(one <= seen for one in sums))

    assert chance(cases) == min(1, Fraction(2 * tail, len(sums)))


@given(st.lists(TALLIES, min_size=1, max_size=5))
def test_both_arms_are_treated_alike(cases):
    assert chance(cases) == chance([Tally(one.theirs, one.ours, one.n) for one in cases])
