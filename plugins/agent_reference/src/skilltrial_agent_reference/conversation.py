"""A turn: the model is asked, its calls are carried out, until it answers without wanting another call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields

from .events import Events
from .model import Failure, Model, ModelFailed, Reply, Tokens, Wanted
from .skills import Skill
from .tools.base import Tool, ToolFailed
from .tools.servers import ServerTool
from .tools.skill import NAME as LOAD_SKILL
from .values import Json

SYSTEM = """You are a coding agent. The current folder is a project, and the user asks for work in it.
Look at what is there before you change it. Use the tools to do the work; do not only describe it. Do what was asked and
nothing beyond it. When the work is done, answer in a few sentences, in the language of the user, and say plainly what
could not be done."""


@dataclass(frozen=True, slots=True)
class Agent:
    """What a conversation is held with. `steps` bounds the requests of one turn."""

    model: Model
    tools: tuple[Tool | ServerTool, ...]
    skills: tuple[Skill, ...]
    events: Events
    steps: int

    def answer(self, messages: list[Json], prompt: str) -> str:
        """Take one turn. `messages` grows by all that was said. Raises ModelFailed."""
        if not messages:
            messages.append({"role": "system", "content": SYSTEM})
        messages.append({"role": "user", "content": prompt})
        spent: list[Tokens] = []
        try:
            return self._turn(messages, spent)
        finally:
            if spent:
                self.events.tell("Usage", **_sums(spent))

    def _turn(self, messages: list[Json], spent: list[Tokens]) -> str:
        for _ in range(self.steps):
            reply = self._ask(messages)
            spent.append(reply.tokens)
            messages.append(_said(reply))
            if reply.cut:
                self.events.tell("Truncated", where="answer")
            if not reply.calls:
                return reply.text
            messages.extend(
                {"role": "tool", "tool_call_id": call.id, "content": self._do(call)} for call in reply.calls
            )
        raise ModelFailed("unclassified", f"the model wanted more than {self.steps} steps, the limit of one turn")

    def _ask(self, messages: Sequence[Json]) -> Reply:
        def asked(model: str | None, request: str | None) -> None:
            self.events.tell(
                "ModelRequested", provider=self.model.provider, model=model, messages=len(messages), request=request
            )

        def failed(failure: Failure, again: bool) -> None:
            # No answer, so it is not known which model was asked in the end.
            asked(None, None)
            if again:
                self.events.tell("Retry", cause=failure.cause)

        reply = self.model.ask(messages, [tool.offer() for tool in self.tools], failed)
        asked(reply.model, reply.request)
        return reply

    def _do(self, call: Wanted) -> str:
        """Carry out one call and return what the model gets to read."""
        given = _arguments(call.arguments)
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if isinstance(tool, ServerTool):
            self.events.tell("ToolRequested", call=call.id, tool=tool.own, server=tool.server.name, input=given)
        else:
            self.events.tell("ToolRequested", call=call.id, tool=call.name, input=given)
        skill = self._skill_of(call, given)
        self._step(skill, "requested")
        if tool is None:
            return self._reject(call, "unknown_tool", f"there is no tool {call.name!r}")
        if fault := tool.fault(given):
            return self._reject(call, "schema", fault)
        self.events.tell("ToolStarted", call=call.id)
        try:
            result = tool.call(given if isinstance(given, dict) else {})
        except ToolFailed as error:
            self._step(skill, "errored")
            self.events.tell("ToolResult", call=call.id, content=str(error), is_error=True)
            return f"error: {error}"
        self.events.tell("ToolResult", call=call.id, content=result, is_error=False)
        for one in self.skills:
            # Whatever the tool was: a model that was shown all of the body has read the skill.
            if one.body.strip() in result:
                self._step(one, "read")
        return result

    def _reject(self, call: Wanted, reason: str, says: str) -> str:
        self.events.tell("ToolRejected", call=call.id, reason=reason)
        return f"error: {says}"

    def _skill_of(self, call: Wanted, given: Json) -> Skill | None:
        """The skill that a call asks for: by name, or by the path of its SKILL.md in whatever argument."""
        if not isinstance(given, dict):
            return None
        texts = [value for value in given.values() if isinstance(value, str)]
        for skill in self.skills:
            named = call.name == LOAD_SKILL and skill.name in texts
            if named or any(skill.path in text for text in texts):
                return skill
        return None

    def _step(self, skill: Skill | None, step: str) -> None:
        if skill is not None:
            self.events.tell("SkillStep", skill=skill.name, step=step, path=skill.path, sha256=skill.sha256)

    def introduce(self, session: str, version: str) -> None:
        """Tell what a conversation starts with: its id, the tools and the skills that the model is offered."""
        self.events.tell("SessionStarted", session=session, version=version, model=None)
        self.events.tell(
            "Offered",
            skills=[skill.name for skill in self.skills],
            tools=[tool.name for tool in self.tools],
            servers=[*sorted({tool.server.name for tool in self.tools if isinstance(tool, ServerTool)})],
            plugins=[],
            instructions=[],
        )
        for skill in self.skills:
            self._step(skill, "offered")


def _arguments(text: str) -> Json:
    """The arguments as JSON; the text itself where it is none, or says what no other reader would take (NaN)."""
    try:
        value: Json = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return text
    return value


def _said(reply: Reply) -> dict[str, Json]:
    said: dict[str, Json] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    return said


def _sums(spent: Sequence[Tokens]) -> dict[str, Json]:
    """The counts of a turn. One request whose count is unknown makes the sum unknown."""
    sums: dict[str, Json] = {}
    for field in fields(Tokens):
        counts = [getattr(tokens, field.name) for tokens in spent]
        sums[field.name] = None if None in counts else sum(counts)
    return {**sums, "cost": None}
