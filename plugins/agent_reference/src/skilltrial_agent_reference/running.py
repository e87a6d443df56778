"""One run of the agent: a prompt in, a conversation carried on, an ending told."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from . import memory
from .conversation import Agent
from .events import Events
from .model import Model, ModelFailed
from .skills import discover
from .tools.command import Commands
from .tools.files import Files
from .tools.search import Search
from .tools.servers import ServerTool, ServerUnusable, client, connect
from .tools.skill import Skills


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run is asked. `withheld` names the variables that no command of the model's may see."""

    project: Path
    prompt: str
    command_seconds: float
    steps: int
    withheld: frozenset[str]
    servers: Mapping[str, str] = field(default_factory=dict)
    """MCP servers: name → address."""


def run(asked: Asked, model: Model, conversation: memory.Conversation, kept: Path, events: Events) -> bool:
    """Take one turn and keep the conversation. True where the model answered."""
    with client() as connection:
        try:
            served = connect(asked.servers, connection)
        except ServerUnusable as error:
            _say(events, str(error))
            events.tell("SessionEnded", ending="host_failed", cause="unclassified")
            return False
        return _run(asked, model, conversation, kept, events, served)


def _run(
    asked: Asked,
    model: Model,
    conversation: memory.Conversation,
    kept: Path,
    events: Events,
    served: tuple[ServerTool, ...],
) -> bool:
    found, faults = discover(asked.project)
    skills = tuple(found)
    environment = {name: value for name, value in os.environ.items() if name not in asked.withheld}
    agent = Agent(
        model,
        (
            *Files(asked.project).tools(),
            *Search(asked.project).tools(),
            *Commands(asked.project, environment, asked.command_seconds).tools(),
            *Skills(asked.project, skills).tools(),
            *served,
        ),
        skills,
        events,
        asked.steps,
    )
    agent.introduce(conversation.session, version("skilltrial-agent-reference"))
    for fault in faults:
        _say(events, f"a skill is not offered: {fault}")
    try:
        answer = agent.answer(conversation.messages, asked.prompt)
    except ModelFailed as error:
        _say(events, str(error))
        events.tell("SessionEnded", ending="host_failed", cause=error.cause)
        return False
    events.tell("TurnEnded", answer=answer)
    try:
        memory.keep(kept, conversation)
    except OSError as error:
        _say(events, f"the conversation can't be kept ({error.strerror}): --continue will not find it")
    events.tell("SessionEnded", ending="completed")
    return True


def _say(events: Events, text: str) -> None:
    print(text, file=sys.stderr, flush=True)
    events.notice(text)
