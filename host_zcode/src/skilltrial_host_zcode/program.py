"""The installed program: where it is, what starts it, which version it says it is, and the table that it needs."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from skilltrial.api import InvalidRequest

READ_ABOUT = "0.16.9"
"""The version that this host was written from what is public about."""
UNCHECKED = (
    f"The host zcode was written from public documentation of ZCode {READ_ABOUT} and tested with a stand-in: it was "
    "never checked against the real program."
)
VARIABLE = "ZCODE_CLI_BIN"
BUILTIN = "ZCODE_BUILTIN_PROVIDER_CONFIG_FILE"
PERSONAL = "ZCODE_PERSONAL_PROVIDER_CONFIG_FILE"
_OLDEST_NODE = (22, 5)
_ANSWERS_WITHIN = 30
_SCRIPTS = frozenset({".cjs", ".js", ".mjs"})
_TABLE = "zcode-builtin.json"
_IN_APP = Path("resources/glm/zcode.cjs")
_STAND_IN = re.compile(r"stand-in \S.*")
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+\S*)")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that can be started. `argv` starts it; `table` is its table of model providers."""

    path: Path
    argv: tuple[str, ...]
    table: Path
    version: str
    stands_in: bool
    """Whether it says of itself that it only stands in for ZCode."""

    @property
    def sha256(self) -> str:
        """Digest of the program file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def find(binary: str | None, node: str, table: str | None) -> Program:
    """The program that will be started. Raises InvalidRequest where something of it is missing."""
    path = located(binary)
    argv: tuple[str, ...] = (str(path),)
    if path.suffix in _SCRIPTS:
        argv = (str(_node(node)), *argv)
    there = _table(path, table)
    version = _answer((*argv, "-v"), path, there)
    if _STAND_IN.fullmatch(version):
        return Program(path, argv, there, version, stands_in=True)
    found = _VERSION.fullmatch(version)
    if found is None:
        raise InvalidRequest(f"{path} does not tell a version as ZCode does (`-v`); check --host-binary")
    return Program(path, argv, there, found[1], stands_in=False)


def located(binary: str | None) -> Path:
    """The program file: the one that is named, or that of a desktop application. Raises InvalidRequest."""
    named = binary or os.environ.get(VARIABLE)
    if named is not None:
        found = shutil.which(named) or (named if Path(named).is_file() else None)
        if found is not None:
            return Path(found).absolute()
        raise InvalidRequest(f"no program {named!r} to run as ZCode; name its zcode.cjs by --host-binary or {VARIABLE}")
    for place in _places():
        if place.is_file():
            return place
    raise InvalidRequest(
        "no ZCode was found: no package registry ships it, its command line (zcode.cjs) comes with Z.ai's desktop "
        f"application; name that file by --host-binary or {VARIABLE}"
    )


def variables(table: Path, personal: Path) -> Mapping[str, str]:
    """What names the two files without which the program does not start: both, or it may refuse either."""
    return {BUILTIN: str(table), PERSONAL: str(personal)}


def _places() -> Iterator[Path]:
    """Where desktop applications put it."""
    for folder in (Path("/Applications"), Path.home() / "Applications"):
        yield folder / "ZCode.app" / "Contents" / "Resources" / "glm" / "zcode.cjs"
    for folder in (Path("/opt/ZCode"), Path("/opt/zcode"), Path("/usr/lib/zcode"), Path("/usr/share/zcode")):
        yield folder / _IN_APP


def _node(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise InvalidRequest(f"no program {name!r}: ZCode needs Node 22.5 or later; install it, or set the option node")
    path = Path(found).absolute()
    told = _VERSION.fullmatch(_told((str(path), "--version"), _stamp(path), None))
    if told is None or tuple(int(part) for part in told[1].split(".")[:2]) < _OLDEST_NODE:
        version = told[1] if told else "of no known version"
        raise InvalidRequest(f"{path} is {version}; ZCode needs Node 22.5 or later: set the option node to one")
    return path


def _table(path: Path, named: str | None) -> Path:
    """The built-in table of providers; where it lies in a desktop application the program itself does not look."""
    given = named or os.environ.get(BUILTIN)
    if given is not None:
        if Path(given).is_file():
            return Path(given).absolute()
        raise InvalidRequest(f"there is no file {given!r}, which should be ZCode's {_TABLE}")
    folder = path.resolve().parent
    above = (folder, *folder.parents[:5])
    for place in (folder / "provider" / _TABLE, *(each / "config" / "provider" / _TABLE for each in above)):
        if place.is_file():
            return place
    raise InvalidRequest(
        f"ZCode does not start without its table of model providers, {_TABLE}, and none lies near {path}; it comes "
        f"with the program: name it by the option table, or by {BUILTIN}"
    )


def _answer(argv: tuple[str, ...], path: Path, table: Path) -> str:
    return _told(argv, _stamp(path), str(table))


def _stamp(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns


@lru_cache(maxsize=16)
def _told(argv: tuple[str, ...], stamp: tuple[int, int], table: str | None) -> str:
    """What a program prints about itself, in a home of its own. `stamp` tells one file's contents apart."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "ZCODE_DATA_BASE_DIR": home}
        if table is not None:
            environment |= variables(Path(table), Path(home, "provider_config.json"))
        try:
            done = subprocess.run(
                argv,
                env=environment,
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ANSWERS_WITHIN,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InvalidRequest(f"{argv[0]} does not start ({type(error).__name__}); check --host-binary") from error
    return done.stdout.decode("utf-8", "replace").strip()
