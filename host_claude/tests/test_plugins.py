"""What the program says of a plugin that it installed: in its own words, as a trial's vocabulary has them."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from skilltrial.api import FoundServer, Offered, PluginFound, PluginPlaced, SkillPlaced, SkillStep, ToolRequested

SKILL = "../plugins/local/atlas/1.0.0/skills/notes"
TEXT = "# Notes\n\nWrite them down."
BODY = f"---\nname: notes\n---\n\n{TEXT}\n"
SAVE = "mcp__plugin_atlas_memory__save"
INIT: dict[str, Any] = {
    "cwd": "/place/project",
    "skills": ["atlas:notes", "doctor"],
    "plugins": [
        {"name": "atlas", "path": "/place/plugins/local/atlas/1.0.0", "source": "atlas@inline", "version": "1.0.0"},
        {"name": "cc-plugin-privacy", "path": "builtin", "source": "cc-plugin-privacy@builtin"},
    ],
    "mcp_servers": [{"name": "plugin:atlas:memory", "status": "connected", "source": "plugin"}],
    "tools": ["Bash", SAVE, "mcp__plugin_atlas_memory__search"],
}
FOUND = PluginFound(
    seq=5, turn=1, plugin="atlas", enabled=True, skills=("notes",), servers=(FoundServer("memory", True, 2),)
)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def told(tape: Any, normalize: Any) -> Any:
    """The events of a turn that begins with this line, and in which these others are printed."""

    def tell(*lines: Any, before: Any = (), plugin: bool = True, **init: Any) -> Any:
        tape.note(
            SkillPlaced(skill="notes", path=SKILL, sha256="0" * 64, body_sha256=sha256(BODY), text_sha256=sha256(TEXT))
        )
        if plugin:
            servers = ("memory",)
            tape.note(
                PluginPlaced(
                    plugin="atlas", path="../plugins/local/atlas/1.0.0", sha256="0" * 64, files={}, servers=servers
                )
            )
        tape.begin()
        tape.out(*before)
        tape.init(**{**INIT, **init})
        tape.out(*lines)
        tape.says()
        tape.over()
        tape.end()
        return normalize(tape.records)

    return tell


def of(events: Any, kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_what_it_found_is_told_without_its_ways_of_naming(told: Any) -> None:
    events = told()

    assert of(events, PluginFound) == [FOUND]
    assert of(events, Offered)[0].plugins == ("atlas", "cc-plugin-privacy")
    assert ("notes", "offered") in [(step.skill, step.step) for step in of(events, SkillStep)]


def test_without_a_plugin_nothing_is_found(told: Any) -> None:
    assert of(told(plugin=False), PluginFound) == []


@pytest.mark.parametrize(
    ("init", "enabled", "skills", "server", "faults"),
    [
        ({"plugins": []}, False, ("notes",), (True, 2), 0),
        (
            {"plugins": [{"name": "atlas", "path": "/home/me/plugins/local/atlas/1.0.0"}]},
            True,
            ("notes",),
            (True, 2),
            0,
        ),
        ({"plugins": [{"name": "atlas", "path": "/home/me/other"}]}, False, ("notes",), (True, 2), 0),
        ({"plugins": [*INIT["plugins"], INIT["plugins"][0]]}, False, ("notes",), (True, 2), 0),
        ({"plugin_errors": [{"plugin": "inline[0]", "type": "generic-error"}]}, True, ("notes",), (True, 2), 1),
        ({"skills": ["doctor", "notes", "other:notes"]}, True, (), (True, 2), 0),
        ({"mcp_servers": [{"name": "plugin:atlas:memory", "status": "failed"}]}, True, ("notes",), (False, 2), 0),
        ({"mcp_servers": [{"name": "memory", "status": "connected"}]}, True, ("notes",), (False, 2), 1),
        (
            {"mcp_servers": [*INIT["mcp_servers"], {"name": "canary", "status": "connected", "source": "project"}]},
            True,
            ("notes",),
            (True, 2),
            1,
        ),
        (
            {"mcp_servers": [*INIT["mcp_servers"], {"name": "given", "status": "connected", "source": "dynamic"}]},
            True,
            ("notes",),
            (True, 2),
            0,
        ),
        ({"tools": ["mcp__memory__save", SAVE]}, True, ("notes",), (True, 1), 0),
    ],
)
def test_what_is_otherwise_is_told(
    told: Any, init: Any, enabled: bool, skills: Any, server: tuple[bool, int], faults: int
) -> None:
    (found,) = of(told(**init), PluginFound)

    assert (found.enabled, found.skills, found.faults) == (enabled, skills, faults)
    assert found.servers == (FoundServer("memory", *server),)


def hook(**more: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": "hook_response", "hook_event": "UserPromptSubmit", **more}


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        (hook(exit_code=0, outcome="success"), 0),
        (hook(exit_code=2, outcome="error"), 0),
        (hook(outcome="success"), 0),
        (hook(exit_code=3, outcome="error"), 1),
        (hook(outcome="cancelled"), 1),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_hook_that_failed_is_a_fault_whenever_it_ran(told: Any, line: Any, faults: int, when: str) -> None:
    """Hooks of the prompt run before the program says what it has, others after."""
    events = told(*([line] if when == "after" else []), before=[line] if when == "before" else [])

    assert max(found.faults for found in of(events, PluginFound)) == faults


def test_its_tools_are_the_fixtures_and_its_skill_is_the_suites(told: Any) -> None:
    call = {"type": "tool_use", "id": "t1", "name": SAVE, "input": {"a": 1}}
    meta = [{"id": "t1", "tool_name": "save"}]
    load = {"type": "tool_use", "id": "t2", "name": "Skill", "input": {"skill": "atlas:notes"}}
    events = told(
        {"type": "assistant", "message": {"id": "m1", "model": "m", "content": [call]}, "tool_use_meta": meta},
        {"type": "assistant", "message": {"id": "m2", "model": "m", "content": [load]}},
        {
            "type": "user",
            "isSynthetic": True,
            "message": {
                "content": [
                    {
                        "type": "text",
                        "text": f"Base directory for this skill: /place/project/{SKILL}\n\n{TEXT}",
                    }
                ]
            },
        },
    )

    asked = of(events, ToolRequested)[0]
    assert (asked.tool, asked.server) == ("save", "memory")
    assert [step.step for step in of(events, SkillStep)] == ["offered", "requested", "read"]


def test_a_tool_of_a_plugin_that_is_not_the_trials_keeps_its_own_name(told: Any) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "mcp__plugin_other_memory__save", "input": {}}
    events = told({"type": "assistant", "message": {"id": "m1", "model": "m", "content": [call]}})

    assert of(events, ToolRequested)[0].server == "plugin_other_memory"
