"""`skilltrial score-kody FILE`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("score-kody", short_help="Score a transcript of Kody's package discovery.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--profile",
    type=click.Choice(["strict", "original"]),
    default="strict",
    show_default=True,
    help="Judge what code does, or its text as the original scorer does.",
)
@click.option(
    "--suite", type=click.Path(path_type=Path), metavar="FILE", help="Another suite, in the original's format."
)
@click.option("--explain", is_flag=True, help="Add what was recognised in each event, and where.")
def command(file: Path, profile: str, suite: Path | None, explain: bool) -> None:
    """Score the transcript in FILE and print the report as JSON, in the shape of the original scorer.

    Exit codes: 0 all is well, 1 a case failed or the transcript does not fit the suite, 2 FILE is no valid
    transcript, 3 nothing failed but something can't be decided.
    """
    from .explaining import explanation, warnings
    from .report import render, report
    from .scoring import score
    from .suite import read_suite, shipped_suite
    from .words import Profile

    cases = shipped_suite() if suite is None else read_suite(_bytes(suite))
    found = score(_bytes(file), cases, Profile(profile))
    document = report(found)
    if explain:
        document["explain"] = explanation(found)
    click.echo(render(document), nl=False)
    for warning in warnings(found):
        click.echo(f"warning: {warning}", err=True)
    raise click.exceptions.Exit(0 if found.ok else 1 if found.failed else 3)


def _bytes(path: Path) -> bytes:
    from skilltrial.api import InvalidRequest

    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe or a device may have no end
        raise InvalidRequest(f"{path}: is no regular file; a transcript is one JSON file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidRequest(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InvalidRequest(f"{path}: is a folder; a transcript is one JSON file") from None
    except OSError as error:
        raise InvalidRequest(f"{path}: can't be read ({error.strerror})") from None
