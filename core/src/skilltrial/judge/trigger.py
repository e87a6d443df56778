"""How far each skill came in a trial, and whether one came where it has no business. Outside the verdict's checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Event, Offered, SkillStep, Step, Truncated, Unrecognized
from skilltrial.model.report import TriggerReport

_ORDER = {step: at for at, step in enumerate(Step)}
_READ = frozenset({Step.READ, Step.SCRIPT_RUN})
# A mention can come from the prompt, and a request for a skill that is not there proves that it is not there.
_CONTAMINATES = _READ | {Step.OFFERED}


def trigger(
    skills: Iterable[str],
    present: frozenset[str],
    events: Sequence[Event],
    sees: frozenset[Sees],
    *,
    completed: bool,
) -> tuple[TriggerReport, ...]:
    """One row for each skill of the suite. `present` are those of the arm.

    `not_observed` is said only where the host shows every way of reading a skill, of a session that went to its end
    and whose records are whole; anything less does not prove that the skill was not read.
    """
    steps: dict[str, set[Step]] = {skill: set() for skill in skills}
    whole = completed and not any(_hides_reads(event) for event in events)
    for event in events:
        if isinstance(event, SkillStep):
            if event.skill in steps:
                steps[event.skill].add(event.step)
        elif isinstance(event, Offered):
            # A plugin's skill is listed under the plugin's name too.
            for skill in steps.keys() & {name.rpartition(":")[2] for name in event.skills or ()}:
                steps[skill].add(Step.OFFERED)
    return tuple(_row(skill, skill in present, seen, sees, whole) for skill, seen in steps.items())


def contaminated(rows: Iterable[TriggerReport]) -> bool:
    """Whether a skill was offered or read in an arm that does not have it."""
    return any(not row.present and not _CONTAMINATES.isdisjoint(row.steps) for row in rows)


def installed(skills: Iterable[str]) -> frozenset[str]:
    """The skills of an arm by the name under which they are installed: `x` of `x` and of `x@previous`."""
    return frozenset(skill.partition("@")[0] for skill in skills)


def _row(skill: str, present: bool, seen: set[Step], sees: frozenset[Sees], whole: bool) -> TriggerReport:
    steps = tuple(sorted(seen, key=_ORDER.__getitem__))
    read = not _READ.isdisjoint(seen)
    return TriggerReport(
        skill=skill,
        present=present,
        evidence="read-observed" if read else "unverified",
        reason=None if read else _reason(seen, sees, whole),
        reached=steps[-1] if steps else None,
        steps=steps,
    )


def _hides_reads(event: Event) -> bool:
    """Whether a skill may have been read where this event says that records are missing, or could not be read."""
    match event:
        case Truncated() | Unrecognized(why="shell_command"):
            return True
        case _:
            return False


def _reason(seen: set[Step], sees: frozenset[Sees], whole: bool) -> str:
    if Step.ERRORED in seen:
        return "load_errored"
    # A request without a read: whether the body came is then not told by the records.
    if Sees.SKILL_READS in sees and whole and Step.REQUESTED not in seen:
        return "not_observed"
    if seen or not sees.isdisjoint((Sees.SKILL_READS, Sees.TOOL_CALLS)):
        return "no_read_observed"
    return "host_does_not_show"
