"""The contracts of programs that a profile describes: hosts, records and dialect of each profile that comes along."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Declared, Exited, Record, SkillPlaced, Source, Spawned, ToolOffer, TurnSent
from skilltrial.testing import records
from skilltrial.testing.contracts import ProvedOn
from skilltrial.testing.dialects import DialectContract, DialectSubject
from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.programs import PlacedSkill, Rendering, Spent, Step, ToolUse, Turn, out
from skilltrial_host_portable.host import PortableHost
from skilltrial_host_portable.profiles.dialect import DeclaredDialect
from skilltrial_host_portable.profiles.normalizer import ProfileNormalizer
from skilltrial_host_portable.profiles.reading import read_profile, shipped

RECORDINGS = Path(__file__).parent / "recordings"
DIGEST = "0" * 64
REFUSED = "The user rejected permission to use this tool."


class OpencodeRendering(Rendering):
    """The stream of `opencode run --format json`."""

    def line(self, turn: Turn, kind: str, **part: object) -> tuple[Step, ...]:
        return out({"type": kind, "sessionID": turn.session, "part": {"type": kind.replace("_", "-"), **part}})

    def tool(self, turn: Turn, id: str, tool: str, **state: object) -> tuple[Step, ...]:
        return self.line(turn, "tool_use", callID=id, tool=tool, state={"status": "completed", **state})

    def begin(self, turn: Turn) -> Iterable[Step]:
        return self.line(turn, "step_start")

    def read_skill(self, turn: Turn, skill: PlacedSkill) -> Iterable[Step]:
        text = f"{skill.body}\nBase directory for this skill: {turn.project}/{skill.folder}\n"
        return self.tool(turn, "skill_1", "skill", input={"name": skill.id}, output=text)

    def call(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        return self.tool(turn, use.id, f"{use.server}_{use.tool}", input=dict(use.input), output=use.result)

    def refused(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        return self.tool(turn, use.id, "bash", status="error", input={"command": "rm -r /"}, error=REFUSED)

    def answer(self, turn: Turn, text: str) -> Iterable[Step]:
        return self.line(turn, "text", text=text)

    def end(self, turn: Turn, spent: Spent) -> Iterable[Step]:
        cache = {"read": 100, "write": 0}
        tokens = {"input": spent.input - 100, "output": spent.output - 4, "reasoning": 4, "cache": cache}
        return self.line(turn, "step_finish", reason="stop", tokens=tokens, cost=float(spent.cost))


class PiRendering(Rendering):
    """The stream of `pi --mode json -p`."""

    def begin(self, turn: Turn) -> Iterable[Step]:
        return out({"type": "session", "id": turn.session, "cwd": str(turn.project)}, {"type": "agent_start"})

    def tool(self, id: str, tool: str, given: object, text: str, *, failed: bool = False) -> tuple[Step, ...]:
        told: dict[str, object] = {"toolCallId": id, "toolName": tool}
        result = {"content": [{"type": "text", "text": text}]}
        return out(
            {"type": "tool_execution_start", **told, "args": given},
            {"type": "tool_execution_end", **told, "result": result, "isError": failed},
        )

    def read_skill(self, turn: Turn, skill: PlacedSkill) -> Iterable[Step]:
        return self.tool("skill_1", "read", {"path": f"{skill.folder}/SKILL.md"}, skill.body)

    def call(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        return self.tool(use.id, f"mcp__{use.server}__{use.tool}", dict(use.input), use.result)

    def refused(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        return self.tool(use.id, "bash", {"command": "rm -r /"}, REFUSED, failed=True)

    def answer(self, turn: Turn, text: str) -> Iterable[Step]:
        """The last message comes with its cost: `end` is its turn's, and comes after it."""
        usage = {"input": 20, "cacheRead": 100, "cacheWrite": 0, "output": 34, "cost": {"total": 0.25}}
        told = {"role": "assistant", "model": turn.model, "stopReason": "stop", "usage": usage}
        return out({"type": "message_end", "message": {**told, "content": [{"type": "text", "text": text}]}})

    def end(self, turn: Turn, spent: Spent) -> Iterable[Step]:
        return out({"type": "agent_end"})


def host(profile: str, rendering: Rendering) -> HostSubject:
    """The host `portable` with a profile, around any program file."""

    def make(program: Path, **options: Any) -> PortableHost:
        return PortableHost(command=(str(program),), profile=profile, **options)

    return HostSubject(PortableHost, make, rendering, ProfileNormalizer(), name=profile)


def recorded(folder: str) -> NormalizerSubject:
    """What a real program printed. Its key was refused in `err401`, its provider broke off in `breaks`."""
    profile = folder.partition("-")[0]
    sessions = {path.stem: _session(profile, path) for path in sorted((RECORDINGS / folder).glob("*.jsonl"))}
    failed = {name: sessions.pop(name) for name in ("err401", "breaks")}
    return NormalizerSubject(ProfileNormalizer(), sessions, failed)


def _session(profile: str, path: Path) -> tuple[Record, ...]:
    told: Any = read_profile(profile).profile.model_dump(mode="json", exclude_defaults=True)
    placed = ".agents/skills/invoice-format"
    return records(
        SkillPlaced(skill="invoice-format", path=placed, sha256=DIGEST, body_sha256=DIGEST),
        Declared(name="profile", value={"profile": told, "servers": ["orders"], "project": "/run/proj"}),
        TurnSent(turn=1, prompt_sha256=DIGEST),
        Spawned(argv=(profile,)),
        *((Source.STDOUT, line) for line in path.read_text("utf-8").splitlines()),
        Exited(code=0),
    )


def dialect(profile: str, call: str) -> DialectSubject:
    """The dialect with a profile's options, and the tools that its program offers. None of them lists skills."""
    options: Any = PortableHost(profile=profile).describe_host().dialect_options
    own = tuple(ToolOffer(name) for name in ("read", "write", "edit", "bash", "skill"))
    return DialectSubject(DeclaredDialect(**options), (*own, ToolOffer(call)), own, lists_skills=False)


class TestOpencodeHost(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        return host("opencode", OpencodeRendering())


class TestPiHost(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        return host("pi", PiRendering())


class TestOpencodeRecords(NormalizerContract):
    proved_on = ProvedOn.RECORDINGS
    program = "opencode 1.18.33"

    @pytest.fixture
    def subject(self) -> NormalizerSubject:
        return recorded("opencode-1.18.33")


class TestPiRecords(NormalizerContract):
    proved_on = ProvedOn.RECORDINGS
    program = "pi 1.6.0"

    @pytest.fixture
    def subject(self) -> NormalizerSubject:
        return recorded("pi-1.6.0")


class TestOpencodeDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        return dialect("opencode", "memory_remember")


class TestPiDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        return dialect("pi", "mcp__memory__remember")


def test_each_profile_that_comes_along_is_held_to_the_contracts() -> None:
    classes = {name.lower() for name in globals() if name.startswith("Test")}

    assert classes == {f"test{name}{part}" for name in shipped() for part in ("host", "records", "dialect")}
