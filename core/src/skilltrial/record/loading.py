"""A suite file in, a loaded suite out; or every fault of the file at once, each with its place."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pydantic import JsonValue, ValidationError

from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import DocumentInvalid, InvalidRequest, SourceUnusable
from skilltrial.model.foreign import Losses
from skilltrial.model.plan import PartIdentity
from skilltrial.model.suite import Suite
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.inputs import read_input

from .suitefile.checking import CheckReader, GraderDirectory
from .suitefile.document import MAX_BYTES, Document, Faults, read
from .suitefile.expansion import Expansion, expand
from .suitefile.folders import Folders
from .suitefile.meaning import Meaning
from .suitefile.placeholders import check_placeholders
from .suitefile.structure import check_structure

SUITE_FILE = "suite.yaml"
"""The suite in the folder of an installed one."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a suite of another tool became ours: by which installed format, and what was lost."""

    part: PartIdentity
    losses: Losses


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is used in the place of the suite's own: folders of skills by id, files by the path that the suite has."""

    skills: Mapping[str, Path] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    catalogs: tuple[str, ...] = ()
    """The fixtures whose catalog is among the files."""
    options: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    """Fixture → options that were said beside the suite; its long form has them."""


@dataclass(frozen=True)
class Loaded:
    """A suite that was read whole and has no fault."""

    suite: Suite
    """The long form."""
    path: Path
    """The suite file, links resolved."""
    root: Path
    """Its folder; the paths of the suite are relative to it."""
    source: bytes
    """The file as written."""
    checks: Mapping[tuple[str, str], CheckOptions]
    """Case and check → the check's options as its grader reads them."""
    document: Document
    """The file with the places of its values."""
    links: tuple[str, ...] = ()
    """What was reached through links above it, in words."""
    skills_root: Path | None = None
    """What the folders of skills are relative to, where it is not `root`."""
    conversion: Conversion | None = None
    """None for a suite that was written for us."""
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    part: PartIdentity | None = None
    """The installed package that the suite came in; None where it was named by its path."""


def is_name(argument: str) -> bool:
    """Whether an argument is the name of an installed suite, not a path."""
    return "/" not in argument and not PurePosixPath(argument).suffix


def locate(argument: str, discovery: Discovery) -> Path:
    """The suite file that an argument means: a path where it has a `/` or a suffix, else an installed suite's name.

    Raises SourceUnusable where there is no such file, PluginNotFound where no suite has that name.
    """
    if not is_name(argument):
        return Path(argument)
    return discovery.suite_folder(argument) / SUITE_FILE


def load(
    path: Path, graders: GraderDirectory, *, fixture_kinds: Collection[str] = (), answerers: Collection[str] = ()
) -> Loaded:
    """Read the suite at `path`. Raises DocumentInvalid with every fault, SourceUnusable without a readable file."""
    source, resolved = read_source(path)
    document = read(path.name, source)
    faults = Faults(document)
    if not isinstance(document.value, dict):
        faults.add((), "a suite is a mapping", "it has at least `cases`")
        faults.stop()
    _refuse_foreign(document)
    check_placeholders(faults)
    reader = CheckReader(faults, graders)
    expansion = expand(faults, reader, resolved)
    Meaning(faults, expansion, fixture_kinds, answerers).check()
    check_structure(faults)
    folders = Folders(faults, resolved.parent, expansion.long["limits"])
    folders.check(expansion)
    faults.stop()
    suite = _suite(document, expansion)
    links = (["the suite file was reached through a link"] if resolved != path.absolute() else []) + folders.links
    checks = {
        (str(case.long["id"]), str(check.long["id"])): check.options
        for case in expansion.cases
        for check in case.checks
        if check.options is not None
    }
    return Loaded(suite, resolved, resolved.parent, source, checks, document, tuple(links))


def expanded(loaded: Loaded) -> str:
    """The long form as YAML, every default written out; in the place of the suite file it loads to an equal suite."""
    from .suitefile.longform import expand_text  # ruamel, which a suite in JSON needs for nothing else

    return expand_text(loaded.suite)


def read_source(path: Path) -> tuple[bytes, Path]:
    """The bytes of a suite file and where it lies, links resolved. Raises SourceUnusable."""
    try:
        resolved = path.resolve(strict=True)
        if resolved.is_dir():
            raise SourceUnusable(f"{path} is a folder; name the suite file in it")
        return read_input(resolved, MAX_BYTES), resolved
    except FileNotFoundError:
        raise SourceUnusable(f"there is no file {path}") from None
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise SourceUnusable(
            f"{path} can't be read: {why or 'that is no path, or a link that leads to itself'}"
        ) from None


def _refuse_foreign(document: Document) -> None:
    if document.at(("schema-version",)) is not None and document.at(("schema_version",)) is None:
        fault = document.fault(
            ("schema-version",),
            "this is an EmbrAIon suite",
            "read it with `--format embraion` (package skilltrial-format-embraion)",
            key=True,
        )
        raise DocumentInvalid((fault,))


def _suite(document: Document, expansion: Expansion) -> Suite:
    try:
        return Suite.model_validate_json(json.dumps(expansion.long))
    except ValidationError as error:
        # `written` and the long form agree (a test holds them to it), so this tells of a fault of ours.
        loc = error.errors(include_input=False)[0]["loc"]
        raise InvalidRequest(f"{document.file}: the long form does not hold at {'.'.join(map(str, loc))}") from None
