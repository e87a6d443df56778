"""The installed program: where it is, which version, which efforts it knows."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from skilltrial.api import InvalidRequest

_ANSWERS_WITHIN = 30
"""Seconds."""
_NOWHERE: Mapping[str, str] = MappingProxyType({"HOME": os.devnull, "CLAUDE_CONFIG_DIR": os.devnull})
_EFFORTS = re.compile(r"--effort <level>.*?\(([a-z, \n]+)\)", re.S)


def located(binary: str) -> Path:
    """The program file that will be started. Raises InvalidRequest where there is none."""
    found = shutil.which(binary)
    if found is None:
        raise InvalidRequest(
            f"no program {binary!r} to run as Claude Code; install it (`npm install -g @anthropic-ai/claude-code`), or "
            "name it by --host-binary"
        )
    return Path(found).resolve()


def version(path: Path) -> str | None:
    """The version that the program tells, None where it tells none."""
    found = re.search(r"\d+\.\d+\.\d+\S*", _told(path, "--version"))
    return found[0] if found else None


@cache
def digest(path: Path, size: int, changed: int) -> str:
    """SHA-256 of the program file; `size` and `changed` (its time of change) tell one file from a later one."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_effort(path: Path, effort: str) -> None:
    """Hold `effort` to the program's own list. Raises InvalidRequest: the program itself would only pass over it."""
    told = _told(path, "--help")
    listed = _EFFORTS.search(told)
    if "--effort" in told and listed is None:
        return
    efforts = re.findall(r"[a-z]+", listed[1]) if listed else []
    if effort not in efforts:
        known = f"it takes {', '.join(efforts)}" if efforts else "it takes none at all"
        raise InvalidRequest(f"the installed Claude Code takes no effort {effort!r}; {known}")


def knows(path: Path, passed: Mapping[str, str]) -> bool | None:
    """Whether the program takes what is passed on for a login; None where it does not say. Asks no provider."""
    with TemporaryDirectory() as state:  # it writes settings even here, so never in the operator's own folder
        told = _told(path, "auth", "status", variables={**passed, "HOME": state, "CLAUDE_CONFIG_DIR": state})
    try:
        known = json.loads(told).get("loggedIn")
    except (ValueError, RecursionError, AttributeError):
        return None
    return known if isinstance(known, bool) else None


def _told(path: Path, *arguments: str, variables: Mapping[str, str] = _NOWHERE) -> str:
    """What the program prints about itself. Nothing of the operator's reaches it."""
    quiet = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    try:
        done = subprocess.run(
            (str(path), *arguments),
            env={"PATH": os.environ.get("PATH", os.defpath), **quiet, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidRequest(
            f"{path.name} does not start as Claude Code ({type(error).__name__}); check --host-binary"
        ) from error
    return done.stdout.decode("utf-8", "replace")
