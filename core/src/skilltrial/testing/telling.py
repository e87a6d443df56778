"""Judging told what to say: records that are events already, and a grader that answers as its checks ask it to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from skilltrial.model import events as vocabulary
from skilltrial.model.capabilities import Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.events import EVENTS, Event, Step
from skilltrial.model.evidence import CheckResult, Evidence
from skilltrial.model.records import Record
from skilltrial.model.words import Cause, Ending, Outcome, Owner, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.plugins.kinds import Kind

CANARY = "xyzzy canary"
"""Stands wherever a text of a trial may stand: a report must not have it."""
EVENTS_BY_NAME = {kind.__name__: kind for kind in EVENTS}


def event_of(value: dict[str, Any], seq: int) -> Event:
    """The event that a JSON object tells: its class as `event`, and its fields."""
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
    if kind == "PluginFound":
        value["servers"] = tuple(vocabulary.FoundServer(**one) for one in value.get("servers", ()))
    return EVENTS_BY_NAME[kind](seq=seq, **value)


class EventNormalizer:
    """Reads records that are events already. Breaks on the word `boom`."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        """See NormalizerSpec."""
        stdout = [record for record in records if record.source is Source.STDOUT]
        if any(record.raw == "boom" for record in stdout):
            raise RuntimeError(CANARY)
        if any(record.raw == "sloppy" for record in stdout):
            return [vocabulary.SessionEnded(seq=1, ending="host_failed", owner=CANARY)]  # type: ignore[arg-type]
        if any(record.raw == "unsorted" for record in stdout):
            step = vocabulary.SkillStep(seq=1, skill="notes", step=CANARY)  # type: ignore[arg-type]
            return [event_of({"event": "SessionEnded", "ending": "completed"}, 1), step]
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
        """See CheckOptions."""
        return f"{CANARY}: the answer is {self.gives}"

    def assets(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.asset,) if self.asset else ()


class Answered(CheckOptions):
    """Holds where an answer that is shown to it has the text."""

    answered: str

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"an answer holds {self.answered}"


class Received(CheckOptions):
    """Holds where the shown evidence has these wire calls (`server.tool`), and joined calls of these tools."""

    received: tuple[str, ...]
    joined: tuple[str, ...] = ()

    def sentence(self) -> str:
        """See CheckOptions."""
        return "the fixtures received these calls"

    def holds(self, evidence: Evidence) -> bool:
        """Whether the evidence has exactly these calls."""
        wire = tuple(f"{call.server}.{call.tool}" for call in evidence.wire)
        joined = tuple(call.requested.tool for call in evidence.calls if call.requested and call.wire)
        return (wire, joined) == (self.received, self.joined)


class TellingGrader:
    """Gives the answer that the check asks for."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return [Told, Answered, Received]

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec."""
        if isinstance(check, Told):
            return frozenset(check.needs)
        return frozenset({Sees.ANSWERS} if isinstance(check, Answered) else ())

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        if isinstance(check, Answered):
            holds = any(check.answered in answer for answer in evidence.answers.values())
            return CheckResult.of(holds, "text_missing", expected=check.answered, seen=str(evidence.answers))
        if isinstance(check, Received):
            return CheckResult.of(check.holds(evidence), "other_calls")
        return self._told(check, evidence) if isinstance(check, Told) else CheckResult.unverified("not_told")

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
        """See Discovery."""
        return TellingGrader()


class Normalizers:
    """Where the world's normalizer is found."""

    def find(self, name: str) -> NormalizerFacade:
        """See NormalizerSource."""
        return bind(NormalizerFacade, name, EventNormalizer())
