"""The installed program: where it is, which version, which efforts it knows."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from skilltrial.api import InvalidRequest

from .lines import several, text

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")
"""The efforts that some version is known to take."""
_ANSWERS_WITHIN = 30


def located(binary: str) -> Path:
    """The program file that will be started. Raises InvalidRequest where there is none.

    The npm package's `codex` is a script that only finds and starts a native program; that is named instead.
    """
    found = shutil.which(binary)
    if found is None:
        raise InvalidRequest(
            f"no program {binary!r} to run as Codex; install it (`npm install -g @openai/codex`), or name it by "
            "--host-binary"
        )
    path = Path(found).resolve()
    if path.suffix == ".js":
        package = path.parent.parent
        places = (package.parent, package / "node_modules" / "@openai")
        native = [file for place in places for file in place.glob("codex-*/vendor/*/bin/codex") if file.is_file()]
        if len(native) == 1:
            return native[0]
    return path


def version(path: Path) -> str | None:
    """The version that the program tells, None where it tells none."""
    found = re.search(r"\d+\.\d+\.\d+\S*", _told(path, "--version"))
    return found[0] if found else None


def digest(path: Path) -> str:
    """SHA-256 of the program file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_effort(path: Path, model: str | None, effort: str) -> None:
    """Hold `effort` to the program's own list for `model`, else to what is known of any. Raises InvalidRequest."""
    listed = _listed(_told(path, "debug", "models", "--bundled"))
    own = listed.get(model or "", ())
    if own and effort not in own:
        raise InvalidRequest(f"Codex takes no effort {effort!r} for the model {model}; it takes {', '.join(own)}")
    # A model that it does not list, or a list that can't be read: what some version takes for some model.
    every = (one for efforts in listed.values() for one in efforts)
    known = dict.fromkeys((*EFFORTS[1:6], *every)) if listed else dict.fromkeys(EFFORTS)
    if effort not in (own or known):
        raise InvalidRequest(f"Codex takes no effort {effort!r}; it takes {', '.join(known)}")


def _listed(told: str) -> dict[str, tuple[str, ...]]:
    """The efforts of each model that the program lists."""
    try:
        models = several(json.loads(told), "models")
    except (ValueError, RecursionError):
        return {}
    return {
        slug: tuple(effort for level in several(one, "supported_reasoning_levels") if (effort := text(level, "effort")))
        for one in models
        if (slug := text(one, "slug"))
    }


def _told(path: Path, *arguments: str) -> str:
    """What the program prints about itself; nothing of the operator's reaches it, and it writes nothing."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.devnull, "CODEX_HOME": os.devnull}
    try:
        done = subprocess.run(
            (str(path), *arguments),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidRequest(
            f"{path.name} does not start as Codex ({type(error).__name__}); check --host-binary"
        ) from error
    return done.stdout.decode("utf-8", "replace")
