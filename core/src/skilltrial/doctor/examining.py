"""From a host's name to what the doctor says of it, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skilltrial.archive.reading import open_archive
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import Exit, SkilltrialError
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.kinds import FIXTURE
from skilltrial.plugins.normalizers import Normalizers

from .deep import CALLS, PLAYED, SUITE, TOOLS, Stage, staged
from .drift import Probes, Row, State, watch
from .finding import Finding, examine, examine_all
from .seen import look


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found of one host; `rows` where it was probed, `undecided` where that was not possible."""

    finding: Finding
    rows: tuple[Row, ...] = ()
    undecided: str | None = None


def diagnose(
    discovery: Discovery, name: str | None, options: Mapping[str, object], flags: Sequence[str], *, deep: bool
) -> tuple[Diagnosis, ...]:
    """Look at one host or at all, and probe them where `deep`. `flags` are the `options` as `rehearse` takes them.

    Raises InvalidRequest for a host that was named and is unknown, broken or needs options.
    """
    findings = (examine(discovery, name, options),) if name is not None else tuple(examine_all(discovery))
    return tuple(_probe(discovery, one, flags) if deep and one.runs else Diagnosis(one) for one in findings)


def _probe(discovery: Discovery, finding: Finding, flags: Sequence[str]) -> Diagnosis:
    try:
        with staged(finding.name, flags) as stage:
            return Diagnosis(finding, watch(probes(discovery, stage)))
    except SkilltrialError as error:
        return Diagnosis(finding, undecided=str(error))


def probes(discovery: Discovery, stage: Stage) -> Probes:
    """Play the probes and read what they left. Raises RunIncomplete, and what `open_archive` raises."""
    archive = open_archive(stage.play(SUITE, PLAYED))
    identity = archive.plan.host
    normalizer = Normalizers(discovery).find(identity.records)
    trials = dict(look(archive, normalizer))
    serves = any((one.kind, one.name) == (FIXTURE.name, "mcp") for one in discovery.installed)
    if serves and Can.MCP_HTTP in identity.can:
        trials |= look(open_archive(stage.play(TOOLS, CALLS)), normalizer)
    return Probes(identity, trials, stage.started, serves=serves)


def verdict(diagnoses: Sequence[Diagnosis], *, deep: bool) -> Exit:
    """1 where something drifted; else 3 where probes were wanted and did not decide; else 0."""
    states = {row.state for one in diagnoses for row in one.rows}
    if State.DRIFTED in states:
        return Exit.FAILED
    unprobed = not any(one.rows for one in diagnoses) or any(one.undecided for one in diagnoses)
    return Exit.INCOMPLETE if deep and (unprobed or State.UNDECIDED in states) else Exit.PASSED
