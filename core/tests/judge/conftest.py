"""A small world to judge: an archive in memory, a host whose records are events, a grader that says what it is told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from skilltrial.judge.grading import Judgement, grade
from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Step
from skilltrial.model.evidence import CommandResult, Entry, FileKind, Files
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.notes import SkillPlaced, TurnSent, as_raw, notes
from skilltrial.model.part import Part
from skilltrial.model.plan import PartIdentity, Plan, SkillIdentity, Skip
from skilltrial.model.records import Record
from skilltrial.model.suite import Case, Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import EvidenceKind, Source
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.plugins.graders import Graders
from skilltrial.testing.telling import CANARY, Installed, Normalizers

DIGEST = "0" * 64
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@dataclass(frozen=True)
class FakeTrial:
    """A sealed trial in memory."""

    facts: TrialFacts
    host: Sequence[Record]
    model: tuple[Record, ...] = ()
    fixtures: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    earlier: tuple[Sequence[Record], ...] = ()

    def records(self) -> Sequence[Record]:
        return self.host

    def earlier_tries(self) -> tuple[Sequence[Record], ...]:
        return self.earlier

    def fixture_records(self) -> dict[str, tuple[Record, ...]]:
        return dict(self.fixtures)

    def model_records(self) -> tuple[Record, ...]:
        return self.model

    told: tuple[str, ...] | None = None
    """What the turns returned to the runner; None: what the records show."""

    def answers(self) -> tuple[str, ...]:
        if self.told is not None:
            return self.told
        shown = [json.loads(record.raw) for record in self.host if record.raw.startswith('{"event": "TurnEnded"')]
        by_turn = {one.get("turn", 1): one.get("answer") or "" for one in shown if one.get("agent") is None}
        return tuple(by_turn.get(turn, "") for turn in range(1, max((one.turn for one in self.host), default=1) + 1))

    def files(self) -> Files:
        placed = (note for _, note in notes(self.host) if isinstance(note, SkillPlaced))
        # What lies in a plugin is beside the project.
        inside = (note for note in placed if not note.path.startswith("../"))
        bodies = [(f"{note.path}/SKILL.md", note.body_sha256) for note in inside]
        before = {path: Entry(path=path, kind=FileKind.FILE, sha256=digest) for path, digest in bodies}
        return Files(before=before, after=before, changes=())

    def after(self) -> tuple[CommandResult, ...]:
        return ()

    def whole(self, key: TrialKey, case: Case, placed: Sequence[SkillPlaced]) -> FakeTrial:
        """With the notes that a runner writes of every trial, where a test has none of its own."""
        known = {type(note) for _, note in notes(self.host)}
        sent = [TurnSent(turn=turn, prompt_sha256=digest(prompt)) for turn, prompt in enumerate(case.turns, 1)]
        more = [note for note in (*placed, *sent) if type(note) not in known]
        numbered = enumerate(more, len(self.host) + 1)
        added = tuple(Record(seq, 0.0, Source.RUNNER, 0, as_raw(note)) for seq, note in numbered)
        return replace(self, facts=self.facts.model_copy(update={"key": key}), host=(*self.host, *added))


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

    bodies: Mapping[str, str] = field(default_factory=dict)

    def skill_body(self, skill: str) -> str:
        return self.bodies.get(skill, "")

    def trial(self, key: TrialKey) -> FakeTrial | None:
        return self.trials.get(key)


def digest(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()


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
    bodies: dict[str, str] = field(default_factory=dict)
    """Skill → the text of its SKILL.md."""
    graders: Graders = field(default_factory=lambda: Graders(Installed(())))
    kept: Callable[[Sequence[Record]], Sequence[Record]] = tuple
    """How the records of trials are kept."""

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
            "skills": tuple(
                SkillIdentity(id=name, sha256=DIGEST, body_sha256=DIGEST, asks=self.asks)
                for name in dict.fromkeys(["notes", *(name for arm in self.arms for name in arm.get("skills", ()))])
            ),
            "arms": tuple(arm["id"] for arm in self.arms),
            "host": identity,
            "seed": 1,
            "jobs": 1,
            "attempts": 1,
            "trials": tuple(self.trials),
            "skips": self.skips,
        }
        placed = {
            arm["id"]: [
                SkillPlaced(skill=name.split("@")[0], path=f"skills/{name}", sha256=DIGEST, body_sha256=DIGEST)
                for name in arm.get("skills", ())
            ]
            for arm in self.arms
        }
        sealed = {
            at: one.whole(at, suite.case(at.case), placed.get(at.arm, ())) if at.case in ids else one
            for at, one in self.trials.items()
            if one is not None
        }
        sealed = {at: replace(one, host=self.kept(one.host)) for at, one in sealed.items()}
        planned = Plan(**{**plan, **self.plan})
        return FakeArchive(planned, suite, sealed, self.parts, self.provenance, self.assets, bodies=self.bodies)

    def grade(self) -> Judgement:
        return self.judge_of(self.archive())

    def judge_of(self, archive: FakeArchive) -> Judgement:
        return grade(archive, self.graders, Normalizers(), self.judge)

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


@pytest.fixture(params=["held", "in a file"])
def world(request: pytest.FixtureRequest, in_a_file: Callable[..., Sequence[Record]]) -> World:
    """Every judgement is the same whether a trial's records are held, or are too many for that."""
    return World() if request.param == "held" else World(kept=in_a_file)


@pytest.fixture
def new_world() -> type[World]:
    """For properties, which need a fresh world for each example."""
    return World


@pytest.fixture(scope="session")
def w() -> type[Words]:
    return Words
