"""`skilltrial try SKILL PROMPT`."""

from __future__ import annotations

from typing import Any

import click

from .options import FORM, host_options

EPILOG = """\b
Examples:
  skilltrial try skills/changelog "Add an entry for the dark mode." \\
      --workspace . --host claude --pass-env ANTHROPIC_API_KEY
  skilltrial try skills/changelog "Add an entry." --host portable -- my-agent --flag

\b
Exit codes: 0 both sessions went to their end, 2 not a valid request,
3 incomplete, 130 interrupted. It is never a verdict.
"""


@click.command("try", short_help="One session without and one with a skill, side by side.", epilog=EPILOG)
@click.argument("skill")
@click.argument("prompt")
@host_options
@click.option(
    "--workspace",
    type=click.Path(),
    metavar="DIR",
    help="The project to work in [an empty folder]; a copy, without what git ignores and without the skill itself.",
)
@click.option("--allow", metavar="TOOL", multiple=True, help="A tool that needs no asking, in both sessions.")
@click.option("--pass-env", metavar="NAME", multiple=True, help="Pass this variable on; its value is never written.")
@click.option("--seconds", type=click.IntRange(1, 86_400), default=600, show_default=True, help="A session's limit.")
@click.option("--policy", metavar="FILE", help="The routing policy [the nearest one from --path upwards].")
@click.option("--path", metavar="DIR", help="The project whose routing policy counts [.].")
@click.option("--out", type=click.Path(), metavar="DIR", help="The archive [.skilltrial/runs/try-SKILL-TIME].")
@click.option("--dry-run", is_flag=True, help="Check every part, say what would happen, start nothing.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; only the result.")
@FORM
def command(skill: str, prompt: str, **given: Any) -> None:
    """Give PROMPT to an agent twice, without and with SKILL, and show what it did, side by side.

    SKILL is the skill's folder. Needs no suite file. Both sessions run at once, each in a fresh copy of the workspace;
    they ask the agent's own provider, which may cost money. What they did is sealed in an ordinary archive, from which
    `skilltrial init SKILL --from last` makes the first case of a suite.
    """
    from skilltrial.plugins.discovery import Discovery

    from .trying import Trying, try_skill

    discovery = Discovery()
    trying = Trying(given["out"], given["dry_run"], given["quiet"], given["form"])
    raise click.exceptions.Exit(try_skill(trying, skill, prompt, given, discovery))
