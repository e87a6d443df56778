"""A good transcript reader, and a broken one for each contract test."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import EvidenceKind, ForeignRun, ForeignTrial, HostIdentity, InvalidRequest
from skilltrial.testing.transcripts import TranscriptContract, TranscriptSubject

CASE = {"turns": ["Do it."], "checks": [{"id": "c", "grader": "acme"}]}
GOOD = json.dumps({"results": [{"case": "one", "said": "yes"}, {"case": "two", "skipped": "no_time"}]}).encode()
DOUBLED = json.dumps({"results": [{"case": "one", "said": "yes"}, {"case": "one", "said": "no"}]}).encode()


class AcmeTranscript:
    """Reads what acme recorded."""

    def read_transcript(self, data):
        return self._run(self._results(data))

    def _results(self, data):
        try:
            value = json.loads(data.decode())
        except (ValueError, RecursionError):
            value = None
        rows = value.get("results") if isinstance(value, dict) else None
        if not isinstance(rows, list) or not rows:
            raise InvalidRequest("no results")
        wrong = [row for row in rows if not isinstance(row, dict) or row.get("case") not in ("one", "two")]
        wrong += [row for row in rows if isinstance(row, dict) and not row.get("said") and not row.get("skipped")]
        if wrong:
            raise InvalidRequest("a result of no case")
        self._refuse_doubles([row["case"] for row in rows])
        return rows

    def _refuse_doubles(self, cases):
        if len(cases) != len(set(cases)):
            raise InvalidRequest("two results for one case")

    def _run(self, rows):
        suite = {
            "id": "acme",
            "arms": [{"id": "with_skill"}],
            "gate": {"arm": "with_skill"},
            "attempts": 1,
            "cases": [{"id": "one", **CASE}, {"id": "two", **CASE}],
        }
        identity = HostIdentity(name="acme", records="acme", evidence_kind=EvidenceKind.IMPORTED)
        trials = tuple(
            ForeignTrial(row["case"], (row["said"],) if row.get("said") else (), row.get("skipped")) for row in rows
        )
        return ForeignRun(suite, identity, datetime(2026, 11, 30, tzinfo=UTC), trials)


def subject_of(part) -> TranscriptSubject:
    return TranscriptSubject(part, GOOD, DOUBLED)


class TestGood(TranscriptContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeTranscript())


def transcript(test, part):
    broken(TranscriptContract, test, lambda: subject_of(part()), globals())


class Misspelt:
    """Broken."""

    def read_transcripts(self, data):
        return None


def changed(**changes):
    class Broken(AcmeTranscript):
        """Broken."""

        def _run(self, rows):
            run = super()._run(rows)
            told = {name: change(run) for name, change in changes.items()}
            return replace(run, **told)

    return Broken


class Opens(AcmeTranscript):
    """Broken."""

    def read_transcript(self, data):
        Path(__file__).read_bytes()
        return super().read_transcript(data)


class Raises(AcmeTranscript):
    """Broken."""

    def _results(self, data):
        return json.loads(data)["results"]


class Guesses(AcmeTranscript):
    """Broken."""

    def _results(self, data):
        if not data.endswith(b"}"):
            raise ValueError("cut")
        return super()._results(data)


class LastWins(AcmeTranscript):
    """Broken."""

    def _refuse_doubles(self, cases):
        pass


transcript("test_fits_its_hook_spec", Misspelt)
transcript("test_its_suite_is_a_suite", changed(suite=lambda run: {**run.suite, "attempts": 2}))
transcript("test_each_trial_is_of_a_case", changed(trials=lambda run: (ForeignTrial("three", ("x",)),)))
transcript(
    "test_it_is_told_to_be_imported",
    changed(host=lambda run: run.host.model_copy(update={"evidence_kind": EvidenceKind.LIVE_PORTABLE})),
)
transcript("test_is_pure", Opens)
transcript("test_is_pure", changed(began=lambda run: datetime.now(UTC)))
transcript("test_anything_else_is_refused", Raises)
transcript("test_damage_is_refused_or_harmless", Guesses)
transcript("test_a_second_result_is_a_fault", LastWins)
