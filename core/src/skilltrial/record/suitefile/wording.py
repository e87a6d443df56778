"""Faults in our own words: for each kind of pydantic error, and for names that are close to a known one.

A message may show keys and ids, and only where they look like such: a slip of indent turns a prompt into a key.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]{0,47}")
_SLUG = re.compile(r"[a-z][a-z0-9_-]{0,63}")

_LISTED = 16
"""How many names a message lists."""

SLUG_RULE = "an id is lower-case letters, digits, `-` and `_`, begins with a letter and has at most 64 characters"


def shown(key: object) -> str:
    """A key for a message: only where it looks like a name."""
    return f"`{key}`" if isinstance(key, str) and _PLAIN.fullmatch(key) else "a key"


def named(value: object) -> str:
    """` x` in backquotes behind a noun, only where the value is an id (with `@previous` at most); else nothing."""
    return f" `{value}`" if isinstance(value, str) and _SLUG.fullmatch(value.removesuffix("@previous")) else ""


def close_to(word: object, known: Collection[str]) -> str | None:
    """The known name that `word` was probably meant to be."""
    if not isinstance(word, str):
        return None
    close = difflib.get_close_matches(re.sub(r"[- ]", "_", word.lower()), known, n=1, cutoff=0.6)
    close = close or difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return close[0] if close else None


def meant(word: object, known: Collection[str], *, label: str = "known") -> str:
    """What would be right in place of `word`: the close name, else all of them."""
    names = [name for name in known if _PLAIN.fullmatch(name)]
    if close := close_to(word, names):
        return f"did you mean `{close}`?"
    more = ", …" if len(names) > _LISTED else ""
    return f"{label}: {', '.join(names[:_LISTED]) or 'none'}{more}"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a fault was found: what kind of thing it is in (`a case`), that thing's keys, and words for other keys."""

    noun: str
    keys: tuple[str, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def unknown(self, key: object) -> tuple[str, str]:
        """The fault of a key that this kind of thing does not have."""
        what = f"unknown key{'' if shown(key) == 'a key' else ' ' + shown(key)} in {self.noun}"
        hint = self.synonyms.get(re.sub(r"[- ]", "_", key.lower())) if isinstance(key, str) else None
        return what, hint or meant(key, self.keys, label="its keys")


def explain(kind: str, context: Mapping[str, Any], setting: Setting, name: object, value: object) -> tuple[str, str]:
    """What is wrong and what would be right, for a pydantic error of this kind at the key or position `name`."""
    label = _label(name, setting)
    if kind == "extra_forbidden":
        return setting.unknown(name)
    if kind == "missing":
        return f"{shown(name)} is missing in {setting.noun}", f"add {shown(name)}"
    if kind in ("enum", "literal_error"):
        allowed = re.findall(r"'([^']*)'|(\d+)", str(context.get("expected", "")))
        words = [text or number for text, number in allowed]
        if all(word.isdigit() for word in words):
            return f"{label} must be one of {', '.join(words)}", ""
        return f"unknown word{named(value)} in {label}", meant(value, words)
    if kind == "string_pattern_mismatch":
        return _pattern(str(context.get("pattern", "")), label)
    if wanted := WANTED.get(kind):
        return not_wanted(name, wanted, setting, value)
    if bound := _BOUNDS.get(kind):
        return f"{label} {bound(context)}", ""
    return f"{label} has a value that does not fit", ""


def not_wanted(name: object, wanted: str, setting: Setting, value: object) -> tuple[str, str]:
    """The fault of a value of another type than is wanted."""
    return f"{_label(name, setting)} must be {wanted}", _instead(value, wanted)


def _label(name: object, setting: Setting) -> str:
    return shown(name) if isinstance(name, str) else "an item of the list" if isinstance(name, int) else setting.noun


def _instead(value: object, wanted: str) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    quote = wanted == "text" and isinstance(value, bool | int | float)
    return f"here is {names.get(type(value), 'nothing')}" + (", put it in quotes" if quote else "")


def _pattern(pattern: str, label: str) -> tuple[str, str]:
    if pattern.startswith("^[a-z]"):
        return f"{label} does not have the form of an id", SLUG_RULE
    if "MiB" in pattern or "KM" in pattern:
        return f"{label} is no size", "write bytes as a number, or with a unit such as `50MB` or `512KiB`"
    if "0-9a-f" in pattern and "64" in pattern:
        return f"{label} is no SHA-256", "write its 64 digits, lower-case"
    if pattern == "^previous$":
        return f"unknown word in {label}", "known: previous"
    return f"{label} does not have the form that is asked for", ""


WANTED = {
    "string_type": "text",
    "string_sub_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dataclass_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "url_type": "a URL",
    "url_parsing": "a URL",
    "date_type": "a date as text",
    "datetime_type": "a date and time as text",
}


def _bound(context: Mapping[str, Any], key: str) -> str:
    bound = context.get(key)
    return str(int(bound)) if isinstance(bound, float) and bound.is_integer() else str(bound)


_BOUNDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda c: f"must be more than {_bound(c, 'gt')}",
    "greater_than_equal": lambda c: f"must be at least {_bound(c, 'ge')}",
    "less_than": lambda c: f"must be less than {_bound(c, 'lt')}",
    "less_than_equal": lambda c: f"must be at most {_bound(c, 'le')}",
    "multiple_of": lambda c: f"must be a multiple of {c.get('multiple_of')}",
    "string_too_short": lambda c: "is empty" if c.get("min_length") == 1 else f"needs {c.get('min_length')} characters",
    "string_too_long": lambda c: f"has more than {c.get('max_length')} characters",
    "too_short": lambda c: "is empty" if c.get("min_length") == 1 else f"needs {c.get('min_length')} items",
    "too_long": lambda c: f"has more than {c.get('max_length')} items",
}
