"""`skilltrial audit ARCHIVE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skilltrial.audit.findings import AuditReport, Finding

EPILOG = """\b
Examples:
  skilltrial audit last
  skilltrial audit my-run --case failed-save --format json

\b
Exit codes: 0 nothing survived; 1 something did; 3 no trial passed, or too
little could be tested; 4 the archive was refused.
"""
SHOWN = 20
"""So many findings of a list are shown; all of them are in the JSON."""


@click.command("audit", short_help="Change a passing archive's evidence: what still passes?", epilog=EPILOG)
@click.argument("archive", default="last")
@click.option("--case", "cases", metavar="ID", multiple=True, help="Only this case (may repeat).")
@click.option("--arm", "arms", metavar="ID", multiple=True, help="Only this arm (may repeat).")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to print it.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; only the result.")
def command(archive: str, cases: tuple[str, ...], arms: tuple[str, ...], form: str, quiet: bool) -> None:
    """Test the judging of an ARCHIVE: change the evidence of each trial that passed, and judge it again.

    Calls are dropped, doubled, altered; answers claim success; witnesses vanish; arms are swapped. Each change is
    made in a copy that is sealed anew and judged like any archive. What still passes is listed: the checks of the
    suite, or the judge, don't look there. ARCHIVE is a folder, or `last`; it is only read.
    """
    from skilltrial.archive.reading import open_archive
    from skilltrial.audit.auditing import Judges, audit
    from skilltrial.model.trial import TrialKey
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.plugins.graders import Graders
    from skilltrial.plugins.judging import judging_parts
    from skilltrial.plugins.normalizers import Normalizers

    from .places import find_archive

    root = find_archive(archive)
    opened = open_archive(root)
    _known("case", cases, [case.id for case in opened.suite.cases])
    _known("arm", arms, [arm.id for arm in opened.suite.arms])
    discovery = Discovery()
    parts = judging_parts(discovery, opened.suite, opened.plan.host.records)
    judges = Judges(Graders(discovery), Normalizers(discovery), parts)

    def chosen(key: TrialKey) -> bool:
        return (not cases or key.case in cases) and (not arms or key.arm in arms)

    def told(trial: str) -> None:
        if not quiet:
            click.echo(f"changing {trial}", err=True)

    report = audit(root, judges, chosen, told)
    click.echo(report.write() if form == "json" else "\n".join(_lines(report)), nl=form != "json")
    raise click.exceptions.Exit(report.exit_code)


def _known(what: str, given: tuple[str, ...], there: list[str]) -> None:
    if unknown := [name for name in given if name not in there]:
        raise click.UsageError(f"the archive has no {what} {', '.join(unknown)}; it has {', '.join(there)}")


def _lines(report: AuditReport) -> Iterator[str]:
    from textwrap import wrap

    from skilltrial.judge.tables import plural

    tried = sum(row.tried for row in report.rows)
    yield f"{plural(tried, 'mutant')} of {plural(len(report.trials), 'passing trial')} of {report.suite}"
    yield ""
    columns = ("tried", "caught", "equivalent", "survived", "not tested")
    yield f"{'change':<23} {' '.join(f'{name:>10}' for name in columns)}"
    for row in [row for row in report.rows if row.tried]:
        # One that was declared as equivalent and failed is listed by name; here it is one that was caught.
        counts = (row.tried, row.caught + row.disturbed, row.equivalent, row.survived, row.not_tested)
        yield f"{row.kind:<23} {' '.join(f'{count:>10}' for count in counts)}"
    if idle := [row.kind for row in report.rows if not row.tried]:
        yield ""
        yield from wrap(f"No occasion for {', '.join(idle)}.", 80, break_on_hyphens=False)
    for title, found in (
        ("Survived: still passed", report.survivors),
        ("Declared equivalent, and yet failed", report.disturbed),
        ("Not tested", report.not_tested),
    ):
        yield from _listed(title, found)
    yield ""
    yield f"audit: {report.decision} ({', '.join(report.reasons).replace('_', ' ')}), exit {int(report.exit_code)}"


def _listed(title: str, found: tuple[Finding, ...]) -> Iterator[str]:
    if found:
        yield ""
        yield title
        for one in found[:SHOWN]:
            yield f"  {one.trial}"
            yield f"    {one.kind}: {one.mutant} ({one.why.replace('_', ' ')})"
        if len(found) > SHOWN:
            yield f"  and {len(found) - SHOWN} more, all in --format json"
