"""What tests of several folders need."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from skilltrial.archive.records import RecordFile
from skilltrial.model.records import Record


@pytest.fixture
def in_a_file(tmp_path: Path) -> Callable[[Sequence[Record]], RecordFile]:
    """Records in a file that was sealed, as those of a long trial are."""
    numbers = count()

    def write(records: Sequence[Record]) -> RecordFile:
        file = tmp_path / f"records-{next(numbers)}.jsonl"
        file.write_text("".join(record.line() for record in records), "ascii")
        return RecordFile(file, hashlib.sha256(file.read_bytes()).hexdigest())

    return write
