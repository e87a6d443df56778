"""Who judges: the identities of all parts that have a say in a verdict. A run records them, a report names them."""

from __future__ import annotations

from pathlib import Path

from skilltrial import __version__
from skilltrial.model.plan import PartIdentity
from skilltrial.model.suite import Suite

from .discovery import Discovery, source_digest, source_files
from .kinds import GRADER, NORMALIZER

JUDGING = ("skilltrial/archive/", "skilltrial/checks/", "skilltrial/judge/", "skilltrial/model/", "skilltrial/plugins/")
"""The folders of the core whose lines can change a verdict."""


def core_sources() -> dict[str, Path]:
    """The Python files of the core that judge, by name."""
    return {name: path for name, path in source_files("skilltrial").items() if name.startswith(JUDGING)}


def core_judge() -> PartIdentity:
    """The core, as far as it judges."""
    return PartIdentity(
        kind="core",
        name="judge",
        distribution="skilltrial",
        version=__version__,
        source_sha256=source_digest(core_sources()),
    )


def judging_parts(discovery: Discovery, suite: Suite, records: str) -> tuple[PartIdentity, ...]:
    """The core, the normalizer of the record format `records`, and every grader that a check of `suite` names.

    Imports none of them. Raises PluginNotFound, PluginDuplicate and PluginMismatch.
    """
    graders = sorted({check.grader for case in suite.cases for check in case.checks})
    return (
        core_judge(),
        discovery.identify(NORMALIZER, records),
        *(discovery.identify(GRADER, name) for name in graders),
    )
