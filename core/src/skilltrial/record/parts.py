"""The parts that a run will use: named, loaded, bound and identified before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skilltrial.model.capabilities import Can
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.plan import PartIdentity
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import DialectFacade, FixtureFacade, HostFacade, ModelFacade, NormalizerFacade
from skilltrial.plugins.fixtures import Fixtures
from skilltrial.plugins.judging import core_judge
from skilltrial.plugins.kinds import ANSWERER, DIALECT, FIXTURE, GRADER, HOST, MODEL, NORMALIZER, Kind


@dataclass(frozen=True, slots=True)
class HostChoice:
    """Which host, with which of its options; and which parts beside it, where not the host's own."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    dialect: str | None = None
    model: str | None = None
    """Name of the model part that is scripted; None in a live run."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The bound parts of a run."""

    host: HostFacade
    identity: HostIdentity
    normalizer: NormalizerFacade
    model: ModelFacade | None
    dialect: DialectFacade | None
    fixtures: Mapping[str, FixtureFacade]
    """The suite's fixtures by their names in it."""
    identities: tuple[PartIdentity, ...]


def choose_parts(suite: Suite, choice: HostChoice, discovery: Discovery) -> Parts:
    """Load and bind every part that this suite needs on this host.

    Raises InvalidRequest (PluginNotFound ...) where one is missing, broken or can't do what is asked.
    """
    host = bind(HostFacade, choice.name, discovery.build(HOST, choice.name, choice.options))
    identity = host.describe_host()
    normalizer = bind(NormalizerFacade, identity.records, discovery.build(NORMALIZER, identity.records))
    used: list[tuple[Kind, str]] = [(HOST, choice.name), (NORMALIZER, identity.records)]
    model, dialect = None, None
    if choice.model is None and identity.rehearses_only:
        raise InvalidRequest(f"host {choice.name!r}: its command asks for a scripted model; it can only be rehearsed")
    if choice.model is not None:
        spelling = choice.dialect or identity.dialect
        if Can.SCRIPTED_MODEL not in identity.can or spelling is None:
            raise InvalidRequest(
                f"host {choice.name!r} can't be rehearsed: it takes no scripted model"
                if Can.SCRIPTED_MODEL not in identity.can
                else f"host {choice.name!r} names no dialect for this program; give one with --dialect "
                f"(installed: {', '.join(discovery.names(DIALECT)) or 'none'})"
            )
        model = bind(ModelFacade, choice.model, discovery.build(MODEL, choice.model))
        options = {} if choice.dialect else identity.dialect_options
        dialect = bind(DialectFacade, spelling, discovery.build(DIALECT, spelling, options))
        used += [(MODEL, choice.model), (DIALECT, spelling)]
    used += [(GRADER, name) for name in sorted({check.grader for case in suite.cases for check in case.checks})]
    fixtures = _fixtures(suite, Fixtures(discovery))
    used += [(FIXTURE, kind) for kind in sorted({use.use for use in suite.fixtures.values()})]
    used += [(ANSWERER, name) for name in sorted({use.answerer for use in suite.fixtures.values() if use.answerer})]
    identities = [core_judge(), *(discovery.identify(kind, name) for kind, name in used)]
    return Parts(host, identity, normalizer, model, dialect, fixtures, tuple(identities))


def _fixtures(suite: Suite, kinds: Fixtures) -> dict[str, FixtureFacade]:
    """The suite's fixtures. Raises InvalidRequest with the faults of all of them."""
    made: dict[str, FixtureFacade] = {}
    faults: list[str] = []
    for name, use in suite.fixtures.items():
        try:
            made[name] = kinds.make(use)
        except InvalidRequest as error:
            faults.append(str(error))
    if faults:
        raise InvalidRequest("\n".join(dict.fromkeys(faults)))
    return made
