"""JSON Pointers (RFC 6901) into arguments and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from jsonpointer import JsonPointer, JsonPointerException

if TYPE_CHECKING:
    from pydantic import JsonValue


class Missing:
    """What is found where nothing stands."""


MISSING: Final = Missing()


class Pointer(NamedTuple):
    """A pointer that was read."""

    steps: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Pointer | None:
        """Read a pointer; None where it is none."""
        try:
            return cls(tuple(JsonPointer(text).parts))
        except JsonPointerException:
            return None

    def find(self, value: JsonValue) -> JsonValue | Missing:
        """The value it points to; MISSING where nothing stands. The package itself would enter texts as lists."""
        for step in self.steps:
            if isinstance(value, dict) and step in value:
                value = value[step]
            elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
                value = value[int(step)]
            else:
                return MISSING
        return value


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10 and (step == "0" or not step.startswith("0"))
