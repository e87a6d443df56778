"""Scripts by name: which one a case plays, where its state begins, and which rules it takes from others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from .strictjson import whole

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .faults import Faults, Path

OPTIONS = ("script", "state")
"""What a case may set: the script's name, and keys of the state that begin otherwise."""

State = dict[str, "JsonValue"]


class Including(Protocol):
    """A rule that may stand for all rules of another script."""

    @property
    def include(self) -> str | None:
        """That script's name."""


R = TypeVar("R")


def choice_fault(scripts: Collection[str], options: Mapping[str, JsonValue]) -> str | None:
    """What is wrong with a case's options, in a sentence; None where nothing is."""
    unknown = [key for key in options if key not in OPTIONS]
    if unknown:
        return (
            f"a case can't set `{unknown[0]}` of this fixture; it can set {' and '.join(f'`{key}`' for key in OPTIONS)}"
        )
    script = options.get("script")
    known = ", ".join(scripts)
    if script is None and len(scripts) > 1:
        return f"the case must say which `script` of the replies it plays: {known}"
    if script is not None and (not isinstance(script, str) or script not in scripts):
        return f"the replies have no such `script`; they have {known}"
    state = options.get("state", {})
    if not isinstance(state, dict):
        return "`state` is a mapping of keys of the script's state"
    return None if whole(state) else "`state` has half a character (a lone surrogate)"


def chosen(scripts: Collection[str], options: Mapping[str, JsonValue]) -> str:
    """The script that a case plays. The options have no fault (see `choice_fault`)."""
    script = options.get("script")
    return script if isinstance(script, str) else next(iter(scripts))


def first_state(state: State, options: Mapping[str, JsonValue]) -> State:
    """Where a case's state begins, from what the script says of it."""
    own = options.get("state")
    return state | own if isinstance(own, dict) else state


def check_includes(rules: Mapping[str, Sequence[Including]], faults: Faults) -> None:
    """Add what is wrong with the `include`s of a file's scripts, given by their names."""
    for name, own in rules.items():
        for at, rule in enumerate(own):
            if rule.include is None:
                continue
            place: Path = ("scripts", name, "rules", at)
            if getattr(rule, "model_fields_set", {"include"}) != {"include"}:
                faults.add(place, "`include` stands alone in its rule")
            elif rule.include not in rules:
                faults.add((*place, "include"), "there is no script of this name in the file")
            elif _reaches(rule.include, name, rules):
                faults.add((*place, "include"), "these scripts include each other in a circle")


def included(name: str, rules: Mapping[str, Sequence[Including]], made: Mapping[str, Sequence[R]]) -> Iterator[R]:
    """The rules of a script in order, with those that it includes in their places; `made` is what each became."""
    for rule, one in zip(rules[name], made[name], strict=True):
        if rule.include is None:
            yield one
        else:
            yield from included(rule.include, rules, made)


def _reaches(start: str, goal: str, rules: Mapping[str, Sequence[Including]]) -> bool:
    seen: set[str] = set()
    left = [start]
    while left:
        name = left.pop()
        if name == goal:
            return True
        if name not in seen and name in rules:
            seen.add(name)
            left.extend(rule.include for rule in rules[name] if rule.include is not None)
    return False
