"""Faults in our own words: for each kind of pydantic error, and for names that are close to a known one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]{0,47}")
_SLUG = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def shown(key: str) -> str:
    """A key for a message: only where it looks like a name, since a slip of indent turns prompts into keys."""
    return f"`{key}`" if _PLAIN.fullmatch(key) else "a key"


def named(value: object) -> str:
    """A value for a message: only where it is an id (with `@previous` at most); else nothing."""
    return f" `{value}`" if isinstance(value, str) and _SLUG.fullmatch(value.removesuffix("@previous")) else ""


def close_to(word: object, known: Collection[str]) -> str | None:
    """The known name that `word` was probably meant to be."""
    if not isinstance(word, str):
        return None
    close = difflib.get_close_matches(word.lower().replace(" ", "_"), known, n=1, cutoff=0.6)
    return close[0] if close else None


def meant(word: object, known: Collection[str], none: str = "there are none") -> str:
    """What would be right in place of `word`: the close name, else all of them."""
    if close := close_to(word, known):
        return f"did you mean `{close}`?"
    return f"known: {', '.join(known)}" if known else none
