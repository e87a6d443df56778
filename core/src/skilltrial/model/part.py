"""The base of every model whose bytes come in or go out, and the small types they share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""An id of a suite, case, arm, check, rehearsal, fixture or skill."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A digest, in lower-case hexadecimal."""


class Part(BaseModel):
    """A frozen, closed, strict model: no unknown key, no coercion. Bytes enter by `read`, leave by `write`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def read(cls, data: bytes | str) -> Self:
        """Read JSON bytes. Raises pydantic's ValidationError."""
        return cls.model_validate_json(data)

    def write(self) -> bytes:
        """Write canonical JSON (see `canonical`). The same value gives the same bytes."""
        return canonical(self.model_dump(mode="json"))


def canonical(value: object) -> bytes:
    """JSON of `value` with sorted keys, ASCII and a final newline: the same value gives the same bytes.

    A line for each key of an object, and for each item of a list in it; what lies deeper stands on that line. So a
    file of ten thousand trials is still read and compared by line, and is written by json's fast encoder.
    """
    return b"".join(canonical_pieces(value)) if isinstance(value, dict) else compact(value)


def canonical_pieces(value: Mapping[str, object]) -> Iterator[bytes]:
    """What `canonical` gives for an object, item by item. A list in it may be an iterator: it is then never held."""
    before = "{\n"
    for key in sorted(value):
        yield f"{before}  {_encoded(key)}: ".encode("ascii")
        yield from _below(value[key])
        before = ",\n"
    yield f"{before if not value else ''}\n}}\n".encode("ascii")


def _below(value: object) -> Iterator[bytes]:
    if not isinstance(value, list | tuple | Iterator):
        yield _encoded(value).encode("ascii")
        return
    before = "[\n    "
    for item in value:
        yield f"{before}{_encoded(item)}".encode("ascii")
        before = ",\n    "
    yield b"[]" if before.startswith("[") else b"\n  ]"


def _encoded(value: object) -> str:
    return _SPACED.encode(value)


def compact(value: object) -> bytes:
    """JSON of `value` on one line, with sorted keys and ASCII: for the many small files of trials."""
    return (_DENSE.encode(value) + "\n").encode("ascii")


# Made once: an encoder costs as much as a small value.
_SPACED = json.JSONEncoder(sort_keys=True, ensure_ascii=True)
_DENSE = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
