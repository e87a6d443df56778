"""What every contract has in common: a class per kind of part, whose tests nobody can forget, override or skip.

An author writes one class and one fixture:

    class TestAcme(HostContract):
        @pytest.fixture
        def subject(self) -> HostSubject:
            return HostSubject(...)

Needs pytest: the extra `skilltrial[testing]`.
"""

from __future__ import annotations

import inspect
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, ClassVar

import pytest

from skilltrial.plugins.kinds import Kind

_OURS = "skilltrial.testing."
_TO_GIVE = frozenset({"subject", "waive", "proved_on", "program"})
_SILENT = ("skip", "skipif", "xfail", "usefixtures")
_HIDING = ("__test__", "__init__", "__new__", "pytestmark")


class ContractBroken(AssertionError):
    """A part does not do what its hook spec says. The message says what, and what would be right."""


class ProvedOn(StrEnum):
    """What a contract was held on, from the weakest. Said by the author of the test, shown wherever its result is."""

    TEMPLATE = "the fake program of the template: nothing is proved of the author's own program"
    FAKE = "a fake program that plays the native format"
    EXAMPLES = "examples that the author wrote"
    RECORDINGS = "recordings of the real program"
    PROGRAM = "the real program"


def demand(holds: object, sentence: str) -> None:
    """Raise ContractBroken with the sentence unless it `holds`."""
    if not holds:
        raise ContractBroken(sentence)


class _Kept(type):
    """Refuses classes that would take a test of the kit away without saying so."""

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> None:
        super().__init__(name, bases, space)
        if cls.__module__.startswith(_OURS):
            return
        if not name.startswith("Test"):
            raise TypeError(f"{name}: pytest collects only classes whose names begin with `Test`; call it Test{name}")
        for hiding in _HIDING:
            if hiding in space:
                raise TypeError(f"{name}: {hiding} could keep tests of the contract from running; take it out")
        for kept, owner in _names(cls).items():
            if next(one for one in cls.__mro__ if kept in vars(one)) is not owner:
                raise TypeError(
                    f"{name}: {kept} is a test of the contract and can't be overridden; "
                    f'where it can\'t hold, say why: waive = {{"{kept}": "the reason"}}'
                )
        _check_waived(cls)
        _check_proof(cls)

    def __setattr__(cls, name: str, value: object) -> None:
        if not cls.__module__.startswith(_OURS):
            if name in _names(cls):
                raise TypeError(f"{cls.__name__}: {name} is a test of the contract and can't be replaced")
            if name == "pytestmark" and any(mark.name in _SILENT for mark in _marks(value)):
                raise TypeError(f"{cls.__name__}: a contract can't be skipped; waive single tests with a reason")
        super().__setattr__(name, value)


def _marks(value: object) -> list[pytest.Mark]:
    every = value if isinstance(value, list | tuple) else [value]
    marks = [one.mark if isinstance(one, pytest.MarkDecorator) else one for one in every]
    return [mark for mark in marks if isinstance(mark, pytest.Mark)]


def _names(cls: type) -> dict[str, type]:
    """What the kit defined of this class, and where: tests and fixtures that are not for the author to give."""
    return {
        name: owner
        for owner in reversed(cls.__mro__)
        if owner.__module__.startswith(_OURS)
        for name in vars(owner)
        if name not in _TO_GIVE and not (name.startswith("__") and name.endswith("__"))
    }


def _check_waived(cls: type) -> None:
    waived: Mapping[str, str] = vars(cls).get("waive", {})
    for test, reason in waived.items():
        if test not in contract_tests(cls):
            raise TypeError(f"{cls.__name__}: waive names {test!r}, which is no test of the contract")
        if not reason.strip():
            raise TypeError(f"{cls.__name__}: waive {test!r} needs a reason")


def _check_proof(cls: type) -> None:
    on, program = getattr(cls, "proved_on", None), getattr(cls, "program", None)
    if on in (ProvedOn.RECORDINGS, ProvedOn.PROGRAM) and not program:
        raise TypeError(f'{cls.__name__}: proved on {on}; say of which: program = "acme 1.2.3"')


def contract_tests(cls: type) -> tuple[str, ...]:
    """The names of a contract's tests, in their order."""
    return tuple(
        dict.fromkeys(
            name
            for owner in reversed(cls.__mro__)
            if owner.__module__.startswith(_OURS)
            for name in vars(owner)
            if name.startswith("test_")
        )
    )


class Contract(metaclass=_Kept):
    """The base of all contracts. `waive` maps a test to the reason why it can't hold: a strict expected failure."""

    kind: ClassVar[Kind]
    proved_on: ClassVar[ProvedOn] = ProvedOn.EXAMPLES
    program: ClassVar[str | None] = None
    """The real program and its version, where there was one."""
    waive: ClassVar[Mapping[str, str]] = {}

    @pytest.fixture
    def subject(self) -> Any:
        """What is held to the contract: for the author to give."""
        pytest.fail(f"{type(self).__name__} must give the fixture `subject`; {type(self).__mro__[1].__name__} says how")

    @pytest.fixture(autouse=True)
    def _waived(self, request: pytest.FixtureRequest) -> None:
        name = request.node.originalname
        if name in self.waive:
            request.applymarker(pytest.mark.xfail(reason=self.waive[name], strict=True))

    @pytest.fixture(autouse=True)
    def _told(self, request: pytest.FixtureRequest, subject: Any) -> None:
        """Say which class was held, for whoever collects results."""
        part = subject.part
        owner = part if isinstance(part, type) else type(part)
        request.node.user_properties += [
            ("skilltrial_kind", self.kind.name),
            ("skilltrial_part", f"{owner.__module__}:{owner.__qualname__}"),
            ("skilltrial_proved_on", self.proved_on.name),
            ("skilltrial_on", self.proved_on.value),
            ("skilltrial_strength", list(ProvedOn).index(self.proved_on)),
            *([("skilltrial_program", self.program)] if self.program else []),
        ]


_WATCHED: ContextVar[list[str] | None] = ContextVar("watched", default=None)
_IMPURE = ("open", "os.listdir", "os.scandir", "os.system", "socket.", "subprocess.", "os.exec", "os.posix_spawn")
_HOOKED: list[bool] = []


_LIBRARIES = tuple({str(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    acts = _WATCHED.get()
    if acts is not None and event.startswith(_IMPURE):
        what = str(arguments[0]) if arguments else ""
        # What a library reads of its own (a module, a schema) is part of its code.
        if event.startswith(("open", "os.")) and what.startswith(_LIBRARIES):
            return
        acts.append(f"{event} {what}".strip())


@contextmanager
def watched() -> Iterator[list[str]]:
    """What is done inside that a pure hook must not do: files opened, folders listed, programs, sockets."""
    if not _HOOKED:
        # An audit hook can't be taken away again; outside of this context it does nothing.
        sys.addaudithook(_audit)
        _HOOKED.append(True)
    acts: list[str] = []
    token = _WATCHED.set(acts)
    try:
        yield acts
    finally:
        _WATCHED.reset(token)


def documented(part: object) -> bool:
    """Whether a part says what it is: `skilltrial plugins NAME` shows its first line."""
    owner = part if isinstance(part, type) else type(part)
    told = (inspect.getdoc(owner) or "").strip()
    # Without a docstring a dataclass gets its signature for one.
    return bool(told) and not told.startswith(f"{owner.__name__}(")
