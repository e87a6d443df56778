"""A small world to judge: an archive in memory, a host whose records are events, a grader that says what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar

import pytest

from skilltrial.judge.grading import Judgement, grade
from skilltrial.model import events as vocabulary
from skilltrial.model.capabilities import Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.events import EVENTS, Event, Step
from skilltrial.model.evidence import CheckResult, CommandResult, Evidence, Files
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.notes import as_raw
from skilltrial.model.part import Part
from skilltrial.model.plan import PartIdentity, Plan, SkillIdentity, Skip
from skilltrial.model.records import Record
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Cause, Ending, EvidenceKind, Outcome, Owner, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.kinds import Kind

DIGEST = "0" * 64
CANARY = "xyzzy canary"
EVENTS_BY_NAME = {kind.__name__: kind for kind in EVENTS}
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def event_of(value: dict[str, Any], seq: int) -> Event:
    kind = value.pop("event")
    for name, words in (
        ("ending", Ending),
        ("step", Step),
        ("cause", Cause),
        ("owner", Owner),
        ("cost", Decimal),
    ):
        if name in value and value[name] is not None:
            value[name] = words(value[name])
    return EVENTS_BY_NAME[kind](seq=seq, **value)


class EventNormalizer:
    """Reads records that are events already. Breaks on the word `boom`."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        stdout = [record for record in records if record.source is Source.STDOUT]
        if any(record.raw == "boom" for record in stdout):
            raise RuntimeError(CANARY)
        if any(record.raw == "sloppy" for record in stdout):
            return [vocabulary.SessionEnded(seq=1, ending="host_failed", owner=CANARY)]  # type: ignore[arg-type]
        if any(record.raw == "unsorted" for record in stdout):
            return [event_of(dict(COMPLETED), 1), vocabulary.SkillStep(seq=1, skill="notes", step=CANARY)]  # type: ignore[arg-type]
        return [event_of(json.loads(record.raw), record.seq) for record in stdout]


class Told(CheckOptions):
    """A check whose answer is written in the suite."""

    subject: ClassVar[str | None] = "gives"
    gives: str
    reason: str = "told"
    owner: Owner | None = None
    needs: tuple[Sees, ...] = ()
    asset: str | None = None

    def sentence(self) -> str:
        return f"{CANARY}: the answer is {self.gives}"

    def assets(self) -> tuple[str, ...]:
        return (self.asset,) if self.asset else ()


class Answered(CheckOptions):
    """Holds where an answer that is shown to it has the text."""

    answered: str

    def sentence(self) -> str:
        return f"an answer holds {self.answered}"


class Received(CheckOptions):
    """Holds where the shown evidence has these wire calls (`server.tool`), and joined calls of these tools."""

    received: tuple[str, ...]
    joined: tuple[str, ...] = ()

    def sentence(self) -> str:
        return "the fixtures received these calls"

    def holds(self, evidence: Evidence) -> bool:
        wire = tuple(f"{call.server}.{call.tool}" for call in evidence.wire)
        joined = tuple(call.requested.tool for call in evidence.calls if call.requested and call.wire)
        return (wire, joined) == (self.received, self.joined)


class TellingGrader:
    """Gives the answer that the check asks for."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        return [Told, Answered, Received]

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        if isinstance(check, Told):
            return frozenset(check.needs)
        return frozenset({Sees.ANSWERS} if isinstance(check, Answered) else ())

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        if isinstance(check, Answered):
            holds = any(check.answered in answer for answer in evidence.answers.values())
            return CheckResult.of(holds, "text_missing", expected=check.answered, seen=str(evidence.answers))
        if isinstance(check, Received):
            return CheckResult.of(check.holds(evidence), "other_calls")
        assert isinstance(check, Told)
        return self._told(check, evidence)

    def _told(self, check: Told, evidence: Evidence) -> CheckResult:
        match check.gives:
            case "passed":
                return CheckResult.passed(check.reason, seen=CANARY)
            case "failed":
                return CheckResult.failed(check.reason, expected=CANARY, seen=CANARY)
            case "unverified":
                return CheckResult.unverified(check.reason, owner=check.owner or Owner.HOST, seen=CANARY)
            case "asset":
                return CheckResult.of(check.asset in evidence.assets, "asset_missing")
            case "raises":
                raise ValueError(CANARY)
            case "recurses":
                raise RecursionError(CANARY)
            case "sloppy":
                return CheckResult("passed", "holds")  # type: ignore[arg-type]
            case "wordless":
                return CheckResult(Outcome.PASSED, None)  # type: ignore[arg-type]
            case _:
                return "nonsense"  # type: ignore[return-value]


class Installed(Discovery):
    """The world's one grader, installed under any name."""

    def build(self, kind: Kind, name: str, options: Mapping[str, object] | None = None) -> object:
        return TellingGrader()


class Normalizers:
    """Where the world's normalizer is found."""

    def find(self, name: str) -> NormalizerFacade:
        return bind(NormalizerFacade, name, EventNormalizer())


@dataclass(frozen=True)
class FakeTrial:
    """A sealed trial in memory."""

    facts: TrialFacts
    host: tuple[Record, ...]
    model: tuple[Record, ...] = ()
    fixtures: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    earlier: tuple[tuple[Record, ...], ...] = ()

    def records(self) -> tuple[Record, ...]:
        return self.host

    def earlier_tries(self) -> tuple[tuple[Record, ...], ...]:
        return self.earlier

    def fixture_records(self) -> dict[str, tuple[Record, ...]]:
        return dict(self.fixtures)

    def model_records(self) -> tuple[Record, ...]:
        return self.model

    def files(self) -> Files:
        return Files(before={}, after={}, changes=())

    def after(self) -> tuple[CommandResult, ...]:
        return ()


@dataclass(frozen=True)
class FakeArchive:
    """A sealed archive in memory."""

    plan: Plan
    suite: Suite
    trials: Mapping[TrialKey, FakeTrial]
    parts: tuple[PartIdentity, ...]
    provenance: Provenance
    assets: Mapping[str, bytes]
    manifest_sha256: str = "a" * 64

    def trial(self, key: TrialKey) -> FakeTrial | None:
        return self.trials.get(key)


def part(kind: Any, name: str, sha256: str = DIGEST) -> PartIdentity:
    return PartIdentity(kind=kind, name=name, distribution="some", version="1", source_sha256=sha256)


JUDGE = (part("core", "judge"), part("normalizer", "events"), part("grader", "tell"))
PROVENANCE = Provenance(started=NOON, ended=NOON, skilltrial="0.1.0", python="3.11", system="Linux", seed=1, jobs=1)
SEES_ALL = frozenset(Sees)


def key(case: str = "one", arm: str = "with_skill", label: str = "1") -> TrialKey:
    return TrialKey(case=case, arm=arm, label=label)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"event": kind, **fields}


ANSWER = event("TurnEnded", turn=1, answer="done")
COMPLETED = event("SessionEnded", ending="completed")


def trial(
    *happened: dict[str, Any] | str | Part,
    turns: int = 1,
    model: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
) -> FakeTrial:
    """A trial whose records are these events, raw lines and runner's notes (a completed one without any)."""
    records = []
    for seq, one in enumerate(happened or (ANSWER, COMPLETED), start=1):
        turn = min(seq, turns)
        if isinstance(one, Part):
            records.append(Record(seq, 0.0, Source.RUNNER, turn, as_raw(one)))
        else:
            raw = one if isinstance(one, str) else json.dumps(one)
            records.append(Record(seq, 0.0, Source.STDOUT, turn, raw))
    known = {
        "key": key(),
        "started": NOON,
        "setup_seconds": 0.25,
        "agent_seconds": 1.5,
        "closing_seconds": 0.1,
        **(facts or {}),
    }
    notes = tuple(Record(seq, 0.0, Source.MODEL, 1, raw) for seq, raw in enumerate(model, start=1))
    return FakeTrial(TrialFacts(**known), tuple(records), notes)


def check(id: str, gives: str = "passed", **more: Any) -> dict[str, Any]:
    return {"id": id, "grader": "tell", "gives": gives, **more}


def case(id: str = "one", checks: Sequence[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    found = checks if checks is not None else [check("told")]
    return {"id": id, "turns": [f"{CANARY} prompt"], "checks": found, **more}


@dataclass
class World:
    """What a test changes before it asks for a judgement."""

    cases: list[dict[str, Any]] = field(default_factory=lambda: [case()])
    arms: list[dict[str, Any]] = field(
        default_factory=lambda: [{"id": "without_skill"}, {"id": "with_skill", "skills": ["notes"]}]
    )
    fixtures: tuple[str, ...] = ()
    contract: dict[str, list[str]] = field(default_factory=dict)
    """What every fixture must offer."""
    asks: tuple[str, ...] = ()
    """Tools that the skill asks for."""
    sees: frozenset[Sees] = SEES_ALL
    trials: dict[TrialKey, FakeTrial | None] = field(default_factory=dict)
    """None for a planned trial that left no seal."""
    skips: tuple[Skip, ...] = ()
    plan: dict[str, Any] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    provenance: Provenance = PROVENANCE
    parts: tuple[PartIdentity, ...] = JUDGE
    judge: tuple[PartIdentity, ...] = JUDGE
    assets: dict[str, bytes] = field(default_factory=dict)
    graders: Graders = field(default_factory=lambda: Graders(Installed(())))

    def archive(self) -> FakeArchive:
        suite = Suite.read(
            json.dumps(
                {
                    "id": "tests",
                    "skills": [{"id": "notes", "folder": "notes"}],
                    "arms": self.arms,
                    "gate": {"arm": "with_skill"},
                    "fixtures": {name: {"use": "fake", "contract": self.contract} for name in self.fixtures},
                    "cases": self.cases,
                }
            )
        )
        ids = [one["id"] for one in self.cases]
        identity = HostIdentity(
            **{
                "name": "fake",
                "version": "1",
                "records": "events",
                "accounting": "fake",
                "sees": self.sees,
                **self.host,
            }
        )
        plan = {
            "run": "run-1",
            "mode": "run",
            "suite": "tests",
            "suite_sha256": DIGEST,
            "cases": dict.fromkeys(ids, DIGEST),
            "workspaces": dict.fromkeys(ids, DIGEST),
            "skills": (SkillIdentity(id="notes", sha256=DIGEST, body_sha256=DIGEST, asks=self.asks),),
            "arms": tuple(arm["id"] for arm in self.arms),
            "host": identity,
            "seed": 1,
            "jobs": 1,
            "attempts": 1,
            "trials": tuple(self.trials),
            "skips": self.skips,
        }
        sealed = {at: one for at, one in self.trials.items() if one is not None}
        return FakeArchive(Plan(**{**plan, **self.plan}), suite, sealed, self.parts, self.provenance, self.assets)

    def grade(self) -> Judgement:
        return grade(self.archive(), self.graders, Normalizers(), self.judge)

    def rehearse(self) -> Judgement:
        self.plan = {"mode": "rehearse", "model": "scripted", **self.plan}
        return self.grade()

    def verdict(self, *checks: dict[str, Any], happened: FakeTrial | None = None, arm: str = "with_skill") -> Any:
        """The report of one trial of one case with these checks."""
        self.cases = [case(checks=list(checks) or None, **({} if not self.cases else _kept(self.cases[0])))]
        self.trials = {key(arm=arm): happened or trial()}
        return self.grade().report.trials[0]


def _kept(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in ("id", "checks")}


def wire(*notes: Part | str, turns: Sequence[int] = ()) -> tuple[Record, ...]:
    """A fixture's records: notes or raw lines, in the turns (1 where none is said)."""
    at = [*turns, *[1] * (len(notes) - len(turns))]
    return tuple(
        Record(seq, float(seq), Source.WIRE, turn, one if isinstance(one, str) else one.model_dump_json())
        for seq, (one, turn) in enumerate(zip(notes, at, strict=True), start=1)
    )


class Words:
    """The builders, for tests (a test module can't import this one)."""

    CANARY = CANARY
    ANSWER = ANSWER
    COMPLETED = COMPLETED
    SCRIPTED = EvidenceKind.SCRIPTED_MODEL
    key = staticmethod(key)
    case = staticmethod(case)
    check = staticmethod(check)
    trial = staticmethod(trial)
    event = staticmethod(event)
    part = staticmethod(part)
    replace = staticmethod(replace)
    wire = staticmethod(wire)

    @staticmethod
    def normalizer() -> NormalizerFacade:
        return Normalizers().find("events")

    @staticmethod
    def step(step: Step, skill: str = "notes") -> dict[str, Any]:
        return event("SkillStep", turn=1, skill=skill, step=step.value)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def new_world() -> type[World]:
    """For properties, which need a fresh world for each example."""
    return World


@pytest.fixture(scope="session")
def w() -> type[Words]:
    return Words
