"""What lies in compressed data, by its first bytes: gzip, zlib, bzip2, xz and zip, within each other too. Bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

MOST = 64_000_000
"""Bytes that are unpacked of one file, of all that lies in it together."""
DEEP = 3
"""Packings within each other that are opened."""
_PIECE = 65_536


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


@dataclass(slots=True)
class _Budget:
    left: int

    def take(self, data: bytes) -> bytes:
        self.left -= len(data)
        return data


_GZIP, _BZIP2, _XZ, _ZIP = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"
_ZLIB = tuple(bytes((0x78, second)) for second in (0x01, 0x5E, 0x9C, 0xDA))


def is_packed(start: bytes) -> bool:
    """Whether data that begin so may be compressed."""
    return start.startswith((_GZIP, _BZIP2, _XZ, _ZIP, *_ZLIB))


def unpacked(data: bytes) -> Iterator[bytes]:
    """All contents, each as a whole; nothing where it is no compressed data. Of data that were cut what there is."""
    if is_packed(data):
        yield from _inside(data, _Budget(MOST), DEEP)


def _inside(data: bytes, budget: _Budget, deep: int) -> Iterator[bytes]:
    for content in _files(data, budget) if data.startswith(_ZIP) else _streams(data, budget):
        yield content
        if deep > 1 and is_packed(content):
            yield from _inside(content, budget, deep - 1)


def _files(data: bytes, budget: _Budget) -> Iterator[bytes]:
    import io
    import lzma
    import zipfile
    import zlib

    # What damaged data raise, an encrypted file, and a way of packing that is not known here.
    faults = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except faults:
        return
    with archive:
        for info in archive.infolist():
            try:
                with archive.open(info) as file:
                    content = file.read(budget.left)
            except faults:
                continue
            yield budget.take(content)


def _streams(data: bytes, budget: _Budget) -> Iterator[bytes]:
    """The contents of one stream, and of those that follow it."""
    while budget.left > 0:
        found = _unpacker(data)
        if found is None:
            return
        (unpacker, faults), parts, at = found, list[bytes](), 0
        while at < len(data) and not unpacker.eof and budget.left > 0:
            try:
                parts.append(budget.take(unpacker.decompress(data[at : at + _PIECE], budget.left)))
            except faults:
                break
            at += _PIECE
        yield b"".join(parts)
        if not unpacker.eof:
            return
        data = unpacker.unused_data + data[at:]


def _unpacker(data: bytes) -> tuple[_Unpacker, tuple[type[Exception], ...]] | None:
    """What unpacks a stream that begins so, and what it raises where the data are damaged. Few runs need any."""
    if data.startswith(_BZIP2):
        import bz2

        return bz2.BZ2Decompressor(), (OSError, EOFError, ValueError)
    if data.startswith(_XZ):
        import lzma

        return lzma.LZMADecompressor(), (lzma.LZMAError, EOFError, ValueError)
    if data.startswith((_GZIP, *_ZLIB)):
        import zlib

        return zlib.decompressobj(zlib.MAX_WBITS | (16 if data.startswith(_GZIP) else 0)), (zlib.error, ValueError)
    return None
