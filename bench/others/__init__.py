"""Packages that are measured beside ours and stand in no lock: an environment of their own, made once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 300.0
"""How long an installation may take."""


class NotInstalled(Exception):
    """A package can't be had; the message says why, in a line."""


def python_with(name: str) -> Path:
    """The Python of an environment with what `NAME.txt` pins; made where it is not there yet. Raises NotInstalled."""
    pins = HERE / f"{name}.txt"
    digest = hashlib.sha256(pins.read_bytes()).hexdigest()[:12]
    home = HERE / f".venv-{name}-{digest}"
    python = home / "bin" / "python"
    if not (home / "whole").is_file():
        sys.stderr.write(f"         installing {name} in an environment of its own (once)\n")
        venv.create(home, clear=True, symlinks=True)
        _install(python, pins)
        (home / "whole").touch()
    return python


def _install(python: Path, pins: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-qq", "--python", str(python), "install"]
    try:
        ended = subprocess.run(
            [*pip, "--require-hashes", "--no-deps", "-r", str(pins)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"its installation took more than {SECONDS:.0f} s") from None
    if ended.returncode:
        # Without what pip says further: its lines hold addresses.
        raise NotInstalled(f"pip could not install what {pins.name} pins (exit code {ended.returncode})")
