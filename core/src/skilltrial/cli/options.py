"""Options that several commands share, and what they mean to a host."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from skilltrial.model.routing import CLASSES

if TYPE_CHECKING:
    from pydantic import JsonValue

    from skilltrial.record.refitting import Setting

_SETTING = re.compile(
    r"(?:(?P<name>[a-z][a-z0-9_-]{0,63}):)?(?P<key>[A-Za-z][A-Za-z0-9_-]{0,63})=(?P<value>.*)", re.DOTALL
)
OF_WORK = ("route_class", "data")
"""Flags that say to a routing policy what a run is for."""
C = TypeVar("C", bound=Callable[..., Any])

_HOST_OPTIONS = (
    click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]"),
    click.option(
        "--host",
        metavar="NAME",
        multiple=True,
        help="The agent program: an installed host, or ./file.py:Class while you write one (may repeat) [the one agent "
        "that is installed].",
    ),
    click.option("--host-command", metavar="JSON", help='The command of a portable host: \'["agent", "--flag"]\'.'),
    click.option("--host-binary", metavar="PATH", help="Another program file for this host."),
    click.option("--host-option", metavar="KEY=VALUE", multiple=True, help="Any other option of the host."),
    click.option("--model", metavar="NAME", help="The model, where the host lets you choose."),
    click.option("--effort", metavar="NAME", help="The reasoning effort, where the host lets you choose."),
    click.option("--skill-dir", metavar="DIR", help="Where a portable agent looks for skills [.agents/skills]."),
    click.option("--records", metavar="FORM", help="What a portable agent prints: none, or events."),
    click.option("--profile", metavar="FILE", help="A file that describes a portable agent, or a name: opencode, pi."),
    click.option("--home", metavar="HOW", help="A portable agent's home: fresh, own, or copy:PATH."),
)

_SELECTION = (
    click.option("--case", "cases", metavar="ID", multiple=True, help="Only this case (may repeat)."),
    click.option("--arm", "arms", metavar="ID", multiple=True, help="Only this arm (may repeat)."),
    click.option("--seed", type=click.IntRange(min=0), help="Seed of the order [drawn, and recorded]."),
    click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Trials at once [4]."),
)

_OUTPUT = (
    click.option("--out", type=click.Path(), metavar="DIR", help="The archive [.skilltrial/runs/SUITE-TIME]."),
    click.option("--dry-run", is_flag=True, help="Check every part, print the plan, start nothing."),
    click.option("--allow-commands", is_flag=True, help="Let the suite run its setup and after commands."),
    click.option(
        "--observe", metavar="NAME", multiple=True, help="An installed observer that is told of the run: otel ..."
    ),
    click.option("--observe-option", metavar="KEY=VALUE", multiple=True, help="An option of the observer."),
    click.option("--quiet", "-q", is_flag=True, help="No progress; only the result."),
)

_POLICY = (
    click.option("--policy", metavar="FILE", help="The routing policy [the nearest one from --path upwards]."),
    click.option("--path", metavar="DIR", help="The project whose routing policy counts [.]."),
    click.option("--route-class", type=click.Choice(CLASSES), help="The class of the work, for the policy [ordinary]."),
)

FORMS = ("auto", "text", "json", "markdown")
"""How every command can print a report."""

FORM = click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="auto",
    help="How to print the report [auto: in colour on a terminal].",
)


GATE = click.option(
    "--gate",
    metavar="RULE",
    help="Decide by this in place of the suite's gate: all, majority_of=5 (a case that fails is run four times more), "
    "min_pass_rate=0.9.",
)

REPORT = click.option(
    "--report",
    metavar="NAME",
    help="Print the report in this form: markdown, json, text, or by an installed renderer: junit, embraion ...",
)

SKILL = click.option(
    "--skill", metavar="[ID=]DIR", multiple=True, help="Test this skill folder in the place of the suite's own."
)
CATALOG = click.option(
    "--catalog", metavar="[NAME=]FILE", multiple=True, help="Offer this catalog in the place of the suite's own."
)

DELIVERY = click.option(
    "--delivery",
    type=click.Choice(("plugin", "folder")),
    help="How a suite's plugin is given to the host: installed, or skills and servers one by one [as the suite says].",
)

FIXTURE_OPTION = click.option(
    "--fixture-option",
    metavar="[NAME:]KEY=VALUE",
    multiple=True,
    help="An option of the suite's fixture, in the place of the suite's own (may repeat).",
)

_FORMAT_OPTIONS = (
    click.option("--root", type=click.Path(), metavar="DIR", help="Where a suite of another tool has its skills."),
    click.option(
        "--timeout", type=click.IntRange(1), metavar="SECONDS", help="A trial's limit in a suite of another tool."
    ),
)

SUITE_FORMAT = click.option(
    "--format", "formats", metavar="NAME", multiple=True, help="The format of a suite of another tool: embraion ..."
)

_FORMATS = click.option(
    "--format",
    "formats",
    metavar="NAME",
    multiple=True,
    help="How to print the report: text, json, markdown [auto: in colour on a terminal]. Any other name is the "
    "installed format of a SUITE that was written for another tool (embraion). May be given for each. With several "
    "hosts json is a line for each host's report, in their order (JSON Lines).",
)


def host_options(function: C) -> C:
    """Which host, and its options."""
    return _with(_HOST_OPTIONS, function)


def host_flags(function: C) -> C:
    """Which host and its options, but for a command behind `--`."""
    return _with(_HOST_OPTIONS[1:], function)


def policy_options(function: C) -> C:
    """Which routing policy, and what the work is."""
    return _with(_POLICY, function)


def host_fields_options(function: C) -> C:
    """The options of a host that is named elsewhere."""
    return _with((_HOST_OPTIONS[0], *_HOST_OPTIONS[2:]), function)


def run_options(function: C) -> C:
    """What of the suite, where to, and how it is shown."""
    return _with(
        (*_SELECTION, SKILL, CATALOG, DELIVERY, FIXTURE_OPTION, *_FORMAT_OPTIONS, *_OUTPUT, _FORMATS, REPORT), function
    )


def foreign_options(function: C) -> C:
    """How a suite of another tool is read."""
    return _with((SUITE_FORMAT, *_FORMAT_OPTIONS), function)


def _with(options: tuple[Callable[[C], C], ...], function: C) -> C:
    for option in reversed(options):
        function = option(function)
    return function


def host_fields(given: dict[str, Any]) -> dict[str, object]:
    """The host's options from the flags that were given: a flag that this host has no field for is its own error.

    Raises click.UsageError for a command given twice and for values that can't be read.
    """
    fields: dict[str, object] = {}
    command = tuple(given["command"])
    if given["host_command"] is not None:
        if command:
            raise click.UsageError("the command is given twice: by --host-command and after --")
        command = _vector(given["host_command"])
    if command:
        fields["command"] = command
    for flag, field in (
        ("host_binary", "binary"),
        ("model", "model"),
        ("effort", "effort"),
        ("skill_dir", "skill_dir"),
        ("records", "records"),
        ("profile", "profile"),
        ("home", "home"),
    ):
        if (value := given.get(flag)) is not None:
            fields[field] = value
    return pairs(given["host_option"], fields)


def pairs(given: Iterable[str], fields: dict[str, object], flag: str = "--host-option") -> dict[str, object]:
    """`fields` with the options that were given as KEY=VALUE. Raises click.UsageError."""
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"{flag} takes KEY=VALUE")
        name = key.replace("-", "_")
        if name in fields:
            raise click.UsageError(f"{flag}: `{key}` is given twice")
        fields[name] = _value(value)
    return fields


def settings(given: Iterable[str]) -> tuple[Setting, ...]:
    """What `--fixture-option` says. Raises click.UsageError."""
    from skilltrial.record.refitting import Setting

    found: list[Setting] = []
    for text in given:
        match = _SETTING.fullmatch(text)
        if match is None:
            raise click.UsageError("--fixture-option takes [NAME:]KEY=VALUE")
        found.append(Setting(match["name"], match["key"].replace("-", "_"), _value(match["value"])))
    return tuple(found)


def _vector(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise click.UsageError('--host-command takes a JSON array of texts, such as \'["agent", "--flag"]\'')
    return tuple(value)


def _value(text: str) -> JsonValue:
    """JSON where it is an object, list, number, true or false; else the text itself."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return text if value is None or isinstance(value, str) else value


def _refuse(constant: str) -> object:
    """`NaN` and `Infinity` are Python's, not JSON's: nobody could read them back from an archive."""
    raise ValueError(constant)
