"""The rows of the session log that say more than the event stream: what became of prompts, which instructions."""

from __future__ import annotations

from posixpath import relpath

from skilltrial.api import Offered, Record, Step

from .lines import Object, Unreadable, inner, read, several, text, texts
from .skills import Skills, Steps, file_of
from .trail import At, Trail


def row(record: Record, trail: Trail, skills: Skills) -> None:
    """Read one row. Loads that the stream shows too are passed over."""
    at = At(record.seq, record.turn, redacted=record.redacted > 0)
    try:
        line = read(record)
    except Unreadable as why:
        trail.unrecognized(at, f"session_log_{why}")
        return
    if line["type"] == "user":
        for skill, step in _prompt(line, skills):
            trail.step(at, skill, step)
    elif line["type"] == "attachment":
        attachment = inner(line, "attachment")
        kind = text(attachment, "type")
        if kind == "file":
            for skill, step in _attached(attachment, skills, redacted=at.redacted):
                trail.step(at, skill, step)
        elif kind == "instructions":
            trail.add(
                Offered(seq=at.seq, turn=at.turn, agent=at.agent, instructions=_instructions(attachment, skills.root))
            )


def _prompt(line: Object, skills: Skills) -> Steps:
    """A slash command is a row with its name, and a row with the skill's body that no call asked for."""
    message = texts(inner(line, "message").get("content"))
    if line.get("isMeta") is True:
        if text(line, "sourceToolUseID") is None:
            yield from skills.loaded(message)
    else:
        yield from skills.commanded(message)


def _attached(attachment: Object, skills: Skills, *, redacted: bool) -> Steps:
    """A file that the prompt named with `@`."""
    file = dict(file_of(attachment.get("content")))
    file["filePath"] = text(attachment, "filename") or text(file, "filePath") or ""
    yield from ((skill.skill, Step.MENTIONED) for skill in skills.at(file["filePath"]))
    yield from skills.shown(file, redacted=redacted)


def _instructions(attachment: Object, root: str | None) -> tuple[str, ...]:
    """The instruction files; those of the project by their path below it."""
    paths = [path for each in several(attachment, "files") if (path := text(each, "path")) is not None]
    return tuple(relpath(path, root) if root and path.startswith(f"{root}/") else path for path in paths)
