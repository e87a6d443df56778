"""`skilltrial demo`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import FORM

if TYPE_CHECKING:
    from skilltrial.plugins.discovery import Discovery

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
    agent = _agent(discovery)
    click.echo("The model of this demo is scripted: what you see tests the suite, not the skill.", err=form == "json")
    given: dict[str, Any] = {
        "command": (agent,), "host": ("portable",), "host_command": None, "host_binary": None, "host_option": (),
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


def _agent(discovery: Discovery) -> str:
    """The agent's program, beside the Python that runs or on PATH. Raises InvalidRequest where a part is missing.

    A tool installation puts only its own command on PATH, and the agent beside its Python.
    """
    from skilltrial.model.errors import InvalidRequest
    from skilltrial.plugins.installing import EVERYTHING, install_command
    from skilltrial.plugins.kinds import HOST, MODEL
    from skilltrial.plugins.kinds import SUITE as SUITES

    agent = shutil.which(AGENT, path=str(Path(sys.executable).parent)) or shutil.which(AGENT)
    missing = [
        f"{kind} {name}"
        for kind, name in ((SUITES, SUITE), (HOST, "portable"), (MODEL, "scripted"))
        if name not in discovery.names(kind)
    ]
    if agent is None:
        missing.append(f"program {AGENT}")
    if agent is None or missing:
        raise InvalidRequest(
            f"the demo needs parts that are not installed: {', '.join(missing)}; all of them come "
            f"with {EVERYTHING}: {install_command(EVERYTHING)}"
        )
    return agent
