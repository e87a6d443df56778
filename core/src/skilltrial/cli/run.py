"""`skilltrial run SUITE`."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

import click

from skilltrial.model.routing import DATA

from .options import GATE, OF_WORK, host_options, policy_options, run_options

EPILOG = """\b
Examples:
  skilltrial run my.trial.yaml --host portable --attempts 2 -- my-agent --flag
  skilltrial run my.trial.yaml --dry-run -- my-agent
  skilltrial run my.trial.yaml --gate majority_of=5 --max-sessions 40
  skilltrial run my.trial.yaml --pass-env MY_KEY --max-time 1800 -- my-agent
  skilltrial run --resume last
  skilltrial run suite.json --format embraion --report embraion -- my-agent

\b
Exit codes: 0 gate passed, 1 gate failed, 2 not a valid request,
3 incomplete (no statement about the skill), 130 interrupted.
"""


class Dollars(click.ParamType[Decimal]):
    """An amount of money."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Read it exactly."""
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            self.fail("an amount such as 2.50 is needed", param, ctx)
        if not amount.is_finite() or amount <= 0:
            self.fail("an amount above 0 is needed", param, ctx)
        return amount


class Seconds(click.FloatRange):
    """A time that ends: `nan` and `inf` would be a budget that is never used up."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it."""
        seconds = float(super().convert(value, param, ctx))
        if not isfinite(seconds):
            self.fail("a number of seconds is needed", param, ctx)
        return seconds


class RunCommand(click.Command):
    """With --resume there is no SUITE: what follows `--` is the agent's command from its first word on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put an empty SUITE before the command of a resumed run."""
        at = args.index("--") if "--" in args else len(args)
        if at < len(args) and any(word == "--resume" or word.startswith("--resume=") for word in args[:at]):
            args = [*args[: at + 1], "", *args[at + 1 :]]
        return super().parse_args(ctx, args)


@click.command(
    "run",
    cls=RunCommand,
    short_help="Run a suite on a real agent, with and without the skill, and judge it.",
    epilog=EPILOG,
)
@click.argument("suite", required=False)
@host_options
@click.option("--attempts", type=click.IntRange(1, 1000), metavar="N", help="Repetitions [what the suite says, or 1].")
@GATE
@click.option("--pass-env", metavar="NAME", multiple=True, help="Pass this variable on; its value is never written.")
@click.option("--allow-mutations", is_flag=True, help="Let fixtures pass calls on that change a real server.")
@click.option("--retries", type=click.IntRange(0, 10), metavar="N", help="More tries after a host's fault [2].")
@click.option("--max-sessions", type=click.IntRange(1), metavar="N", help="Start no more sessions than this.")
@click.option("--max-time", type=Seconds(0, min_open=True), metavar="SECONDS", help="Start none after this.")
@click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Start none that could go over this.")
@click.option("--max-cost", type=Dollars(), metavar="DOLLARS", help="Start none that could go over this.")
@click.option("--resume", metavar="DIR", help="Take up an unfinished run: its archive, or `last`.")
@click.option("--incomplete", is_flag=True, help="With --resume: also run again what was sealed as incomplete.")
@click.option("--reuse", metavar="DIR", help="Take over equal trials of reference arms from this archive, or `last`.")
@click.option("--accept-host-change", is_flag=True, help="With --reuse: also from another version of the agent.")
@policy_options
@click.option("--data", type=click.Choice(DATA), help="The class of the data, for the policy [PRIVATE].")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before many live sessions.")
@run_options
def command(suite: str | None, **given: Any) -> None:
    """Run a SUITE on a real agent program, with and without the skill; seal what happened, and judge it.

    SUITE is a path where it has a `/` or a suffix, else the name of an installed suite. Each trial is one session in a
    fresh project and a fresh home. What the agent prints and changes is recorded and sealed with SHA-256.

    A suite of another tool is read with --format NAME (`--format embraion`), and says what it lost on the way; --report
    NAME prints the report as another tool would. Both are installed parts (`skilltrial plugins`).
    """
    from .executing import Wanted, execute_again
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
        given["yes"],
        given["reuse"],
        given["accept_host_change"],
        named_observers(given, discovery),
    )
    if given["resume"] is not None:
        _refuse_beside_resume(suite, given)
        code = execute_again(wanted, given["resume"], given, discovery)
    elif suite is None:
        raise click.UsageError("which suite? give a file or the name of an installed suite, or --resume an archive")
    elif given["incomplete"]:
        raise click.UsageError("--incomplete goes with --resume")
    elif given["accept_host_change"] and given["reuse"] is None:
        raise click.UsageError("--accept-host-change goes with --reuse")
    else:
        code = execute_all(wanted, suite, given, None, discovery)
    raise click.exceptions.Exit(code)


def _refuse_beside_resume(suite: str | None, given: dict[str, Any]) -> None:
    """What a run was asked for is in its archive; asking for something else would make it another run."""
    if suite:
        raise click.UsageError("--resume takes its suite from the archive; leave the SUITE out")
    from .formats import FLAGS, suite_format

    if (foreign := suite_format(given)) is not None:
        raise click.UsageError(f"--format {foreign} can't be given with --resume: the archive says it")
    from skilltrial.plugins.files import in_file

    # A host in a file is named again: no archive makes us import a path.
    installed = tuple(one for one in given["host"] if not in_file(one))
    given = {**given, "host": installed}
    ours = (
        "host",
        "cases",
        "arms",
        "attempts",
        "seed",
        "out",
        "pass_env",
        "allow_commands",
        "allow_mutations",
        "reuse",
        "gate",
    )
    for name in (*FLAGS, *ours, "skill", "catalog", "delivery", "fixture_option", *OF_WORK):
        if given[name]:
            flag = {"cases": "case", "arms": "arm"}.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{flag} can't be given with --resume: the archive says it")
