"""Every fault of a transcript, each with its JSON Pointer. No text of the transcript goes into a sentence but keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from skilltrial.api import InvalidRequest

_TAGGED = {"results", "events"}
"""Arrays whose items are told apart by a key: the key's value is a part of pydantic's path, and of no pointer."""
_MATCH = ("results", 0, "events", 0, "match")
"""The shape of the one other place with a tag."""
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class TranscriptFault:
    """Where (RFC 6901), and what would be right there."""

    pointer: str
    says: str

    def __str__(self) -> str:
        return f"{self.pointer or 'the document'}: {self.says}"


class TranscriptInvalid(InvalidRequest):
    """The transcript does not fit its format; `faults` are all of them, in the order of the models."""

    def __init__(self, faults: Sequence[TranscriptFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("not a valid transcript\n" + "\n".join(map(str, self.faults)))


def faults(error: ValidationError) -> list[TranscriptFault]:
    """What the models say, in our words."""
    return [_fault(one) for one in error.errors(include_input=False, include_url=False)]


def _fault(one: Mapping[str, Any]) -> TranscriptFault:
    kind, context = one["type"], one.get("ctx", {})
    path = _without_tags(one["loc"])
    match kind:
        case "union_tag_invalid" | "union_tag_not_found":
            key = context["discriminator"].strip("'")
            expected = context.get("expected_tags")
            path = [*path, key]
            says = f"must be one of {expected}" if expected else f"is missing, or not one of the words for {key}"
        case "missing":
            says = "is missing"
        case "extra_forbidden":
            says = "is no key of this object"
        case "literal_error":
            says = f"must be {context['expected']}"
        case "string_pattern_mismatch":
            says = "must be a real date and time in UTC with seconds, like 2026-07-14T21:00:00Z"
        case "string_too_short":
            says = "must not be empty"
        case "too_short":
            says = "must have an item"
        case "string_type":
            says = "must be a string"
        case "list_type":
            says = "must be an array"
        case "dict_type" | "model_type" | "model_attributes_type":
            says = "must be an object"
        case _:
            says = f"does not fit ({kind})"
    return TranscriptFault("".join(f"/{_escaped(part)}" for part in path), says)


def _without_tags(parts: Sequence[int | str]) -> list[int | str]:
    """A pydantic path without the values that tell items of a union apart: they follow an item, or a `match`."""
    kept: list[int | str] = []
    tag_next = False
    for part in parts:
        if tag_next:
            tag_next = False
            continue
        tag_next = bool(kept) and (isinstance(part, int) and kept[-1] in _TAGGED)
        kept.append(part)
        tag_next = tag_next or (part == "match" and len(kept) == len(_MATCH))
    return kept


def _escaped(part: int | str) -> str:
    text = str(part).encode("unicode_escape").decode() if isinstance(part, str) else str(part)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return text.replace("~", "~0").replace("/", "~1")
