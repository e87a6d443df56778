"""One command for several hosts: an archive for each, one after the other, and the worst exit code."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from skilltrial.model.errors import Exit
from skilltrial.plugins.discovery import Discovery
from skilltrial.record.asking import prepare

from .executing import Wanted, execute, request
from .hosts import choose
from .options import FORMS
from .places import default_out
from .printing import JSON_LINES

_WORST = (Exit.PASSED, Exit.FAILED, Exit.INCOMPLETE, Exit.INTERRUPTED)
"""From best to worst."""


def execute_all(wanted: Wanted, suite: str, given: Mapping[str, Any], model: str | None, discovery: Discovery) -> Exit:
    """Run the suite on every host that is meant. Everything is checked for all of them before the first one starts.

    Raises InvalidRequest, click.UsageError.
    """
    chosen = choose(given, discovery, live=model is None)
    if len(chosen) == 1:
        return execute(wanted, request(suite, given, model, discovery, chosen[0]), discovery)
    if wanted.form not in FORMS:
        raise click.UsageError(
            f"--report {wanted.form} writes a document of one host; give one --host, or "
            f"`skilltrial grade DIR --report {wanted.form}` afterwards"
        )
    if wanted.form == "json":
        wanted = replace(wanted, form=JSON_LINES)
    # The same order everywhere, or the hosts' trials would differ in more than the host.
    given = {**given, "seed": secrets.randbelow(1_000_000) if given["seed"] is None else given["seed"]}
    asked = [request(suite, given, model, discovery, one) for one in chosen]
    for one in asked:
        prepare(one, discovery)
    ended: list[tuple[str, Exit]] = []
    for one in asked:
        name = one.choice.name.replace(":", "-")
        if wanted.out:
            out = str(Path(wanted.out) / name)
        else:
            out = str(default_out(f"{one.loaded.suite.id}-{name}", datetime.now(UTC)))
        ended.append((name, execute(replace(wanted, out=out), one, discovery)))
        if ended[-1][1] is Exit.INTERRUPTED:
            break
    for name, code in ended:
        click.echo(f"{name}: exit {code.value} ({code.name.lower()})", err=True)
    return max((code for _, code in ended), key=_WORST.index)
