"""How often code does something: at least and at most."""

from __future__ import annotations

from .code.analysis import Analysis
from .code.effects import Act, Interval, Kind, count
from .operations import Sort, is_listed, mutates, sort_of

_NONE: Interval = (0.0, 0.0)
_MAYBE: Interval = (0.0, 1.0)
_ONCE: Interval = (1.0, 1.0)


def authoring(analysis: Analysis) -> Interval:
    """Calls that author; of those that are not listed as such, and of what is unclear, nobody can be sure."""
    return count(analysis.effect, _authors)


def _authors(act: Act) -> Interval:
    if act.kind is Kind.UNCLEAR:
        return _MAYBE
    if act.kind is not Kind.OPERATION or sort_of(act.name) not in (Sort.AUTHORING, Sort.OPEN):
        return _NONE
    known = is_listed(act.name) or act.name.startswith("kody.repo")
    return _ONCE if known else _MAYBE


def listed_mutations(analysis: Analysis) -> Interval:
    """Calls that change a package. A call that asks for nothing to be changed may change nothing."""
    return count(analysis.effect, _mutates)


def _mutates(act: Act) -> Interval:
    if act.kind is Kind.UNCLEAR:
        return _MAYBE
    if act.kind is not Kind.OPERATION:
        return _NONE
    if mutates(act.name):
        return _ONCE if act.rehearsal is False else _MAYBE
    return _MAYBE if sort_of(act.name) is Sort.AUTHORING and not is_listed(act.name) else _NONE
