"""Records in a file: the same as those that are held, and refused where the file is no longer what was sealed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.archive.records import LARGE, RecordFile, read_records, records_at
from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.records import Record
from skilltrial.model.words import Source

Filed = Callable[..., RecordFile]
RAWS = st.lists(st.text(st.characters(codec=None), max_size=30), max_size=12)


@pytest.fixture
def filed(tmp_path: Path) -> Filed:
    """Records of these raw lines, in a file that was sealed."""

    def write(*raws: str) -> RecordFile:
        file = tmp_path / "host.jsonl"
        records = (Record(seq, 0.5, Source.STDOUT, 1, raw) for seq, raw in enumerate(raws, 1))
        file.write_text("".join(record.line() for record in records), "ascii")
        return RecordFile(file, hashlib.sha256(file.read_bytes()).hexdigest())

    return write


@given(RAWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_gives_what_its_bytes_give(filed: Filed, raws: list[str]) -> None:
    records = filed(*raws)
    held = read_records(records.path.read_bytes())

    assert tuple(records) == tuple(records) == held
    assert len(records) == len(held)
    assert [records[at] for at in range(-len(held), len(held))] == [held[at] for at in range(-len(held), len(held))]
    assert records[1:9:2] == held[1:9:2]


def test_lines_far_apart_and_longer_than_a_block_are_found(filed: Filed) -> None:
    records = filed(*(str(at) * (1 << (at % 19)) for at in range(60)))

    for at in (0, 59, 1, 58, 30, 29, 31, 18, 19):
        assert records[at].raw == str(at) * (1 << (at % 19))
    with pytest.raises(IndexError):
        records[60]


def test_a_file_that_was_changed_behind_our_back_is_refused(filed: Filed) -> None:
    records = filed("one", "two")
    records.path.write_bytes(records.path.read_bytes().replace(b"two", b"six"))

    with pytest.raises(ArchiveRefused, match="changed while it was read"):
        list(records)


@pytest.mark.parametrize("line", [b"{}\n", b"[]\n", b"{\n", b'{"seq":1,"at":0,"source":"nobody","turn":1,"raw":""}\n'])
def test_a_line_that_is_no_record_is_refused_by_name(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "host.jsonl").write_bytes(line)

    with pytest.raises(ArchiveRefused, match=r"host\.jsonl holds a line that is no record"):
        list(RecordFile(tmp_path / "host.jsonl"))


def test_a_file_that_is_gone_is_refused(filed: Filed) -> None:
    records = filed("one")
    assert len(records) == 1
    records.path.unlink()

    with pytest.raises(ArchiveRefused, match="can't be read"):
        list(records)
    with pytest.raises(ArchiveRefused, match="can't be read"):
        records[0]


def test_what_is_small_is_held_and_what_is_large_is_not(filed: Filed, tmp_path: Path) -> None:
    small = records_at(filed("one").path)
    large = records_at(filed("x" * LARGE).path)

    assert isinstance(small, tuple)
    assert isinstance(large, RecordFile)
    assert [len(record.raw) for record in large] == [LARGE]
    assert records_at(tmp_path / "none.jsonl") == ()
