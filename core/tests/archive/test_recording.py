"""How records get into their file."""

from __future__ import annotations

import hashlib
from io import FileIO
from pathlib import Path

import pytest

from skilltrial.archive import recording
from skilltrial.archive.records import read_records
from skilltrial.archive.redaction import Redactor
from skilltrial.model.words import Source


class Reluctant(FileIO):
    """A file that takes a few bytes at a time, as a system may."""

    def write(self, data: object) -> int:
        return super().write(bytes(data)[:7])  # type: ignore[call-overload]


def test_a_system_that_takes_little_at_a_time_gets_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_private", lambda path: Reluctant(path, "w"))
    file = tmp_path / "host.jsonl"
    recorder = recording.FileRecorder(file, recording.Clock(), Redactor({}))

    recorder.record(Source.STDOUT, "one", "two " * 100)
    recorder.record(Source.STDOUT, "three")

    assert [record.raw for record in read_records(file.read_bytes())] == ["one", "two " * 100, "three"]
    assert recorder.close() == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_record_is_in_its_file_at_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "host.jsonl"
    recorder = recording.FileRecorder(file, recording.Clock(), Redactor({}))

    recorder.record(Source.STDOUT, "one")

    assert [record.raw for record in read_records(file.read_bytes())] == ["one"]
    assert file.stat().st_mode & 0o777 == 0o600
    recorder.close()
