"""Who is installed, by metadata alone; and the one part that was named, loaded.

Listing imports no plugin. Two distributions that claim one name are found before anything is imported. stevedore's
DriverManager imports the one part that a run names.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from stevedore.driver import DriverManager
from stevedore.exception import NoMatches

from skilltrial.model.errors import InvalidRequest, PluginBroken, PluginDuplicate, PluginMismatch, PluginNotFound
from skilltrial.model.plan import PartIdentity
from skilltrial.model.visible import written_out

from .files import PartFile, in_file
from .installing import how_to_add
from .kinds import API_MAJOR, HOST, KINDS, SUITE, Kind
from .metadata import Told, told

_GROUP = re.compile(r"skilltrial\.(?P<kind>[a-z]+)s\.v(?P<major>[0-9]+)")


@dataclass(frozen=True, slots=True)
class Installed:
    """One entry point of a distribution: a name of a kind, for an API version. Nothing of it is imported."""

    kind: str
    name: str
    major: int
    distribution: str
    version: str
    target: str
    """`module:attribute`, or a package (a suite's folder)."""

    @property
    def module(self) -> str:
        """The module that the entry point names."""
        return self.target.partition(":")[0]


class Discovery:
    """The installed parts, read once. A run makes one and holds it.

    `files` are parts that a command line named by their file; nothing else can.
    """

    def __init__(self, found: tuple[Installed, ...] | None = None, files: Iterable[PartFile] = ()) -> None:
        self._given = found
        self._files = {(one.kind, one.name): one for one in files}

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the parts that a command line named by their files."""
        return tuple(name for _, name in self._files)

    def file(self, kind: Kind, name: str) -> PartFile | None:
        """The file of that part; None where it is not one that the command line named by its file."""
        return self._files.get((kind, name))

    @cached_property
    def installed(self) -> tuple[Installed, ...]:
        """Every entry point of ours, of every API version, sorted by kind and name."""
        found = self._given if self._given is not None else _scan()
        order = {kind.name: at for at, kind in enumerate(KINDS)}
        return tuple(sorted(found, key=lambda one: (order.get(one.kind, 99), one.name, one.distribution)))

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of this kind that fit this API version."""
        return tuple(
            dict.fromkeys(one.name for one in self.installed if one.kind == kind.name and one.major == API_MAJOR)
        )

    def find(self, kind: Kind, name: str) -> Installed:
        """The one installed part of that kind and name.

        Raises PluginNotFound, PluginDuplicate (naming both distributions), PluginMismatch (another API version).
        """
        named = [one for one in self.installed if one.kind == kind.name and one.name == name]
        fitting = [one for one in named if one.major == API_MAJOR]
        if len({one.distribution for one in fitting}) > 1:
            both = " and ".join(f"{one.distribution} {one.version}" for one in fitting)
            raise PluginDuplicate(f"{kind} {name!r} is provided by {both}; uninstall one of them")
        if fitting:
            return fitting[0]
        if named:
            other = named[0]
            raise PluginMismatch(
                f"{kind} {name!r} ({other.distribution} {other.version}) is installed for plugin API "
                f"v{other.major}; this is v{API_MAJOR}"
            )
        if kind is HOST and in_file(name):
            raise PluginNotFound(f"{name} is a host in a file; only a command line names one: --host FILE.py:CLASS")
        raise PluginNotFound(self._unknown(kind, name))

    def _unknown(self, kind: Kind, name: str) -> str:
        names = self.names(kind)
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        told = f"no {kind} called {name!r}; {hint}installed: {', '.join(names) or 'none'}"
        return told if close else f"{told}; {how_to_add()}"

    def load(self, kind: Kind, name: str) -> type:
        """Import the class of the named part. Raises as `find`, and PluginBroken with the cause."""
        if (file := self.file(kind, name)) is not None:
            return file.loaded
        loaded = self.load_object(kind, name)
        if not isinstance(loaded, type):
            one = self.find(kind, name)
            raise PluginMismatch(
                f"{kind} {name!r} ({one.distribution} {one.version}): the entry point must name a class, "
                f"not {type(loaded).__name__}"
            )
        return loaded

    def load_object(self, kind: Kind, name: str) -> object:
        """Import what the named part's entry point names. Raises as `find`, and PluginBroken with the cause."""
        one = self.find(kind, name)
        label = f"{kind} {name!r} ({one.distribution} {one.version})"
        try:
            driver: object = DriverManager(
                kind.group,
                name,
                invoke_on_load=False,
                on_load_failure_callback=_reraise,
            ).driver
        except NoMatches as error:
            raise PluginBroken(f"{label} can't be loaded: its entry point is gone") from error
        except (Exception, SystemExit) as error:
            # SystemExit too: a module that ends the program would end it with a code that says nothing happened.
            raise PluginBroken(f"{label} can't be loaded: {type(error).__name__}: {written_out(str(error))}") from error
        return driver

    def build(self, kind: Kind, name: str, options: Mapping[str, object] | None = None) -> object:
        """Load the named part and make it with `options` (its fields). Raises InvalidRequest for wrong options."""
        return build(f"{kind} {name!r}", self.load(kind, name), options or {})

    def suite_folder(self, name: str) -> Path:
        """The data folder of an installed suite, found without importing its package."""
        one = self.find(SUITE, name)
        top, *below = one.module.split(".")
        # Only the top is asked for: to find a module in a package, Python imports the package.
        spec = importlib.util.find_spec(top)
        places = list(spec.submodule_search_locations or ()) if spec else []
        folder = Path(places[0], *below) if places else None
        if folder is None or not folder.is_dir():
            raise PluginBroken(f"suite {name!r} ({one.distribution} {one.version}): its folder can't be found")
        return folder

    def sources(self, kind: Kind, name: str) -> dict[str, Path]:
        """The Python files of an installed part's package, by name. Imports nothing."""
        return source_files(self.find(kind, name).module)

    def identify(self, kind: Kind, name: str) -> PartIdentity:
        """Name, version and source digest of a part."""
        if (file := self.file(kind, name)) is not None:
            return file.identify()
        one = self.find(kind, name)
        return PartIdentity(
            kind=kind.name,  # type: ignore[arg-type]
            name=name,
            distribution=one.distribution,
            version=one.version,
            source_sha256=source_digest(self.sources(kind, name)),
        )


def build(label: str, factory: type, options: Mapping[str, object]) -> object:
    """Make a plugin of its options. Raises InvalidRequest that names every option that does not fit."""
    _refuse_unknown(label, factory, options)
    try:
        return factory(**options)
    except ValidationError as error:
        wrong = "; ".join(
            _option_fault(factory, fault) for fault in error.errors(include_input=False, include_url=False)
        )
        raise InvalidRequest(f"{label}: {wrong}") from None
    except TypeError as error:
        raise InvalidRequest(f"{label} can't be made with these options: {error}") from error


def _refuse_unknown(label: str, factory: type, options: Mapping[str, object]) -> None:
    """Not left to the class: one that is not told to forbid them would drop unknown options without a word."""
    known = getattr(factory, "__dataclass_fields__", None)
    if known is not None and (strange := [name for name in options if name not in known]):
        raise InvalidRequest(f"{label}: " + "; ".join(_unknown_option(factory, name) for name in strange))


def _unknown_option(factory: type, option: str) -> str:
    known = [name for name in getattr(factory, "__dataclass_fields__", {}) if not name.startswith("_")]
    close = difflib.get_close_matches(option, known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"it takes {', '.join(known) or 'no options'}"
    return f"takes no option `{option}`; {hint}"


def _option_fault(factory: type, fault: Any) -> str:
    option = ".".join(str(part) for part in fault["loc"]) or "options"
    if fault["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return _unknown_option(factory, option)
    if fault["type"] in ("missing", "missing_argument"):
        return f"needs the option `{option}`"
    says = str(fault["msg"]).removeprefix("Value error, ")
    return f"option `{option}` does not fit: {says}" if fault["loc"] else says


def source_files(module: str) -> dict[str, Path]:
    """The Python files of the top-level package of `module` → where they lie. Imports nothing."""
    top = module.partition(".")[0]
    spec = importlib.util.find_spec(top)
    if spec is None:
        return {}
    if not spec.submodule_search_locations:
        return {Path(spec.origin).name: Path(spec.origin)} if spec.origin else {}
    root = Path(spec.submodule_search_locations[0])
    files: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = (name for name in folders if name != "__pycache__")
        below = "".join(f"{part}/" for part in Path(folder).relative_to(root).parts)
        files += (f"{below}{name}" for name in names if name.endswith(".py"))
    return {f"{top}/{name}": root / name for name in sorted(files)}


def source_digest(files: Mapping[str, Path]) -> str:
    """One SHA-256 of sources: each name and content, length-prefixed, in the order of the names' bytes."""
    digest = hashlib.sha256()
    for name in sorted(files, key=lambda name: name.encode()):
        for part in (name.encode(), files[name].read_bytes()):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _reraise(manager: object, entry_point: object, error: BaseException) -> None:
    raise error


def _scan() -> tuple[Installed, ...]:
    found: dict[str, tuple[Installed, ...]] = {}
    for distribution in distributions():
        try:
            if not _ours(distribution):
                continue
            says = told(distribution)
            plain = re.sub(r"[-_.]+", "-", says.name or "").lower()
            # The first distribution of a name on sys.path is the one that Python imports.
            if plain and plain not in found:
                found[plain] = tuple(_parts(distribution, says))
        except (AttributeError, KeyError, OSError, TypeError, ValueError):
            # Its metadata is damaged: whoever asks for a part of it is told that there is none.
            continue
    return tuple(one for parts in found.values() for one in parts)


def _parts(distribution: Distribution, says: Told) -> Iterator[Installed]:
    for entry in distribution.entry_points:
        if match := _GROUP.fullmatch(entry.group):
            yield _installed(entry, match, says.name, says.version)


def _ours(distribution: Distribution) -> bool:
    text = distribution.read_text("entry_points.txt")
    return text is not None and "skilltrial." in text


def _installed(entry: EntryPoint, match: re.Match[str], distribution: str, version: str) -> Installed:
    return Installed(
        kind=match["kind"],
        name=entry.name,
        major=int(match["major"]),
        distribution=distribution,
        version=version,
        target=entry.value,
    )
