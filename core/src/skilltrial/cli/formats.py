"""What `--format`, `--root` and `--timeout` mean: how a suite is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from skilltrial.model.errors import PluginNotFound
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import FormatFacade
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.kinds import ANSWERER, FIXTURE, FORMAT, SUITE
from skilltrial.record.loading import Loaded, is_name, load, locate
from skilltrial.record.refitting import refitted
from skilltrial.record.replacing import in_place
from skilltrial.record.suitefile.foreign import load_foreign

from .options import FORMS, settings

FLAGS = ("root", "timeout")
"""Flags that are fields of a suite format: a format without such a field refuses the flag by name."""


def suite_format(given: Mapping[str, Any]) -> str | None:
    """The format that `--format` names for the suite; None for a suite of ours. Raises click.UsageError."""
    names = [name for name in given.get("formats", ()) if name not in FORMS]
    if len(names) > 1:
        raise click.UsageError(f"a suite has one format; --format names {' and '.join(names)}")
    return names[0] if names else None


def load_suite(argument: str, given: Mapping[str, Any], discovery: Discovery) -> Loaded:
    """Read the suite that was asked for, in the format that was asked for. Raises InvalidRequest, click.UsageError."""
    graders = Graders(discovery)
    name = suite_format(given)
    options = {flag: given[flag] for flag in FLAGS if given.get(flag) is not None}
    if name is not None:
        try:
            discovery.find(FORMAT, name)
        except PluginNotFound as error:
            raise PluginNotFound(f"{error} (a report is printed as text, json or markdown)") from None
        front = bind(FormatFacade, name, discovery.build(FORMAT, name, options))
        return _replaced(load_foreign(Path(argument), front, discovery.identify(FORMAT, name), graders), given)
    if options:
        raise click.UsageError(f"--{next(iter(options))} goes with a suite of another tool and its --format NAME")
    loaded = load(
        locate(argument, discovery),
        graders,
        fixture_kinds=discovery.names(FIXTURE),
        answerers=discovery.names(ANSWERER),
    )
    if is_name(argument):
        loaded = replace(loaded, part=discovery.identify(SUITE, argument))
    return _replaced(loaded, given)


def _replaced(loaded: Loaded, given: Mapping[str, Any]) -> Loaded:
    """With what stands in the place of the suite's own (`--skill`, `--catalog`, `--fixture-option`)."""
    replaced = in_place(loaded, given.get("skill", ()), given.get("catalog", ()))
    return refitted(replaced, settings(given.get("fixture_option", ())))


def converted(loaded: Loaded) -> list[str]:
    """What was lost when a suite of another tool was read, a line each; nothing for a suite of ours."""
    if loaded.conversion is None:
        return []
    lost = loaded.conversion.losses
    groups = (("converted", lost.converted), ("changed", lost.changed), ("dropped", lost.dropped))
    return [f"{word}: {sentence}" for word, sentences in groups for sentence in sentences]
