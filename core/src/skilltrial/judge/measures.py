"""What a trial took: calls, tokens, models. Null where the host does not show it, never zero."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import (
    Event,
    ModelRequested,
    PermissionDecided,
    SessionStarted,
    ToolRejected,
    ToolRequested,
    Usage,
)
from skilltrial.model.report import UNNAMED, UsageReport

_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,127}")


def refusals(
    few: Sequence[Event], events: Sequence[Event], sees: frozenset[Sees], asked: frozenset[str], scripts: Sequence[str]
) -> tuple[int, int] | None:
    """How many calls were not allowed, and how many of them a skill asks for: `asked` tools, and its `scripts`.

    `scripts` are folders, as a call may name them. `few` are the events of an outline; all `events` are gone through
    only where a call was refused.
    """
    if Sees.PERMISSIONS not in sees:
        return None
    # A call may be told of twice, by different names of its tool (`remember`, `mcp__memory__remember`).
    refused: dict[str, set[str]] = {}
    own: set[str] = set()
    for event in few:
        if isinstance(event, ToolRejected) and event.reason in ("permission", "hook", "policy"):
            refused.setdefault(event.call, set())
        elif isinstance(event, PermissionDecided) and event.decision == "denied":
            refused.setdefault(event.call or f"at {event.seq}", set()).add(event.tool)
    for event in events if refused else ():
        if isinstance(event, ToolRequested) and event.call in refused:
            refused[event.call].add(event.tool)
            if any(folder in str(event.input) for folder in scripts):
                own.add(event.call)
    return len(refused), sum(call in own or not names.isdisjoint(asked) for call, names in refused.items())


def usage(events: Sequence[Event], sees: frozenset[Sees], accounting: str | None, *, turns: int) -> UsageReport | None:
    """Tokens and cost of all turns; a field is null where any turn leaves it open."""
    found = [event for event in events if isinstance(event, Usage)]
    if sees.isdisjoint((Sees.TOKENS, Sees.COST)) or not set(range(1, turns + 1)) <= {event.turn for event in found}:
        return None
    tokens = found if Sees.TOKENS in sees else ()
    costs = [event.cost for event in found] if Sees.COST in sees else []
    return UsageReport(
        accounting=accounting,
        input=_total([event.input for event in tokens]),
        output=_total([event.output for event in tokens]),
        cached=_total([event.cached for event in tokens]),
        reasoning=_total([event.reasoning for event in tokens]),
        cost=_cost(costs),
    )


def models(events: Sequence[Event], sees: frozenset[Sees]) -> tuple[str, ...]:
    """The models that were seen, sorted. What does not look like a model's name becomes `unnamed`."""
    if Sees.MODEL_IDS not in sees:
        return ()
    names = {event.model for event in events if isinstance(event, ModelRequested | SessionStarted) and event.model}
    return tuple(sorted({name if _MODEL.fullmatch(name) else UNNAMED for name in names}))


def count(events: Sequence[Event], kind: type[Event]) -> int:
    """How many events of a kind there are."""
    return sum(isinstance(event, kind) for event in events)


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _cost(costs: list[Decimal | None]) -> str | None:
    known = [cost for cost in costs if cost is not None]
    return format(sum(known, Decimal()), "f") if costs and len(known) == len(costs) else None
