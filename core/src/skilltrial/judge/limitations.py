"""What a reader must know before using the numbers. Sentences of ours: nothing of a trial is quoted in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from skilltrial.model.capabilities import Sees
from skilltrial.model.notes import LimitHit, notes
from skilltrial.model.packaged import Delivery
from skilltrial.model.pins import PinState
from skilltrial.model.plan import PartIdentity
from skilltrial.model.report import RehearsalReport, TrialReport
from skilltrial.model.wire import Answered, Called, Placed, left_behind, wire_notes
from skilltrial.model.words import Ending, EvidenceKind, VerdictKind

from .parity import unlike
from .tables import plural
from .views import ArchiveView


def limitations(
    archive: ArchiveView,
    trials: Sequence[TrialReport],
    rehearsal: RehearsalReport | None,
    judge: Sequence[PartIdentity],
) -> tuple[str, ...]:
    """Every limitation of this report, most important first."""
    return (
        *_of_the_model(archive),
        *_of_the_run(archive, trials),
        *_of_the_limits(archive, trials),
        *_of_the_host(archive),
        *_of_the_plugin(archive),
        *_of_the_fixtures(archive, trials),
        *_of_the_servers(archive, trials),
        *_of_the_skills(archive, trials),
        *_of_the_parts(archive.parts, judge),
        *_of_the_arms(trials),
        *(_unscripted(rehearsal) if rehearsal else ()),
        *archive.provenance.losses,
    )


def _of_the_model(archive: ArchiveView) -> Iterator[str]:
    if archive.plan.model:
        yield "The model was scripted: this tests the suite and says nothing about the skill."


def _of_the_run(archive: ArchiveView, trials: Sequence[TrialReport]) -> Iterator[str]:
    plan, provenance = archive.plan, archive.provenance
    if plan.narrowed:
        what = "cases or arms" if plan.mode == "run" else "cases, arms or rehearsals"
        yield f"Only some {what} were asked for: the numbers are not those of the whole suite."
    if provenance.interrupted:
        yield "The run was interrupted."
    if provenance.changed_sources:
        yield "Sources changed while the run went on: no statement about the skill is possible."
    if provenance.stopped:
        yield f"The run stopped early: {provenance.stopped}."
    if provenance.reused:
        yield f"{plural(len(provenance.reused), 'trial')} of reference arms taken over from an earlier run."
    if len({trial.models for trial in trials if trial.models}) > 1:
        yield "Not all trials were answered by the same model: pairs of different models are unavailable."
    yield from _refused(trials)
    missing = sum(trial.verdict.reason == "not_run" for trial in trials)
    if missing:
        yield f"{missing} of {plural(len(plan.trials), 'planned trial')} left no seal."
    if plan.skips:
        imported = plan.host.evidence_kind is EvidenceKind.IMPORTED
        why = "Skipped by whoever recorded the transcript" if imported else "Skipped because the host can't run it"
        yield f"{why}: {plural(len(plan.skips), 'trial')}."
    unbegun = sum(trial.ending is Ending.NOT_BEGUN for trial in trials)
    if unbegun:
        yield f"Not begun, since what they presuppose was not there: {plural(unbegun, 'trial')}."
    truncated = sum(bool(trial.truncated) for trial in trials)
    if truncated:
        yield f"Output was cut in {plural(truncated, 'trial')}."
    if plan.mode == "run" and plan.attempts == 1:
        yield "One attempt per case: chance can't be told from effect."


def _of_the_plugin(archive: ArchiveView) -> Iterator[str]:
    plugin = archive.plan.plugin
    if plugin is None:
        return
    if plugin.delivery is Delivery.PLUGIN:
        yield f"The program installed the suite's plugin {plugin.name} {plugin.version} (delivery: plugin)."
    else:
        yield (
            f"The suite's plugin {plugin.name} {plugin.version} was not installed: the program was given skills and "
            "servers one by one, without hooks and scripts (delivery: folder)."
        )


def _of_the_limits(archive: ArchiveView, trials: Sequence[TrialReport]) -> Iterator[str]:
    """The settings that ended trials: whoever raises one must know which, and from what."""
    hits: Counter[tuple[str, int]] = Counter()
    for trial in trials:
        if trial.ending in (Ending.TIME_LIMIT, Ending.OUTPUT_LIMIT) and (sealed := archive.trial(trial.key)):
            told = (note for _, note in notes(sealed.records()) if isinstance(note, LimitHit))
            if hit := next(told, None):
                hits[hit.limit, hit.value] += 1
    for (limit, value), count in sorted(hits.items()):
        unit = "s" if limit == "seconds" else "bytes"
        yield f"The setting limits.{limit} ({value} {unit}) ended {plural(count, 'trial')}."


def _refused(trials: Sequence[TrialReport]) -> Iterator[str]:
    """Refusals by arm: a headline, since an arm that may not act is not the same arm."""
    for arm in dict.fromkeys(trial.key.arm for trial in trials):
        refused = sum(trial.refused_calls or 0 for trial in trials if trial.key.arm == arm)
        asked = sum(trial.refused_asked or 0 for trial in trials if trial.key.arm == arm)
        if refused:
            more = f", {asked} of them for what its skill asks for (see `allow`)" if asked else ""
            yield f"Refused in arm {arm}: {plural(refused, 'tool call')}{more}; owner operator."


def _of_the_host(archive: ArchiveView) -> Iterator[str]:
    host = archive.plan.host
    if host.evidence_kind is EvidenceKind.STAND_IN_HOST:
        yield "The agent program was a stand-in: this says nothing about the real one, nor about the skill."
    yield from host.caveats
    if not host.sees:
        yield "Of this host only exit codes and files were observed."
    else:
        hidden = sorted({Sees.ANSWERS, Sees.TOOL_CALLS, Sees.SKILL_READS, Sees.MODEL_IDS} - host.sees)
        if hidden:
            yield f"This host does not show: {', '.join(one.replace('_', ' ') for one in hidden)}."
    for what in host.ambient:
        yield f"The trials could see state of the operator's: {what}."


def _of_the_fixtures(archive: ArchiveView, trials: Sequence[TrialReport]) -> Iterator[str]:
    """Doubles of programs that nobody called: they may have been out of reach, or not wanted. And calls for which no
    reply was written: what an agent did after one says little of what the server under study would have made of it.
    """
    uncalled: Counter[str] = Counter()
    unexpected: Counter[tuple[str, str]] = Counter()
    for trial in trials if archive.suite.fixtures else ():
        sealed = archive.trial(trial.key)
        for name, records in (sealed.fixture_records() if sealed else {}).items():
            noted = [note for _, note in wire_notes(records)]
            told = {type(note) for note in noted}
            uncalled[name] += Placed in told and Called not in told
            tools = {note.number: note.tool for note in noted if isinstance(note, Called)}
            for note in noted if archive.plan.mode == "run" else ():  # scripts of a rehearsal are clumsy on purpose
                if isinstance(note, Answered) and note.because in ("unexpected", "unknown_tool"):
                    # A name that the server does not have is the model's own word.
                    unexpected[
                        name, tools.get(note.number, "others") if note.because == "unexpected" else "others"
                    ] += 1
    for name, count in sorted(uncalled.items()):
        if count:
            where = plural(count, "trial")
            yield f"None of the programs of {name} was called in {where}: that they were in reach is not shown."
    for name in dict.fromkeys(name for name, _ in sorted(unexpected)):
        few = ", ".join(f"{tool} ({count})" for (own, tool), count in sorted(unexpected.items()) if own == name)
        yield f"Calls of {name} that its replies don't expect: {few}."


def _of_the_servers(archive: ArchiveView, trials: Sequence[TrialReport]) -> Iterator[str]:
    """What was left on real servers: the next run meets it there."""
    live = [name for name, fixture in archive.plan.fixtures.items() if fixture.live is not None]
    for name in live:
        sealed = [one for trial in trials if (one := archive.trial(trial.key)) is not None]
        count = sum(len(left_behind(one.fixture_records().get(name, ()))) for one in sealed)
        if count:
            told = f"{plural(count, 'thing')} may have been left behind fixture {name}"
            yield f"{told}: see `skilltrial show RUN --left`, and clean up before the next run."


def _of_the_skills(archive: ArchiveView, trials: Sequence[TrialReport]) -> Iterator[str]:
    sees = archive.plan.host.sees
    for skill in archive.suite.skills:
        rows = [
            (trial, row)
            for trial in trials
            for row in trial.trigger
            if row.skill == skill.id and row.present and trial.ending is Ending.COMPLETED
        ]
        if any(pin.skill == skill.id and pin.state is PinState.CHANGED for pin in archive.provenance.pins):
            yield f"The skill {skill.id} was not what its pin says: this run qualifies nothing."
        if Sees.SKILL_OFFERS in sees:
            silent = sum(not row.steps for _, row in rows)
            if silent:
                yield f"The skill {skill.id} lay there and was not offered in {silent} of {plural(len(rows), 'trial')}."
        if archive.plan.model:
            continue  # whether a skill is read is then in the script
        asked = [row for trial, row in rows if trial.polarity == "positive"]
        if Sees.SKILL_READS in sees and asked and all(row.evidence == "unverified" for row in asked):
            # A rate of nothing at all is more often a broken instrument than a skill that nobody wants.
            yield f"No trial of a positive case read the skill {skill.id}: suspect the instrument before the skill."


def _of_the_parts(recorded: Iterable[PartIdentity], judge: Iterable[PartIdentity]) -> Iterator[str]:
    before = {(part.kind, part.name): part for part in recorded}
    for part in before.values():
        if part.origin == "file":
            yield f"The {part.kind} was a file of no package: {part.name}."
    for part in judge:
        then = before.get((part.kind, part.name))
        if then is None:
            yield f"Judged by the {part.kind} {part.name}, which the run did not record."
        elif then.source_sha256 != part.source_sha256:
            yield f"Judged by another version of the {part.kind} {part.name} than the run recorded."


def _of_the_arms(trials: Sequence[TrialReport]) -> Iterator[str]:
    apart = [words for _, _, words in unlike(trials)]
    if apart:
        named = ", ".join(sorted({word for words in apart for word in words}))
        yield f"Arms ran with more that differs than their skills ({named}) in {plural(len(apart), 'pair')}."
    contaminated = sum(trial.verdict.reason == "contaminated" for trial in trials)
    if contaminated:
        yield f"A skill was there that the arm does not have in {plural(contaminated, 'trial')}."
    observed = len({trial.key.case for trial in trials if trial.verdict.reason == "nothing_checked"})
    if observed:
        yield f"Nothing was checked in {plural(observed, 'case')}: an observation, not a verdict."
    unread = sum(
        trial.verdict.kind is VerdictKind.UNVERIFIED and trial.verdict.reason != "nothing_checked" for trial in trials
    )
    if unread:
        yield f"{unread} of {plural(len(trials), 'trial')} could not be verified: neither passed nor failed."


def _unscripted(rehearsal: RehearsalReport) -> Iterator[str]:
    if rehearsal.unscripted:
        names = ", ".join(rehearsal.unscripted)
        yield f"Without scripts nothing shows that these cases can pass, or fail for the right reason: {names}."
