"""A trial's evidence from plain mappings, and the grader as the core binds it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from skilltrial.api import (
    Change,
    ChangeKind,
    CheckOptions,
    CheckResult,
    Ending,
    Entry,
    Evidence,
    FileKind,
    Files,
    HostIdentity,
    TrialKey,
)
from skilltrial.testing import GraderFacade, bind, choose, fit
from skilltrial_grader_files.grader import FilesGrader

Tree = Mapping[str, object]


def listing(tree: Tree) -> dict[str, Entry]:
    """Paths → what lies there: text or bytes, or a ready Entry. Folders are listed, as the core does it."""
    entries: dict[str, Entry] = {}
    for path, what in tree.items():
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            entries.setdefault(folder, Entry(path=folder, kind=FileKind.FOLDER))
        if isinstance(what, Entry):
            entries[path] = what
        else:
            data = as_bytes(what)
            digest = hashlib.sha256(data).hexdigest()
            entries[path] = Entry(path=path, kind=FileKind.FILE, size=len(data), sha256=digest)
    return entries


def as_bytes(what: object) -> bytes:
    return what if isinstance(what, bytes) else str(what).encode()


def changes(before: dict[str, Entry], after: dict[str, Entry]) -> tuple[Change, ...]:
    found = []
    for path in sorted({*before, *after}):
        one, other = before.get(path), after.get(path)
        if one is None or other is None:
            found.append(Change(path=path, change=ChangeKind.CREATED if one is None else ChangeKind.REMOVED))
        elif one.kind is not other.kind:
            found.append(Change(path=path, change=ChangeKind.KIND))
        elif (one.sha256, one.target) != (other.sha256, other.target):
            found.append(Change(path=path, change=ChangeKind.CHANGED))
        elif one.executable is not other.executable:
            found.append(Change(path=path, change=ChangeKind.MODE))
    return tuple(found)


@pytest.fixture(scope="session")
def happened() -> Callable[..., Evidence]:
    """Make evidence: the project before and after; `after` alone stands for an untouched project."""

    def make(after: Tree, before: Tree | None = None, **other: Any) -> Evidence:
        old = after if before is None else before
        kept = {
            hashlib.sha256(as_bytes(what)).hexdigest(): as_bytes(what)
            for tree in (old, after)
            for what in tree.values()
            if not isinstance(what, Entry)
        }
        one, two = listing(old), listing(after)
        complete = other.pop("complete", True)
        # As the core does it: what a listing that was cut did not come to was not seen to be removed.
        seen = [one for one in changes(one, two) if complete or one.change is not ChangeKind.REMOVED]
        files = Files(
            before=one,
            after=two,
            changes=tuple(seen),
            contents=other.pop("contents", kept),
            redacted=other.pop("redacted", frozenset()),
            complete=complete,
        )
        return Evidence(
            key=TrialKey(case="case", arm="with_skill", label="1"),
            identity=HostIdentity(name="portable", records="portable"),
            sees=frozenset(),
            ending=Ending.COMPLETED,
            events=(),
            files=files,
            **other,
        )

    return make


@pytest.fixture(scope="session")
def grader() -> GraderFacade:
    return bind(GraderFacade, "files", FilesGrader())


@pytest.fixture(scope="session")
def read(grader: GraderFacade) -> Callable[..., CheckOptions]:
    """Read a check as a suite writes it, `{"files": …}`, and as the core chooses the model."""

    def reader(written: Mapping[str, Any]) -> CheckOptions:
        rest = dict(written)
        value = rest.pop("files")
        if isinstance(value, dict):
            options = {**value, **rest}
            model = choose(grader.check_models(), options)
        else:
            models = [model for model in grader.check_models() if model.subject]
            model = max(models, key=lambda one: fit(one, {str(one.subject): value, **rest}))
            options = {str(model.subject): value, **rest}
        return model.model_validate_json(json.dumps(options))

    return reader


@pytest.fixture(scope="session")
def answer(grader: GraderFacade, read: Callable[..., CheckOptions]) -> Callable[..., CheckResult]:
    """Ask a check, as a suite writes it, of evidence."""
    return lambda written, evidence: grader.grade(read(written), evidence)
