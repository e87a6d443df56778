"""Other names of a tool: which of them this catalog has, and rules that mean it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .replies import Rule

Aliases = Mapping[str, Sequence[str]]
"""Tool → other names of it."""


def present(offered: Collection[str], aliases: Aliases) -> dict[str, str]:
    """Each name of a tool that the catalog does not have → the one that it has: the first of all its names."""
    found: dict[str, str] = {}
    for tool, others in aliases.items():
        names = (tool, *others)
        there = next((name for name in names if name in offered), None)
        if there is not None:
            found |= {name: there for name in names if name not in offered}
    return found


def known(offered: Collection[str], aliases: Aliases) -> dict[str, str]:
    """Each name that stands in the catalog for a tool of `aliases` → that tool, as whoever answers for it knows it."""
    means = present(offered, aliases)
    return {means[tool]: tool for tool in reversed([*aliases]) if tool in means}


def renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    """The rule for the tools as the catalog calls them. A list that then names one twice names it once."""
    if not names:
        return rule
    tool = [rule.tool] if isinstance(rule.tool, str) else rule.tool
    return rule.model_copy(
        update={
            "tool": tool if tool is None else list(dict.fromkeys(names.get(one, one) for one in tool)),
            "hide": [names.get(one, one) for one in rule.hide],
            "show": [names.get(one, one) for one in rule.show],
        }
    )
