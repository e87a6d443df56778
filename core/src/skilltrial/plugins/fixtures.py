"""The fixtures of a suite by name: each is made with the options of its entry and bound once."""

from __future__ import annotations

from dataclasses import replace

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import FixtureUse

from .binding import bind
from .discovery import Discovery
from .facades import AnswererFacade, FixtureFacade
from .kinds import ANSWERER, FIXTURE


class Fixtures:
    """The installed fixtures, made as a suite's entries ask."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def names(self) -> tuple[str, ...]:
        """The kinds of fixture that are installed; imports none of them."""
        return self._discovery.names(FIXTURE)

    def make(self, use: FixtureUse) -> FixtureFacade:
        """The fixture of an entry, with the answerer that it names.

        Raises PluginNotFound, InvalidRequest for its options and for an answerer that it can't take, and what binding
        raises.
        """
        fixture = bind(FixtureFacade, use.use, self._discovery.build(FIXTURE, use.use, use.options))
        if use.answerer is None:
            return fixture
        if not fixture.takes_answerer:
            raise InvalidRequest(f"fixture {use.use!r} takes no answerer; leave out `answerer: {use.answerer}`")
        answerer = bind(AnswererFacade, use.answerer, self._discovery.build(ANSWERER, use.answerer))
        return replace(fixture, answerer=answerer)
