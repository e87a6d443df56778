"""Acts as this program's model would ask for them."""

from __future__ import annotations

import pytest

from skilltrial.api import (
    ActAbsent,
    ActNotPossible,
    Call,
    EditFile,
    ReadFile,
    ReadSkill,
    Refuse,
    Run,
    Say,
    ToolCall,
    ToolOffer,
    WriteFile,
)
from skilltrial.testing import DialectFacade, bind
from skilltrial_host_claude.dialect import ClaudeDialect

OFFERED = tuple(ToolOffer(name) for name in ("Bash", "Edit", "Read", "Skill", "Write", "mcp__memory__remember"))


@pytest.fixture(scope="module")
def spell():
    return bind(DialectFacade, "claude", ClaudeDialect()).spell


@pytest.mark.parametrize(
    ("act", "call"),
    [
        (ReadSkill(read_skill="commit-style"), ToolCall("Skill", {"skill": "commit-style"})),
        (ReadFile(read_file="a/b.txt"), ToolCall("Read", {"file_path": "a/b.txt"})),
        (
            WriteFile.model_validate({"write_file": {"path": "a.txt", "text": "x\n"}}),
            ToolCall("Write", {"file_path": "a.txt", "content": "x\n"}),
        ),
        (
            EditFile.model_validate({"edit_file": {"path": "a.txt", "old": "x", "new": "y"}}),
            ToolCall("Edit", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}),
        ),
        (Run(run="ls -l"), ToolCall("Bash", {"command": "ls -l", "description": "Run a command"})),
        (
            Call.model_validate({"call": {"server": "memory", "tool": "remember", "arguments": {"text": "x"}}}),
            ToolCall("mcp__memory__remember", {"text": "x"}),
        ),
    ],
)
def test_acts_become_the_programs_own_calls(act, call, spell):
    assert spell(act, OFFERED) == call


def test_a_skill_without_the_tool_that_loads_skills_is_absent(spell):
    with pytest.raises(ActAbsent):
        spell(ReadSkill(read_skill="commit-style"), OFFERED[:3])


@pytest.mark.parametrize(
    "act",
    [
        ReadFile(read_file="a.txt"),
        Run(run="ls"),
        Call.model_validate({"call": {"server": "memory", "tool": "forget"}}),
        Call.model_validate({"call": {"server": "other", "tool": "remember"}}),
    ],
)
def test_an_act_without_its_tool_is_not_possible(act, spell):
    offered = tuple(tool for tool in OFFERED if tool.name not in ("Read", "Bash"))

    with pytest.raises(ActNotPossible):
        spell(act, offered)


@pytest.mark.parametrize("arguments", [[], "text", 7, None])
def test_arguments_that_no_tool_takes_are_not_possible(arguments, spell):
    act = Call.model_validate({"call": {"server": "memory", "tool": "remember", "arguments": arguments}})

    with pytest.raises(ActNotPossible):
        spell(act, OFFERED)


@pytest.mark.parametrize("act", [Say(say="x"), Refuse(refuse="x")])
def test_words_are_no_calls(act, spell):
    with pytest.raises(ActNotPossible):
        spell(act, OFFERED)
