"""A good normalizer, and a broken one for each contract test."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from acme import AcmeNormalizer, Reading, read
from matrix import broken

from skilltrial.api import (
    Ending,
    Exited,
    LimitHit,
    SessionEnded,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    Step,
    TurnSent,
    Unrecognized,
)
from skilltrial.testing import MemoryRecorder
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject

SHA = "a" * 64


def session(*, code=0, limit=False, done=True):
    recorder = MemoryRecorder()
    recorder.note(SkillPlaced(skill="notes", path=".acme/skills/notes", sha256=SHA, body_sha256=SHA))
    for turn in (1, 2):
        recorder.turn = turn
        recorder.note(TurnSent(turn=turn, prompt_sha256=SHA))
        recorder.note(Spawned(argv=("acme",)))
        lines = [
            {"acme": "session", "id": "s-1", "model": "m", "skills": ["notes"]},
            {"acme": "skill", "path": ".acme/skills/notes/SKILL.md", "sha256": SHA},
            {"acme": "call", "id": "c", "server": "memory", "tool": "remember", "input": {"a": 1}},
            {"acme": "result", "id": "c", "text": "stored"},
            {"acme": "answer", "text": "done"},
        ]
        if done:
            lines.append({"acme": "done", "in": 1, "out": 2, "cost": "0.1"})
        for line in lines:
            recorder.record(Source.STDOUT, json.dumps(line))
        recorder.note(LimitHit(limit="seconds", value=5) if limit else Exited(code=code))
    return tuple(recorder.records)


def subject_of(part) -> NormalizerSubject:
    others = {"crashed": session(code=3), "late": session(limit=True), "cut": session(done=False)}
    return NormalizerSubject(part, {"good": session()}, others)


class TestGood(NormalizerContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeNormalizer())


def normalizer(test, reading=Reading, base=AcmeNormalizer):
    class Broken(base):
        """Broken."""

        def _reading(self):
            return reading()

    broken(NormalizerContract, test, lambda: subject_of(Broken()), globals())


class Undocumented:
    def normalize(self, records, more):
        return ()


class NeverCompleted(Reading):
    def outcome(self):
        return Ending.INVALID_EVENTS, None, None


class AlwaysCompleted(Reading):
    def outcome(self):
        return Ending.COMPLETED, None, None

    def end(self, records):
        self.events.append(SessionEnded(seq=records[-1].seq if records else 0, ending=Ending.COMPLETED))


class Draws(Reading):
    def add(self, event):
        super().add(replace(event, agent=str(random.random())))


class Opens(Reading):
    def end(self, records):
        Path(__file__).read_bytes()
        super().end(records)


class EndsTwice(Reading):
    def line(self, record):
        super().line(record)
        if read(record.raw).get("acme") == "done":
            self.add(SessionEnded(seq=record.seq, ending=Ending.COMPLETED))


class Counts(Reading):
    def add(self, event):
        super().add(replace(event, seq=event.seq + 1000))


class OneTurn(Reading):
    def note(self, record, note):
        if not (isinstance(note, TurnSent) and note.turn > 1):
            super().note(record, note)
        else:
            self.sent += 1


class Trusting(Reading):
    def line(self, record):
        value = json.loads(record.raw)
        assert isinstance(value["acme"], str)
        super().line(record)


class NeedsAll(Reading):
    def outcome(self):
        assert self.placed, "the skill comes first"
        return super().outcome()


class Drops(Reading):
    def add(self, event):
        if not isinstance(event, Unrecognized):
            super().add(event)


class Deaf(Reading):
    def end(self, records):
        last = records[-1] if records else None
        ending, cause, owner = self.outcome()
        self.events.append(SessionEnded(seq=last.seq if last else 0, ending=ending, cause=cause, owner=owner))


class IgnoresCodes(Reading):
    def outcome(self):
        if len(self.codes) < self.sent or not self.codes or self.done < self.sent:
            return Ending.INVALID_EVENTS, None, None
        return Ending.COMPLETED, None, None


class IgnoresEnds(Reading):
    def outcome(self):
        return (Ending.COMPLETED, None, None) if self.done == self.sent and not any(self.codes) else super().outcome()


class ByName(Reading):
    def line(self, record):
        value = read(record.raw)
        if value.get("acme") == "skill":
            self.add(SkillStep(seq=record.seq, turn=record.turn, skill="notes", step=Step.READ))
        else:
            super().line(record)


broken(NormalizerContract, "test_fits_its_hook_spec", lambda: subject_of(Undocumented()), globals())
normalizer("test_a_good_session_is_completed", NeverCompleted)
normalizer("test_another_end_is_not_completed", AlwaysCompleted)
normalizer("test_is_pure", Draws)
normalizer("test_is_pure", Opens)
normalizer("test_ends_once_and_last", EndsTwice)
normalizer("test_events_lead_to_records", Counts)
normalizer("test_each_prompt_begins_a_turn", OneTurn)
normalizer("test_any_noise_gives_events", Trusting)
normalizer("test_any_cut_gives_events", NeedsAll)
normalizer("test_the_unknown_is_unrecognized", Drops)
normalizer("test_the_runners_facts_win", Deaf)
normalizer("test_a_bad_exit_is_no_success", IgnoresCodes)
normalizer("test_a_missing_end_is_no_success", IgnoresEnds)
normalizer("test_a_skill_is_known_by_its_bytes", ByName)
