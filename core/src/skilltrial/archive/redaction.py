"""Known credential values leave before anything is written: replaced alike in every file, marked and counted."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

from .unpacking import unpacked

SHORTEST = 6
"""Shorter values are not replaced: they would hit ordinary text. The runner tells the user their names."""
SHORTEST_LINE = 12
"""The same for a line of a secret that has several."""

_WORDS = frozenset({"sha256", "kind", "change", "when", "unread"})
"""Keys of our own files whose values are words and digests of ours, never anybody's text."""


_BREAK = r"(?:\r?\n|(?:\\r)?\\n)"
"""The end of a line within base64, also as JSON writes it."""
_COLUMNS = 60
"""Lines of base64 that are broken have at least so many letters: 64 and 76 are usual."""


class Redactor:
    """Replaces the values of named secrets. The same secret gives the same mark in every file."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._marks: dict[str, str] = {}
        self._coded: list[str] = []
        for name, value in secrets.items():
            for part in (value, *_lines(value)) if len(value) >= SHORTEST else ():
                coded = in_base64(part)
                self._coded += coded
                for form in (*spellings(part), *coded):
                    self._marks.setdefault(form, f"[redacted {name}]")
        longest_first = sorted(self._marks, key=len, reverse=True)
        self._text = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._bytes = re.compile(b"|".join(re.escape(_raw(one)) for one in longest_first)) if longest_first else None
        broken = "|".join(f"{_BREAK}?".join(map(re.escape, form)) for form in self._coded)
        self._broken = re.compile(broken) if broken else None
        self._broken_bytes = re.compile(broken.encode()) if broken else None
        self._narrow = [form for form in self._marks if "\0" not in form]
        self._halves = [half for form in self._coded for half in _halves(form)]
        self.too_short = tuple(sorted(name for name, value in secrets.items() if 0 < len(value) < SHORTEST))

    def text(self, text: str) -> tuple[str, int]:
        """The text with every secret replaced, and how many there were."""
        hits = 0
        # Most lines hold none, and a search for each form is much faster than one for all of them.
        if self._text is not None and (_any_in(self._narrow, text) or ("\0" in text and _any_in(self._marks, text))):
            text, hits = self._text.subn(lambda match: self._marks[match[0]], text)
        if self._broken is not None and ("\\n" in text or "\n" in text) and _any_in(self._halves, text):
            text, more = self._broken.subn(lambda match: self._marks[re.sub(_BREAK, "", match[0])], text)
            hits += more
        return text, hits

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
        """The bytes with every secret replaced, and how many there were.

        Of compressed data that hold one nothing is left but the mark.
        """
        if self._bytes is None:
            return data, 0
        for content in unpacked(data):
            if (match := self._bytes.search(content) or self._in_lines(content)) is not None:
                return self._mark(match), 1
        data, hits = self._bytes.subn(self._mark, data)
        if self._broken_bytes is not None and self._in_lines(data) is not None:
            data, more = self._broken_bytes.subn(self._mark, data)
            hits += more
        return data, hits

    def _in_lines(self, data: bytes) -> re.Match[bytes] | None:
        """The first secret in base64 that is broken into lines."""
        if self._broken_bytes is None or not any(half.encode() in data for half in self._halves):
            return None
        return self._broken_bytes.search(data)

    def _mark(self, match: re.Match[bytes]) -> bytes:
        found = match[0].decode("utf-8", "surrogateescape")
        return (self._marks.get(found) or self._marks[re.sub(_BREAK, "", found)]).encode("ascii", "replace")


def spellings(value: str) -> tuple[str, ...]:
    """The forms in which a secret travels: plain, escaped in JSON (once and twice), in a URL, in UTF-16."""
    escaped = json.dumps(value)[1:-1]
    unescaped = json.dumps(value, ensure_ascii=False)[1:-1]
    raw = value.encode("utf-8", "surrogateescape")
    urls = [_quoted(quote, raw), _quoted(quote_plus, raw)]
    forms = [value, escaped, unescaped, json.dumps(escaped)[1:-1], *urls]
    # Some writers of JSON escape `/`, others what HTML minds; some write the digits of a URL small.
    forms.append(unescaped.replace("/", "\\/"))
    forms.append(escaped.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
    forms += [re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), url) for url in urls]
    # Text of two bytes a letter, in either order, as it is when it is taken for UTF-8.
    wide = (value.encode(order, "surrogatepass") for order in ("utf-16-le", "utf-16-be"))
    forms += [one.decode("utf-8", "surrogateescape") for one in wide]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= SHORTEST))


def in_base64(value: str) -> tuple[str, ...]:
    """The forms in which a secret stands in base64, whatever stands before it."""
    raw, forms = value.encode("utf-8", "surrogateescape"), list[str]()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            # Inside a longer text the value may begin at any of three offsets: keep the part that is always the same.
            coded = encode(b"\0" * shift + raw).decode("ascii").rstrip("=")
            start = (shift * 8 + 5) // 6
            end = len(coded) - (1 if (len(raw) + shift) % 3 else 0)
            if end - start >= SHORTEST:
                forms.append(coded[start:end])
    return tuple(dict.fromkeys(forms))


def _halves(form: str) -> tuple[str, str]:
    """Two parts that lie side by side, one of which stands whole however lines break."""
    half = min(len(form), _COLUMNS) // 2
    return form[:half], form[half : 2 * half]


def _any_in(forms: Iterable[str], text: str) -> bool:
    for form in forms:  # noqa: SIM110 - of each line that is recorded this is asked, and a generator takes twice as long
        if form in text:
            return True
    return False


def _raw(form: str) -> bytes:
    return form.encode("utf-8", "surrogateescape")


def _lines(value: str) -> list[str]:
    """The lines of a secret that has several (a private key): records are lines, so no record ever holds it whole."""
    lines = [line.strip() for line in value.splitlines()]
    return [line for line in lines if len(line) >= SHORTEST_LINE] if len(lines) > 1 else []


def _quoted(how: object, raw: bytes) -> str:
    return how(raw, safe="")  # type: ignore[operator,no-any-return]
