"""What `init` does between its arguments and its exit code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from skilltrial.archive.reading import open_archive
from skilltrial.model.errors import Exit, RunIncomplete, RunInterrupted
from skilltrial.model.evidence import ContentUnavailable
from skilltrial.model.words import Ending
from skilltrial.plugins.discovery import Discovery
from skilltrial.record.staging import Observation, head_of, skill_folder
from skilltrial.record.suitefile.folders import installed_never
from skilltrial.starting.beginning import Beginning, begin, write
from skilltrial.starting.cases import DraftCase
from skilltrial.starting.proposals import ANSWER, PROMPT, proposed_cases
from skilltrial.starting.tried import tried_case

from .judging import judge, keep
from .outline import outline
from .places import default_out, find_archive
from .trying import carry_out, observation, one_host


def init(argument: str, given: Mapping[str, Any], discovery: Discovery) -> Exit:
    """Write a first suite. Raises InvalidRequest, RunIncomplete, click.UsageError."""
    skill = skill_folder(Path(argument))
    name = str(head_of(skill).name)
    ci_host = given["ci_host"] if given["ci"] else None
    # What can't be written is said before a session is paid for.
    begin(skill, (DraftCase("first-use"),) if given["draft"] or given["source"] else (), ci_host)
    cases: tuple[DraftCase, ...] = ()
    if given["source"] is not None:
        cases += (tried_case(open_archive(find_archive(given["source"])), name),)
    if given["draft"] is not None:
        cases += _drafted(skill, name, given, discovery)
    beginning = begin(skill, cases, ci_host)
    write(beginning)
    _tell(beginning)
    return Exit.PASSED


def _tell(beginning: Beginning) -> None:
    for line in beginning.told:
        click.echo(line)
    for path in beginning.files:
        click.echo(f"wrote {os.path.relpath(path)}")
    if beginning.suite is not None:
        left = beginning.files[beginning.suite].count(b"<TODO: ") - 1
        suite = os.path.relpath(beginning.suite)
        click.echo(f"{left} places are left to you: skilltrial lint {shlex.quote(str(suite))}")


def _drafted(skill: Path, name: str, given: Mapping[str, Any], discovery: Discovery) -> tuple[DraftCase, ...]:
    """The cases that an agent proposes, in a session of its own that is announced and kept like any other."""
    chosen = one_host({**given, "host": (given["draft"],)}, discovery)
    with tempfile.TemporaryDirectory(prefix="skilltrial-") as folder:
        place = Path(folder) / "draft"
        shutil.copytree(skill, place / "skill", symlinks=True, ignore=_answer_keys(skill))
        wanted = Observation(skill=skill, prompt=PROMPT, workspace=place, arms=("draft",))
        prepared = observation(wanted, chosen, given, discovery)
    if not given["quiet"]:
        click.echo(outline(prepared), err=True)
    if not given["yes"] and sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm(f"start one live session of {chosen.name}?", abort=True, err=True)
    out = default_out(f"draft-{name}"[:64], datetime.now(UTC))
    recorded = carry_out(prepared, out, discovery, quiet=given["quiet"])
    judgement = judge(recorded.root, discovery)
    keep(recorded.root, judgement.report)
    click.echo(f"archive  {recorded.root}", err=True)
    if recorded.ran.interrupted:
        raise RunInterrupted("interrupted: nothing was written")
    trial = judgement.report.trials[0]
    sealed = open_archive(recorded.root).trial(trial.key)
    if sealed is None or trial.ending is not Ending.COMPLETED:
        raise RunIncomplete(f"the drafting session did not go to its end ({trial.verdict.reason}); nothing was written")
    try:
        data = sealed.files().read(ANSWER)
    except ContentUnavailable:
        raise RunIncomplete(f"the agent wrote no {ANSWER}; nothing was written") from None
    return proposed_cases(data, name, (skill / "SKILL.md").read_text("utf-8", "replace"), chosen.name)


def _answer_keys(skill: Path) -> Any:
    def ignored(folder: str, names: list[str]) -> set[str]:
        below = Path(folder).relative_to(skill)
        return {name for name in names if installed_never((below / name).as_posix())}

    return ignored
