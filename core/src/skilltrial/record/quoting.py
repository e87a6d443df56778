"""Whether a prompt gives away what only the skill should say."""

from __future__ import annotations

import re

RUN = 8
"""So many words alike in a row are no accident."""
_WORD = re.compile(r"\w+")


def quotes(prompt: str, source: str, run: int = RUN) -> int:
    """How many words of `prompt` stand in runs of at least `run` words that `source` has too; 0 where there is none."""
    words, known = _words(prompt), _runs(_words(source), run)
    shared = {at + step for at, one in enumerate(_runs_in_order(words, run)) if one in known for step in range(run)}
    return len(shared)


def names(prompt: str, skill: str) -> bool:
    """Whether `prompt` calls the skill by its name: as a command, or a name of several words, or beside `skill`."""
    name = re.escape(skill)
    if re.search(rf"[/$@]{name}(?![\w-])", prompt):
        return True
    called = re.search(rf"(?<![\w-]){name}(?![\w-])", prompt) is not None
    return called and ("-" in skill or re.search(r"\bskill\b", prompt, re.IGNORECASE) is not None)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs_in_order(words: list[str], run: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + run]) for at in range(len(words) - run + 1)]


def _runs(words: list[str], run: int) -> set[tuple[str, ...]]:
    return set(_runs_in_order(words, run))
