"""What a run is told with: the table case × arm, the headline, what failed, whether it may be used. Plain text."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.model.capabilities import Sees
from skilltrial.model.report import Headline, Pair, Report, TrialReport, TriggerReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import Ending, VerdictKind

from .tables import Table, gate_line, plural, spaced

MOST_MARKS = 10
"""More attempts than this are counted, and no longer drawn."""
SAYS = {
    "helps": "HELPS",
    "hurts": "HURTS",
    "no_difference_seen": "NO DIFFERENCE SEEN",
    "cant_tell": "CAN'T TELL",
    "proves_nothing": "PROVES NOTHING",
}
"""The closed set of headlines."""
_OPENED = "not_observed"
"""The one reason of an unread skill that is proof: the host shows every read, and the session was whole."""


@dataclass(frozen=True, slots=True)
class Marks:
    """How the verdicts of trials are drawn."""

    passed: str
    failed: str
    unverified: str = "?"
    incomplete: str = "!"
    skipped: str = "-"

    def of(self, kind: VerdictKind) -> str:
        """The mark of a verdict."""
        return str(getattr(self, kind.value))


ROUND = Marks("●", "○")
ASCII = Marks("*", "o")


def header(report: Report) -> tuple[str, ...]:
    """What was asked of whom: agent, version, model, cases × attempts × arms; and what it took."""
    host = f"{report.host.name} {report.host.version}" if report.host.version else report.host.name
    cases = dict.fromkeys(trial.key.case for trial in report.trials)
    arms = dict.fromkeys(trial.key.arm for trial in report.trials)
    ran = sum(trial.ending is not None for trial in report.trials)
    shape = f"{plural(len(cases), 'case')} x {plural(report.attempts, 'attempt')} x {plural(len(arms), 'arm')}"
    return (
        f"{report.suite} on {host}, model {_models(report)}",
        f"{shape}: {ran} of {plural(len(report.trials), 'trial')} ran ({report.evidence_kind})",
        *_took(report),
    )


def _models(report: Report) -> str:
    seen = sorted({model for trial in report.trials for model in trial.models})
    if seen:
        return ", ".join(seen)
    return report.host.model or "the agent's own choice (not shown)"


def _took(report: Report) -> Iterator[str]:
    seconds = sum(trial.agent_seconds for trial in report.trials if trial.agent_seconds is not None)
    costs = [trial.usage.cost if trial.usage else None for trial in report.trials if trial.ending is not None]
    known = [Decimal(cost) for cost in costs if cost is not None]
    told = [f"{seconds:.0f} s of sessions"] if seconds >= 1 else []
    if known:
        more = f" and {len(costs) - len(known)} sessions of unknown cost" if len(known) < len(costs) else ""
        told.append(f"${sum(known, Decimal()):.2f}{more}")
    if told:
        yield ", ".join(told)


def board(report: Report, marks: Marks) -> Table:
    """A row for each case: its trials in each arm, what became of it against the reference, who opened the skill."""
    arms = list(dict.fromkeys(one.arm for one in report.counts))
    own = report.gate.arm or ""
    told = report.headline
    cases = sorted({trial.key.case for trial in report.trials})
    rows = [(case, [trial for trial in report.trials if trial.key.case == case]) for case in cases]
    reference = told.reference if told else None
    table = [
        (
            case,
            *(_cell([one for one in trials if one.key.arm == arm], marks) for arm in arms),
            _change([pair for pair in report.pairs if pair.case == case and pair.reference == reference]),
            opened(trials, own, report),
        )
        for case, trials in rows
    ]
    if len(cases) > 1:
        table.append(("all", *(_count([one for one in report.trials if one.key.arm == arm]) for arm in arms), "", ""))
    return Table(("case", *arms, "change", "opened"), tuple(table))


def _cell(trials: Sequence[TrialReport], marks: Marks) -> str:
    if not trials:
        return ""
    ordered = sorted(trials, key=lambda one: (len(one.key.label), one.key.label))
    drawn = "".join(marks.of(one.verdict.kind) for one in ordered) if len(trials) <= MOST_MARKS else ""
    return f"{drawn} {_count(trials)}".strip()


def _count(trials: Sequence[TrialReport]) -> str:
    return f"{sum(one.verdict.kind is VerdictKind.PASSED for one in trials)}/{len(trials)}" if trials else ""


def _change(pairs: Sequence[Pair]) -> str:
    """What the pairs of one case say, in a word."""
    surplus = sum((one.outcome == "improved") - (one.outcome == "regressed") for one in pairs)
    if not pairs or all(one.outcome == "unavailable" for one in pairs):
        return "?" if pairs else ""
    return "better" if surplus > 0 else "worse" if surplus < 0 else "same"


def opened(trials: Iterable[TrialReport], arm: str, report: Report) -> str:
    """In how many trials of `arm` a skill was seen to be opened, of those where it would have been seen.

    A session that was cut short, or whose host does not show reads, proves no absence: `?` counts it.
    """
    rows = [[row for row in trial.trigger if row.present] for trial in trials if trial.key.arm == arm]
    rows = [row for row in rows if row]
    read = sum(any(one.evidence == "read-observed" for one in row) for row in rows)
    unread = sum(_certainly_unread(row) for row in rows)
    unknown = len(rows) - read - unread
    if not rows:
        return ""
    if Sees.SKILL_READS not in report.host.sees and not read:
        return "not shown"
    return f"{read}/{read + unread}" + (f" {unknown}?" if unknown else "")


def _certainly_unread(rows: Sequence[TriggerReport]) -> bool:
    return all(row.evidence != "read-observed" and row.reason == _OPENED for row in rows)


def legend(report: Report, marks: Marks) -> str:
    """The marks that occur, with their words."""
    kinds = [kind for kind in VerdictKind if any(trial.verdict.kind is kind for trial in report.trials)]
    return "  ".join(f"{marks.of(kind)} {kind}" for kind in kinds)


def headline_lines(report: Report) -> tuple[str, ...]:
    """The headline, and the exact numbers that it stands on."""
    told = report.headline
    if told is None:
        return ()
    return (says(told), *_grounds(told, report.gate.arm or ""), *_alike(report, told))


def says(told: Headline) -> str:
    """The headline of the closed set, with its why and whose."""
    why = ", ".join(spaced(one) for one in (told.reason, told.owner and f"owner {told.owner}") if one)
    return f"{SAYS[told.says]} ({why})" if why else SAYS[told.says]


def _grounds(told: Headline, arm: str) -> Iterator[str]:
    pairs = told.better + told.worse + told.alike + told.unavailable
    if pairs and told.reference:
        unavailable = f", {told.unavailable} unavailable" if told.unavailable else ""
        yield (
            f"{arm} against {told.reference}: {told.better} better, {told.worse} worse, {told.alike} alike"
            f"{unavailable}, of {plural(pairs, 'pair')}."
        )
    if told.chance is not None and told.says != "no_difference_seen":
        share = f"{float(told.chance) * 100:.3g} %"
        yield f"Were the skill without effect, as large a difference would come in {share} of runs."
    if told.attempts_needed is not None:
        yield f"So few trials can't tell; {plural(told.attempts_needed, 'attempt')} a case could."


def _alike(report: Report, told: Headline) -> Iterator[str]:
    """What it means that every pair came out alike: such cases leave a skill nothing to show."""
    compared = [one for one in report.pair_summary if one.reference == told.reference]
    if told.says != "no_difference_seen" or not compared or told.alike != sum(one.n for one in compared):
        return
    if not any(one.tied_fail for one in compared):
        yield f"Every trial passed in {told.reference} too: on these cases nothing is left for a skill to add."
    elif not any(one.tied_pass for one in compared):
        yield "No trial passed in either arm: nothing is known of what the skill is worth where the work succeeds."


def other_pairs(report: Report) -> tuple[str, ...]:
    """One line for each further reference arm."""
    first = report.headline.reference if report.headline else None
    return tuple(
        f"{report.gate.arm} against {one.reference}: {one.improved} better, {one.regressed} worse, "
        f"{one.tied_pass + one.tied_fail} alike"
        + (f", {one.unavailable} unavailable" if one.unavailable else "")
        + f", of {plural(one.n, 'pair')}."
        for one in report.pair_summary
        if one.reference != first
    )


def bad_trials(report: Report) -> tuple[TrialReport, ...]:
    """The trials that need somebody's eyes, those that decided first.

    What failed in another arm than the gate's is not among them: an arm without the skill may fail.
    """
    arm = report.gate.arm
    found = [
        trial
        for trial in report.trials
        if trial.verdict.kind is not VerdictKind.PASSED
        and (trial.key.arm == arm or trial.verdict.kind is not VerdictKind.FAILED)
    ]
    deciding = set(report.gate.deciding)
    return tuple(sorted(found, key=lambda one: one.key not in deciding))


def usable(report: Report) -> str:
    """Whether the numbers may be used, in one line of facts."""
    told = (_complete(report), *_arms(report), _one_model(report), _baseline(report), _refusals(report))
    return "; ".join(told)


def _complete(report: Report) -> str:
    whole = sum(trial.verdict.kind is not VerdictKind.INCOMPLETE for trial in report.trials)
    return f"{'complete' if whole == len(report.trials) else 'incomplete'} ({whole} of {len(report.trials)} trials)"


def _arms(report: Report) -> Iterator[str]:
    """Whether the arms ran alike but for the skill, by what each trial really ran with."""
    if not report.pairs:
        return
    differ = sorted({aspect for pair in report.pairs for aspect in pair.differs})
    if differ:
        yield f"ARMS DIFFER IN {', '.join(differ)}"
    elif all(trial.ran and trial.ran.argv for trial in report.trials if trial.ending is Ending.COMPLETED):
        yield "arms differ only in the skill"
    else:
        yield "what the arms ran with is not shown"


def _one_model(report: Report) -> str:
    if Sees.MODEL_IDS not in report.host.sees:
        return "models not shown"
    return "one model" if len({trial.models for trial in report.trials if trial.models}) <= 1 else "DIFFERENT MODELS"


def _baseline(report: Report) -> str:
    told = report.headline
    rows = [
        row
        for trial in report.trials
        if told and trial.key.arm == told.reference
        for row in trial.trigger
        if not row.present
    ]
    if not rows:
        return "no arm without the skill"
    if any(row.steps for row in rows):
        return "THE BASELINE SAW THE SKILL" if _contaminated(report) else "the baseline only heard of the skill"
    if not {Sees.SKILL_OFFERS, Sees.SKILL_READS} & set(report.host.sees):
        return "what the baseline saw is not shown"
    return "the baseline never saw the skill"


def _contaminated(report: Report) -> bool:
    return any(trial.verdict.reason == "contaminated" for trial in report.trials)


def _refusals(report: Report) -> str:
    counts = [trial.refused_calls for trial in report.trials if trial.refused_calls is not None]
    if not counts:
        return "refused calls not shown"
    return f"{plural(sum(counts), 'call')} refused" if sum(counts) else "no call refused"


def gate_lines(report: Report) -> tuple[str, ...]:
    """The decision, and which trial decided each case that was repeated."""
    return (gate_line(report), *(_decided(report, one.case) for one in report.gate.repeated))


def _decided(report: Report, case: str) -> str:
    one = next(one for one in report.gate.repeated if one.case == case)
    more = f", {one.undecided} undecided" if one.undecided else ""
    by = f"; decided by attempt {one.decided_by.label}" if one.decided_by else "; not decided"
    return f"{case}: {one.passed} of {one.passed + one.failed + one.undecided} passed{more}{by}"


def next_command(report: Report, run: str) -> str:
    """What to do next, as a command. `run` names the archive."""
    told = report.headline
    bad = bad_trials(report)
    if bad and bad[0].ending is not None:
        return f"skilltrial show {shlex.quote(f'{run}/{address(bad[0].key)}')}"
    if report.gate.decision == "incomplete" and any(trial.verdict.reason == "not_run" for trial in report.trials):
        return f"skilltrial run --resume {shlex.quote(run)}"
    if told is not None and told.attempts_needed is not None and report.gate.rule.startswith(("all", "min")):
        return f"the same run with --attempts {told.attempts_needed}"
    return f"skilltrial show {shlex.quote(run)}"


def address(key: TrialKey) -> str:
    """A trial as `show` takes it: `case/arm/label`."""
    return f"{key.case}/{key.arm}/{key.label}"
