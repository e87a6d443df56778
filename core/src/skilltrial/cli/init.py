"""`skilltrial init SKILL`."""

from __future__ import annotations

from typing import Any

import click

from .options import host_fields_options

EPILOG = """\b
Examples:
  skilltrial init skills/changelog
  skilltrial init skills/changelog --from last
  skilltrial init skills/changelog --draft claude --pass-env ANTHROPIC_API_KEY
  skilltrial init skills/changelog --ci github

\b
Exit codes: 0 written, 2 not a valid request (nothing was written),
3 the draft is incomplete (nothing was written), 130 interrupted.
"""


@click.command("init", short_help="Write a first suite beside a skill, for you to fill in.", epilog=EPILOG)
@click.argument("skill")
@click.option("--from", "source", metavar="DIR", help="Make a case of this `try`: its archive, or `last`.")
@click.option("--draft", metavar="HOST", help="Let this agent propose cases, in one live session.")
@click.option("--ci", type=click.Choice(["github"]), help="Also write a workflow that lints, rehearses and runs it.")
@click.option("--ci-host", metavar="NAME", default="claude", show_default=True, help="The agent of that workflow.")
@host_fields_options
@click.option("--pass-env", metavar="NAME", multiple=True, help="With --draft: pass this variable on.")
@click.option("--yes", "-y", is_flag=True, help="With --draft: do not ask before the session.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; only the result.")
def command(skill: str, **given: Any) -> None:
    """Write a first suite beside the folder SKILL, with what is known already and <TODO: ...> where it is not.

    It takes what it finds: the front matter and its `allowed-tools`, `scripts/`, cases in `evals/` (evals.json of
    skill-creator and agentskills.io, folders of `claude plugin eval`), a `try`. Two cases where the skill should help
    and one where it should stay out. `skilltrial lint` names what is left to fill in. Nothing is ever overwritten.
    """
    from skilltrial.plugins.discovery import Discovery

    from .initing import init

    raise click.exceptions.Exit(init(skill, given, Discovery()))
