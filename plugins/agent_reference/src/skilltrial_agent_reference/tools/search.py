"""Tools that list the project and search in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .base import Argument, Tool, ToolFailed, cut, inside

ENTRIES = 2_000
"""Paths that a listing shows."""
MATCHES = 200
"""Lines that a search shows."""
LINE = 400
"""Characters of a line that a search shows."""
SIZE_LIMIT = 2_000_000
"""Bytes of a file that is searched."""
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv"})
_FOLDER = Argument("A folder of the project; all of it without.", default=".")


@dataclass(frozen=True, slots=True)
class Search:
    """Looks through a project. `project` is a resolved, absolute path. Links to folders are not followed."""

    project: Path

    def tools(self) -> tuple[Tool, ...]:
        """List and search."""
        return (
            Tool("list_files", "List the files of the project, one path a line.", self.list, {"path": _FOLDER}),
            Tool(
                "search_files",
                "Find the lines that hold a text, shown as path:number: line.",
                self.search,
                {"text": Argument("The text, taken literally."), "path": _FOLDER},
            ),
        )

    def list(self, path: str) -> str:
        """The paths of all files below a folder."""
        shown: list[str] = []
        for file in self._walk(path):
            if len(shown) == ENTRIES:
                return "\n".join([*shown, f"[cut after {ENTRIES} files]"])
            shown.append(self._shown(file))
        return "\n".join(shown) or "no files"

    def search(self, text: str, path: str) -> str:
        """The lines that hold `text`."""
        if not text:
            raise ToolFailed("there is nothing to search for")
        shown: list[str] = []
        for file in self._walk(path):
            for number, line in _lines(file):
                if text not in line:
                    continue
                if len(shown) == MATCHES:
                    return "\n".join([*shown, f"[cut after {MATCHES} lines]"])
                shown.append(f"{self._shown(file)}:{number}: {cut(line, LINE)}")
        return "\n".join(shown) or "no matches"

    def _walk(self, path: str) -> Iterator[Path]:
        start = inside(self.project, path)
        if start.is_file():
            yield start
            return
        if not start.is_dir():
            raise ToolFailed("there is no such folder")
        for folder, folders, files in os.walk(start):
            folders[:] = sorted(set(folders) - _SKIPPED)
            yield from (Path(folder, name) for name in sorted(files))

    def _shown(self, file: Path) -> str:
        # Names that are not UTF-8 are shown with replacement marks: a model can't be sent lone surrogates.
        return file.relative_to(self.project).as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    # What is no regular text file of a sensible size has no lines to show; a link may lead out of the project.
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > SIZE_LIMIT:
            return
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return
    yield from enumerate(text.splitlines(), start=1)
