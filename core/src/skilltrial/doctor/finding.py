"""What is installed: every host, its program, and what to do. Opens no session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass

from skilltrial.model.errors import InvalidRequest, SkilltrialError
from skilltrial.model.trial import Probe
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import HostFacade
from skilltrial.plugins.kinds import HOST


@dataclass(frozen=True, slots=True)
class Finding:
    """One installed host. Either `probe` is there, or `passed_over` says in a sentence why nothing was asked."""

    name: str
    distribution: str
    also: tuple[str, ...] = ()
    """Other names of the same host."""
    probe: Probe | None = None
    passed_over: str | None = None

    @property
    def runs(self) -> bool:
        """Whether its program was found and told its version: one that does not start tells none."""
        return self.probe is not None and self.probe.program is not None


def examine(discovery: Discovery, name: str, options: Mapping[str, object]) -> Finding:
    """Look at one host, by any of its names; one that lacks options that it needs is passed over with a sentence.

    Raises InvalidRequest where it is unknown, broken, or its options do not fit.
    """
    one = discovery.find(HOST, name)
    distribution, also = f"{one.distribution} {one.version}", _also(discovery, name)
    lacking = [option for option in required(discovery.load(HOST, name)) if option not in options]
    if lacking:
        return Finding(name, distribution, also, passed_over=_needs(", ".join(lacking)))
    try:
        plugin = discovery.build(HOST, name, options)
    except InvalidRequest as error:
        if options:
            raise
        # It has no option that is always needed, and can't be made without any.
        return Finding(
            name, distribution, also, passed_over=_needs(str(error).partition(": ")[2].removeprefix("needs "))
        )
    host = bind(HostFacade, name, plugin)
    return Finding(name, distribution, also, host.probe_host())


def examine_all(discovery: Discovery) -> Iterator[Finding]:
    """Look at every installed host. One that needs options, or is broken, is passed over with a sentence."""
    seen: set[str] = set()
    for one in discovery.installed:
        if one.kind != HOST.name or one.target in seen:
            continue
        seen.add(one.target)
        try:
            yield examine(discovery, one.name, {})
        except Exception as error:  # noqa: BLE001 - a part that nobody named harms nobody
            why = (
                str(error)
                if isinstance(error, SkilltrialError)
                else f"it broke when it was asked ({type(error).__name__})"
            )
            yield Finding(one.name, f"{one.distribution} {one.version}", passed_over=why)


def _needs(what: str) -> str:
    return f"needs options of yours ({what}); nothing can be asked without"


def required(host: type) -> tuple[str, ...]:
    """The options that a host can't be made without."""
    if not is_dataclass(host):
        return ()
    return tuple(field.name for field in fields(host) if field.init and not _has_default(field))


def _has_default(field: Field[object]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def names_of(discovery: Discovery, name: str) -> frozenset[str]:
    """All names of the host that is called `name`. Raises PluginNotFound."""
    if discovery.file(HOST, name) is not None:
        return frozenset({name})
    target = discovery.find(HOST, name).target
    return frozenset(one.name for one in discovery.installed if one.kind == HOST.name and one.target == target)


def _also(discovery: Discovery, name: str) -> tuple[str, ...]:
    return tuple(sorted(names_of(discovery, name) - {name}))
