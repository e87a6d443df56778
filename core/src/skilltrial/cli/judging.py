"""Judge an archive and keep its report: what `run`, `rehearse` and `grade` all end with."""

from __future__ import annotations

import hashlib
from pathlib import Path

import click

from skilltrial.archive.layout import REPORT
from skilltrial.archive.reading import SealedArchive, open_archive
from skilltrial.archive.writing import write_pieces
from skilltrial.judge.diff import told, verdict_diff
from skilltrial.judge.grading import Judgement, grade
from skilltrial.judge.planned import refuse_other_plan
from skilltrial.judge.qualifying import refuse_other_pins
from skilltrial.model.errors import PluginNotFound, RunIncomplete
from skilltrial.model.plan import PartIdentity
from skilltrial.model.report import Report
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.judging import judging_parts
from skilltrial.plugins.kinds import GRADER, NORMALIZER
from skilltrial.plugins.normalizers import Normalizers

from .gates import read_gate


def judge(root: Path, discovery: Discovery, gate: str | None = None) -> Judgement:
    """Judge the archive in `root`, by another `gate` than its own where one is given.

    Raises ArchiveRefused, click.UsageError.
    """
    archive = open_archive(root)
    refuse_other_plan(archive)
    refuse_other_pins(archive)
    judges = _judges(archive, discovery)
    return grade(
        archive, Graders(discovery), Normalizers(discovery), judges, read_gate(gate, archive.suite) if gate else None
    )


def _judges(archive: SealedArchive, discovery: Discovery) -> tuple[PartIdentity, ...]:
    """The parts that judge. Raises PluginNotFound, with where the archive had a part from that is not here."""
    try:
        return judging_parts(discovery, archive.suite, archive.plan.host.records)
    except PluginNotFound as error:
        wanted = {(NORMALIZER.name, archive.plan.host.records)}
        wanted |= {(GRADER.name, check.grader) for case in archive.suite.cases for check in case.checks}
        here = {(kind.name, name) for kind in (NORMALIZER, GRADER) for name in discovery.names(kind)}
        had = sorted(
            f"the {one.kind} {one.name} of {one.distribution} {one.version}"
            for one in archive.parts
            if (one.kind, one.name) in wanted - here
        )
        raise PluginNotFound(f"{error}\nwhere {archive.root} was made, {' and '.join(had)} took part") from None


def keep(root: Path, report: Report) -> Path | None:
    """Write the report into its archive; the run's own is never overwritten.

    Returns where it lies; None where nothing had to be written, or nothing can be (an archive that is read only).
    """
    own = root / REPORT
    path = _place(own, report) if own.exists() else own
    if path is None:
        return None
    try:
        write_pieces(path, report.pieces())
    except OSError as error:
        if path is own:
            raise RunIncomplete(f"the report can't be written: {error.strerror}") from error
        click.echo(f"note: the new report is not kept: {error.strerror}", err=True)
        return None
    return path


def _place(own: Path, report: Report) -> Path | None:
    """Where a report goes beside the run's own; None where it is that one, or lies there."""
    data = report.write()
    path = own.with_name(f"report-{hashlib.sha256(data).hexdigest()[:12]}.json")
    return None if own.read_bytes() == data or path.exists() else path


def changes(root: Path, report: Report) -> list[str]:
    """What judging again changed against the run's own report, a line each."""
    own = root / REPORT
    try:
        before = Report.read(own.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError):
        return [f"{REPORT} is no report that this release can read: there is nothing to compare with"]
    return [f"{change.key}: {told(change.before)} -> {told(change.after)}" for change in verdict_diff(before, report)]
