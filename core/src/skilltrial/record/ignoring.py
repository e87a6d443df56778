"""Which paths of a project are left out of the listing of changes."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable


class Ignore:
    """Globs over POSIX paths. What lies in a `kept` folder (an installed skill) is never ignored.

    `name/` is a folder of that name anywhere, `*.pyc` a name anywhere, `build/*.log` a path from the project's root
    (`*` crosses `/`).
    """

    def __init__(self, globs: Iterable[str], kept: Iterable[str] = ()) -> None:
        folders, names, paths = [], [], []
        for glob in globs:
            body = glob.strip("/")
            if glob.endswith("/") and "/" not in body:
                folders.append(body)
            elif "/" in glob:
                paths.append(body)
            else:
                names.append(body)
        self._folders = _any(folders)
        self._names = _any(names)
        self._paths = _any(paths)
        self._kept = tuple(kept)
        # A folder that is looked into for the sake of a kept one is left out all the same: whatever else lies in it.
        self._spared: set[str] = set()
        for path in self._kept:
            covered = False
            parts = path.split("/")
            for depth in range(1, len(parts)):
                above = "/".join(parts[:depth])
                covered = covered or self._matches(above, folder=True)
                if covered:
                    self._spared.add(above)

    def skips(self, path: str, *, folder: bool) -> bool:
        """Whether the path, and all below it where it is a folder, is left out."""
        for kept in self._kept:
            if path == kept or path.startswith(f"{kept}/") or (folder and kept.startswith(f"{path}/")):
                return False
        return path.rpartition("/")[0] in self._spared or self._matches(path, folder=folder)

    def _matches(self, path: str, *, folder: bool) -> bool:
        name = path.rpartition("/")[2]
        return bool(
            (folder and self._folders and self._folders.fullmatch(name))
            or (self._names and self._names.fullmatch(name))
            or (self._paths and self._paths.fullmatch(path))
        )


def _any(globs: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(fnmatch.translate(glob) for glob in globs)) if globs else None
