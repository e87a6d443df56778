"""Whole runs of a small host that drives a shell: what is sealed, what is told, and what is written nowhere."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.archive import layout
from skilltrial.archive.reading import open_archive
from skilltrial.archive.trees import Tree
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import SessionStopped
from skilltrial.model.events import SessionEnded
from skilltrial.model.notes import Broke, Exited, notes
from skilltrial.model.observing import Observer, TrialTold
from skilltrial.model.request import RunRequest
from skilltrial.model.trial import Command, HostIdentity, TrialKey
from skilltrial.model.words import Ending, Owner, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import HostFacade, NormalizerFacade
from skilltrial.plugins.hookspecs import HostSpec
from skilltrial.record import trialrun
from skilltrial.record.asking import Prepared
from skilltrial.record.gathering import prepared as prepared_skill
from skilltrial.record.parts import Parts
from skilltrial.record.planning import Digests, Selection, plan_run
from skilltrial.record.preparing import Sources, assemble
from skilltrial.record.runs import Recorded, record, take_up
from skilltrial.record.stopping import Budget

SECRET = 'sk-Canary/"0123'
WORKSPACE = Tree.of_texts({"notes.md": "# Notes\n"})
SKILL = Tree.of_texts({"SKILL.md": "---\nname: notes\ndescription: x\n---\nWrite.\n"})


@dataclass(frozen=True)
class ShellHost(HostSpec):
    """Runs each prompt as a shell command. Prompts that begin with `!` are acts of the host's own."""

    starts: list[str] = field(default_factory=list)

    def describe_host(self):
        return HostIdentity(name="shell", records="exits", can=frozenset({Can.MULTI_TURN}))

    def place_skill(self, skill, place):
        return place.project / ".agents/skills" / skill.id

    def open_session(self, trial, place, recorder) -> AbstractContextManager[Any]:  # type: ignore[override]
        return self._session(trial, place, recorder)

    @contextmanager
    def _session(self, trial, place, recorder) -> Iterator[Any]:
        self.starts.append(str(trial.key))
        yield ShellSession(place, recorder, len(self.starts))


@dataclass(frozen=True)
class ShellSession:
    place: Any
    recorder: Any
    number: int

    def send(self, prompt: str) -> str:
        match prompt:
            case "!raise":
                raise RuntimeError(SECRET)
            case "!exit":
                sys.exit(0)
            case "!stop":
                raise SessionStopped
            case "!vanish":
                raise FileNotFoundError(SECRET)
        environment = {**self.place.environment, "SESSION": str(self.number)}
        command = Command(("/bin/sh", "-c", prompt), self.place.project, environment)
        self.place.launcher.run(command, self.recorder)
        return f"I ran it. {self.place.environment.get('API_KEY', '')}"


class Exits:
    """Completed where every program exited with 0; 75 is a fault of the host's."""

    def normalize(self, records):
        codes = [note.code for _, note in notes(records) if isinstance(note, Exited)]
        return [SessionEnded(seq=1, ending=Ending.HOST_FAILED if 75 in codes else Ending.COMPLETED)]


@dataclass
class Watch(Observer):
    """What an observer was told."""

    started_: list[TrialKey] = field(default_factory=list)
    sealed_: list[TrialKey] = field(default_factory=list)
    added_: list[TrialKey] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def trial_started(self, key: TrialKey) -> None:
        self.started_.append(key)

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        self.sealed_.append(key)

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        self.added_.extend(trials)


@dataclass
class Run:
    """A run of cases, each a prompt."""

    tmp: Path
    suite: Callable[..., Any]
    host: ShellHost = field(default_factory=ShellHost)
    watch: Watch = field(default_factory=Watch)

    def prepared(self, *cases: dict, secrets: dict[str, str] | None = None, **more: Any) -> Prepared:
        suite = self.suite(list(cases))
        bound = bind(HostFacade, "shell", self.host)
        sources = Sources(
            {case.id: WORKSPACE for case in suite.cases}, {"notes": prepared_skill("notes", "notes", SKILL)}
        )
        digests = Digests(
            "0" * 64,
            {case: tree.digest() for case, tree in sources.workspaces.items()},
            tuple(skill.identity for skill in sources.skills.values()),
        )
        plan = plan_run(suite, self.host.describe_host(), Selection(jobs=2), digests, "run")
        request = RunRequest(host="shell", allow_commands=True, **more.pop("request", {}))
        (self.tmp / "places").mkdir(exist_ok=True)
        return Prepared(
            suite=suite,
            request=request,
            parts=Parts(bound, self.host.describe_host(), bind(NormalizerFacade, "exits", Exits()), None, None, {}, ()),
            sources=sources,
            projects=assemble(suite, sources, bound),
            plan=plan,
            trials=plan.trials,
            budget=more.pop("budget", Budget()),
            passed=secrets or {},
            secrets=secrets or {},
            base=self.tmp / "places",
        )

    def __call__(self, prepared: Prepared, name: str = "archive") -> Recorded:
        recorded = record(prepared, self.tmp / name, Discovery(()), self.watch, {})
        assert list((self.tmp / "places").iterdir()) == [], "a place was left behind"
        assert self.watch.added_ == [], "no gate of these runs adds a trial"
        return recorded


@pytest.fixture
def run(tmp_path, suite, monkeypatch) -> Run:
    monkeypatch.setattr(trialrun, "_waited", lambda bench, seconds: True)
    return Run(tmp_path, suite)


def key(case: str, arm: str = "with_skill") -> TrialKey:
    return TrialKey(case=case, arm=arm, label="1")


LEAKS = """
env
printf '%s\\n' "$API_KEY" >&2
printf '%s' "$API_KEY" | base64
printf '%s' "$API_KEY" > plain.txt
printf 'x%s' "$API_KEY" | base64 > coded.txt
printf '{"key": "%s"}' "$(printf '%s' "$API_KEY" | sed 's/"/\\\\"/')" > config.json
safe=$(printf '%s' "$API_KEY" | tr '/' '_')
echo hello > "$safe.txt"
mkdir "$safe-folder"
ln -s "$API_KEY" link
printf '%s' "$API_KEY" >> notes.md
"""


@pytest.mark.parametrize("secret", [SECRET, "sk-Canary-0123456789", "пароль-0123"])
def test_a_secret_that_a_trial_had_is_nowhere_below_its_archive(run, secret):
    secrets = {"API_KEY": secret, "SAFE": secret.replace("/", "_")}
    prepared = run.prepared(
        {
            "id": "one",
            "turns": [LEAKS, "cat plain.txt coded.txt; ls"],
            "setup": ["env"],
            "after": ["cat plain.txt", "ls"],
        },
        secrets=secrets,
        request={"options": {"header": [f"Bearer {secret}"]}},
    )
    recorded = run(prepared)

    forms = {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret)[1:-1])[1:-1], secret.replace("/", "_")}
    for path in recorded.root.rglob("*"):
        for form in forms:
            assert form not in path.name
            assert path.is_dir() or form.encode() not in path.read_bytes(), (path, form)
    trial = open_archive(recorded.root).trial(key("one"))
    assert trial is not None
    files = trial.files()
    assert {"plain.txt", "coded.txt", "config.json", "notes.md"} <= files.redacted
    assert files.after["link"].target == "[redacted API_KEY]"
    assert any("[redacted " in change.path for change in files.changes)
    assert trial.facts.redactions > 10
    assert trial.answers()[0] == "I ran it. [redacted API_KEY]"
    assert "[redacted API_KEY]" in trial.after()[0].stdout
    assert open_archive(recorded.root).provenance.passed_names == ("API_KEY", "SAFE")


def test_what_happened_is_sealed_with_what_came_before_and_after(run):
    prepared = run.prepared(
        {
            "id": "one",
            "turns": ["echo new > out.txt; rm notes.md; ls -a .agents/skills"],
            "after": ["cat out.txt", "exit 3"],
        }
    )
    recorded = run(prepared)
    archive = open_archive(recorded.root)
    with_skill, without = archive.trial(key("one")), archive.trial(key("one", "without_skill"))
    assert with_skill is not None
    assert without is not None

    assert recorded.manifest_sha256 == archive.manifest_sha256
    assert set(recorded.ran.sealed) == set(prepared.trials) == set(run.watch.sealed_) == set(run.watch.started_)
    assert [(one.path, one.change.value) for one in with_skill.files().changes] == [
        ("notes.md", "removed"),
        ("out.txt", "created"),
    ]
    assert with_skill.files().read("out.txt") == b"new\n"
    assert with_skill.files().read(".agents/skills/notes/SKILL.md") == SKILL.data("SKILL.md")
    assert ".agents" not in without.files().after
    assert [(one.command, one.code, one.stdout) for one in with_skill.after()] == [
        ("cat out.txt", 0, "new"),
        ("exit 3", 3, ""),
    ]
    assert "notes" in [record.raw for record in with_skill.records() if record.source is Source.STDOUT]


@pytest.mark.parametrize(
    ("prompt", "why", "owner"),
    [
        ("!raise", "RuntimeError", Owner.HOST),
        ("!exit", "SystemExit", Owner.HOST),
        ("!vanish", "FileNotFoundError", Owner.OPERATOR),
    ],
)
def test_a_host_that_breaks_costs_its_trial_and_not_the_run(run, prompt, why, owner):
    prepared = run.prepared({"id": "bad", "turns": [prompt]}, {"id": "good", "turns": ["true"]}, request={"retries": 0})
    recorded = run(prepared)
    archive = open_archive(recorded.root)
    trial = archive.trial(key("bad"))
    assert trial is not None

    assert len(recorded.ran.sealed) == 4
    broke = [note for _, note in notes(trial.records()) if isinstance(note, Broke)]
    assert broke == [Broke(why=why, owner=owner)]
    assert all(SECRET.encode() not in path.read_bytes() for path in recorded.root.rglob("*") if path.is_file())


def test_a_try_that_showed_nothing_is_kept_beside_the_one_that_did(run):
    """The first session of the run fails; each further one works."""
    prepared = run.prepared({"id": "one", "turns": ['echo "session $SESSION"; [ "$SESSION" != 1 ] || exit 75']})
    recorded = run(prepared)
    archive = open_archive(recorded.root)
    trials = [archive.trial(one) for one in prepared.trials]

    assert sorted(trial.facts.tries for trial in trials if trial) == [1, 2]
    assert len(run.host.starts) == 3
    again = next(trial for trial in trials if trial and trial.facts.tries == 2)
    assert [record.raw for record in again.records() if record.source is Source.STDOUT] != ["session 1"]
    kept = recorded.root / again.key.path / "tries/1/host.jsonl"
    assert b"session 1" in kept.read_bytes()


def test_a_host_that_never_works_is_tried_as_often_as_was_asked(run):
    run(run.prepared({"id": "one", "turns": ["exit 75"]}, request={"retries": 1}))

    assert len(run.host.starts) == 4


def test_what_a_budget_left_out_is_run_by_the_next(run):
    prepared = run.prepared(
        {"id": "one", "turns": ["true"]}, {"id": "two", "turns": ["true"]}, budget=Budget(sessions=3)
    )
    recorded = run(prepared)
    archive = open_archive(recorded.root)

    assert len(archive.sealed()) == 3
    assert "--max-sessions" in (recorded.ran.stopped or "")
    assert archive.provenance.stopped == recorded.ran.stopped

    whole = run.prepared({"id": "one", "turns": ["true"]}, {"id": "two", "turns": ["true"]})
    again = take_up(whole, recorded.root, run.watch, {})
    archive = open_archive(again.root)
    assert len(again.ran.sealed) == 1
    assert archive.sealed() == archive.plan.trials
    assert sorted(map(str, run.watch.sealed_)) == sorted(map(str, archive.plan.trials))
    assert len(archive.provenance.resumed) == 1
    assert not (recorded.root / layout.LOCK).exists()


def test_a_session_that_can_take_no_further_turn_ends_the_trial_and_nothing_else(run):
    recorded = run(run.prepared({"id": "one", "turns": ["echo first", "!stop", "echo never"]}))
    trial = open_archive(recorded.root).trial(key("one"))
    assert trial is not None

    assert trial.answers() == ("I ran it. ",)
    assert max(record.turn for record in trial.records()) == 2
    assert not [note for _, note in notes(trial.records()) if isinstance(note, Broke)]


def test_nothing_of_the_suite_lies_where_an_agent_can_find_it(run):
    recorded = run(
        run.prepared({"id": "one", "turns": ["cd ..; find . -type f | sort; ls ..; grep -r files-1 . || echo clean"]})
    )
    trial = open_archive(recorded.root).trial(key("one"))
    assert trial is not None
    said = [record.raw for record in trial.records() if record.source is Source.STDOUT]

    assert said[:2] == ["./project/.agents/skills/notes/SKILL.md", "./project/notes.md"]
    assert said[-1] == "clean"
    assert not any("one" in line or "with_skill" in line for line in said[2:-1])
