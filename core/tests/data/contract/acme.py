"""The good double: a host of a program that prints JSON lines, and a normalizer that reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import file_digest
from pathlib import Path

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as options

from skilltrial.api import (
    Can,
    Cause,
    Command,
    Ending,
    Event,
    Exited,
    HostIdentity,
    InvalidRequest,
    Lending,
    ModelEndpoint,
    Offer,
    Offered,
    Owner,
    PermissionDecided,
    Place,
    Probe,
    Record,
    Recorder,
    Sees,
    Session,
    SessionEnded,
    SessionStarted,
    SessionStopped,
    Skill,
    SkillPlaced,
    SkillStep,
    Source,
    Step,
    ToolRequested,
    ToolResult,
    Trial,
    TurnEnded,
    TurnSent,
    TurnStarted,
    Unrecognized,
    Usage,
    ending_by_notes,
    notes,
)
from skilltrial.testing.programs import PlacedSkill, Rendering, Reply, Spent, ToolUse, Turn, out
from skilltrial.testing.stages import digest


class AcmeRendering(Rendering):
    """How the program tells what it does."""

    replies = (Reply(("--version",), "acme 1.0\n"),)

    def begin(self, turn: Turn):
        skills = [skill.id for skill in turn.skills]
        return out({"acme": "session", "id": turn.session, "model": turn.model, "skills": skills})

    def read_skill(self, turn: Turn, skill: PlacedSkill):
        return out({"acme": "skill", "path": f"{skill.folder}/SKILL.md", "sha256": digest(skill.body)})

    def call(self, turn: Turn, use: ToolUse):
        asked = {"id": use.id, "server": use.server, "tool": use.tool, "input": dict(use.input)}
        return out({"acme": "call", **asked}, {"acme": "result", "id": use.id, "text": use.result})

    def refused(self, turn: Turn, use: ToolUse):
        asked = {"id": use.id, "server": use.server, "tool": use.tool, "input": dict(use.input)}
        return out({"acme": "call", **asked}, {"acme": "denied", "id": use.id, "tool": use.tool})

    def answer(self, turn: Turn, text: str):
        return out({"acme": "answer", "text": text})

    def end(self, turn: Turn, spent: Spent):
        return out({"acme": "done", "in": spent.input, "out": spent.output, "cost": str(spent.cost)})


@options(frozen=True, config=ConfigDict(extra="forbid"))
class AcmeHost:
    """Runs acme, a program that shows everything."""

    binary: Path = Path("acme")
    model: str | None = None
    effort: str | None = None

    def describe_host(self) -> HostIdentity:
        if not self.binary.is_file():
            raise InvalidRequest("acme is not installed")
        with self.binary.open("rb") as file:
            sha256 = file_digest(file, "sha256").hexdigest()
        return HostIdentity(
            name="acme",
            program_sha256=sha256,
            can=frozenset(Can),
            sees=frozenset(Sees),
            records="acme",
            dialect="acme",
            model=self.model,
            effort=self.effort,
        )

    def probe_host(self) -> Probe:
        there = self.binary.is_file()
        return Probe(self.binary if there else None, todo=() if there else ("install acme",))

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        return Lending(dict(passed), ("a key is present",))

    def place_skill(self, skill: Skill, place: Place) -> Path:
        return place.project / ".acme" / "skills" / skill.id

    def open_session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> AbstractContextManager[Session]:
        return self._session(place, offers, model, recorder)

    @contextmanager
    def _session(
        self, place: Place, offers: tuple[Offer, ...], model: ModelEndpoint | None, recorder: Recorder
    ) -> Iterator[Session]:
        yield AcmeSession(self, place, self._told(place, offers, model), recorder)

    def _told(self, place: Place, offers: tuple[Offer, ...], model: ModelEndpoint | None) -> dict[str, str]:
        told = {"ACME_MODEL": self.model or "", "ACME_EFFORT": self.effort or ""}
        if model is not None:
            told |= {"ACME_URL": model.url}
        if place.plugin is not None:
            told |= {"ACME_PLUGIN": str(place.plugin.folder)}
        servers = {offer.name: offer.url or list(offer.command) for offer in offers}
        return {**place.environment, **told, "ACME_SERVERS": json.dumps(servers)}


@dataclass
class AcmeSession:
    """A process per turn."""

    host: AcmeHost
    place: Place
    environment: Mapping[str, str]
    recorder: Recorder
    session: str | None = None
    answer: str = ""
    done: bool = False

    def hear(self, line: str) -> None:
        value = read(line)
        self.session = value.get("id", self.session) if value.get("acme") == "session" else self.session
        self.answer = value.get("text", "") if value.get("acme") == "answer" else self.answer
        self.done = self.done or value.get("acme") == "done"

    def argv(self) -> tuple[str, ...]:
        return (str(self.host.binary), "run", *(("--go-on", self.session) if self.session else ()))

    def send(self, prompt: str) -> str:
        self.answer, self.done = "", False
        stdin = prompt.encode("utf-8", "surrogatepass")
        command = Command(self.argv(), self.place.project, self.environment, stdin)
        finished = self.place.launcher.run(command, self.recorder, self.hear)
        if finished.code != 0 or not self.done:
            raise SessionStopped("the turn did not end well")
        return self.answer


def read(line: str) -> dict:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class AcmeNormalizer:
    """Reads the lines of acme."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        return self._reading().read(tuple(records))

    def _reading(self) -> Reading:
        return Reading()


@dataclass
class Reading:
    """One trajectory in the making."""

    events: list[Event] = field(default_factory=list)
    placed: dict[tuple[str, str], str] = field(default_factory=dict)
    sent: int = 0
    done: int = 0
    codes: list[int] = field(default_factory=list)

    def read(self, records: tuple[Record, ...]) -> tuple[Event, ...]:
        known = {record.seq: note for record, note in notes(records)}
        for record in records:
            if record.source is Source.STDOUT:
                self.line(record)
            elif record.seq in known:
                self.note(record, known[record.seq])
        self.end(records)
        return tuple(self.events)

    def note(self, record: Record, note: object) -> None:
        match note:
            case SkillPlaced(skill=skill, path=path, body_sha256=sha256):
                self.placed[f"{path}/SKILL.md", sha256] = skill
            case TurnSent(turn=turn, prompt_sha256=sha256):
                self.sent += 1
                self.events.append(TurnStarted(seq=record.seq, turn=turn, prompt_sha256=sha256))
            case Exited(code=code):
                self.codes.append(code)
            case _:
                pass

    def line(self, record: Record) -> None:
        at = {"seq": record.seq, "turn": record.turn}
        match read(record.raw):
            case {"acme": "session", "id": str(id), "model": str(model), "skills": list(skills)}:
                self.add(SessionStarted(**at, session=id, model=model))
                self.add(Offered(**at, skills=tuple(str(skill) for skill in skills)))
            case {"acme": "skill", "path": str(path), "sha256": str(sha256)} if (path, sha256) in self.placed:
                self.add(SkillStep(**at, skill=self.placed[path, sha256], step=Step.READ))
            case {"acme": "call", "id": str(id), "tool": str(tool), "server": str() | None as server, "input": asked}:
                self.add(ToolRequested(**at, call=id, tool=tool, server=server, input=asked))
            case {"acme": "result", "id": str(id), "text": str(text)}:
                self.add(ToolResult(**at, call=id, content=text))
            case {"acme": "denied", "id": str(id), "tool": str(tool)}:
                self.add(PermissionDecided(**at, call=id, tool=tool, decision="denied"))
            case {"acme": "answer", "text": str(text)}:
                self.add(TurnEnded(**at, answer=text))
            case {"acme": "done", "in": int(given), "out": int(got), "cost": str(cost)}:
                self.done += 1
                self.add(Usage(**at, input=given, output=got, cost=_money(cost)))
            case _:
                self.add(Unrecognized(**at))

    def add(self, event: Event) -> None:
        self.events.append(event)

    def end(self, records: tuple[Record, ...]) -> None:
        last = records[-1] if records else None
        ending, cause, owner = ending_by_notes(records) or self.outcome()
        at = {"seq": last.seq if last else 0, "turn": last.turn if last else 0}
        self.events.append(SessionEnded(**at, ending=ending, cause=cause, owner=owner))

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        if any(self.codes):
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        if not self.codes or self.done < max(self.sent, 1) or len(self.codes) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        return Ending.COMPLETED, None, None


def _money(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except ArithmeticError:
        return None
