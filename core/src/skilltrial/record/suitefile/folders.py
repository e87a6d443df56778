"""Faults of what a suite names on disk: skills, workspaces and the files of checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from skilltrial.model.errors import DocumentInvalid
from skilltrial.model.suite import Limits
from skilltrial.record.sources import Refused, Scan, scan

from .document import Faults, as_dict
from .document import Path as Place
from .expansion import CaseExpansion, Expansion
from .frontmatter import read_frontmatter
from .paths import path_fault
from .wording import close_to, named

_REVISION = re.compile(r"(merge-base:)?(?P<rev>[^:\s]+):(?P<path>.+)")
_TOLD = 5
"""How many entries of one folder are told about."""


class Folders:
    """Looks at what the suite in `root` names. `links` gathers what was reached through links."""

    def __init__(self, faults: Faults, root: Path, limits: Mapping[str, Any]) -> None:
        self._faults = faults
        self._root = root
        defaults = Limits()
        self._limits = {
            key: value if isinstance(value := limits.get(key), int) and value > 0 else getattr(defaults, key)
            for key in ("files_in", "bytes_in")
        }
        self._seen: dict[tuple[str, str], bool] = {}
        self.links: list[str] = []

    def check(self, expansion: Expansion) -> None:
        """Note every fault of the folders and files that the suite names."""
        for at, skill in enumerate(expansion.long["skills"]):
            self._check_skill(as_dict(skill), ("skills", at))
        self._check_plugin(as_dict(expansion.long.get("plugin")).get("folder"))
        for case in expansion.cases:
            self._check_workspace(case)
            for check in case.checks:
                for asset in check.options.assets() if check.options else ():
                    if path_fault(asset) is None:
                        self._check_asset(asset, check.place_of(asset))

    # --- skills ---------------------------------------------------------------------------------------------------

    def _check_skill(self, skill: dict[str, Any], path: Place) -> None:
        id, folder, previous = skill.get("id"), skill.get("folder"), skill.get("previous")
        if isinstance(folder, str) and folder:
            self._check_skill_folder(id, folder, (*path, "folder"), "folder")
        if not isinstance(previous, str):
            return
        place = (*path, "previous")
        if ":" not in previous:
            self._check_skill_folder(id, previous, place, "previous")
        elif match := _REVISION.fullmatch(previous):
            if fault := path_fault(match["path"]):
                self._faults.add(place, *fault)
        else:
            self._faults.add(place, "this is no revision of a folder", "write REV:path or merge-base:REF:path")

    def _check_skill_folder(self, id: object, folder: str, place: Place, key: str) -> None:
        if folder != "." and (fault := path_fault(folder)):
            self._faults.add(place, *fault)
            return
        source = self._folder(folder, place, "the skill's folder")
        if source is None or not self._check_head(id, source, folder, place):
            return
        found = self._scan(source, "refuse", place)
        if found is None:
            return
        kept = Scan(
            found.root,
            tuple(entry for entry in found.entries if not installed_never(entry.path)),
            tuple(entry for entry in found.refused if not installed_never(entry.path)),
        )
        self._refused(kept.refused, place, "skill")
        self._bounds(kept.files, kept.size, place, "the skill")

    def _check_head(self, id: object, source: Path, folder: str, place: Place) -> bool:
        head = source / "SKILL.md"
        if not head.is_file() or head.is_symlink():
            self._faults.add(place, "the skill's folder has no file SKILL.md", "name the folder that holds it")
            return False
        name = "SKILL.md" if folder == "." else f"{folder}/SKILL.md"
        try:
            matter = read_frontmatter(name, head.read_bytes())
        except DocumentInvalid as error:
            self._faults.extend(error.faults)
            return True
        except OSError:
            self._faults.add(place, "the skill's SKILL.md can't be read", "check its permissions")
            return True
        if matter.name is None:
            self._faults.add(place, "the skill's SKILL.md has no `name`", f"add `name:{named(id).replace('`', '')}`")
        elif isinstance(id, str) and matter.name != id:
            self._faults.add(
                (*place[:-1], "id"),
                "the skill's id must be the `name` in its SKILL.md; they differ",
                f"the SKILL.md says{named(matter.name)}" if named(matter.name) else "make them equal",
            )
        return True

    # --- the plugin -----------------------------------------------------------------------------------------------

    def _check_plugin(self, folder: object) -> None:
        place = ("plugin", "folder")
        if not isinstance(folder, str) or not folder:
            return
        if fault := path_fault(folder):
            self._faults.add(place, *fault)
            return
        source = self._folder(folder, place, "the plugin's folder")
        # Programs follow no links when they look through a plugin.
        found = self._scan(source, "refuse", place) if source else None
        if found:
            self._refused(found.refused, place, "plugin")
            self._bounds(found.files, found.size, place, "the plugin")

    # --- workspaces -----------------------------------------------------------------------------------------------

    def _check_workspace(self, case: CaseExpansion) -> None:
        place = (*case.path, "workspace")
        written = self._faults.document.at(place)
        long = case.long["workspace"]
        keyed = isinstance(written, dict) and written is not long.get("files")
        if isinstance(long.get("folder"), str):
            self._check_folder(long["folder"], (*place, "folder") if keyed else place)
        if isinstance(long.get("git"), str):
            self._check_git(long["git"], (*place, "git"))
        if isinstance(long.get("files"), dict):
            self._check_files(long["files"], (*place, "files") if keyed else place)

    def _check_folder(self, folder: str, place: Place) -> None:
        if not folder:
            return
        if fault := path_fault(folder):
            self._faults.add(place, *fault)
            return
        source = self._folder(folder, place, "the workspace folder")
        found = self._scan(source, "inside", place) if source else None
        if found:
            self._refused(found.refused, place, "workspace")
            self._bounds(found.files, found.size, place, "the workspace")

    def _check_git(self, folder: str, place: Place) -> None:
        if folder != "." and (fault := path_fault(folder)):
            self._faults.add(place, *fault)
        elif not (self._root / folder).is_dir():
            self._faults.add(place, "the repository's folder does not exist", "name it relative to the suite file")

    def _check_files(self, files: dict[str, Any], place: Place) -> None:
        for path, text in files.items():
            if isinstance(text, dict):
                self._faults.add(
                    (*place, path), "a file of a workspace is text", "write folders into the key: `src/a.py`"
                )
            if fault := path_fault(path):
                self._faults.add((*place, path), *fault, key=True)
                continue
            parts = path.split("/")
            if any("/".join(parts[:end]) in files for end in range(1, len(parts))):
                self._faults.add(
                    (*place, path), "the path lies below another file", "a file can't be a folder too", key=True
                )
        size = sum(len(text.encode()) for text in files.values() if isinstance(text, str))
        self._bounds(len(files), size, place, "the workspace")

    # --- what both have -------------------------------------------------------------------------------------------

    def _check_asset(self, asset: str, place: Place) -> None:
        file = self._root / asset
        if not file.is_file() or file.is_symlink():
            self._faults.add(
                place, "the file that the check names does not exist", "paths are relative to the suite file"
            )
        elif file.stat().st_size > self._limits["bytes_in"]:
            self._bounds(1, file.stat().st_size, place, "the check's file")

    def _folder(self, folder: str, place: Place, noun: str) -> Path | None:
        source = self._root / folder
        if source.is_symlink():
            self._faults.add(place, f"{noun} is a link", "name the folder that it leads to")
            return None
        if not source.is_dir():
            self._faults.add(place, f"{noun} does not exist", self._beside(source))
            return None
        above = [part for part in source.parents if part != self._root and self._root in part.parents]
        for part in reversed(above):
            note = f"{part.relative_to(self._root).as_posix()} is a link; what it leads to was used"
            if part.is_symlink() and note not in self.links:
                self.links.append(note)
        return source

    def _beside(self, source: Path) -> str:
        try:
            folders = [one.name for one in source.parent.iterdir() if one.is_dir()]
        except OSError:
            return "paths are relative to the suite file"
        close = close_to(source.name, folders)
        return f"did you mean `{close}`?" if close else "paths are relative to the suite file"

    def _scan(self, source: Path, links: Literal["refuse", "inside"], place: Place) -> Scan | None:
        try:
            return scan(source, links=links)
        except OSError:
            self._faults.add(place, "the folder can't be listed", "check its permissions")
            return None

    def _refused(self, refused: tuple[Refused, ...], place: Place, noun: str) -> None:
        for one in refused[:_TOLD]:
            path = one.path.encode("utf-8", "backslashreplace").decode()
            path = "".join(char if char.isprintable() else "?" for char in path)
            self._faults.add(place, f"the {noun} holds {_REASONS[one.reason][0]} ({path})", _REASONS[one.reason][1])
        if len(refused) > _TOLD:
            self._faults.add(place, f"the {noun} holds {len(refused) - _TOLD} more such entries")

    def _bounds(self, files: int, size: int, place: Place, noun: str) -> None:
        for count, unit, key in ((files, "files", "files_in"), (size, "bytes", "bytes_in")):
            if count > self._limits[key]:
                self._faults.add(
                    place,
                    f"{noun} has {count} {unit}; `limits` allow {self._limits[key]}",
                    f"raise `{key}` or leave some out",
                )


_REASONS: dict[str, tuple[str, str]] = {
    "link": ("a link", "put the file itself there"),
    "link_outside": ("a link that leaves it or is absolute", "use relative links to files inside"),
    "special": ("a special file", "only files and folders can be copied"),
    "unreadable": ("a folder that can't be read", "check its permissions"),
}


def installed_never(path: str) -> bool:
    """Whether an entry of a skill folder is never installed: `evals/`, suite files and their lock, a repository."""
    name = path.rsplit("/", 1)[-1]
    return path.split("/", 1)[0] in ("evals", ".git", "skilltrial.lock") or name.endswith(
        (".trial.yaml", ".trial.yml", ".trial.json")
    )
