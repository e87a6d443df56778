"""A reviewer's remarks, beside the sealed files: one JSON line each, under no digest."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from skilltrial.archive.layout import NOTES
from skilltrial.judge.board import address
from skilltrial.model.errors import SourceUnusable
from skilltrial.model.trial import TrialKey


def add_note(root: Path, key: TrialKey | None, text: str, now: datetime) -> None:
    """Append a remark on the run, or on one of its trials. Raises SourceUnusable where nothing can be written."""
    line = json.dumps(
        {"at": now.astimezone(UTC).isoformat(timespec="seconds"), "trial": key and address(key), "text": text}
    )
    try:
        descriptor = os.open(root / NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("ascii"))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SourceUnusable(f"the note can't be written beside {root}: {error.strerror}") from error


def read_notes(root: Path, key: TrialKey | None) -> tuple[str, ...]:
    """The remarks on the run (of all trials too where `key` is None), or on one trial. Never raises."""
    try:
        lines = (root / NOTES).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found = []
    for line in lines:
        try:
            value = json.loads(line)
            at, trial, text = str(value["at"]), value["trial"], str(value["text"])
        except (ValueError, KeyError, TypeError):
            continue
        if key is None:
            found.append(f"{at} {f'{trial}: ' if trial else ''}{text}")
        elif trial == address(key):
            found.append(f"{at} {text}")
    return tuple(found)
