"""Programs of fixtures, first on the PATH of a session's place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from skilltrial.model.trial import Place

PROFILES = (".profile", ".zprofile")
"""What login shells read after the system's own profile, which makes PATH anew: agents run commands in such shells."""


def with_programs(place: Place, folders: Sequence[Path]) -> Place:
    """The place, with these folders first on PATH, also in login shells."""
    if not folders:
        return place
    first = os.pathsep.join(map(str, folders))
    for profile in PROFILES:
        with (place.home / profile).open("a", encoding="utf-8") as lines:
            lines.write(f"PATH={shlex.quote(first)}:$PATH\nexport PATH\n")
    path = os.pathsep.join((first, place.environment.get("PATH", os.defpath)))
    return replace(place, environment={**place.environment, "PATH": path})
