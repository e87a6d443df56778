"""A good dialect, and a broken one for each contract test."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import (
    ActAbsent,
    ActNotPossible,
    Call,
    EditFile,
    ReadFile,
    ReadSkill,
    Run,
    ToolCall,
    ToolOffer,
    WriteFile,
)
from skilltrial.testing.dialects import DialectContract, DialectSubject

TOOLS = (
    ToolOffer("shell"),
    ToolOffer("read"),
    ToolOffer("write"),
    ToolOffer("skill", "Skills: kit-notes"),
    ToolOffer("memory__remember"),
)
WITHOUT = (ToolOffer("shell"), ToolOffer("read"), ToolOffer("write"), ToolOffer("skill", "Skills: none"))


class AcmeDialect:
    """How acme's model asks."""

    def spell(self, act, tools):
        offered = {tool.name: tool for tool in tools}
        call = self._call(act, offered)
        if call.name not in offered:
            raise ActNotPossible(call.name)
        return call

    def _call(self, act, offered):
        match act:
            case Run(run=command):
                return ToolCall("shell", {"command": command})
            case ReadFile(read_file=path):
                return ToolCall("read", {"path": path})
            case WriteFile(write_file=file):
                return ToolCall("write", {"path": file.path, "text": file.text})
            case ReadSkill(read_skill=skill):
                if "skill" in offered and skill not in offered["skill"].description:
                    raise ActAbsent(skill)
                return ToolCall("skill", {"name": skill})
            case Call(call=call):
                return ToolCall(f"{call.server}__{call.tool}", call.arguments)
            case EditFile():
                raise ActNotPossible("it edits nothing")
        raise ActNotPossible("unknown")


def subject_of(part, cannot=frozenset({"edit_file"})) -> DialectSubject:
    return DialectSubject(part, TOOLS, WITHOUT, cannot)


class TestGood(DialectContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeDialect())


def dialect(test, part, **more):
    broken(DialectContract, test, lambda: subject_of(part(), **more), globals())


class Asks:
    """Broken."""

    def spell(self, act, tools, model):
        raise ActNotPossible


class Invents(AcmeDialect):
    """Broken."""

    def spell(self, act, tools):
        return ToolCall("bash", {"command": "true"})


class Careless(AcmeDialect):
    """Broken."""

    def spell(self, act, tools):
        return self._call(act, {tool.name: tool for tool in tools})


class AnySkill(AcmeDialect):
    """Broken."""

    def _call(self, act, offered):
        return ToolCall("skill", {"name": "kit-notes"}) if isinstance(act, ReadSkill) else super()._call(act, offered)


class Shortens(AcmeDialect):
    """Broken."""

    def _call(self, act, offered):
        call = super()._call(act, offered)
        return ToolCall("write", {**call.arguments, "text": ""}) if isinstance(act, WriteFile) else call


class Draws(AcmeDialect):
    """Broken."""

    def _call(self, act, offered):
        call = super()._call(act, offered)
        return ToolCall(call.name, {**call.arguments, "id": random.random()})


class Looks(AcmeDialect):
    """Broken."""

    def spell(self, act, tools):
        Path(__file__).read_bytes()
        return super().spell(act, tools)


class First(AcmeDialect):
    """Broken."""

    def spell(self, act, tools):
        if tools and tools[0].name not in {tool.name for tool in TOOLS}:
            raise ActNotPossible("a strange program")
        return super().spell(act, tools)


dialect("test_fits_its_hook_spec", Asks)
dialect("test_spells_what_it_can", Invents)
dialect("test_spells_what_it_can", AcmeDialect, cannot=frozenset())
dialect("test_says_what_it_can_not", AcmeDialect, cannot=frozenset({"edit_file", "run"}))
dialect("test_without_tools_nothing_is_possible", Careless)
dialect("test_an_absent_skill_is_absent", AnySkill)
dialect("test_a_server_that_is_not_there_is_not_called", Careless)
dialect("test_an_act_arrives_whole", Shortens)
dialect("test_is_pure", Draws)
dialect("test_is_pure", Looks)
dialect("test_strange_tools_harm_nobody", First)
