"""Unknown tools, denied permissions, and the ladder of a skill."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skilltrial.api import (
    Entry,
    FileKind,
    Files,
    Offered,
    PermissionDecided,
    Sees,
    SkillStep,
    Step,
    ToolRejected,
    Truncated,
    Unrecognized,
)

ALL = frozenset(Sees)
RUNGS = ("installed", "offered", "requested", "read", "script_run", "errored")
BODY = Entry(path=".agents/skills/notes/SKILL.md", kind=FileKind.FILE, sha256="0" * 64)


def step(name: Step, skill: str = "notes") -> SkillStep:
    return SkillStep(seq=9, turn=1, skill=skill, step=name)


@pytest.mark.parametrize(
    ("tool", "server", "verdict"),
    [
        ("save", "memory", "passed"),
        ("Bash", None, "passed"),
        ("mcp__memory__save", None, "failed:tool_unknown"),
        ("save", "other_MEMORY", "failed:tool_unknown"),
        ("Memory", "plugin", "failed:tool_unknown"),
    ],
)
def test_29_a_tool_that_only_bears_the_servers_name_is_unknown(
    did: Any, saw: Any, judge: Any, tool: str, server: str | None, verdict: str
) -> None:
    there = saw(did(tool, server=server, by="host"))

    assert judge(there, server="memory", unknown_tools="never", named="memory") == verdict
    assert judge(there, server="memory", unknown_tools="never") == "passed"


def test_a_tool_that_the_program_does_not_have_is_unknown_of_whatever_name(did: Any, saw: Any, judge: Any) -> None:
    assert judge(saw(did("x", rejected="unknown_tool")), unknown_tools="never") == "failed:tool_unknown"
    assert judge(saw(did("x", rejected="schema")), unknown_tools="never") == "passed"
    cut = Truncated(seq=9, turn=1, where="stdout")
    assert judge(saw(did("x"), events=[cut]), unknown_tools="never") == "unverified:calls_not_shown"


@pytest.mark.parametrize(
    ("event", "verdict"),
    [
        (PermissionDecided(seq=9, turn=1, call=None, tool="Bash", decision="denied"), "failed:call_denied"),
        (PermissionDecided(seq=9, turn=1, call="c", tool="Bash", decision="allowed"), "passed"),
        (ToolRejected(seq=9, turn=1, call="c", reason="permission"), "failed:call_denied"),
        (ToolRejected(seq=9, turn=1, call="c", reason="policy"), "failed:call_denied"),
        (ToolRejected(seq=9, turn=1, call="c", reason="schema"), "passed"),
    ],
)
def test_a_denied_permission_is_named_whatever_came_after(
    did: Any, saw: Any, judge: Any, event: Any, verdict: str
) -> None:
    assert judge(saw(did("save"), events=[event], sees=ALL), denials="never") == verdict


@pytest.mark.parametrize(
    ("events", "observed"),
    [
        ((), ()),
        ((step(Step.OFFERED),), ("offered",)),
        ((Offered(seq=9, skills=("notes", "other")),), ("offered",)),
        ((step(Step.READ),), ("requested", "read")),
        ((step(Step.REQUESTED), step(Step.ERRORED)), ("requested", "errored")),
        ((step(Step.READ), step(Step.SCRIPT_RUN)), ("requested", "read", "script_run")),
        ((step(Step.READ, "other"),), ()),
    ],
)
def test_r08_each_rung_of_the_ladder_is_observed_or_not(
    saw: Any, judge: Any, events: tuple[Any, ...], observed: tuple[str, ...]
) -> None:
    """A load that failed is a state of its own: neither read nor merely asked for."""
    there = saw(events=events, sees=ALL)
    for rung in RUNGS:
        reached = judge(there, skill_step=rung, skill="notes")
        absent = judge(there, skill_step=rung, skill="notes", reached=False)

        assert reached == ("passed" if rung in observed else "failed:step_not_reached"), rung
        assert absent == ("failed:step_reached" if rung in observed else "passed"), rung


@pytest.mark.parametrize(
    "event", [Truncated(seq=9, turn=1, where="session_log"), Unrecognized(seq=9, turn=1, why="shell_command")]
)
def test_what_incomplete_records_do_not_show_is_neither(saw: Any, judge: Any, event: Any) -> None:
    there = saw(events=[step(Step.OFFERED), event], sees=ALL)

    assert judge(there, skill_step="offered", skill="notes") == "passed"
    assert judge(there, skill_step="read", skill="notes") == "unverified:step_not_shown"
    assert judge(there, skill_step="read", skill="notes", reached=False) == "unverified:step_not_shown"


def test_r11_a_rung_that_the_program_never_shows_is_unverified(saw: Any, judge: Any) -> None:
    there = saw(events=[step(Step.READ)], sees=ALL - {Sees.SKILL_OFFERS})

    assert judge(there, skill_step="offered", skill="notes") == "unverified:step_not_shown"
    assert judge(there, skill_step="read", skill="notes") == "passed"


def test_a_request_without_an_end_leaves_open_whether_the_body_came(saw: Any, judge: Any) -> None:
    there = saw(events=[step(Step.REQUESTED)], sees=ALL)

    assert judge(there, skill_step="requested", skill="notes") == "passed"
    assert judge(there, skill_step="read", skill="notes", reached=False) == "unverified:step_not_shown"


def test_what_lay_in_the_project_was_installed(saw: Any, judge: Any) -> None:
    there = replace(saw(sees=ALL), files=Files(before={BODY.path: BODY}, after={}, changes=()))

    assert judge(there, skill_step="installed", skill="notes") == "passed"
    assert judge(there, skill_step="installed", skill="other") == "failed:step_not_reached"
