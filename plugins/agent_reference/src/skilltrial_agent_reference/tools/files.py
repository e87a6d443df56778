"""Tools that read, write and edit one file of the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .base import Argument, Tool, ToolFailed, cut, inside

READ_LIMIT = 400_000
"""Characters of a file that a model is shown."""
SIZE_LIMIT = 10_000_000
"""Bytes of a file that is read at all."""
_PATH = Argument("Path of the file, relative to the project.")


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a project. `project` is a resolved, absolute path."""

    project: Path

    def tools(self) -> tuple[Tool, ...]:
        """Read, write and edit."""
        return (
            Tool("read_file", "Read a text file of the project.", self.read, {"path": _PATH}),
            Tool(
                "write_file",
                "Create a text file, or replace all of its text. Missing folders are made.",
                self.write,
                {"path": _PATH, "text": Argument("The whole text of the file.")},
            ),
            Tool(
                "edit_file",
                "Replace one piece of a text file. The piece must occur in it exactly once.",
                self.edit,
                {
                    "path": _PATH,
                    "old": Argument("The piece, exactly as it stands."),
                    "new": Argument("What it becomes."),
                },
            ),
        )

    def read(self, path: str) -> str:
        """The text of a file."""
        return cut(self._text(path), READ_LIMIT)

    def write(self, path: str, text: str) -> str:
        """Write a whole file."""
        file = inside(self.project, path)
        if file.exists() and not file.is_file():
            raise ToolFailed("that is not a file")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
        return f"written: {path}"

    def edit(self, path: str, old: str, new: str) -> str:
        """Replace a piece that occurs exactly once. Line ends stay as they are."""
        text = self._text(path)
        found = text.count(old) if old else 0
        if found != 1:
            raise ToolFailed(f"the piece occurs {found} times in the file; it must occur exactly once")
        self.write(path, text.replace(old, new))
        return f"edited: {path}"

    def _text(self, path: str) -> str:
        file = inside(self.project, path)
        if not file.exists():
            raise ToolFailed("there is no such file")
        if not file.is_file():
            raise ToolFailed("that is not a file")
        if file.stat().st_size > SIZE_LIMIT:
            raise ToolFailed(f"the file is larger than {SIZE_LIMIT} bytes")
        try:
            return file.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ToolFailed("the file is not UTF-8 text") from error
