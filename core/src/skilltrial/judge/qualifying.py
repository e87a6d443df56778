"""Whether an archive qualifies what it ran: stricter than the gate, since others will rely on it."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.archive.keying import differences, key_of
from skilltrial.archive.layout import PINS
from skilltrial.archive.pins import differences as pin_differences
from skilltrial.archive.reading import SealedArchive, SealedTrial
from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.packaged import Delivery
from skilltrial.model.pins import Lock, PinState
from skilltrial.model.qualifying import Doubt, Key, Standing, Worth
from skilltrial.model.report import UNNAMED, Pair, Report
from skilltrial.model.wire import Answered, wire_notes
from skilltrial.model.words import Ending, EvidenceKind, VerdictKind
from skilltrial.plugins.files import UNPACKAGED

from .parity import ASPECTS

LIVE = frozenset(
    (EvidenceKind.LIVE_CODEX, EvidenceKind.LIVE_CLAUDE, EvidenceKind.LIVE_PORTABLE, EvidenceKind.LIVE_ZCODE)
)
"""A real program with its own model, and controlled surroundings."""
_PINS = {
    PinState.CHANGED: "skill {} was not what its pin says, or its commit was not",
    PinState.UNVERIFIED: "the commit that pins skill {} could not be looked at when the run began",
    PinState.UNPINNED: "skill {} was not pinned when the run began",
}


def standing(name: str, archive: SealedArchive, report: Report, present: Key) -> Standing:
    """What `archive`, judged as `report`, is worth to somebody who asks about the key `present`.

    Raises ArchiveRefused where the archive says that a skill was as pinned, and its own pin says something else.
    """
    refuse_other_pins(archive)
    doubts = tuple(_doubts(archive, report))
    key = _key(archive, report)
    changed = differences(key, present)
    worth: Worth = "nothing" if doubts else "other_key" if changed else "qualifies"
    return Standing(
        archive=name, manifest=archive.manifest_sha256, worth=worth, key=key, doubts=doubts, changed=changed
    )


def refuse_other_pins(archive: SealedArchive) -> None:
    """Raise ArchiveRefused (`archived_skill_pin_mismatch`) where a skill is not what the archive's own pin says."""
    pinned = [pin.skill for pin in archive.provenance.pins if pin.state is PinState.PINNED]
    if not pinned:
        return
    try:
        lock = Lock.read(archive.file(PINS))
    except ValueError:
        raise ArchiveRefused(f"archived_skill_pin_mismatch: {archive.root}: {PINS} can't be read") from None
    for skill in pinned:
        found = [f"{PINS} does not pin it"] if skill not in lock.skills else []
        found = found or list(pin_differences(lock.skills[skill], archive.skill(skill)))
        if found:
            raise ArchiveRefused(f"archived_skill_pin_mismatch: {archive.root}: skill {skill!r}: {'; '.join(found)}")


def _key(archive: SealedArchive, report: Report) -> Key:
    cases = {case.id: archive.workspace(case.id) for case in archive.suite.cases if case.id in archive.plan.workspaces}
    seen = {model for trial in report.trials for model in trial.models}
    key = key_of(archive.plan, archive.suite, archive.assets, cases)
    return key.model_copy(update={"model": seen.pop() if len(seen) == 1 else None})


def _doubts(archive: SealedArchive, report: Report) -> Iterator[Doubt]:
    """Every reason, most telling first."""
    for reason, told in (
        *_of_the_evidence(archive, report),
        *_of_the_host(archive),
        *_of_the_skills(archive),
        *_of_the_run(archive, report),
        *_of_the_models(report),
        *_of_the_arms(archive, report),
        *_of_the_verdicts(report),
    ):
        yield Doubt(reason=reason, told=told)


def _of_the_evidence(archive: SealedArchive, report: Report) -> Iterator[tuple[str, str]]:
    kind = archive.plan.host.evidence_kind
    if archive.plan.model or archive.plan.mode == "rehearse":
        yield "rehearsal", "the model was scripted"
    if kind is EvidenceKind.IMPORTED:
        yield "imported", "somebody else recorded it"
    elif kind is EvidenceKind.STAND_IN_HOST:
        yield "stand_in", "the host was a stand-in"
    elif others := {kind, report.evidence_kind} - LIVE - {EvidenceKind.SCRIPTED_MODEL}:
        yield "not_controlled", f"its evidence is {', '.join(sorted(others))}"
    elif any(_forwarded(trial) for key in archive.sealed() if (trial := archive.trial(key)) is not None):
        yield "not_controlled", "calls were passed on to a real server"


def _forwarded(trial: SealedTrial) -> bool:
    """Whether something real answered in the place of a fixture."""
    noted = (note for records in trial.fixture_records().values() for _, note in wire_notes(records))
    return any(isinstance(note, Answered) and note.because == "forwarded" for note in noted)


def _of_the_host(archive: SealedArchive) -> Iterator[tuple[str, str]]:
    host, wanted = archive.plan.host, archive.suite.qualifies
    if any(part.version == UNPACKAGED for part in archive.parts):
        yield "unpackaged", "one of its parts was a file, not an installed package"
    if host.version is None or host.program_sha256 is None:
        yield "host_unidentified", "the host could not say its version or the digest of its program"
    if wanted is not None and not host.fits(wanted):
        yield "other_host", f"the suite qualifies on {wanted} alone"


def _of_the_skills(archive: SealedArchive) -> Iterator[tuple[str, str]]:
    states = {pin.skill: pin.state for pin in archive.provenance.pins}
    skills = archive.suite.arm(archive.suite.gate.arm).skills
    if not skills:
        yield "no_skill", "the gate's arm has no skill"
    for skill in skills:
        state = states.get(skill, PinState.UNPINNED)
        if state is not PinState.PINNED:
            yield f"skill_{state}", _PINS[state].format(skill)


def _of_the_run(archive: SealedArchive, report: Report) -> Iterator[tuple[str, str]]:
    plan, facts = archive.plan, archive.provenance
    if plan.narrowed or plan.attempts < archive.suite.attempts:
        yield "narrowed", "only some cases, arms or attempts were asked for"
    if plan.skips:
        yield "skipped", f"the host can't run {len(plan.skips)} of the trials"
    if facts.interrupted or facts.stopped or any(trial.verdict.reason == "not_run" for trial in report.trials):
        yield "partial", "not every trial was run"
    if facts.resumed_with:
        yield "resumed_with_others", f"it was taken up with another {', another '.join(facts.resumed_with)}"
    if facts.reused:
        yield "reused_trials", "trials were taken over from another archive"
    if facts.changed_sources:
        yield "sources_changed", f"while it ran, {', '.join(facts.changed_sources)} changed"
    if facts.repository_dirty:
        yield "repository_dirty", "the suite's repository held changes that were not committed"


def _of_the_models(report: Report) -> Iterator[tuple[str, str]]:
    ran = [trial for trial in report.trials if trial.ending is not None]
    seen = {model for trial in ran for model in trial.models}
    if any(not trial.models or UNNAMED in trial.models for trial in ran):
        yield "model_not_seen", "which model answered was not seen in every trial"
    if len(seen) > 1:
        yield "several_models", f"several models answered: {', '.join(sorted(seen))}"


def _of_the_arms(archive: SealedArchive, report: Report) -> Iterator[tuple[str, str]]:
    """By the certificate of what each trial ran with: arms that differ in more than skills, or may."""
    for pair in report.pairs:
        if pair.differs:
            yield "arms_differ", f"{_pair(pair)} ran with more that differs than the skill: {', '.join(pair.differs)}"
    lost = [_pair(pair) for pair in report.pairs if pair.outcome == "unavailable" and not pair.differs]
    if lost:
        yield "pairs_unavailable", f"nothing can be compared in {'; '.join(lost)}"
    plugin = archive.plan.plugin
    asked = {"tools": bool(archive.suite.fixtures), "plugin": plugin and plugin.delivery is Delivery.PLUGIN}
    wanted = {aspect for aspect in ASPECTS if asked.get(aspect, True)}
    ran = [trial for trial in report.trials if trial.ending is Ending.COMPLETED]
    missing = {aspect for trial in ran for aspect in wanted if trial.ran is None or getattr(trial.ran, aspect) is None}
    if report.pairs and missing:
        yield "arms_unshown", f"what the arms ran with was not seen whole: {', '.join(sorted(missing))}"


def _pair(pair: Pair) -> str:
    return f"case {pair.case}, attempt {pair.label}, against {pair.reference}"


def _of_the_verdicts(report: Report) -> Iterator[tuple[str, str]]:
    decided = (VerdictKind.PASSED, VerdictKind.FAILED)
    open_ = sum(trial.verdict.kind not in decided for trial in report.trials)
    if open_:
        yield "undecided", f"{open_} of {len(report.trials)} trials neither passed nor failed"
    if report.gate.decision != "passed":
        yield f"gate_{report.gate.decision}", f"the gate {_GATE[report.gate.decision]}"


_GATE = {"failed": "failed", "incomplete": "could not decide"}
