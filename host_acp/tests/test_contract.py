"""The contracts of host and normalizer: a fake agent that speaks the protocol, and the real bridge to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.programs import PlacedSkill, Rendering, Spent, Step, ToolUse, Turn
from skilltrial_host_acp.host import AcpHost
from skilltrial_host_acp.job import Job
from skilltrial_host_acp.normalizer import AcpNormalizer

OPTIONS = [{"optionId": word, "name": word, "kind": f"{word}_once"} for word in ("allow", "reject")]


def update(what: str, **fields: object) -> Step:
    return ("update", json.dumps({"update": {"sessionUpdate": what, **fields}}))


def called(id: str, title: str, kind: str, given: Mapping[str, object], result: str, **more: object) -> Iterable[Step]:
    """A call and its end."""
    yield update("tool_call", toolCallId=id, title=title, kind=kind, status="pending", rawInput=given, **more)
    content = [{"type": "content", "content": {"type": "text", "text": result}}]
    yield update("tool_call_update", toolCallId=id, status="completed", content=content)


class AcpRendering(Rendering):
    """An agent's side of the protocol; `talker.py` answers the rest."""

    talker = Path(__file__).with_name("talker.py")

    def read_skill(self, turn: Turn, skill: PlacedSkill) -> Iterable[Step]:
        path = f"{turn.project}/{skill.folder}/SKILL.md"
        return called("skill", "Read", "read", {"path": path}, skill.body, locations=[{"path": path}])

    def call(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        return called(use.id, f"{use.server}_{use.tool}", "other", dict(use.input), use.result)

    def refused(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        told: dict[str, str] = {"toolCallId": use.id, "title": "rm -r /", "kind": "execute"}
        yield update("tool_call", **told, rawInput={"command": "rm -r /"})
        yield ("ask", json.dumps({"toolCall": told, "options": OPTIONS}))

    def answer(self, turn: Turn, text: str) -> Iterable[Step]:
        yield update("agent_message_chunk", content={"type": "text", "text": text})

    def end(self, turn: Turn, spent: Spent) -> Iterable[Step]:
        return ()


class TestHost(HostContract):
    waive: ClassVar = {
        "test_sees_skill_reads": "a reading call that names the skill's file is seen; of other ways in which an agent"
        " loads a skill the protocol does not tell, so nothing is claimed"
    }

    @pytest.fixture
    def subject(self) -> HostSubject:
        def make(program: Path, **options: Any) -> AcpHost:
            return AcpHost(command=(str(program),), endpoint_env={"KIT_MODEL": "{model_url}"}, **options)

        return HostSubject(AcpHost, make, AcpRendering(), AcpNormalizer())


class TestNormalizer(NormalizerContract):
    @pytest.fixture
    def subject(self, bridge, records, tmp_path: Path) -> NormalizerSubject:
        asked: dict[str, Any] = {"sessionUpdate": "tool_call", "title": "Read", "kind": "read", "rawInput": {"p": 1}}
        asked["locations"] = [{"path": "/p/.agents/skills/notes/SKILL.md"}]
        ended = {"sessionUpdate": "tool_call_update", "status": "completed"}
        call = [{"update": {**one, "toolCallId": "r"}} for one in (asked, ended)]
        ask = {"ask": "c", "kind": "execute", "title": "rm", "paths": []}

        def told(*turns: list[Any]) -> Any:
            done = [
                bridge(Job(prompt="Go.", session=None if n == 0 else "s-1"), one, tmp_path)
                for n, one in enumerate(turns)
            ]
            return records(*((one.stdout.splitlines(), one.returncode) for one in done))

        return NormalizerSubject(
            AcpNormalizer(),
            {"good": told([*call, {"say": "Done."}], [{"say": "Again."}]), "refused": told([ask, {"say": "No."}])},
            {
                "stopped": told([{"say": "a"}, {"stop": "refusal"}]),
                "failed": told([{"error": {"code": -32000, "message": "no"}}]),
                "died": told([{"say": "a"}, {"die": 3}]),
            },
        )
