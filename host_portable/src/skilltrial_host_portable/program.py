"""Which file a command starts."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path


def located(name: str, search: str | None) -> str:
    """The first item of a command as it will be started.

    A bare name is looked for in the folders of `search` (the text of PATH), then beside the Python that runs
    skilltrial, where installed agents of the same environment lie. What is not found, and what holds a slash, stays
    as it is: a relative path then means a file of the project.
    """
    if "/" in name or shutil.which(name, path=search):
        return name
    beside = shutil.which(name, path=str(Path(sys.executable).parent))
    return beside or name


def found(name: str, search: str | None) -> Path | None:
    """The file that a command starts; None where that is only known in the project, or there is none."""
    file = located(name, search)
    if "/" in file and not Path(file).is_absolute():
        return None
    path = shutil.which(file, path=search)
    return None if path is None else Path(path)


def missing(name: str, search: str | None) -> str:
    """What is wrong with a command that can't be started; empty where it can, or lies in the project."""
    file = Path(located(name, search))
    if found(name, search) is not None or ("/" in name and not file.is_absolute()):
        return ""
    if file.is_dir():
        return f"{name} is a folder; name the agent's program after --"
    if file.is_file():
        return f"{name} is not executable; `chmod +x` makes it so"
    where = "there" if file.is_absolute() else "on PATH: name it by its whole path"
    return f"no program {name!r} is {where}"


def digest(name: str, search: str | None) -> str | None:
    """SHA-256 of the file that a command starts; None where that is only known in the project, or not readable."""
    path = found(name, search)
    if path is None:
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
