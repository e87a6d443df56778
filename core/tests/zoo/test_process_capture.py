"""A stream is read whole, whatever the pieces in which it comes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.record.programs import capture, linux
from skilltrial.record.programs.capture import Capture

PIECES = st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b"\n\n", b"\xc3", b"\xa4", b"\r\n"]), max_size=30)


def lines_of(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return lines if lines[-1] else lines[:-1]


@given(pieces=PIECES, limit=st.integers(0, 400), block=st.integers(2, 50))
@settings(max_examples=150, deadline=None)
def test_the_first_bytes_up_to_the_limit_arrive_as_lines(pieces: list[bytes], limit: int, block: int) -> None:
    data = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch, Capture("x", limit) as stream:
        patch.setattr(capture, "BLOCK", block)
        came = []
        for piece in pieces:
            os.write(stream.descriptor, piece)
            came += stream.read()
        came += stream.drain()
    assert came == lines_of(data[:limit])
    assert stream.over == (len(data) > limit)
    assert stream.taken == min(len(data), limit)


def test_what_was_read_takes_no_memory_any_more() -> None:
    if not linux.HERE:
        pytest.skip("a memfd is Linux")
    block = b"x" * 999 + b"\n"
    with Capture("x", 100_000_000) as stream:
        for _ in range(20_000):
            os.write(stream.descriptor, block)
        assert len(list(stream.drain())) == 20_000
        state = os.fstat(stream.descriptor)
    assert state.st_size == 20_000_000
    assert state.st_blocks * 512 < 10_000_000


def test_nobody_can_cut_a_stream() -> None:
    if not linux.HERE:
        pytest.skip("a memfd is Linux")
    with Capture("x", 100) as stream:
        os.write(stream.descriptor, b"kept\n")
        with pytest.raises(PermissionError):
            os.truncate(stream.descriptor, 0)
        assert list(stream.drain()) == ["kept"]
