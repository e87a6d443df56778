"""The answer that a check is about, and the value written in it."""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from skilltrial.api import Evidence, Owner
from skilltrial.checks import strictjson

from .reasons import Reason, unverified

_FENCED = re.compile(r"```[ \t]*(?:json|python)?(.*)```", re.DOTALL | re.IGNORECASE)
_QUOTED_OR_WORD = re.compile(r"""("(?:[^"\\]|\\.)*")|'((?:[^'\\]|\\.)*)'|\b(True|False|None)\b""", re.DOTALL)
_LONGEST_PYTHON = 20_000
_WORDS = {"True": "true", "False": "false", "None": "null"}


def answer_of(evidence: Evidence) -> str:
    """The final answer of the turn that the check is about: without white space around it, every line end a newline.

    That is the last turn, or the one that the check names. Raises Settled where it was not seen.
    """
    answer = evidence.answers.get(evidence.turns)
    if answer is None:
        raise unverified(Reason.ANSWER_NOT_SEEN, Owner.HOST)
    return universal(answer).strip()


def universal(text: str) -> str:
    """`text` with every line end a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def written_value(answer: str) -> JsonValue:
    """The one JSON value that the whole answer is: plain, as inline code, or in a fence (no name, `json`, `python`).

    Strings may stand in single quotes, and `True`, `False`, `None` be written Python's way, as in Python code.
    Raises ValueError for anything else, one word more included.
    """
    literal = unwrapped(answer)
    try:
        return strictjson.read(literal)
    except ValueError:
        if len(literal) > _LONGEST_PYTHON:  # Respelling takes quadratic time where quotes are not closed.
            raise
        return strictjson.read(_QUOTED_OR_WORD.sub(_as_json, literal))


def unwrapped(answer: str) -> str:
    """What stands in the answer's code fence or backticks, or the answer itself."""
    if answer.startswith("```"):
        fenced = _FENCED.fullmatch(answer)
        if fenced is None:
            raise ValueError("the fence is not closed, or is of another language")
        return fenced[1].strip()
    if len(answer) > 1 and answer[0] == answer[-1] == "`":
        return answer[1:-1].strip()
    return answer.strip()


def _as_json(found: re.Match[str]) -> str:
    double, single, word = found.groups()
    if double is not None:
        return double
    if word is not None:
        return _WORDS[word]
    if "\n" in single:
        raise ValueError("a string goes over the end of its line")
    return json.dumps(single.replace("\\'", "'")).replace("\\\\", "\\")
