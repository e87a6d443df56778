"""What a host claims (`Can`, `Sees`) is shown; what it does not claim is neither taken nor told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.events import (
    Event,
    ModelRequested,
    Offered,
    PermissionDecided,
    SessionStarted,
    SkillStep,
    Step,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TurnEnded,
    Usage,
)
from skilltrial.model.trial import Offer, PlacedPlugin

from .contracts import demand
from .programs import SPENT, Answer, BeRefused, CallTool, ReadSkill, ToolUse
from .stages import ENDPOINT, SKILL, Scene, Stage

HTTP = Offer(name="memory", url="http://127.0.0.1:9/kit-fixture-77aa", tools=("remember",))
STDIO = Offer(name="memory", command=("/kit/fixture-command-77aa", "--serve"), tools=("remember",))
PLUGIN = "kit-plugin-77aa"
INPUT: dict[str, JsonValue] = {"text": "KIT-INPUT", "count": 2, "deep": {"yes": True, "none": None}}
RESULT = "KIT-RESULT stored"
Shown = Callable[[Event], bool]


def _use(stage: Stage, id: str) -> ToolUse:
    can = stage.host().describe_host().can
    if can & {Can.MCP_HTTP, Can.MCP_STDIO}:
        return ToolUse(id, "remember", "memory", INPUT, RESULT)
    rendering = stage.rendering
    return ToolUse(id, rendering.own_tool, None, rendering.own_input, RESULT)


def _offers(stage: Stage) -> tuple[Offer, ...]:
    can = stage.host().describe_host().can
    return (HTTP,) if Can.MCP_HTTP in can else (STDIO,) if Can.MCP_STDIO in can else ()


def _whole(stage: Stage) -> Scene:
    use = _use(stage, "kit_call_1")
    script = ((ReadSkill(), CallTool(use), BeRefused(replace(use, id="kit_call_2")), Answer("KIT-ANSWER whole")),)
    return stage.played(script, offers=_offers(stage))


def _held(stage: Stage, sees: Sees, shown: Shown, any_of_it: Shown) -> None:
    """`shown` is the event as it must be; `any_of_it` an event that can't be there where nothing is claimed."""
    events = stage.events(_whole(stage))
    if sees in stage.host().describe_host().sees:
        demand(any(map(shown, events)), f"the host claims {sees}, and no event shows what the program did: {events}")
    else:
        told = [event for event in events if any_of_it(event)]
        demand(
            not told, f"the host does not claim {sees}, and its events tell of it: claim it, or leave it out: {told}"
        )


def _is(kind: type[Event] | tuple[type[Event], ...], **fields: Any) -> Shown:
    return lambda event: isinstance(event, kind) and all(getattr(event, key) == value for key, value in fields.items())


class HostClaims:
    """Part of HostContract: capabilities, held both ways."""

    def test_sees_answers(self, stage: Stage) -> None:
        """ANSWERS: the TurnEnded holds the last message."""
        _held(
            stage,
            Sees.ANSWERS,
            _is(TurnEnded, answer="KIT-ANSWER whole"),
            lambda event: isinstance(event, TurnEnded) and event.answer is not None,
        )

    def test_sees_tool_calls(self, stage: Stage) -> None:
        """TOOL_CALLS: the ToolRequested has the tool, its server, and the very input."""
        use = _use(stage, "kit_call_1")
        wanted: dict[str, Any] = {"server": use.server, "input": dict(use.input)}
        if use.server is not None:
            wanted["tool"] = use.tool
        _held(stage, Sees.TOOL_CALLS, _is(ToolRequested, **wanted), _is(ToolRequested))

    def test_sees_tool_results(self, stage: Stage) -> None:
        """TOOL_RESULTS: a ToolResult holds what the call returned."""
        _held(
            stage,
            Sees.TOOL_RESULTS,
            lambda event: isinstance(event, ToolResult) and RESULT in json.dumps(event.content),
            _is(ToolResult),
        )

    def test_sees_skill_offers(self, stage: Stage) -> None:
        """SKILL_OFFERS: the skill is among those that the program offered."""
        _held(
            stage,
            Sees.SKILL_OFFERS,
            lambda event: (
                (isinstance(event, Offered) and SKILL in (event.skills or ()))
                or _is(SkillStep, skill=SKILL, step=Step.OFFERED)(event)
            ),
            lambda event: (
                (isinstance(event, Offered) and event.skills is not None) or _is(SkillStep, step=Step.OFFERED)(event)
            ),
        )

    def test_sees_skill_reads(self, stage: Stage) -> None:
        """SKILL_READS: the body of the skill was loaded, and a SkillStep `read` says so of *this* skill."""
        _held(stage, Sees.SKILL_READS, _is(SkillStep, skill=SKILL, step=Step.READ), _is(SkillStep, step=Step.READ))

    def test_no_skill_is_read_where_none_was(self, stage: Stage) -> None:
        """A session that reads no skill shows no `read`, whatever the program was offered."""
        events = stage.events(stage.played(((Answer(f"I have read {SKILL}/SKILL.md."),),)))
        demand(
            not any(map(_is(SkillStep, step=Step.READ), events)),
            "no skill was read, and a SkillStep `read` says that one was",
        )

    def test_sees_permissions(self, stage: Stage) -> None:
        """PERMISSIONS: a call that was not allowed is PermissionDecided `denied`, or ToolRejected."""
        _held(
            stage,
            Sees.PERMISSIONS,
            lambda event: _is(PermissionDecided, decision="denied")(event) or isinstance(event, ToolRejected),
            lambda event: isinstance(event, PermissionDecided),
        )

    def test_sees_tokens(self, stage: Stage) -> None:
        """TOKENS: the Usage of the turn has the counts that the program told."""
        _held(
            stage,
            Sees.TOKENS,
            _is(Usage, input=SPENT.input, output=SPENT.output),
            lambda event: isinstance(event, Usage) and (event.input is not None or event.output is not None),
        )

    def test_sees_cost(self, stage: Stage) -> None:
        """COST: the Usage of the turn has the price that the program told."""
        _held(
            stage,
            Sees.COST,
            _is(Usage, cost=SPENT.cost),
            lambda event: isinstance(event, Usage) and event.cost is not None,
        )

    def test_sees_model_ids(self, stage: Stage) -> None:
        """MODEL_IDS: the model that answered is named."""
        _held(
            stage,
            Sees.MODEL_IDS,
            lambda event: isinstance(event, SessionStarted | ModelRequested) and event.model == ENDPOINT.model,
            lambda event: isinstance(event, SessionStarted | ModelRequested) and event.model is not None,
        )

    def test_can_scripted_model(self, stage: Stage) -> None:
        """SCRIPTED_MODEL: the program is told the endpoint's address, and there is a dialect to speak to it in."""
        identity = stage.host().describe_host()
        stage.played(((Answer("KIT-ANSWER"),),))
        told = ENDPOINT.url in stage.given(stage.program.starts[0])
        if Can.SCRIPTED_MODEL in identity.can:
            demand(told, "the host claims SCRIPTED_MODEL, and the program was not told the endpoint's address")
            demand(identity.dialect, "the host claims SCRIPTED_MODEL and names no dialect")
        else:
            demand(not told, "the program was told the endpoint: claim SCRIPTED_MODEL, or it can't be rehearsed")

    def test_can_mcp_http(self, stage: Stage) -> None:
        """MCP_HTTP: the program is told the server's address."""
        self._told_of(stage, Can.MCP_HTTP, HTTP, str(HTTP.url))

    def test_can_mcp_stdio(self, stage: Stage) -> None:
        """MCP_STDIO: the program is told the server's command."""
        self._told_of(stage, Can.MCP_STDIO, STDIO, STDIO.command[0])

    def test_can_programs(self, stage: Stage) -> None:
        """PROGRAMS: a fixture's programs stay first on PATH, and are not told as a server.

        Without the claim nothing can be seen here: what holds commands back is the program's own.
        """
        place = stage.place()
        folder = place.tmp / "kit-programs"
        folder.mkdir()
        path = f"{folder}{os.pathsep}{place.environment['PATH']}"
        place = replace(place, environment={**place.environment, "PATH": path})
        offer = Offer(name="programs", tools=("kit-program",), programs=folder)
        scene = stage.played(((Answer("KIT-ANSWER"),),), place=place, offers=(offer,))
        demand(scene.stopped is None, "a session with a fixture's programs stopped")
        demand(
            stage.program.starts[0]["env"]["PATH"].partition(os.pathsep)[0] == str(folder)
            or Can.PROGRAMS not in stage.host().describe_host().can,
            "the host claims programs, and the fixture's folder was not first on PATH",
        )

    def test_can_plugins(self, stage: Stage) -> None:
        """PLUGINS: the program is told of the plugin that it is to install; without the claim it is not."""
        place = stage.place()
        folder = place.project.parent / "plugins" / "local" / PLUGIN / "1.0.0"
        manifest = folder / ".claude-plugin" / "plugin.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text(json.dumps({"name": PLUGIN, "version": "1.0.0"}), "utf-8")
        place = replace(place, plugin=PlacedPlugin(PLUGIN, "1.0.0", folder))
        claimed = Can.PLUGINS in stage.host().describe_host().can
        scene = stage.played(((Answer("KIT-ANSWER"),),), place=place)
        demand(scene.stopped is None, "a session with a plugin stopped")
        told = any(PLUGIN in stage.given(start) for start in stage.program.starts)
        demand(told or not claimed, "the host claims plugins, and the program was not told of the one in its place")
        demand(claimed or not told, "the program was told of the plugin: claim plugins, or none is ever in its place")

    def _told_of(self, stage: Stage, can: Can, offer: Offer, words: str) -> None:
        claimed = can in stage.host().describe_host().can
        try:
            stage.played(((Answer("KIT-ANSWER"),),), offers=(offer,))
        except Exception:  # noqa: BLE001 - what it does not claim, it may refuse in any way
            demand(not claimed, f"the host claims {can}, and broke on a server of this kind")
            return
        told = any(words in stage.given(start) for start in stage.program.starts)
        demand(told or not claimed, f"the host claims {can}, and the program was not told of the server")
        demand(claimed or not told, f"the program was told of the server: claim {can}, or its cases are skipped")

    def test_can_model(self, stage: Stage) -> None:
        """MODEL: the option `model` reaches the program; without the claim there is no such option."""
        self._option(stage, Can.MODEL, "model", "kit-chosen-model")

    def test_can_effort(self, stage: Stage, subject: Any) -> None:
        """EFFORT: the option `effort` reaches the program; without the claim there is no such option."""
        self._option(stage, Can.EFFORT, "effort", subject.effort)

    def _option(self, stage: Stage, can: Can, option: str, value: str) -> None:
        claimed = can in stage.host().describe_host().can
        try:
            host = stage.host(**{option: value})
        except Exception as error:
            if claimed:
                raise AssertionError(f"the host claims {can} and takes no option `{option}`: {error}") from error
            return
        demand(claimed, f"the host takes the option `{option}` and does not claim {can}")
        stage.played(((Answer("KIT-ANSWER"),),), host=host)
        demand(getattr(host.describe_host(), option) == value, f"the identity does not name the {option} of its option")
        demand(
            any(value in stage.given(start) for start in stage.program.starts),
            f"the option `{option}` did not reach the program",
        )
