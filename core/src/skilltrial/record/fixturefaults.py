"""What a run would refuse of a suite's fixtures and plugin, found without a host: options, files, contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from skilltrial.model.capabilities import Can
from skilltrial.model.contracts import lacking
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import FixtureUse
from skilltrial.plugins.facades import FixtureFacade

from .gathering import Gatherer
from .loading import Loaded
from .packaging import Packager
from .suitefile.document import Path as Place
from .surveying import given

Told = tuple[Place, str]
"""Where in the suite, and a sentence."""


class FixtureDirectory(Protocol):
    """Where fixtures are found."""

    def make(self, use: FixtureUse) -> FixtureFacade:
        """The fixture of an entry. Raises InvalidRequest."""


def fixture_faults(loaded: Loaded, fixtures: FixtureDirectory) -> Iterator[Told]:
    """Every fault, each once. A file's fault is told of the fixture, what a case sets of the case."""
    for name, use in loaded.suite.fixtures.items():
        place: Place = ("fixtures", name)
        try:
            fixture = fixtures.make(use)
            assets = Gatherer.of(loaded).assets(fixture.fixture_assets())
        except InvalidRequest as error:
            yield from ((place, line) for line in str(error).splitlines())
            continue
        faults = list(_of_cases(loaded, name, fixture, assets))
        yield from faults
        if not faults:
            offered = {name: fixture.describe_fixture(assets)}
            alone = loaded.suite.model_copy(update={"fixtures": {name: use}})
            yield from ((place, line) for line in lacking(alone, offered))


def plugin_faults(loaded: Loaded, fixtures: FixtureDirectory) -> Iterator[Told]:
    """Every fault of the suite's plugin: of its manifests, and of what it asks of the fixtures."""
    tree = Gatherer.of(loaded).plugin()
    if tree is not None:
        addressed = {name: _has_address(use, fixtures) for name, use in loaded.suite.fixtures.items()}
        for fault in Packager(loaded.suite, tree).faults(addressed):
            yield ("plugin", "folder"), fault


def _has_address(use: FixtureUse, fixtures: FixtureDirectory) -> bool:
    try:
        return Can.MCP_HTTP in fixtures.make(use).fixture_needs()
    except InvalidRequest:
        return True  # what is wrong with the fixture itself is told of the fixture


def _of_cases(loaded: Loaded, name: str, fixture: FixtureFacade, assets: Mapping[str, bytes]) -> Iterator[Told]:
    cases = loaded.suite.cases
    written = isinstance(loaded.document.at(("cases",)), dict)
    told = {case.id: dict.fromkeys(fixture.check_fixture(assets, case.fixtures.get(name, {}))) for case in cases}
    own = fixture.check_fixture(assets, {})
    common = [fault for fault in dict.fromkeys(own) if all(fault in one for one in told.values())]
    for fault in common:
        yield ("fixtures", name), given(fault, loaded)
    for at, case in enumerate(cases):
        for fault in told[case.id]:
            if fault not in common:
                path: Place = ("cases", case.id if written else at, "fixtures", name)
                yield path, f"case `{case.id}`: {given(fault, loaded)}"
