"""A case out of a `try`: its prompt, its workspace, and what only the session with the skill wrote."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.archive.reading import SealedArchive
from skilltrial.model.errors import SourceUnusable
from skilltrial.model.evidence import ChangeKind, ContentUnavailable, FileKind, Files
from skilltrial.model.trial import TrialKey
from skilltrial.record.suitefile.placeholders import placeholder

from .cases import Check, DraftCase, slug

_FILES, _LINES = 5, 6
"""How many files become checks, and how many lines of each are shown."""


def tried_case(archive: SealedArchive, skill: str) -> DraftCase:
    """The case. Raises SourceUnusable where the archive is no `try` of this skill, or shows nothing."""
    suite = archive.suite
    if len(suite.cases) != 1 or not suite.cases[0].observe or not suite.arms[-1].skills:
        raise SourceUnusable(f"{archive.root} is no `try`: only one of these becomes a case")
    if suite.skills[0].id != skill:
        raise SourceUnusable(f"{archive.root} tried the skill {suite.skills[0].id!r}, not {skill!r}")
    case = suite.cases[0]
    with_skill = archive.trial(TrialKey(case=case.id, arm=suite.arms[-1].id, label="1"))
    without = archive.trial(TrialKey(case=case.id, arm=suite.arms[0].id, label="1"))
    if with_skill is None:
        raise SourceUnusable(f"{archive.root}: the session with the skill left nothing; try it again")
    checks, notes = _checks(with_skill.files(), without.files() if without is not None else None)
    tree = archive.workspace(case.id)
    files = {one.path: tree.contents[one.sha256] for one in tree.entries if one.sha256 and ".git/" not in one.path}
    prompt = case.turns[0]
    return DraftCase(slug(prompt, "first-use"), prompt, files=files, checks=tuple(checks), notes=tuple(notes))


def _checks(files: Files, others: Files | None) -> tuple[list[Check], list[str]]:
    checks: list[Check] = []
    notes = ["From a `try`."]
    for change in files.changes:
        if len(checks) == _FILES:
            notes.append("More files changed than stand here.")
            break
        after = files.after.get(change.path)
        if after is not None and after.kind is not FileKind.FILE:
            continue
        before = others.after.get(change.path) if others is not None else None
        if others is not None and before == after:
            notes.append(f"{change.path} became the same without the skill: it shows no difference.")
            continue
        if change.change is ChangeKind.REMOVED:
            checks.append({"files": change.path, "exists": False})
            continue
        notes.append(f"{change.path} was {change.change}. Only with the skill it had these lines:")
        notes += [f"    {line}" for line in _own_lines(files, others, change.path)] or ["    (none of its own)"]
        checks.append({"files": change.path, "contains": placeholder("a text from there that must be in it")})
    return checks, notes


def _own_lines(files: Files, others: Files | None, path: str) -> Iterator[str]:
    known = {*_text(files, path, before=True), *(_text(others, path) if others is not None else ())}
    own = [line for line in dict.fromkeys(_text(files, path)) if line.strip() and line not in known]
    yield from own[:_LINES]
    if len(own) > _LINES:
        yield f"and {len(own) - _LINES} more"


def _text(files: Files, path: str, *, before: bool = False) -> list[str]:
    try:
        return files.read(path, when="before" if before else "after").decode("utf-8").splitlines()
    except (ContentUnavailable, UnicodeDecodeError):
        return []
