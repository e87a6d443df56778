"""What a run would be made of, read and held to what the suite asks: sources, and what the fixtures offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skilltrial.model.contracts import lacking
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import Suite
from skilltrial.model.trial import FixtureIdentity

from .gathering import Gatherer
from .loading import Loaded
from .parts import Parts
from .preparing import Sources


@dataclass(frozen=True, slots=True)
class Survey:
    """Sources without a fault, and what each fixture says that it offers."""

    sources: Sources
    offered: Mapping[str, FixtureIdentity]


def survey(loaded: Loaded, parts: Parts) -> Survey:
    """Read everything that the suite names. Raises InvalidRequest with every fault of one kind at once."""
    suite = loaded.suite
    assets = {path for check in loaded.checks.values() for path in check.assets()}
    assets |= {path for fixture in parts.fixtures.values() for path in fixture.fixture_assets()}
    sources = Gatherer.of(loaded).gather(assets)
    _refuse_faulty_fixtures(loaded, parts, sources.assets)
    offered = {
        name: fixture.describe_fixture({path: sources.assets[path] for path in fixture.fixture_assets()})
        for name, fixture in parts.fixtures.items()
    }
    _refuse_broken_contract(suite, offered)
    return Survey(sources, offered)


def _refuse_faulty_fixtures(loaded: Loaded, parts: Parts, assets: Mapping[str, bytes]) -> None:
    """Raise InvalidRequest with every fault of the fixtures' files and of what cases set."""
    faults = [
        f"case {case.id!r}, fixture {name!r}: {given(fault, loaded)}"
        for case in loaded.suite.cases
        for name, fixture in parts.fixtures.items()
        for fault in fixture.check_fixture(
            {path: assets[path] for path in fixture.fixture_assets()}, case.fixtures.get(name, {})
        )
    ]
    if faults:
        raise InvalidRequest("\n".join(dict.fromkeys(faults)))


def given(fault: str, loaded: Loaded) -> str:
    """A fault of a file that stands in the place of the suite's own, with the name of the file that was given."""
    for path, file in loaded.elsewhere.files.items():
        if fault.startswith(f"{path}:"):
            return file.name + fault.removeprefix(path)
    return fault


def _refuse_broken_contract(suite: Suite, offered: Mapping[str, FixtureIdentity]) -> None:
    if lacks := tuple(lacking(suite, offered)):
        raise InvalidRequest("\n".join(lacks))
