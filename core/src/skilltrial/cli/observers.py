"""The observers that a command line names, beside the progress display."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from skilltrial.model.observing import Observer, RunOutline
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import ObserverFacade
from skilltrial.plugins.kinds import OBSERVER
from skilltrial.record.asking import Prepared
from skilltrial.record.observers import observing

from .options import pairs
from .progress import progress


def named_observers(given: Mapping[str, Any], discovery: Discovery) -> dict[str, ObserverFacade]:
    """The observers that were named, bound. Raises InvalidRequest, click.UsageError."""
    names = tuple(dict.fromkeys(given.get("observe", ())))
    options = pairs(given.get("observe_option", ()), {}, "--observe-option")
    if options and len(names) != 1:
        raise click.UsageError("--observe-option is for one observer; give --observe once")
    return {name: bind(ObserverFacade, name, discovery.build(OBSERVER, name, options)) for name in names}


def listed(prepared: Prepared, named: Mapping[str, ObserverFacade], discovery: Discovery) -> Prepared:
    """The run with its observers among the parts that took part."""
    identities = tuple(discovery.identify(OBSERVER, name) for name in named)
    return replace(prepared, parts=replace(prepared.parts, identities=(*prepared.parts.identities, *identities)))


@contextmanager
def watched(prepared: Prepared, named: Mapping[str, ObserverFacade], *, quiet: bool) -> Iterator[Observer]:
    """Who is told how the run goes: the progress display on standard error, and the observers."""
    outline = RunOutline(
        id=prepared.plan.run,
        suite=prepared.suite.id,
        suite_sha256=hashlib.sha256(prepared.suite.write()).hexdigest(),
        host=prepared.parts.identity,
        trials=len(prepared.trials),
        scripted=prepared.parts.model is not None,
    )
    with (
        progress(len(prepared.trials), quiet=quiet) as shown,
        observing(shown, named, outline, lambda fault: click.echo(fault, err=True)) as observers,
    ):
        yield observers
