"""A passing trial's evidence with named changes: events that the host printed, calls that the server received."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skilltrial.archive import layout
from skilltrial.archive.copying import WorkingCopy
from skilltrial.archive.keying import key_of
from skilltrial.archive.reading import open_archive
from skilltrial.archive.records import read_records
from skilltrial.audit.tape import Tape
from skilltrial.judge.grading import grade
from skilltrial.model.notes import as_raw
from skilltrial.model.part import Part, compact
from skilltrial.model.qualifying import Key
from skilltrial.model.records import Record
from skilltrial.model.report import Report
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import Source
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.judging import judging_parts
from skilltrial.plugins.normalizers import Normalizers

ABSENT = object()
"""Takes a member away."""


class Unchanged(Exception):
    """A change found nothing to change: the test is wrong."""


@dataclass(frozen=True)
class Edit:
    """A trial's files, of a host that prints events and of one fixture. Every method returns another one.

    Raises Unchanged where nothing fits what is to be changed.
    """

    files: Mapping[str, bytes]
    server: str

    @property
    def host(self) -> Tape:
        """The host's records."""
        return Tape(read_records(self.files[layout.HOST_RECORDS]))

    @property
    def wire(self) -> Tape:
        """The fixture's records."""
        return Tape(read_records(self.files[layout.fixture_records(self.server)]))

    def events(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each event that the program printed, with its line."""
        for at in self.host.of(Source.STDOUT):
            value = self.host.values[at]
            if isinstance(value, dict):
                yield at, value

    def find(self, turn: int | None = None, **wanted: Any) -> list[int]:
        """The lines of the events that have these members (of one turn, or of all)."""
        records = self.host.records
        found = [
            at
            for at, event in self.events()
            if wanted.items() <= _flat(event).items() and turn in (None, records[at].turn)
        ]
        if not found:
            raise Unchanged(f"no event has {wanted}")
        return found

    def event(self, **wanted: Any) -> dict[str, Any]:
        """The first event that has these members."""
        value = self.host.values[self.find(**wanted)[0]]
        return dict(value) if isinstance(value, dict) else {}

    def numbers(self, tool: str, turn: int) -> list[int]:
        """The numbers of the calls of a tool that the server received in a turn."""
        tape = self.wire
        return [
            int(str(value["number"]))
            for at, value in enumerate(tape.values)
            if isinstance(value, dict) and value.get("tool") == tool and tape.records[at].turn == turn
        ]

    def drop(self, turn: int | None = None, **wanted: Any) -> Edit:
        """Without these events."""
        return self._host(self.host.without(self.find(turn, **wanted)))

    def change(
        self, wanted: Mapping[str, Any], *, turn: int | None = None, first: bool = False, **members: Any
    ) -> Edit:
        """With other members in these events, or in the first of them; ABSENT takes one away."""
        raws = {}
        for at in self.find(turn, **wanted)[: 1 if first else None]:
            value = self.host.values[at]
            changed = {**value, **members} if isinstance(value, dict) else members
            raws[at] = json.dumps({key: one for key, one in changed.items() if one is not ABSENT})
        return self._host(self.host.with_raw(raws))

    def add(self, *events: Mapping[str, Any], before: str = "TurnEnded", turn: int = 1) -> Edit:
        """With more events before one of a turn."""
        at = self.find(turn, type=before)[0]
        model = self.host.records[at]
        more = [replace(model, raw=json.dumps(event)) for event in events]
        return self._host(self.host.with_inserted(at, more))

    def note(self, note: Part) -> Edit:
        """With one more note of the runner's at the end."""
        last = self.host.records[-1]
        more = Record(0, last.at, Source.RUNNER, last.turn, as_raw(note))
        return self._host(self.host.with_inserted(len(self.host.records), [more]))

    def noted(self, note: str, **members: Any) -> Edit:
        """With other members in the runner's notes of this name."""
        tape = self.host
        raws = {
            at: json.dumps({**value, **members})
            for at in tape.of(Source.RUNNER)
            if isinstance(value := tape.values[at], dict) and value.get("note") == note
        }
        if not raws:
            raise Unchanged(f"the runner noted no {note}")
        return self._host(tape.with_raw(raws))

    def ask(self, tool: str, arguments: Any, *, call: str = "more", turn: int = 1, **more: Any) -> Edit:
        """With one more call of the server that the host tells of, before the answer."""
        event = {"type": "ToolRequested", "call": call, "tool": tool, "server": self.server, "input": arguments}
        return self.add({key: one for key, one in {**event, **more}.items() if one is not ABSENT}, turn=turn)

    def call(
        self, tool: str, arguments: Any, turn: int = 1, result: Any = None, *, fails: bool = False, call: str = "more"
    ) -> Edit:
        """With one more call, of which both witnesses tell."""
        came = {"type": "ToolResult", "call": call, "content": "told", "is_error": fails}
        told = self.ask(tool, arguments, call=call, turn=turn).add(came, turn=turn)
        return told.receive(tool, arguments, joins=call, turn=turn, result=result, is_error=fails)

    def argue(self, turn: int, tool: str, arguments: Any) -> Edit:
        """With other arguments of the one call of a tool in a turn, of which both witnesses tell."""
        (number,) = self.numbers(tool, turn)
        return self.change({"tool": tool}, turn=turn, input=arguments).served(number, arguments=arguments)

    def receive(
        self, tool: str, arguments: Any, *, joins: str | None = None, turn: int = 1, result: Any = None, **more: Any
    ) -> Edit:
        """With one more call that the server received and answered."""
        tape = self.wire
        number = 1 + sum(isinstance(value, dict) and value["wire"] == "called" for value in tape.values)
        own = {"number": number, "rpc_id": 90, "joins": joins}
        called = {"wire": "called", "tool": tool, "arguments": arguments, **own}
        reply = {"wire": "answered", "number": number, "result": result, "is_error": False, "because": "rule"}
        answered = {**reply, **more}
        last = max(record.at for record in tape.records)
        lines = [Record(0, last + 0.001, Source.WIRE, turn, json.dumps(one)) for one in (called, answered)]
        return self._wire(tape.with_inserted(len(tape.records), lines))

    def served(self, number: int, wire: str = "called", **members: Any) -> Edit:
        """With other members in what the server noted of its call `number`."""
        tape = self.wire
        lines = {
            at: json.dumps({**value, **members})
            for at, value in enumerate(tape.values)
            if isinstance(value, dict) and value["wire"] == wire and value.get("number", number) == number
        }
        if not lines:
            raise Unchanged(f"the server noted no {wire} of {number}")
        return self._wire(tape.with_raw(lines))

    def unserved(self, wire: str, number: int | None = None) -> Edit:
        """Without what the server noted of this kind."""
        tape = self.wire
        gone = [
            at
            for at, value in enumerate(tape.values)
            if isinstance(value, dict) and value["wire"] == wire and number in (None, value.get("number"))
        ]
        if not gone:
            raise Unchanged(f"the server noted no {wire}")
        return self._wire(tape.without(gone))

    def answer(self, text: str, turn: int = 1) -> Edit:
        """With another answer, by the host and by the runner."""
        told = json.loads(self.files[layout.ANSWERS])
        told[turn - 1] = text
        changed = self.change({"type": "TurnEnded"}, turn=turn, answer=text)
        return replace(changed, files={**changed.files, layout.ANSWERS: compact(told)})

    def returned(self, *answers: str) -> Edit:
        """With other answers that the runner got."""
        return replace(self, files={**self.files, layout.ANSWERS: compact(list(answers))})

    def _host(self, tape: Tape) -> Edit:
        return replace(self, files={**self.files, layout.HOST_RECORDS: tape.data()})

    def _wire(self, tape: Tape) -> Edit:
        return replace(self, files={**self.files, layout.fixture_records(self.server): tape.data()})


def _flat(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if isinstance(value, str | int | bool | None)}


class Desk:
    """A copy of one passing archive, in which a trial is changed and everything is judged again."""

    def __init__(self, root: Path, folder: Path) -> None:
        """Copy the archive in `root` into a new folder below `folder`."""
        self.archive = open_archive(root)
        self._copy = WorkingCopy(self.archive, folder / "copy")
        discovery = Discovery()
        self._parts = judging_parts(discovery, self.archive.suite, self.archive.plan.host.records)
        self._graders, self._normalizers = Graders(discovery), Normalizers(discovery)
        self._trials = {
            key: trial.sealed_files for key in self.archive.plan.trials if (trial := self.archive.trial(key))
        }

    @property
    def key(self) -> Key:
        """What a qualification of the archive as it was recorded belongs to."""
        return key_of(self.archive.plan, self.archive.suite, self.archive.assets, {})

    def trial(self, case: str, arm: str) -> Edit:
        """The first attempt of a case in an arm, as it passed."""
        (server,) = self.archive.suite.fixtures
        return Edit(self._trials[TrialKey(case=case, arm=arm, label="1")], server)

    def judge(self, case: str, arm: str, edit: Edit) -> Report:
        """The report of the whole archive with this trial in the place of the one that passed."""
        key = TrialKey(case=case, arm=arm, label="1")
        if edit.files == self._trials[key]:
            raise Unchanged(str(key))
        root = self._copy.seal({**self._trials, key: edit.files})
        return grade(open_archive(root), self._graders, self._normalizers, self._parts).report
