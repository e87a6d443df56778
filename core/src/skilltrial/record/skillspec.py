"""A SKILL.md against the Agent Skills specification. Nothing of its text is ever quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .suitefile.frontmatter import FrontMatter

MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY = 64, 1024, 500
"""Characters that the specification allows."""
MAX_LINES, MAX_CHARACTERS = 500, 20_000
"""A body that is longer is read whole each time; some 5,000 tokens are recommended at most."""
KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LINKED = re.compile(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)")
_NAMED = re.compile(r"`((?:scripts|references|assets)/[\w./-]+)`")

Told = tuple[str, bool]
"""A sentence behind the skill's name, and whether it is a fault: what no agent has to accept."""


def breaches(matter: FrontMatter, folder: Path) -> Iterator[Told]:
    """What the specification refuses (faults), and what it advises against."""
    yield from _name(matter.name)
    yield from _description(matter.description)
    yield from _others(matter.fields)
    yield from _body(matter.body, folder)
    if (folder / "evals").exists():
        yield "it holds `evals/`, which is never installed: an answer key has no place where the agent looks", False


def _name(name: str | None) -> Iterator[Told]:
    if name is None:
        return
    if len(name) > MAX_NAME:
        yield f"its name is longer than {MAX_NAME} characters", True
    if not _NAME.fullmatch(name):
        yield "its name must be lower-case letters and digits, with single hyphens between", True


def _description(description: str | None) -> Iterator[Told]:
    if not (description or "").strip():
        yield "its SKILL.md has no `description`, so no agent can tell when to use it", True
    elif len(description or "") > MAX_DESCRIPTION:
        yield f"its `description` is longer than {MAX_DESCRIPTION} characters", True


def _others(fields: dict[str, object]) -> Iterator[Told]:
    if "compatibility" in fields:
        value = fields["compatibility"]
        if not isinstance(value, str) or not value.strip():
            yield "its `compatibility` must be a text that is not empty", True
        elif len(value) > MAX_COMPATIBILITY:
            yield f"its `compatibility` is longer than {MAX_COMPATIBILITY} characters", True
    metadata = fields.get("metadata")
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())
    ):
        yield "its `metadata` must be a mapping from texts to texts", True
    if fields.get("license") is not None and not isinstance(fields["license"], str):
        yield "its `license` must be a text", True
    if isinstance(fields.get("allowed-tools"), list):
        yield "its `allowed-tools` is a list; the specification has one text with blanks between the tools", False
    unknown = len([key for key in fields if key not in KEYS])
    if unknown:
        yield f"its front matter has {unknown} {'key' if unknown == 1 else 'keys'} that only some agents know", False


def _body(body: str, folder: Path) -> Iterator[Told]:
    if not body.strip():
        yield "its SKILL.md says nothing below the front matter", False
    if body.count("\n") > MAX_LINES or len(body) > MAX_CHARACTERS:
        told = f"{body.count(chr(10))} lines and {len(body)} characters"
        yield f"its body has {told}; put details into files that are read when needed", False
    named = {PurePosixPath(path).as_posix() for path in (*_LINKED.findall(body), *_NAMED.findall(body))}
    missing = [path for path in sorted(named) if not path.startswith(("/", "..")) and not (folder / path).exists()]
    if missing:
        count = f"{len(missing)} {'file' if len(missing) == 1 else 'files'}"
        yield f"its SKILL.md names {count} that the folder does not hold", False
