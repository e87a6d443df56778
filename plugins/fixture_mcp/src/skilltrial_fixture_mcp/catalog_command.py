"""`skilltrial catalog`: catalogs of MCP servers."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("catalog")
def command() -> None:
    """Catalogs of MCP servers, as the fixture `mcp` offers them."""


@command.command("capture")
@click.option("--url", help="Address of a server over streamable HTTP.")
@click.option("--command", "program", metavar="CMD", help="A stdio server's command line, in quotes.")
@click.option("--token-env", metavar="NAME", help="Variable that holds a bearer token for --url. Never written.")
@click.option("--seconds", type=click.FloatRange(1, 3600), default=60.0, show_default=True, help="How long to wait.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The catalog; must not exist."
)
def capture(url: str | None, program: str | None, token_env: str | None, seconds: float, out: Path) -> None:
    """Write the tools of a real MCP server, all of them, to a catalog with a digest of its own.

    Only lists the tools; calls none.
    """
    from .capturing import Wanted, capture_catalog

    if (url is None) == (program is None):
        raise click.UsageError("give either --url or --command")
    count = capture_catalog(Wanted(url, program, token_env, seconds), out)
    click.echo(f"{out}: {count} tools")


@command.command("serve")
@click.argument("catalog", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--replies", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Scripts of replies.")
@click.option("--script", metavar="NAME", help="The script to play, where the file has several.")
@click.option(
    "--alias",
    "aliases",
    metavar="TOOL=OTHER",
    multiple=True,
    callback=lambda _context, _option, given: _aliases(given),
    help="Another name of a tool, as in a suite's `aliases`. Repeatable.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.  [default: a free one]")
def serve(catalog: Path, replies: Path | None, script: str | None, aliases: dict[str, list[str]], port: int) -> None:
    """Offer the tools of CATALOG to a client of your own, as a trial would get them, until Ctrl-C.

    Prints the address, then a line for each thing that would be on record. Without --replies no call is foreseen.
    """
    from .planning import become_server, make_plan

    files = [path for path in (catalog, replies) if path is not None]
    plan = make_plan(
        str(catalog),
        None if replies is None else str(replies),
        {str(path): path.read_bytes() for path in files},
        {} if script is None else {"script": script},
        aliases,
    )
    become_server(plan, port)


def _aliases(given: tuple[str, ...]) -> dict[str, list[str]]:
    """Tool → other names of it, in the order in which they were given."""
    found: dict[str, list[str]] = {}
    for one in given:
        tool, _, other = one.partition("=")
        if not tool or not other:
            raise click.BadParameter(f"{one!r} is no TOOL=OTHER, such as get_record=fetch_record")
        found.setdefault(tool, []).append(other)
    return found
