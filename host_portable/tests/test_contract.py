"""The contracts of the host, with both of its record formats, and of their normalizers."""

from __future__ import annotations

import hashlib
from typing import ClassVar

import pytest

from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject, played
from skilltrial.testing.programs import (
    Answer,
    CallTool,
    Crash,
    PlacedSkill,
    ReadSkill,
    Rendering,
    Spent,
    ToolUse,
    Turn,
    out,
)
from skilltrial_host_portable.events import EventsNormalizer
from skilltrial_host_portable.host import PortableHost
from skilltrial_host_portable.normalizer import PortableNormalizer

BODY = "---\nname: kit-notes\ndescription: Notes.\n---\nWrite notes.\n"
USE = ToolUse("call_1", "shell", None, {"command": "ls"}, "notes.txt")


class SilentRendering(Rendering):
    """A command that talks to nobody in particular."""

    def answer(self, turn: Turn, text: str):
        return out(text)


class EventsRendering(Rendering):
    """A program that prints skilltrial's own events."""

    def begin(self, turn: Turn):
        skills = [skill.id for skill in turn.skills]
        return out(
            {"type": "SessionStarted", "session": turn.session, "model": turn.model},
            {"type": "Offered", "skills": skills},
        )

    def read_skill(self, turn: Turn, skill: PlacedSkill):
        digest = hashlib.sha256(skill.body.encode()).hexdigest()
        told = {"type": "SkillStep", "skill": skill.id, "step": "read"}
        return out({**told, "path": f"{skill.folder}/SKILL.md", "sha256": digest})

    def call(self, turn: Turn, use: ToolUse):
        asked = {"type": "ToolRequested", "call": use.id, "tool": use.tool, "server": use.server}
        return out({**asked, "input": dict(use.input)}, {"type": "ToolResult", "call": use.id, "content": use.result})

    def answer(self, turn: Turn, text: str):
        return out({"type": "TurnEnded", "answer": text})

    def end(self, turn: Turn, spent: Spent):
        return out(
            {"type": "Usage", "input": spent.input, "output": spent.output},
            {"type": "SessionEnded", "ending": "completed"},
        )


class TestSilentHost(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        def make(program, **options):
            return PortableHost(command=(str(program),), **options)

        return HostSubject(PortableHost, make, SilentRendering(), PortableNormalizer())


class TestEventsHost(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        def make(program, **options):
            return PortableHost(command=(str(program),), records="events", resume=("--go-on",), **options)

        return HostSubject(PortableHost, make, EventsRendering(), EventsNormalizer())


class TestPortableRecords(NormalizerContract):
    waive: ClassVar = {"test_the_unknown_is_unrecognized": "of this format nothing that the program prints is read"}

    @pytest.fixture
    def subject(self) -> NormalizerSubject:
        good = played(SilentRendering(), ((Answer("one"),), (Answer("two"),)), skill=BODY)
        crashed = played(SilentRendering(), ((Answer("one"), Crash(3)),), skill=BODY)
        return NormalizerSubject(PortableNormalizer(), {"good": good}, {"crashed": crashed})


class TestEventsRecords(NormalizerContract):
    @pytest.fixture
    def subject(self) -> NormalizerSubject:
        acts = (ReadSkill(), CallTool(USE), Answer("done"))
        return NormalizerSubject(
            EventsNormalizer(),
            {"good": played(EventsRendering(), (acts, acts), skill=BODY)},
            {"crashed": played(EventsRendering(), ((*acts, Crash(3)),), skill=BODY)},
        )
