"""Where pluggy meets types: `bind` holds a plugin to its hook spec and gives it a typed front.

Each bound plugin has a pluggy manager of its own: no plugin can join, order or replace another.
"""

from __future__ import annotations

import difflib
import inspect
from typing import TypeVar

import pluggy

from skilltrial.model.errors import PluginMismatch

from . import facades, hookspecs

F = TypeVar("F", bound=facades.Facade)

_SPECS: dict[type[facades.Facade], tuple[str, type]] = {
    facades.HostFacade: ("host", hookspecs.HostSpec),
    facades.FixtureFacade: ("fixture", hookspecs.FixtureSpec),
    facades.AnswererFacade: ("answerer", hookspecs.AnswererSpec),
    facades.ModelFacade: ("model", hookspecs.ModelSpec),
    facades.DialectFacade: ("dialect", hookspecs.DialectSpec),
    facades.NormalizerFacade: ("normalizer", hookspecs.NormalizerSpec),
    facades.GraderFacade: ("grader", hookspecs.GraderSpec),
    facades.FormatFacade: ("format", hookspecs.FormatSpec),
    facades.RendererFacade: ("renderer", hookspecs.RendererSpec),
    facades.TranscriptFacade: ("transcript", hookspecs.TranscriptSpec),
    facades.ObserverFacade: ("observer", hookspecs.ObserverSpec),
}


class _Manager(pluggy.PluginManager):
    """A manager for which every public method of its one plugin is a hook implementation, without a mark."""

    def __init__(self, plugin: object) -> None:
        super().__init__(hookspecs.PROJECT)
        self._hooks = public_methods(type(plugin))

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if name not in self._hooks:
            return None
        return pluggy.HookimplOpts(
            wrapper=False, hookwrapper=False, optionalhook=False, tryfirst=False, trylast=False, specname=None
        )


def public_methods(owner: type) -> frozenset[str]:
    """Names of the public methods that a class has, its own and inherited ones."""
    return frozenset(
        name
        for name in dir(owner)
        if not name.startswith("_") and inspect.isroutine(inspect.getattr_static(owner, name))
    )


def check(kind: str, name: str, owner: type) -> None:
    """Hold a plugin's class to the hook spec of its kind, without making one.

    Raises PluginMismatch with one sentence: the plugin, the hook and the remedy.
    """
    spec = next(spec for known, spec in _SPECS.values() if known == kind)
    wanted = public_methods(spec)
    offered = public_methods(owner)
    _refuse_strangers(kind, name, offered - wanted, wanted)
    missing = sorted(wanted - offered)
    if missing:
        one = len(missing) == 1
        raise PluginMismatch(
            f"{kind} {name!r}: {'hook' if one else 'hooks'} {', '.join(missing)} missing; "
            f"{owner.__name__} must define {'it' if one else 'them'}"
        )
    for hook in sorted(wanted):
        _refuse_parameters(kind, name, hook, owner, spec)


def bind(front: type[F], name: str, plugin: object) -> F:
    """Hold `plugin` to the hook spec of `front` and return its typed front. Raises PluginMismatch."""
    kind, spec = _SPECS[front]
    if isinstance(plugin, type):
        raise PluginMismatch(f"{kind} {name!r}: an instance is needed, not the class {plugin.__name__}")
    check(kind, name, type(plugin))
    manager = _Manager(plugin)
    manager.add_hookspecs(spec)
    try:
        manager.register(plugin, name=name)
    except pluggy.PluginValidationError as error:
        raise PluginMismatch(f"{kind} {name!r} does not fit its hook spec: {error}") from error
    return front(kind, name, manager.hook)


def _refuse_strangers(kind: str, name: str, strangers: frozenset[str], wanted: frozenset[str]) -> None:
    for stranger in sorted(strangers):
        close = difflib.get_close_matches(stranger, wanted, n=1)
        remedy = f"did you mean `{close[0]}`?" if close else "give helpers a name that begins with `_`"
        raise PluginMismatch(f"{kind} {name!r}: public method {stranger!r} is no hook; {remedy}")


def _refuse_parameters(kind: str, name: str, hook: str, owner: type, spec: type) -> None:
    wanted = list(inspect.signature(getattr(spec, hook)).parameters)[1:]
    parameters = list(inspect.signature(getattr(owner, hook)).parameters.values())
    if inspect.isfunction(inspect.getattr_static(owner, hook)):
        parameters = parameters[1:]  # self
    for parameter in parameters:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or parameter.default is not parameter.empty:
            raise PluginMismatch(
                f"{kind} {name!r}: hook {hook} declares parameter {parameter.name!r} with a default, as "
                "keyword-only or as variable; hook parameters are plain"
            )
        if parameter.name not in wanted:
            close = difflib.get_close_matches(parameter.name, wanted, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else f"it may take {', '.join(wanted) or 'none'}"
            raise PluginMismatch(f"{kind} {name!r}: hook {hook} has no parameter {parameter.name!r}; {remedy}")
