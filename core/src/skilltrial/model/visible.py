"""Text of others, before it reaches a terminal: names and answers may hold what would steer it."""

from __future__ import annotations


def written_out(text: str, keep: str = "") -> str:
    """`text` with everything that can't be seen written out, but for the characters to `keep`."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else _escape(one) for one in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
