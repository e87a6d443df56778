"""Acts of a script as calls of this agent's own tools."""

from typing import Any

import pytest

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
from skilltrial_agent_reference.dialect import ReferenceDialect
from skilltrial_agent_reference.skills import discover
from skilltrial_agent_reference.tools.command import Commands
from skilltrial_agent_reference.tools.files import Files
from skilltrial_agent_reference.tools.skill import Skills


def offers(project):
    """The tools as a request of this agent offers them in `project`."""
    skills, _ = discover(project)
    tools = (*Files(project).tools(), *Commands(project, {}, 1.0).tools(), *Skills(project, tuple(skills)).tools())
    functions: list[Any] = [tool.offer()["function"] for tool in tools]
    return tuple(ToolOffer(one["name"], one["description"], one["parameters"]) for one in functions), tools


@pytest.mark.parametrize(
    "act",
    [
        ReadSkill(read_skill="note-style"),
        ReadFile(read_file="a.txt"),
        WriteFile.model_validate({"write_file": {"path": "a.txt", "text": "x"}}),
        EditFile.model_validate({"edit_file": {"path": "a.txt", "old": "x", "new": "y"}}),
        Run(run="ls"),
    ],
)
def test_each_act_becomes_a_call_that_the_tool_accepts(skilled, act):
    offered, tools = offers(skilled)

    spelled = ReferenceDialect().spell(act, offered)

    assert isinstance(spelled, ToolCall)
    (tool,) = [tool for tool in tools if tool.name == spelled.name]
    assert tool.fault(spelled.arguments) is None


def test_a_skill_that_is_not_offered_is_absent(project, skilled):
    with_another, _ = offers(skilled)
    without, _ = offers(project / "nowhere")

    for tools in (with_another, without, ()):
        with pytest.raises(ActAbsent):
            ReferenceDialect().spell(ReadSkill(read_skill="other"), tools)


def test_what_the_program_has_no_tool_for_is_not_possible(project):
    call = Call.model_validate({"call": {"server": "memory", "tool": "save", "arguments": {}}})

    with pytest.raises(ActNotPossible):
        ReferenceDialect().spell(call, offers(project)[0])
    with pytest.raises(ActNotPossible):
        ReferenceDialect().spell(ReadFile(read_file="a"), ())
