"""Judge an archive and keep its report: what `run`, `rehearse` and `grade` all end with."""

from __future__ import annotations

import hashlib
from pathlib import Path

import click

from skilltrial.archive.layout import REPORT
from skilltrial.archive.reading import open_archive
from skilltrial.archive.writing import write_whole
from skilltrial.judge.diff import told, verdict_diff
from skilltrial.judge.grading import Judgement, grade
from skilltrial.judge.planned import refuse_other_plan
from skilltrial.judge.qualifying import refuse_other_pins
from skilltrial.model.errors import RunIncomplete
from skilltrial.model.report import Report
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.judging import judging_parts
from skilltrial.plugins.normalizers import Normalizers

from .gates import read_gate


def judge(root: Path, discovery: Discovery, gate: str | None = None) -> Judgement:
    """Judge the archive in `root`, by another `gate` than its own where one is given.

    Raises ArchiveRefused, click.UsageError.
    """
    archive = open_archive(root)
    refuse_other_plan(archive)
    refuse_other_pins(archive)
    judges = judging_parts(discovery, archive.suite, archive.plan.host.records)
    return grade(
        archive, Graders(discovery), Normalizers(discovery), judges, read_gate(gate, archive.suite) if gate else None
    )


def keep(root: Path, report: Report) -> Path | None:
    """Write the report into its archive; the run's own is never overwritten.

    Returns where it lies; None where nothing had to be written, or nothing can be (an archive that is read only).
    """
    data = report.write()
    own = root / REPORT
    path = own if not own.exists() else root / f"report-{hashlib.sha256(data).hexdigest()[:12]}.json"
    if (own.exists() and own.read_bytes() == data) or (path is not own and path.exists()):
        return None
    try:
        write_whole(path, data)
    except OSError as error:
        if path is own:
            raise RunIncomplete(f"the report can't be written: {error.strerror}") from error
        click.echo(f"note: the new report is not kept: {error.strerror}", err=True)
        return None
    return path


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
