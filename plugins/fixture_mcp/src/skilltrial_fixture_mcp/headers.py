"""The headers of a request."""

from __future__ import annotations

from collections.abc import Mapping


class Headers:
    """Headers by lower-case name (the last, where one comes twice), decoded when asked for: most never are."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Mapping[bytes, bytes]) -> None:
        self._raw = raw

    def get(self, name: str) -> str | None:
        """What a header says; None where it is absent."""
        said = self._raw.get(name.encode())
        return None if said is None else said.decode("latin-1")
