"""The group of commands. A command's module is imported when it is called, not when help is shown."""

from __future__ import annotations

import importlib
from typing import NamedTuple

import click

from skilltrial import __version__


class Entry(NamedTuple):
    """Where a command lives, and its line in the help."""

    module: str
    help: str


GROUPS: dict[str, dict[str, Entry]] = {
    "Start": {
        "try": Entry("try_", "One session without and one with a skill, side by side."),
        "init": Entry("init", "Write a first suite beside a skill, for you to fill in."),
        "run": Entry("run", "Run a suite on a real agent, with and without the skill, and judge it."),
        "demo": Entry("demo", "Rehearse a suite that comes with skilltrial: no key, no cost."),
    },
    "Understand": {
        "show": Entry("show", "Show a run's table, or one trial turn by turn."),
        "note": Entry("note", "Keep a remark on a run or a trial, outside the seal."),
    },
    "Trust": {
        "lint": Entry("lint", "Check a suite and its skills without running anything."),
        "rehearse": Entry("rehearse", "Test a suite: run its scripts with a scripted model."),
        "grade": Entry("grade", "Judge a sealed archive again."),
        "verify": Entry("verify", "Check that an archive is what was sealed."),
        "audit": Entry("audit", "Change a passing archive's evidence: what still passes?"),
        "pin": Entry("pin", "Pin a suite's skills to the committed bytes that are tested."),
        "qualified": Entry("qualified", "Say which archive qualifies a skill on this host, or what has changed."),
        "scan": Entry("scan", "Look for credentials in an archive before it is shared."),
    },
    "Extend": {
        "plugins": Entry("plugins", "Show the installed parts: hosts, graders, suites ..."),
        "doctor": Entry("doctor", "Look at the installed agents: versions, logins, what to do."),
        "new": Entry("new", "Begin a part of your own: a package that works as it stands."),
        "contract": Entry("contract", "Hold an installed part to the contract of its kind."),
        "schema": Entry("schema", "Print a JSON Schema: of suites, reports or qualifications."),
        "import": Entry("import_", "Make an archive of a transcript that another tool recorded, and judge it."),
    },
}
"""Every command by what one wants, in the order of the help."""
COMMANDS: dict[str, Entry] = {name: entry for group in GROUPS.values() for name, entry in group.items()}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command: one of ours, or one that an installed part brings."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return _of_a_part(cmd_name)
        command = importlib.import_module(f"skilltrial.cli.{entry.module}").command
        if not isinstance(command, click.Command):
            raise TypeError(entry.module)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one is answered with the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"commands: {', '.join(COMMANDS)}"
            if _of_a_part(args[0]) is not None:
                return super().resolve_command(ctx, args)
            raise click.UsageError(f"no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        widest = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), entry.help) for name, entry in group.items()])


def _of_a_part(name: str) -> click.Command | None:
    """The command of that name that an installed part brings; None where there is none."""
    from skilltrial.model.errors import PluginNotFound
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.plugins.kinds import COMMAND

    try:
        command = Discovery().load_object(COMMAND, name)
    except PluginNotFound:
        return None
    return command if isinstance(command, click.Command) else None


EPILOG = """\b
Exit codes:
  0 gate passed    1 gate failed           2 not a valid request
  3 incomplete     4 archive refused      70 our own fault    130 interrupted

\b
First steps:
  skilltrial demo
  skilltrial try my-skill "What to do"
  skilltrial lint my.trial.yaml
  skilltrial run my.trial.yaml --host portable -- my-agent --flag
  skilltrial show last

\b
Completion: eval "$(_SKILLTRIAL_COMPLETE=bash_source skilltrial)"; zsh and
fish have zsh_source and fish_source.

Installed parts may bring further commands; `skilltrial plugins` shows them.
"""


@click.command(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="skilltrial %(version)s")
def cli() -> None:
    """Measure whether an agent skill changes what a coding agent does.

    skilltrial starts the real agent program in fresh places, with and without the skill, records what happened,
    judges it by declared checks and seals everything, so that anybody can judge it again.
    """
