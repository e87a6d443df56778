"""What `doctor` tells of Codex on this machine. Nothing of the operator's is shown but counts and places."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

from skilltrial.api import InvalidRequest, Probe

from . import program
from .credentials import KEYS, REMEDY, operators_home
from .login import Login, login_status
from .versions import RECORDED, is_recorded

SYSTEM = (Path("/etc/codex"),)
"""Where a machine's owner may set what no home of its own keeps out."""
SKILLS = ".agents/skills"


def probe(binary: str) -> Probe:
    """Look for the program and what it would find."""
    try:
        path = program.located(binary)
    except InvalidRequest as error:
        return Probe(program=None, told=("not installed",), todo=(str(error),))
    try:
        version, digest = program.version(path), program.digest(path)
    except (InvalidRequest, OSError) as error:
        return Probe(program=path, told=(f"it does not start: {error}",), todo=("install it anew",))
    home = operators_home()
    login = login_status(path, home)
    keys = [name for name in KEYS if os.environ.get(name)]
    told = [f"program sha256 {digest}", login.told]
    told += [f"{name} is set here" for name in keys]
    told += [f"skills of a trial lie in {SKILLS} of its project", *_kept_out(home)]
    told += [f"seen in trials: {place}, the machine's own configuration" for place in SYSTEM if place.exists()]
    return Probe(path, version, tuple(told), tuple(_todo(login, keys, version, home)), _own_model(home))


def _kept_out(home: Path) -> Iterator[str]:
    """What the operator's own sessions see and a trial never does."""
    skills = [file for folder in (home / "skills", Path.home() / SKILLS) for file in _skills(folder)]
    servers = _servers(home / "config.toml")
    kept = [f"{len(skills)} skills of your own"] * bool(skills)
    kept += [f"{servers} MCP servers of your configuration"] * bool(servers)
    kept += ["your AGENTS.md"] * (home / "AGENTS.md").is_file()
    if kept:
        yield f"not offered in trials: {', '.join(kept)}"


def _skills(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*/SKILL.md"))
    except OSError:
        return []


def _servers(file: Path) -> int:
    servers = _configuration(file).get("mcp_servers")
    return len(servers) if isinstance(servers, dict) else 0


def _own_model(home: Path) -> str | None:
    """The model that the operator's own sessions ask, as the configuration or its chosen profile says."""
    settings = _configuration(home / "config.toml")
    profiles, chosen = settings.get("profiles"), settings.get("profile")
    profile = profiles.get(chosen) if isinstance(profiles, dict) and isinstance(chosen, str) else None
    model = (profile.get("model") if isinstance(profile, dict) else None) or settings.get("model")
    return model if isinstance(model, str) and model else None


def _configuration(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _todo(login: Login, keys: list[str], version: str | None, home: Path) -> Iterator[str]:
    if version is None or not is_recorded(version):
        known = ", ".join(sorted(RECORDED))
        yield f"this version is not among the recordings ({known}): `skilltrial doctor codex --deep` tries it"
    if keys:
        yield f"live runs: add --pass-env {keys[0]}"
    elif not login.present:
        yield f"live runs: {REMEDY}"
    elif not (home / "auth.json").is_file():
        yield f"live runs: the login lies in a credential store and can't be lent; {REMEDY}"
