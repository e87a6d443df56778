"""The types of the host's options: a command, a skill folder, a home, the names of environment variables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

_DRIVE = re.compile(r"[A-Za-z]:")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ITEMS = 64
_CHARACTERS = 4096


def _vector(items: tuple[str, ...]) -> tuple[str, ...]:
    if not 1 <= len(items) <= _ITEMS:
        raise ValueError(f"a command has 1 to {_ITEMS} items, this one has {len(items)}")
    return _items(items)


def _items(items: tuple[str, ...]) -> tuple[str, ...]:
    if len(items) > _ITEMS:
        raise ValueError(f"at most {_ITEMS} items are possible, these are {len(items)}")
    for number, item in enumerate(items, start=1):
        if not item:
            raise ValueError(f"item {number} is empty")
        if "\0" in item:
            raise ValueError(f"item {number} holds a NUL")
        if len(item) > _CHARACTERS:
            raise ValueError(f"item {number} is longer than {_CHARACTERS} characters")
    return items


def _below(path: str) -> str:
    if not path or "\\" in path or "\0" in path or _DRIVE.match(path):
        raise ValueError("it must be a path below the project, with / between its parts")
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError("it must be a path below the project, without empty parts, `.` and `..`")
    return path


def _home(value: str) -> str:
    if value in ("fresh", "own"):
        return value
    kind, _, folder = value.partition(":")
    if kind != "copy" or not folder:
        raise ValueError("it must be `fresh`, `own`, or `copy:` and a folder")
    # A shell expands no `~` in the middle of a word.
    source = Path(folder).expanduser()
    if not source.is_dir():
        raise ValueError("the folder after `copy:` does not exist")
    return f"copy:{source.absolute()}"


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError("an environment variable's name has letters, digits and _ only")
    return name


Vector = Annotated[tuple[str, ...], AfterValidator(_vector)]
"""A program and its arguments."""

Arguments = Annotated[tuple[str, ...], AfterValidator(_items)]
"""Further arguments, maybe none."""

Below = Annotated[str, AfterValidator(_below)]
"""A POSIX path below the project."""

Home = Annotated[str, AfterValidator(_home)]
"""`fresh`, `own`, or `copy:FOLDER`."""

Variable = Annotated[str, AfterValidator(_variable)]
"""The name of an environment variable."""
