"""`skilltrial qualified SUITE DIR...`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import CATALOG, DELIVERY, SKILL, foreign_options, host_flags

if TYPE_CHECKING:
    from skilltrial.model.qualifying import Key, Qualification, Standing
    from skilltrial.plugins.discovery import Discovery

EPILOG = """\b
Examples:
  skilltrial qualified guidance .skilltrial/runs/* --host claude
  skilltrial qualified guidance runs/one --host codex --format json
  skilltrial qualified guidance last --host claude --skill ../product/project-context

\b
Exit codes: 0 an archive qualifies the present key, 1 none does,
2 not a valid request, 4 none does and one was refused.
"""


@click.command(
    "qualified",
    short_help="Say which archive qualifies a skill on this host, or what has changed.",
    epilog=EPILOG,
)
@click.argument("suite")
@click.argument("archives", nargs=-1, required=True, metavar="DIR...")
@host_flags
@SKILL
@CATALOG
@DELIVERY
@foreign_options
def command(suite: str, archives: tuple[str, ...], **given: Any) -> None:
    """Say which of the archives DIR... (or `last`) qualifies the skill of SUITE as it is now, on this host.

    A qualification belongs to one key: the host's program, version and digest, the model that was seen to answer, the
    skill, the catalog, and the suite. Each archive is checked and judged again. Rehearsals, imports, stand-ins, parts
    of a run, runs with other parts and skills without a sound pin (`skilltrial pin`) qualify nothing.

    With --model the model counts too; without it each archive tells which one answered. `--format json` prints all.
    """
    from skilltrial.plugins.discovery import Discovery

    form = "json" if "json" in given["formats"] else "text"
    answer = _answer(suite, archives, given, Discovery())
    click.echo(answer.model_dump_json(indent=2) if form == "json" else "\n".join(_lines(answer)))
    worths = {one.worth for one in answer.archives}
    raise click.exceptions.Exit(0 if "qualifies" in worths else 4 if "refused" in worths else 1)


def _answer(suite: str, archives: tuple[str, ...], given: dict[str, Any], discovery: Discovery) -> Qualification:
    from skilltrial.model.packaged import Delivery
    from skilltrial.model.qualifying import Qualification
    from skilltrial.record.asking import Request
    from skilltrial.record.parts import HostChoice
    from skilltrial.record.planning import Selection
    from skilltrial.record.present import present_key

    from .formats import load_suite
    from .hosts import choose

    chosen = choose({**given, "command": ()}, discovery, live=False)
    if len(chosen) > 1:
        raise click.UsageError("a key has one host; give --host once")
    asked = Request(
        load_suite(suite, given, discovery),
        HostChoice(chosen[0].name, chosen[0].options),
        Selection(),
        delivery=Delivery(given["delivery"]) if given["delivery"] else None,
    )
    present = present_key(asked, discovery).model_copy(update={"model": given["model"]})
    return Qualification(
        present=present, archives=tuple(_standing(name, present, discovery) for name in dict.fromkeys(archives))
    )


def _standing(name: str, present: Key, discovery: Discovery) -> Standing:
    """What one archive is worth; one that is refused does not hide the others."""
    from skilltrial.archive.reading import open_archive
    from skilltrial.judge.qualifying import standing
    from skilltrial.model.errors import ArchiveRefused
    from skilltrial.model.qualifying import Standing

    from .judging import judge
    from .places import find_archive

    try:
        root: Path = find_archive(name)
        return standing(name, open_archive(root), judge(root, discovery).report, present)
    except ArchiveRefused as error:
        return Standing(archive=name, worth="refused", refusal=str(error))


_SAYS = {
    "qualifies": "qualifies",
    "other_key": "qualified what it ran; since then changed",
    "nothing": "qualifies nothing",
    "refused": "refused",
}


def _lines(answer: Qualification) -> Iterator[str]:
    yield "present key"
    for line in _key(answer.present):
        yield _folded(line, "  ")
    for one in answer.archives:
        yield f"{one.archive}: {_SAYS[one.worth]}"
        for doubt in one.doubts:
            yield _folded(f"{doubt.reason}: {doubt.told}", "  ")
        if one.worth in ("other_key", "nothing"):
            for change in one.changed:
                yield _folded(f"{change.what}: {change.then} then, {change.now} now", "  ")
        if one.worth == "qualifies" and one.key:
            yield _folded(f"model {one.key.model}; manifest {one.manifest}", "  ")
        if one.refusal:
            yield _folded(one.refusal, "  ")


def _key(key: Key) -> Iterator[str]:
    from skilltrial.archive.keying import told_catalog

    program = f"program {key.program_sha256[:12]}" if key.program_sha256 else "program unknown"
    yield f"host     {key.host} {key.version or 'of unknown version'}, {program}"
    yield f"model    {key.model or 'any (--model asks for one)'}"
    yield from (f"skill    {id} {digest[:12]}" for id, digest in key.skills.items())
    yield from (f"catalog  {name}: {told_catalog(key, name)}" for name in key.catalogs)
    yield f"suite    {key.suite} {key.suite_sha256[:12]}"


def _folded(line: str, indent: str) -> str:
    from .printing import width

    return textwrap.fill(
        line,
        width(),
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )
