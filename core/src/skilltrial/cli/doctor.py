"""`skilltrial doctor [HOST]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skilltrial.doctor.examining import Diagnosis

EPILOG = """\b
Examples:
  skilltrial doctor
  skilltrial doctor codex --deep

\b
Exit codes: 0 looked, and with --deep everything holds; 1 something drifted;
2 an unknown host; 3 the probes did not decide.
"""


@click.command("doctor", short_help="Look at the installed agents: versions, logins, what to do.", epilog=EPILOG)
@click.argument("host", required=False)
@click.option("--deep", is_flag=True, help="Probe the installed program: does its adapter still fit?")
@click.option("--host-binary", metavar="PATH", help="Another program file for this host.")
@click.option("--host-option", metavar="KEY=VALUE", multiple=True, help="Any other option of the host.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print.")
def command(host: str | None, deep: bool, form: str, **given: Any) -> None:
    """Look at every installed host, or at HOST: its program, version and digest, logins, skills, and what to do.

    A login is told as *present*: whether it is valid only the provider could say, and nobody is asked. With --deep the
    program plays a small suite with a scripted model, from a made-up home, and each thing that the host's adapter
    relies on is held to what was recorded. That costs nothing and needs no key.
    """
    from pathlib import Path

    from skilltrial.doctor.examining import diagnose, verdict
    from skilltrial.plugins.discovery import Discovery

    from .options import pairs

    if host is None and (given["host_binary"] or given["host_option"]):
        raise click.UsageError("--host-binary and --host-option are for one host: name it")
    options: dict[str, object] = pairs(given["host_option"], {})
    flags = [word for pair in given["host_option"] for word in ("--host-option", pair)]
    if given["host_binary"]:
        # The probes run elsewhere.
        binary = given["host_binary"]
        binary = str(Path(binary).absolute()) if "/" in binary else binary
        options["binary"], flags = binary, [*flags, "--host-binary", binary]
    diagnoses = diagnose(Discovery(), host, options, flags, deep=deep)
    click.echo(_json(diagnoses) if form == "json" else "\n\n".join(map(_text, diagnoses)) or "no host is installed")
    raise click.exceptions.Exit(verdict(diagnoses, deep=deep))


def _json(diagnoses: Sequence[Diagnosis]) -> str:
    import json

    return json.dumps([_plain(one) for one in diagnoses], indent=2)


def _plain(one: Diagnosis) -> dict[str, object]:
    finding, probe = one.finding, one.finding.probe
    return {
        "host": finding.name,
        "also": finding.also,
        "distribution": finding.distribution,
        "program": str(probe.program) if probe and probe.program else None,
        "version": probe.version if probe else None,
        "told": probe.told if probe else (),
        "todo": probe.todo if probe else (),
        "passed_over": finding.passed_over,
        "probes": [{"thing": row.thing, "state": row.state, "why": row.why} for row in one.rows],
        "undecided": one.undecided,
    }


def _text(one: Diagnosis) -> str:
    import textwrap

    from .printing import width

    wrapped = (
        textwrap.fill(line, width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in _lines(one)
    )
    return "\n".join(wrapped)


def _lines(one: Diagnosis) -> Iterator[str]:
    finding, probe = one.finding, one.finding.probe
    also = f" (also {', '.join(finding.also)})" if finding.also else ""
    yield f"{finding.name}{also}  {finding.distribution}"
    if probe is None:
        yield f"  passed over: {finding.passed_over}"
        return
    if probe.program is not None:
        yield f"  program {probe.program}, {f'version {probe.version}' if probe.version else 'version unknown'}"
    yield from (f"  {told}" for told in probe.told)
    for row in one.rows:
        yield f"  {row.state:<9}  {row.thing}{f': {row.why}' if row.why else ''}"
    if one.undecided is not None:
        yield f"  undecided: {one.undecided}"
    yield from (f"  to do: {todo}" for todo in probe.todo)
