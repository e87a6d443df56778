"""A recorder that keeps its lines, a dialect with plain words, and a running model to ask."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from skilltrial.api import (
    ACTS,
    Act,
    ActAbsent,
    ActNotPossible,
    Limits,
    ModelEndpoint,
    ModelRun,
    Part,
    ReadFile,
    ReadSkill,
    Run,
    RunInfo,
    Script,
    Source,
    ToolCall,
    ToolOffer,
    Trial,
    TrialKey,
    WriteFile,
)
from skilltrial_model_scripted.model import ScriptedModel


@dataclass
class Notebook:
    """A recorder that keeps what it is given."""

    turn: int = 1
    notes: list[dict[str, Any]] = field(default_factory=list)
    sources: set[Source] = field(default_factory=set)

    def record(self, source: Source, *lines: str) -> None:
        assert "\n" not in "".join(lines)
        self.sources.add(source)
        self.notes.extend(map(json.loads, lines))

    def note(self, note: Part) -> None:
        raise AssertionError("only the runner notes")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [note for note in self.notes if note["note"] == kind]


class PlainDialect:
    """Commands are the tool `shell`, skills the tool `skill`; it reads no files and breaks on writing one."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        match act:
            case Run(run=command):
                return ToolCall("shell", {"command": command})
            case ReadSkill(read_skill=skill):
                if not any(skill in tool.description for tool in tools):
                    raise ActAbsent(skill)
                return ToolCall("skill", {"name": skill})
            case WriteFile():
                raise KeyError("path")
            case ReadFile(read_file="free"):
                return ToolCall("patch", "*** free text\n")
        raise ActNotPossible("no tool")


@dataclass(frozen=True)
class Program:
    """An agent program as far as its model sees it: it asks, and keeps the conversation."""

    endpoint: ModelEndpoint
    notebook: Notebook
    http: httpx.Client

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        return self.http.post(f"{self.endpoint.url}{path}", json=body, headers=headers)


@pytest.fixture(scope="session")
def models() -> Iterator[ModelRun]:
    with ScriptedModel().open_models(RunInfo("run"), PlainDialect()) as run:
        yield run


@pytest.fixture
def act() -> Any:
    """An act from its words in a suite."""

    def make(**words: object) -> Part:
        (name,) = set(words) & set(ACTS)
        return ACTS[name].model_validate(words)

    return make


@pytest.fixture
def program(models: ModelRun) -> Iterator[Any]:
    """Start a trial: `program(turn, turn, ..., prompts=..., skills=...)` gives the program that runs in it."""
    with ExitStack() as stack:

        def start(
            *turns: Sequence[Act], prompts: Sequence[str] = ("Do it.", "Go on."), skills: Sequence[str] = ()
        ) -> Any:
            key = TrialKey(case="case", arm="arm", label="1")
            trial = Trial(key, tuple(prompts), Limits(), skills=tuple(skills))
            notebook = Notebook()
            http = stack.enter_context(httpx.Client(trust_env=False, verify=False, timeout=10))
            script = Script(tuple(tuple(turn) for turn in turns))
            return Program(stack.enter_context(models.start(trial, script, notebook)), notebook, http)

        yield start


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def dialect() -> PlainDialect:
    return PlainDialect()


@pytest.fixture
def events() -> Any:
    """The events of a stream: (name, data) pairs."""

    def read(text: str) -> list[tuple[str | None, Any]]:
        found: list[tuple[str | None, Any]] = []
        for block in text.split("\n\n"):
            if not block:
                continue
            lines = dict(line.split(": ", 1) for line in block.split("\n"))
            data = lines["data"]
            found.append((lines.get("event"), data if data == "[DONE]" else json.loads(data)))
        return found

    return read
