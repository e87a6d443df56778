"""A trial that passed, laid open: its files, its records, and what the judge hears in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from pydantic import JsonValue

from skilltrial.archive import layout
from skilltrial.archive.reading import SealedTrial
from skilltrial.archive.records import read_records
from skilltrial.judge.reconcile import strictly_equal
from skilltrial.judge.witnesses import Witnessed, witnessed
from skilltrial.model.capabilities import Sees
from skilltrial.model.events import (
    ABSENT,
    Absent,
    Event,
    Notice,
    Offered,
    Retry,
    SessionStarted,
    SkillStep,
    Step,
    ToolRequested,
    ToolStarted,
    TurnEnded,
    Unrecognized,
    Usage,
)
from skilltrial.model.evidence import JoinedCall
from skilltrial.model.records import Record
from skilltrial.model.suite import Case
from skilltrial.model.trial import TrialKey

from .tape import Tape, embedded, parts

Normalize = Callable[[Sequence[Record]], Sequence[Event]]

BESIDE = (Usage, Notice, Retry, Offered, SessionStarted, ToolStarted, Unrecognized)
"""Events that are measures or notes: that one of them is missing changes no verdict of a trial."""
BEFORE_READING = (Step.OFFERED, Step.MENTIONED, Step.REQUESTED)
"""Steps of a skill that its being read shows too."""
FREE = ("seq", "seen", "native_turn", "content", "request", "messages", "provider")
"""Fields that another recording of the same would not share: numbers, ids, renderings."""


_LISTS = frozenset({"exactly", "at_most", "never", "retries"})
"""Options of checks that count calls."""


@dataclass(frozen=True)
class Scene:
    """What specimens of one case and arm have in common."""

    case: Case
    prompts: Mapping[str, tuple[str, ...]]
    """The turns of every case of the suite."""
    fixtures: tuple[str, ...]
    sees: frozenset[Sees]
    normalize: Normalize
    skills: Mapping[str, str]
    """The arm's skills: id → the text of its SKILL.md."""
    absent: Mapping[str, str]
    """Those of the suite's that the arm does not have, likewise."""


@dataclass(frozen=True)
class Specimen:
    """One passing trial. `others` are passing trials of the same archive, by key."""

    key: TrialKey
    scene: Scene
    files: Mapping[str, bytes]
    others: Mapping[TrialKey, Mapping[str, bytes]]

    @classmethod
    def of(cls, trial: SealedTrial, scene: Scene, others: Mapping[TrialKey, Mapping[str, bytes]]) -> Specimen:
        """Lay a sealed trial open."""
        return cls(trial.key, scene, trial.sealed_files, others)

    @cached_property
    def host(self) -> Tape:
        """The host's records, and the runner's notes."""
        return Tape(read_records(self.files.get(layout.HOST_RECORDS, b"")))

    @cached_property
    def wires(self) -> Mapping[str, Tape]:
        """Each fixture's records by its name."""
        return {
            name: Tape(read_records(self.files[layout.fixture_records(name)]))
            for name in self.scene.fixtures
            if layout.fixture_records(name) in self.files
        }

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The trajectory."""
        return tuple(self.scene.normalize(self.host.records))

    @cached_property
    def seen(self) -> Witnessed:
        """Both witnesses' calls."""
        records = {name: tape.records for name, tape in self.wires.items()}
        return witnessed(self.scene.fixtures, records, self.events, self.scene.sees)

    @property
    def calls(self) -> tuple[JoinedCall, ...]:
        """The joined calls."""
        return self.seen.calls

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """What each turn returned to the runner."""
        found: list[str] = json.loads(self.files.get(layout.ANSWERS, b"[]"))
        return tuple(found)

    @cached_property
    def essence(self) -> tuple[str, ...]:
        """What the trajectory tells that can bear on a verdict."""
        return self.essence_of(self.events)

    def essence_of(self, events: Sequence[Event]) -> tuple[str, ...]:
        """The essence of another trajectory, without calls of own tools where no check counts these."""
        served = {None, *(one.call for one in events if isinstance(one, ToolRequested) and one.server is not None)}
        free = {turn for turn in range(len(self.scene.case.turns) + 1) if not self.counts_own_tools(turn)}
        return essence([one for one in events if one.turn not in free or getattr(one, "call", None) in served])

    def tells_the_same(self, records: bytes) -> bool:
        """Whether other records of the host's tell the judge the same."""
        try:
            return self.essence_of(self.scene.normalize(read_records(records))) == self.essence
        except Exception:  # noqa: BLE001 - whatever a normalizer does with damaged lines, they do not tell the same
            return False

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Each call that the host showed, with the ids under which its records speak of it."""
        requests = list({event.call: event for event in self.events if isinstance(event, ToolRequested)}.values())
        known = {event.call for event in requests}
        found = []
        for at, request in enumerate(requests):
            twins = [one for one in requests[:at] if _alike(one, request)]
            ids = {request.call}
            for listed in self._aliases(request, known):
                ids.update(listed[len(twins) : len(twins) + 1])
            found.append(Asked(request, frozenset(ids)))
        return tuple(found)

    def _aliases(self, request: ToolRequested, known: set[str]) -> Iterator[list[str]]:
        """For each source, ids beside the request's tool and input that are no call's own, in order."""
        by_source: dict[str, dict[str, None]] = {}
        for at in self.host.told:
            for part in parts(self.host.values[at]):
                if isinstance(part, dict) and _shows(part, request):
                    for key, value in part.items():
                        if key.lower().endswith("id") and isinstance(value, str) and value not in known:
                            by_source.setdefault(self.host.records[at].source + key, {})[value] = None
        yield from (list(ids) for ids in by_source.values())

    @cached_property
    def named_arguments(self) -> frozenset[str]:
        """Keys of arguments that some check of the case names: what none names is free."""
        return self._named("arguments")

    @cached_property
    def named_results(self) -> frozenset[str]:
        """Keys of results that some check of the case names."""
        return self._named("result")

    def _named(self, about: str) -> frozenset[str]:
        found: set[str] = set()
        for check in self.scene.case.checks:
            for part in parts(check.options):
                for option, value in part.items() if isinstance(part, dict) else ():
                    if option.startswith(about):
                        found.update(_keys(value))
        return frozenset(found)

    @cached_property
    def ignored(self) -> frozenset[str]:
        """Tools that some list of calls leaves out, and that no list of all calls would count."""
        ignored: set[str] = set()
        for check in self.scene.case.checks:
            left_out = check.options.get("ignore")
            if check.options.get("exactly") == [] and not left_out and check.turn is None:
                return frozenset()
            if isinstance(left_out, list):
                ignored.update(str(tool) for tool in left_out)
        return frozenset(ignored)

    def counts_own_tools(self, turn: int) -> bool:
        """Whether some check counts, in this turn, calls of the program's own tools."""
        return any(
            check.grader == "calls" and "server" not in check.options and not _LISTS.isdisjoint(check.options)
            for check in self.scene.case.checks
            if check.turn in (None, turn)
        )

    @property
    def graders(self) -> frozenset[str]:
        """Who answers the case's checks in this arm."""
        return frozenset(
            check.grader for check in self.scene.case.checks if check.arms is None or self.key.arm in check.arms
        )

    @cached_property
    def reads(self) -> tuple[SkillStep, ...]:
        """Where the body of a skill was read."""
        return tuple(
            event
            for event in self.events
            if isinstance(event, SkillStep) and event.step in (Step.READ, Step.SCRIPT_RUN)
        )


@dataclass(frozen=True)
class Asked:
    """One call of the host's, and its ids in the host's records."""

    request: ToolRequested
    ids: frozenset[str]

    @property
    def input(self) -> JsonValue:
        """The input, null where it was not shown."""
        return None if isinstance(self.request.input, Absent) else self.request.input


def essence(events: Sequence[Event]) -> tuple[str, ...]:
    """What events tell that can bear on a verdict, each once; calls are known by their place among the calls."""
    ids: dict[str, str] = {}
    for event in events:
        if isinstance(event, ToolRequested):
            ids.setdefault(event.call, f"#{len(ids)}")
    told = set()
    ends: dict[int, int] = {}
    for event in events:
        if isinstance(event, BESIDE) or (isinstance(event, SkillStep) and event.step in BEFORE_READING):
            continue
        values = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in FREE}
        if "call" in values:
            values["call"] = ids.get(values["call"], values["call"])
        if isinstance(event, TurnEnded):
            # A turn that ends twice is not one that ended.
            ends[event.turn] = values["end"] = ends.get(event.turn, 0) + 1
        told.add(f"{type(event).__name__} {values!r}")
    return tuple(sorted(told))


def _keys(value: JsonValue) -> Iterator[str]:
    """Keys of objects, members of pointers, and texts: whatever may be the name of a member."""
    for part in parts(value):
        if isinstance(part, dict):
            yield from (piece for key in part for piece in key.split("/"))
        elif isinstance(part, str):
            yield part


def _alike(one: ToolRequested, other: ToolRequested) -> bool:
    return (one.tool, one.server) == (other.tool, other.server) and strictly_equal(one.input, other.input)


def _shows(part: dict[str, JsonValue], request: ToolRequested) -> bool:
    """Whether an object holds a call's tool and its input side by side."""
    if request.input is ABSENT or not any(
        isinstance(value, str) and (value == request.tool or value.endswith(f"__{request.tool}"))
        for value in part.values()
    ):
        return False
    return any(
        strictly_equal(value, request.input) or strictly_equal(embedded(value), request.input)
        for value in part.values()
    )
