"""Known credential values leave before anything is written: replaced alike in every file, marked and counted."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""Shorter values are not replaced: they would hit ordinary text. The runner tells the user their names."""
SHORTEST_LINE = 12
"""The same for a line of a secret that has several."""

_WORDS = frozenset({"sha256", "kind", "change", "when", "unread"})
"""Keys of our own files whose values are words and digests of ours, never anybody's text."""


class Redactor:
    """Replaces the values of named secrets. The same secret gives the same mark in every file."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._marks: dict[str, str] = {}
        for name, value in secrets.items():
            if len(value) >= SHORTEST:
                for form in (form for part in (value, *_lines(value)) for form in spellings(part)):
                    self._marks.setdefault(form, f"[redacted {name}]")
        longest_first = sorted(self._marks, key=len, reverse=True)
        self._text = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._bytes = (
            re.compile(b"|".join(re.escape(form.encode("utf-8", "surrogateescape")) for form in longest_first))
            if longest_first
            else None
        )
        self.too_short = tuple(sorted(name for name, value in secrets.items() if 0 < len(value) < SHORTEST))

    def text(self, text: str) -> tuple[str, int]:
        """The text with every secret replaced, and how many there were."""
        # Most lines hold none, and a search for each form is much faster than one for all of them.
        for form in self._marks:
            if self._text is not None and form in text:
                return self._text.subn(lambda match: self._marks[match[0]], text)
        return text, 0

    def value(self, value: object) -> tuple[object, int]:
        """A JSON value with every secret replaced in its texts, and how many there were.

        Keys, numbers and digests stay: a passed variable may well hold `600000` or `folder`, and JSON in which such a
        text was replaced would be none, or name nothing.
        """
        if self._text is None:
            return value, 0
        match value:
            case str():
                return self.text(value)
            case list() | tuple():
                items = [self.value(item) for item in value]
                return [item for item, _ in items], sum(hits for _, hits in items)
            case dict():
                pairs = {key: (one, 0) if key in _WORDS else self.value(one) for key, one in value.items()}
                return {key: one for key, (one, _) in pairs.items()}, sum(hits for _, hits in pairs.values())
            case _:
                return value, 0

    def data(self, data: bytes) -> tuple[bytes, int]:
        """The bytes with every secret replaced, and how many there were."""
        if self._bytes is None:
            return data, 0
        return self._bytes.subn(
            lambda match: self._marks[match[0].decode("utf-8", "surrogateescape")].encode("ascii", "replace"), data
        )


def spellings(value: str) -> tuple[str, ...]:
    """The forms in which a secret travels: plain, escaped in JSON (once and twice), in a URL, in base64."""
    escaped = json.dumps(value)[1:-1]
    unescaped = json.dumps(value, ensure_ascii=False)[1:-1]
    raw = value.encode("utf-8", "surrogateescape")
    urls = [_quoted(quote, raw), _quoted(quote_plus, raw)]
    forms = [value, escaped, unescaped, json.dumps(escaped)[1:-1], *urls]
    # Some writers of JSON escape `/`, others what HTML minds; some write the digits of a URL small.
    forms.append(unescaped.replace("/", "\\/"))
    forms.append(escaped.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
    forms += [re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), url) for url in urls]
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            # Inside a longer text the value may begin at any of three offsets: keep the part that is always the same.
            coded = encode(b"\0" * shift + raw).decode("ascii").rstrip("=")
            start = (shift * 8 + 5) // 6
            end = len(coded) - (1 if (len(raw) + shift) % 3 else 0)
            if end - start >= SHORTEST:
                forms.append(coded[start:end])
    return tuple(dict.fromkeys(form for form in forms if len(form) >= SHORTEST))


def _lines(value: str) -> list[str]:
    """The lines of a secret that has several (a private key): records are lines, so no record ever holds it whole."""
    lines = [line.strip() for line in value.splitlines()]
    return [line for line in lines if len(line) >= SHORTEST_LINE] if len(lines) > 1 else []


def _quoted(how: object, raw: bytes) -> str:
    return how(raw, safe="")  # type: ignore[operator,no-any-return]
