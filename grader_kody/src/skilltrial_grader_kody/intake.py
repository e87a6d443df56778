"""Reads a transcript for `skilltrial import --from kody`: one trial a case, one record a lifecycle event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ConfigDict, JsonValue, ValidationError
from pydantic.dataclasses import dataclass

from skilltrial.api import EvidenceKind, ForeignRun, ForeignTrial, HostIdentity, Sees

from .faults import TranscriptFault, TranscriptInvalid, faults
from .jsontext import parse, text_of, without_halves
from .normalizer import RECORDS
from .suite import RoutingCase, RoutingSuite, shipped_suite
from .transcript import Completed, Skipped, Transcript
from .words import EVAL_NAME

ARM = "imported"
SKIP = "skipped_no_eligible_match"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class KodyTranscripts:
    """Reads transcripts of the evaluation `package-discovery-routing`."""

    def read_transcript(self, data: bytes) -> ForeignRun:
        """See TranscriptSpec."""
        text = text_of(data)
        value = parse(text)
        try:
            document = Transcript.model_validate(parse(without_halves(text)))
        except ValidationError as error:
            raise TranscriptInvalid(faults(error)) from None
        suite = shipped_suite()
        _fits(document.results, suite)
        return ForeignRun(
            suite=_long(suite),
            host=HostIdentity(
                name=document.host,
                model=document.model,
                records=RECORDS,
                sees=frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS}),
                evidence_kind=EvidenceKind.IMPORTED,
            ),
            began=datetime.fromisoformat(document.runAt[:19] + "+00:00"),
            trials=tuple(
                _trial(suite.by_id[result.caseId], result, written)
                for result, written in zip(document.results, value["results"], strict=True)
            ),
        )


def _fits(results: Sequence[Completed | Skipped], suite: RoutingSuite) -> None:
    """Rules P1 and P2: an archive has one trial for each case, and none for what nobody asked."""
    found: list[TranscriptFault] = []
    first: dict[str, int] = {}
    for at, result in enumerate(results):
        if result.caseId not in suite.by_id:
            found.append(TranscriptFault(f"/results/{at}/caseId", f"the suite {EVAL_NAME} has no such case"))
        elif result.caseId in first:
            says = f"is the case of /results/{first[result.caseId]} again; an archive keeps one result of a case"
            found.append(TranscriptFault(f"/results/{at}/caseId", says))
        first.setdefault(result.caseId, at)
    if found:
        raise TranscriptInvalid(found)


def _trial(case: RoutingCase, result: Completed | Skipped, written: Any) -> ForeignTrial:
    if isinstance(result, Skipped) and case.may_be_skipped:
        return ForeignTrial(case.id, skipped=SKIP)
    # A skip of a case that may not be skipped is kept as what it is, for rule P4 to judge.
    events = written["events"] if isinstance(result, Completed) else [written]
    return ForeignTrial(case.id, tuple(json.dumps(event) for event in events))


def _long(suite: RoutingSuite) -> dict[str, JsonValue]:
    return {
        "id": suite.name,
        "arms": [{"id": ARM}],
        "gate": {"arm": ARM},
        "cases": [
            {"id": case.id, "turns": [case.prompt], "checks": [{"id": "route", "grader": "kody", "case": case.id}]}
            for case in suite.cases
        ],
    }
