"""The contracts of host, normalizer and dialect. The program is a fake one: no recording of ZCode is to be had."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Declared, Record, Source, ToolOffer, as_raw
from skilltrial.testing.contracts import ProvedOn
from skilltrial.testing.dialects import DialectContract, DialectSubject
from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject, played, renumbered
from skilltrial.testing.programs import (
    Answer,
    BeRefused,
    CallTool,
    Crash,
    PlacedSkill,
    ReadSkill,
    Rendering,
    Reply,
    Spent,
    Step,
    ToolUse,
    Turn,
    out,
)
from skilltrial_host_zcode.dialect import ZcodeDialect
from skilltrial_host_zcode.host import ZcodeHost
from skilltrial_host_zcode.normalizer import ZcodeNormalizer

BODY = "---\nname: kit-notes\ndescription: Notes.\n---\nWrite notes.\n"
USE = ToolUse("call_1", "remember", "memory", {"text": "x"}, "stored")


class ZcodeRendering(Rendering):
    """What `zcode app-server` tells of a turn."""

    replies = (Reply(("-v",), "0.16.9\n"),)

    def __init__(self, session: str = "KIT-SESSION") -> None:
        self.session = session
        self.numbers = itertools.count(1)
        self.last = ""

    def event(self, turn: Turn, kind: str, payload: object) -> Iterable[Step]:
        told = {"eventId": f"e{turn.number}", "sessionId": self.session, "seq": next(self.numbers)}
        return out(
            {"method": "session/event", "params": {**told, "turnId": self.name(turn), "type": kind, "payload": payload}}
        )

    def name(self, turn: Turn) -> str:
        return f"turn_{turn.number}"

    def begin(self, turn: Turn) -> Iterable[Step]:
        self.numbers = itertools.count(1)
        yield from self.event(turn, "turn.started", {"turnNumber": turn.number})
        asked = {"providerId": "skilltrial", "modelId": turn.model, "messageCount": 2}
        yield from self.event(turn, "session.updated", asked)

    def tool(self, turn: Turn, kind: str, id: str, **more: object) -> Iterable[Step]:
        return self.event(turn, "tool.updated", {"kind": kind, "toolCallId": id, **more})

    def asks(self, turn: Turn, id: str, tool: str, given: object) -> Iterable[Step]:
        streamed = {"kind": "tool_call", "toolCallId": id, "toolName": tool, "input": given}
        yield from self.event(turn, "model.streaming", streamed)
        yield from self.tool(turn, "scheduled", id, toolName=tool, inputOmitted=True)

    def gets(self, turn: Turn, id: str, content: str) -> Iterable[Step]:
        yield from self.tool(turn, "started", id)
        yield from self.tool(turn, "result", id, result={"success": True, "content": content})

    def read_skill(self, turn: Turn, skill: PlacedSkill) -> Iterable[Step]:
        yield from self.asks(turn, "call_skill", "Skill", {"skill": skill.id})
        base = f"Base directory for this skill: {turn.project}/{skill.folder}"
        yield from self.gets(turn, "call_skill", f'<skill_content name="{skill.id}">\n{base}\n\nWrite.')

    def call(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        yield from self.asks(turn, use.id, f"mcp__{use.server}__{use.tool}", dict(use.input))
        yield from self.gets(turn, use.id, use.result)

    def refused(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        yield from self.asks(turn, use.id, "Bash", {"command": "rm -r ."})
        told = {"toolCallId": use.id, "toolName": "Bash", "decision": "deny", "reason": "no"}
        yield from self.event(turn, "permission.resolved", told)

    def answer(self, turn: Turn, text: str) -> Iterable[Step]:
        self.last = text
        return self.event(turn, "model.streaming", {"kind": "text_delta", "delta": text})

    def end(self, turn: Turn, spent: Spent) -> Iterable[Step]:
        usage = {"inputTokens": spent.input, "outputTokens": spent.output, "cacheReadTokens": 0, "reasoningTokens": 0}
        told = {"response": self.last, "resultType": "success", "usage": usage}
        yield from self.event(turn, "turn.completed", told)
        state = {"type": "state.updated", "sessionId": self.session, "reason": "prompt_completed"}
        yield from out({"method": "state.updated", "params": state})


class TestHost(HostContract):
    @pytest.fixture
    def subject(self, node: Path, table: Path) -> HostSubject:
        def make(program: Path, **options: Any) -> ZcodeHost:
            return ZcodeHost(binary=str(program), node=str(node), table=str(table), patience=8.0, **options)

        return HostSubject(ZcodeHost, make, ZcodeRendering(), ZcodeNormalizer(), name="zcode.cjs")


def bridged(records: Sequence[Record], session: str = "sess_1") -> tuple[Record, ...]:
    """The records of a fake program with what the bridge says around it, as a host has them on record."""
    declared: Any = {"servers": {"memory": ["remember"]}, "project": "/place/project", "version": "0.16.9"}
    made = [Record(0, 0.0, Source.RUNNER, 0, as_raw(Declared(name="zcode", value=declared)))]
    turn = 0
    for record in records:
        if '"note": "exited"' in record.raw:
            made.append(replace(record, source=Source.STDOUT, raw='{"bridge":"closed","code":0}'))
        made.append(record)
        if '"note": "spawned"' in record.raw:
            turn += 1
            made += [replace(record, source=Source.STDOUT, raw=json.dumps(line)) for line in opened(session, turn)]
    return renumbered(made)


def opened(session: str, turn: int) -> Iterable[object]:
    """What is said until a prompt was taken."""
    method = "session/create" if turn == 1 else "session/resume"
    params = {} if turn == 1 else {"sessionId": session}
    asked = (
        (method, params, {"session": {"sessionId": session}}),
        ("session/subscribe", {"sessionId": session}, {"sessionId": session, "eventSeq": 0}),
        ("session/send", {"sessionId": session, "content": "x", "inputId": f"i{turn}"}, {"accepted": True}),
    )
    for number, (name, given, result) in enumerate(asked, 1):
        yield {"bridge": "sent", "message": {"id": number, "method": name, "params": given}}
        yield {"id": number, "result": result}


class TestNormalizer(NormalizerContract):
    proved_on = ProvedOn.FAKE

    @pytest.fixture
    def subject(self) -> NormalizerSubject:
        acts = (ReadSkill(), CallTool(USE), BeRefused(replace(USE, id="call_2")), Answer("done"))
        good = bridged(played(ZcodeRendering("sess_1"), (acts, (Answer("two"),)), skill=BODY))
        crashed = bridged(played(ZcodeRendering("sess_1"), ((Answer("one"), Crash(3)),), skill=BODY))
        return NormalizerSubject(ZcodeNormalizer(), {"good": good}, {"crashed": crashed})


class TestDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        own = tuple(ToolOffer(name) for name in ("Bash", "Read", "Write", "Edit", "Skill"))
        return DialectSubject(ZcodeDialect(), (*own, ToolOffer("mcp__memory__remember")), own, lists_skills=False)
