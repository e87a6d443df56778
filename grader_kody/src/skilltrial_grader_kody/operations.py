"""What the runtime's operations are for, by their names: those that are known, and by their words the others."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from .words import AUTHORING, GUIDANCE, MUTATIONS, REMOVED


class Sort(StrEnum):
    """What an operation does."""

    READ = "read"
    GUIDANCE = "guidance read"
    SOURCE = "source read"
    OPEN = "opening of a session"
    AUTHORING = "authoring"
    DEFER = "deferred work"
    SCHEDULE = "schedule"
    REMOVED = "removed scheduling primitive"
    EXECUTION = "execution"
    OTHER = "other work"


_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READING = _words(
    "get list read search find show describe status diff count check validate preview inspect lookup "
    "query resolve exists has is info history log logs tree view help schema fetch"
)
_SCHEDULING = _words("job jobs schedule scheduled schedules cron timer timers reminder reminders recurring")
_RUNNING = _words("invoke run call execute exec start trigger")
_CHANGING = _RUNNING | _words(
    "set save delete remove update create write edit add put apply commit push publish send enable "
    "disable schedule cancel open import upload install move rename archive restore enqueue"
)


@lru_cache(maxsize=4096)
def sort_of(name: str) -> Sort:  # noqa: PLR0911 - a table
    """The sort of an operation by its full name, `kody.packageSave`."""
    space, _, own = name.rpartition(".")
    if own in REMOVED:
        return Sort.REMOVED
    camel = _camel(own)
    words = [word.lower() for word in _PARTS.findall(camel)]
    if space == "workflows":
        return _of_workflows(own, words)
    if camel in AUTHORING:
        return Sort.OPEN if camel == "repoOpenSession" else Sort.AUTHORING
    if camel in GUIDANCE:
        return Sort.GUIDANCE
    if camel == "repoReadFile":
        return Sort.SOURCE
    if not _READING.isdisjoint(words) and _CHANGING.isdisjoint(words):
        return Sort.READ
    whole = [*(word.lower() for word in _PARTS.findall(space) if space != "kody"), *words]
    if not _SCHEDULING.isdisjoint(whole):
        return Sort.SCHEDULE
    if words[:1] != ["repo"] and not _RUNNING.isdisjoint(words):
        return Sort.EXECUTION
    return Sort.AUTHORING if words[:1] in (["package"], ["repo"]) else Sort.OTHER


def _of_workflows(own: str, words: list[str]) -> Sort:
    if own == "create":
        return Sort.DEFER
    if not _READING.isdisjoint(words):
        return Sort.READ
    return Sort.SCHEDULE


def _camel(name: str) -> str:
    """A name of the older generation, `package_save`, as today's."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest) if first else name


def is_listed(name: str) -> bool:
    """Whether this very name is one of today's authoring operations."""
    return name.removeprefix("kody.") in AUTHORING


def mutates(name: str) -> bool:
    """Whether this very name is one of the operations that change a package."""
    return name.removeprefix("kody.") in MUTATIONS
