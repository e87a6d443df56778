"""How further parts are added to the copy of skilltrial that runs: the way in which it was installed itself."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

EVERYTHING = "skilltrial-all"
"""The distribution that brings every first-party part."""


def install_command(name: str, prefix: Path | None = None) -> str:
    """The command that adds the distribution `name`; `prefix` is where this copy lies."""
    root = Path(sys.prefix) if prefix is None else prefix
    if (root / "pipx_metadata.json").is_file():
        return f"pipx inject {root.name} {name}"
    if (root / "uv-receipt.toml").is_file():
        # Such an installation is made anew, so what was added before has to be said again.
        before = [one for one in _received(root / "uv-receipt.toml") if one not in (root.name, name)]
        return " ".join(("uv tool install", root.name, *(f"--with {one}" for one in (*before, name))))
    if _installer() == "uv" and find_spec("pip") is None:
        return f"uv pip install --python {root} {name}"
    return f"{sys.executable} -m pip install {name}"


def how_to_add() -> str:
    """What to do where a part is missing.

    It names no distribution after what somebody wrote: a slip would have a stranger's package installed.
    """
    return f"all first-party parts come with: {install_command(EVERYTHING)}"


def _received(receipt: Path) -> list[str]:
    """The distributions that a tool installation of uv was asked for."""
    import tomllib

    try:
        rows = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
        return [str(row["name"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _installer() -> str:
    try:
        return (distribution("skilltrial").read_text("INSTALLER") or "").strip()
    except PackageNotFoundError:
        return ""
