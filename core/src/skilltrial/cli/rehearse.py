"""`skilltrial rehearse SUITE`."""

from __future__ import annotations

from typing import Any

import click

from .options import host_options, policy_options, run_options

EPILOG = """\b
Examples:
  skilltrial rehearse organization --host portable -- skilltrial-agent
  skilltrial rehearse my.trial.yaml --case dark-mode -- skilltrial-agent

\b
Exit codes: 0 every promise kept, 1 a promise broken or a case faulty,
2 not a valid request, 3 incomplete, 130 interrupted.
"""


@click.command("rehearse", short_help="Test a suite: run its scripts with a scripted model.", epilog=EPILOG)
@click.argument("suite")
@host_options
@click.option("--dialect", metavar="NAME", help="How the agent's model asks for tools [what the host says].")
@click.option(
    "--scripted", "model_part", metavar="NAME", default="scripted", show_default=True, help="The scripted model."
)
@click.option(
    "--rehearsal", "rehearsals", metavar="ID", multiple=True, help="Only this script, or built-in agent (may repeat)."
)
@policy_options
@run_options
def command(suite: str, **given: Any) -> None:
    """Test a SUITE: the real agent program, driven by a scripted model, plays each case's scripts.

    A rehearsal says whether each case can pass, can fail, and fails for the right reason. Every case is also played by
    three built-in agents: `null` says one word, `talker` only claims, `wrecker` breaks all it can; a case that one of
    them passes shows nothing. It costs nothing, needs no key, and says nothing about the skill. A routing policy says
    which host, model and effort it may use, as for a run; no data are given away, so their class does not matter.
    """
    from .executing import Wanted
    from .hosts import discover
    from .observers import named_observers
    from .renderers import report_form
    from .several import execute_all

    discovery = discover(given["host"])
    wanted = Wanted(
        given["out"],
        given["dry_run"],
        given["quiet"],
        report_form(given, discovery),
        observers=named_observers(given, discovery),
    )
    raise click.exceptions.Exit(execute_all(wanted, suite, given, given.pop("model_part"), discovery))
