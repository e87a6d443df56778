"""`skilltrial demo`."""

from __future__ import annotations

from typing import Any

import click

from .options import FORM

SUITE = "organization"
AGENT = "skilltrial-agent"


@click.command("demo", short_help="Rehearse a suite that comes with skilltrial: no key, no cost.")
@click.option("--out", type=click.Path(), metavar="DIR", help="The archive [.skilltrial/runs/SUITE-TIME].")
@click.option("--jobs", type=click.IntRange(1, 256), default=4, show_default=True, help="Trials at once.")
@FORM
def command(out: str | None, jobs: int, form: str) -> None:
    """Do the main job on a suite that comes with skilltrial, with a small real agent and a scripted model.

    Shows which promises of the suite *organization* hold, where the archive lies, and what to try next.
    """
    from skilltrial.plugins.discovery import Discovery

    from .executing import Wanted
    from .several import execute_all

    discovery = Discovery()
    click.echo("The model of this demo is scripted: what you see tests the suite, not the skill.", err=form == "json")
    given: dict[str, Any] = {
        "command": (AGENT,), "host": ("portable",), "host_command": None, "host_binary": None, "host_option": (),
        "model": None, "effort": None, "skill_dir": None, "records": "events", "home": None, "cases": (), "arms": (),
        "seed": None, "jobs": jobs, "allow_commands": False,
    }  # fmt: skip
    code = execute_all(Wanted(out, dry_run=False, quiet=False, form=form), SUITE, given, "scripted", discovery)
    click.echo(
        "next: judge it again    skilltrial grade last\n"
        "      a real agent      skilltrial run organization --host portable --pass-env MY_API_KEY -- my-agent --flag",
        err=form == "json",
    )
    raise click.exceptions.Exit(code)
