"""Checks on the list of calls: exactly these, at least, at most, never; and no retry after an error."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, Strict, model_validator

from skilltrial.api import Absent, CheckOptions, CheckResult, Evidence
from skilltrial.checks.wording import cut, listed

from .attempts import Attempt, all_are_shown, attempts
from .describing import CallPattern, Name, Names
from .matching import decided, in_any_order, in_order
from .reasons import Reason, failed, unverified

Patterns = Annotated[tuple[CallPattern, ...], Strict(False)]
KINDS = ("exactly", "at_least", "at_most", "never")


class ListCheck(CheckOptions):
    """The calls are exactly these, contain these, are none but these, or are never like these. Give one of the four.

    Attempts count, also those that the program rejected; a call that is demanded must have been carried out.
    """

    subject: ClassVar[str | None] = "server"

    server: Name | None = None
    """The fixture whose tools are meant; without it all tools, the program's own too."""
    exactly: Patterns | None = None
    at_least: Patterns | None = None
    at_most: Patterns | None = None
    never: Annotated[Patterns, Field(min_length=1)] | None = None
    ordered: bool = True
    """Whether the order counts."""
    ignore: Names = ()
    """Tools that are left out."""

    @model_validator(mode="after")
    def _one_of_four(self) -> Self:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of {', '.join(f'`{kind}`' for kind in KINDS)}")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        kind = next(kind for kind in KINDS if getattr(self, kind) is not None)
        patterns: tuple[CallPattern, ...] = getattr(self, kind)
        named = "no calls" if not patterns else listed([pattern.words() for pattern in patterns])
        words = {"exactly": "are exactly", "at_least": "contain", "at_most": "are at most", "never": "are never"}[kind]
        order = "" if self.ordered or len(patterns) < 2 or kind == "never" else ", in any order"
        left_out = f", {listed(self.ignore)} left out" if self.ignore else ""
        return f"calls{_of(self.server)} {words} {named}{order}{left_out}"


class RetryCheck(CheckOptions):
    """A tool is not called again after it returned an error."""

    subject: ClassVar[str | None] = "server"

    server: Name | None = None
    retries: Literal["never"]
    ignore: Names = ()

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"no tool{_of(self.server)} is called again after an error"


def list_holds(check: ListCheck, evidence: Evidence) -> CheckResult:
    """Answer a ListCheck."""
    found = attempts(evidence, check.server, check.ignore)
    if check.never is not None:
        _refuse_any(check.never, found)
    elif check.at_least is not None:
        _demand(check.at_least, found, ordered=check.ordered)
        return CheckResult.passed(seen=_seen(found))
    elif check.at_most is not None:
        _allow(check.at_most, found, ordered=check.ordered)
    else:
        _equal(check.exactly or (), found, ordered=check.ordered)
    return _if_all_shown(evidence, check.server, found)


def no_retries(check: RetryCheck, evidence: Evidence) -> CheckResult:
    """Answer a RetryCheck."""
    found = attempts(evidence, check.server, check.ignore)
    open_: set[str] = set()
    undecided = False
    for attempt in found:
        if attempt.tool in open_:
            raise failed(Reason.RETRIED, seen=_seen(found))
        if attempt.rejected or attempt.is_error:
            open_.add(attempt.tool)
        undecided = undecided or (attempt.is_error is None and not attempt.rejected and _again(attempt, found))
    if undecided:
        raise unverified(Reason.RESULT_NOT_SHOWN)
    return _if_all_shown(evidence, check.server, found)


def _again(attempt: Attempt, found: tuple[Attempt, ...]) -> bool:
    return sum(other.tool == attempt.tool for other in found) > 1


def _refuse_any(patterns: tuple[CallPattern, ...], found: tuple[Attempt, ...]) -> None:
    fits = [pattern.fits(attempt) for attempt in found for pattern in patterns]
    if True in fits:
        raise failed(Reason.CALL_FORBIDDEN, seen=_seen(found))
    if None in fits:
        raise _undecided(found)


def _demand(patterns: tuple[CallPattern, ...], found: tuple[Attempt, ...], *, ordered: bool) -> None:
    carried_out = [attempt for attempt in found if not attempt.rejected]
    pairs = [[pattern.fits(attempt) for attempt in carried_out] for pattern in patterns]
    holds = decided(pairs, in_order if ordered else in_any_order)
    if holds is False:
        raise failed(Reason.CALL_MISSING, seen=_seen(found))
    if holds is None:
        raise _undecided(found)


def _allow(patterns: tuple[CallPattern, ...], found: tuple[Attempt, ...], *, ordered: bool) -> None:
    pairs = [[pattern.fits(attempt) for pattern in patterns] for attempt in found]
    holds = decided(pairs, in_order if ordered else in_any_order)
    if holds is False:
        raise failed(Reason.CALL_TOO_MANY, seen=_seen(found))
    if holds is None:
        raise _undecided(found)


def _equal(patterns: tuple[CallPattern, ...], found: tuple[Attempt, ...], *, ordered: bool) -> None:
    if len(found) != len(patterns):
        reason = Reason.CALL_MISSING if len(found) < len(patterns) else Reason.CALL_TOO_MANY
        raise failed(reason, expected=f"{len(patterns)} calls", seen=_seen(found))
    pairs = [[pattern.fits(attempt) for attempt in found] for pattern in patterns]
    holds = decided(pairs, in_order if ordered else in_any_order)
    if holds is False:
        raise failed(Reason.CALLS_DIFFER, seen=_seen(found))
    if any(attempt.rejected for attempt in found):
        raise failed(Reason.CALL_REJECTED, seen=_seen(found))
    if holds is None:
        raise _undecided(found)


def _if_all_shown(evidence: Evidence, server: str | None, found: tuple[Attempt, ...]) -> CheckResult:
    """Passed, unless attempts that never reached a server would go unseen."""
    if not all_are_shown(evidence, server):
        raise unverified(Reason.CALLS_NOT_SHOWN)
    return CheckResult.passed(seen=_seen(found))


def _undecided(found: tuple[Attempt, ...]) -> Exception:
    hidden = any(isinstance(one.arguments, Absent) for one in found)
    return unverified(Reason.ARGUMENTS_NOT_SHOWN if hidden else Reason.RESULT_NOT_SHOWN)


def _seen(found: tuple[Attempt, ...]) -> str:
    return cut(", ".join(one.tool + (" (rejected)" if one.rejected else "") for one in found), 200) or "no calls"


def _of(server: str | None) -> str:
    return "" if server is None else f" of {cut(server)}"
