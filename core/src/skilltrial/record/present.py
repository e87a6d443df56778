"""The key that a run would have if it began now. Nothing is started, lent or written."""

from __future__ import annotations

from skilltrial.archive.keying import key_of
from skilltrial.model.qualifying import Key
from skilltrial.plugins.discovery import Discovery

from .asking import Request, planned
from .delivering import deliver
from .parts import choose_parts
from .surveying import survey


def present_key(asked: Request, discovery: Discovery) -> Key:
    """The key, without the model. Raises InvalidRequest as `prepare` does."""
    parts = choose_parts(asked.loaded.suite, asked.choice, discovery)
    found = survey(asked.loaded, parts)
    plan = planned(asked, parts, found, deliver(asked.loaded.suite, parts, found.sources, asked.delivery))
    return key_of(plan, asked.loaded.suite, found.sources.assets, found.sources.workspaces)
