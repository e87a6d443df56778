"""The fixtures of a suite by name: each is made with the options of its entry and bound once."""

from __future__ import annotations

from skilltrial.model.suite import FixtureUse

from .binding import bind
from .discovery import Discovery
from .facades import FixtureFacade
from .kinds import FIXTURE


class Fixtures:
    """The installed fixtures, made as a suite's entries ask."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def names(self) -> tuple[str, ...]:
        """The kinds of fixture that are installed; imports none of them."""
        return self._discovery.names(FIXTURE)

    def make(self, use: FixtureUse) -> FixtureFacade:
        """The fixture of an entry. Raises PluginNotFound, InvalidRequest for its options, and what binding raises."""
        return bind(FixtureFacade, use.use, self._discovery.build(FIXTURE, use.use, use.options))
