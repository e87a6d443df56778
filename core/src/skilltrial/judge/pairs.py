"""The gate's arm against every other arm, on the same case and attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from skilltrial.model.report import Pair, PairOutcome, PairSummary, TrialReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import VerdictKind

from .parity import unlike


def pairs(gate_arm: str, arms: Iterable[str], trials: Sequence[TrialReport]) -> tuple[Pair, ...]:
    """One pair for each trial of the gate's arm and each other arm, sorted by reference, case and attempt.

    Unless both sides passed or failed, and were answered by the same models where these were seen, a pair is
    `unavailable`: arms differ in nothing but skills. So is one whose sides ran with anything else that differs
    (`judge.parity`), and one whose arm was refused what its skill asks for:
    what the skill does with it was not seen.
    """
    kinds: dict[TrialKey, VerdictKind] = {trial.key: trial.verdict.kind for trial in trials}
    models = {trial.key: trial.models for trial in trials}
    apart = {frozenset((one, other)): words for one, other, words in unlike(trials)}
    hindered = {trial.key for trial in trials if trial.refused_asked}
    references = [arm for arm in arms if arm != gate_arm]
    own = sorted((key for key in kinds if key.arm == gate_arm), key=lambda key: (key.case, len(key.label), key.label))
    return tuple(
        Pair(
            case=key.case,
            label=key.label,
            reference=arm,
            outcome=_outcome(kinds[key], kinds.get(other))
            if same(models[key], models.get(other)) and hindered.isdisjoint((key, other)) and not differs
            else "unavailable",
            differs=differs,
        )
        for arm in references
        for key in own
        for other in (TrialKey(case=key.case, arm=arm, label=key.label),)
        for differs in (apart.get(frozenset((key, other)), ()),)
    )


def same(models: tuple[str, ...], others: tuple[str, ...] | None) -> bool:
    """Whether two trials were answered by the same models, as far as that was seen."""
    return not models or not others or models == others


def summaries(found: Sequence[Pair]) -> tuple[PairSummary, ...]:
    """The pairs of each reference arm, counted."""
    counted = {
        arm: Counter(pair.outcome for pair in found if pair.reference == arm)
        for arm in dict.fromkeys(pair.reference for pair in found)
    }
    return tuple(
        PairSummary(
            reference=arm,
            n=count.total(),
            improved=count["improved"],
            regressed=count["regressed"],
            tied_pass=count["tied-pass"],
            tied_fail=count["tied-fail"],
            unavailable=count["unavailable"],
        )
        for arm, count in counted.items()
    )


def _outcome(ours: VerdictKind, theirs: VerdictKind | None) -> PairOutcome:
    match ours, theirs:
        case VerdictKind.PASSED, VerdictKind.PASSED:
            return "tied-pass"
        case VerdictKind.PASSED, VerdictKind.FAILED:
            return "improved"
        case VerdictKind.FAILED, VerdictKind.PASSED:
            return "regressed"
        case VerdictKind.FAILED, VerdictKind.FAILED:
            return "tied-fail"
        case _:
            return "unavailable"
