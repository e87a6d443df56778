"""What `--format` and `--report` mean for a report: how it is shown, by us or by an installed renderer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from skilltrial.archive.layout import SUITE_SOURCE
from skilltrial.archive.reading import SealedArchive
from skilltrial.archive.trees import Tree
from skilltrial.model.foreign import RunInputs
from skilltrial.model.report import Report
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import RendererFacade
from skilltrial.plugins.kinds import RENDERER

from .options import FORMS


def report_form(given: Mapping[str, Any], discovery: Discovery) -> str:
    """How the report is printed: one of FORMS, or the name of an installed renderer.

    Raises click.UsageError where it is said twice, PluginNotFound.
    """
    forms = [name for name in given["formats"] if name in FORMS]
    if len(forms) > 1:
        raise click.UsageError(f"a report has one form; --format names {' and '.join(forms)}")
    if given["report"] is None:
        return forms[0] if forms else "auto"
    if forms:
        raise click.UsageError(f"--report and --format {forms[0]} both say how the report is printed; leave one out")
    return renderer_name(given["report"], discovery)


def renderer_name(name: str, discovery: Discovery) -> str:
    """`name`, where it is one of FORMS or an installed renderer is called so. Raises PluginNotFound."""
    if name in FORMS:
        return name
    return discovery.find(RENDERER, name).name


def rendered(name: str, report: Report, archive: SealedArchive, discovery: Discovery) -> bytes:
    """The report as the renderer `name` writes it. Raises InvalidRequest."""
    front = bind(RendererFacade, name, discovery.build(RENDERER, name))
    return front.render_report(report, _inputs(archive))


def _inputs(archive: SealedArchive) -> RunInputs:
    return RunInputs(
        source=archive.file(SUITE_SOURCE),
        suite=archive.suite,
        workspaces={case: _files(archive.workspace(case)) for case in archive.plan.workspaces},
        skills={skill.id: _files(archive.skill(skill.id)) for skill in archive.plan.skills},
    )


def _files(tree: Tree) -> dict[str, bytes]:
    return {entry.path: tree.contents[entry.sha256] for entry in tree.entries if entry.sha256 is not None}
