"""The contracts of the reader of transcripts, of the grader, and of the normalizer."""

from __future__ import annotations

import copy
import json
from typing import ClassVar

import pytest

from skilltrial.api import Ending, Evidence, Files, HostIdentity, Record, Sees, Source, TrialKey
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.transcripts import TranscriptContract, TranscriptSubject
from skilltrial_grader_kody.grader import KodyGrader
from skilltrial_grader_kody.intake import KodyTranscripts
from skilltrial_grader_kody.normalizer import KodyNormalizer

IMPORTED = "of a trial that was imported there are no notes of a runner"


def records(events):
    return tuple(Record(at, 0.0, Source.SESSION_LOG, 1, json.dumps(event)) for at, event in enumerate(events, 1))


def evidence(events, sees=frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS})):
    return Evidence(
        key=TrialKey(case="case", arm="imported", label="1"),
        identity=HostIdentity(name="cursor", records="kody"),
        sees=sees,
        ending=Ending.COMPLETED,
        events=tuple(KodyNormalizer().normalize(records(events))),
        files=Files({}, {}, ()),
    )


class TestTranscripts(TranscriptContract):
    @pytest.fixture
    def subject(self, kit) -> TranscriptSubject:
        whole = kit.document(kit.honest())
        doubled = copy.deepcopy(whole)
        doubled["results"].append(doubled["results"][0])
        return TranscriptSubject(KodyTranscripts(), json.dumps(whole).encode(), json.dumps(doubled).encode())


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self, kit) -> GraderSubject:
        honest = kit.honest()[kit.ONE_OFF]
        twice = [*honest, honest[-1]]
        asked = ({"case": kit.ONE_OFF}, {"rule": "R4", "case": kit.ONE_OFF})
        unseen = evidence([], frozenset())
        examples = [CheckExample(options, evidence(honest), evidence(twice), unseen) for options in asked]
        return GraderSubject(KodyGrader(), examples)


class TestNormalizer(NormalizerContract):
    waive: ClassVar = {
        "test_a_missing_end_is_no_success": IMPORTED,
        "test_the_runners_facts_win": IMPORTED,
    }

    @pytest.fixture
    def subject(self, kit) -> NormalizerSubject:
        return NormalizerSubject(
            KodyNormalizer(), {case: records(events) for case, events in list(kit.honest().items())[:6]}, {}
        )
