"""Fake programs: an abstract script, told by a small program in the native format of the host that is tested.

The author gives a `Rendering`: for each act, the lines that the real program prints of it. What a program does without
words (crash, hang, flood, leave a child behind) is the kit's own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from skilltrial.model.trial import Offer

Step = tuple[str, ...]
"""What a fake program does: made by `out`, `err` and `append`."""


def out(*lines: object) -> tuple[Step, ...]:
    """Print lines on standard output; what is no text is printed as JSON."""
    return tuple(("out", (line if isinstance(line, str) else json.dumps(line)) + "\n") for line in lines)


def err(*lines: str) -> tuple[Step, ...]:
    """Print lines on standard error."""
    return tuple(("err", f"{line}\n") for line in lines)


def append(path: str, *lines: object) -> tuple[Step, ...]:
    """Add lines to a file, a session log say. `$NAME` in the path is a variable of the program's environment."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return (("append", path, text),)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the program answers to a question that is no prompt: `--version`, a login status."""

    argv: tuple[str, ...]
    out: str = ""
    err: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class PlacedSkill:
    """A skill in the place: its id, its folder below the project (POSIX), and the text of its SKILL.md."""

    id: str
    folder: str
    body: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call: of a tool of the MCP server `server`, or (None) of the program's own tool of that name."""

    id: str
    tool: str
    server: str | None
    input: Mapping[str, JsonValue]
    result: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What a turn cost."""

    input: int
    output: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Turn:
    """What a rendering knows of the turn that it tells. `session` is a UUID that stays the same for all turns."""

    number: int
    session: str
    project: Path
    skills: tuple[PlacedSkill, ...]
    offers: tuple[Offer, ...]
    model: str


class Rendering:
    """How the program tells what it does. Override what it shows; what it does not show stays silent."""

    replies: Sequence[Reply] = ()
    own_tool: str = "shell"
    """A tool of the program's own, for hosts that take no MCP server."""
    own_input: Mapping[str, JsonValue] = {"command": "echo kit"}
    """The input of such a call, as the events show it."""
    talker: Path | None = None
    """Of a program that is talked to while it works: a Python file that holds the conversation.

    It imports the standard library only. Its `talk(take, play)` is called, and returns the exit code. `take(prompt,
    told)`, when a prompt has come, gives the steps of its turn; `told` are texts that were said before, about servers
    say. `play(*step)` plays one, and gives an exit code where it is the last. Steps of other verbs than the kit's are
    the file's own to play.
    """

    def begin(self, turn: Turn) -> Iterable[Step]:
        """What it prints when a prompt has come: session, model, the skills that it offers."""
        return ()

    def read_skill(self, turn: Turn, skill: PlacedSkill) -> Iterable[Step]:
        """It loads the body of a skill."""
        return ()

    def call(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        """It calls a tool, and gets the result."""
        return ()

    def refused(self, turn: Turn, use: ToolUse) -> Iterable[Step]:
        """It asks for a tool, and is not allowed to use it."""
        return ()

    def answer(self, turn: Turn, text: str) -> Iterable[Step]:
        """Its last message of the turn."""
        return ()

    def end(self, turn: Turn, spent: Spent) -> Iterable[Step]:
        """What it prints when the turn has ended well."""
        return ()


@dataclass(frozen=True, slots=True)
class ReadSkill:
    """Load the body of the kit's skill."""


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool."""

    use: ToolUse


@dataclass(frozen=True, slots=True)
class BeRefused:
    """Ask for a tool that is not allowed."""

    use: ToolUse


@dataclass(frozen=True, slots=True)
class Answer:
    """Say the last word of the turn. A secret in it is a leak."""

    text: str


@dataclass(frozen=True, slots=True)
class Print:
    """Print text as it is, on one of the two streams."""

    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class Crash:
    """End in the middle of a turn, with this exit code."""

    code: int = 3


@dataclass(frozen=True, slots=True)
class Hang:
    """Never end."""


@dataclass(frozen=True, slots=True)
class Flood:
    """Print without end."""


@dataclass(frozen=True, slots=True)
class LeaveChild:
    """Leave a child behind that writes `path` some time after the program has ended."""

    path: Path
    own_session: bool = False


Act = ReadSkill | CallTool | BeRefused | Answer | Print | Crash | Hang | Flood | LeaveChild
Script = tuple[tuple[Act, ...], ...]
"""Acts by turn. The last turn is played again where more prompts come."""
SPENT = Spent(input=120, output=34, cost=Decimal("0.25"))


def render(script: Script, rendering: Rendering, turn: Turn) -> list[list[Step]]:
    """The steps of each turn. A turn that neither crashes nor goes on for ever ends as the rendering says."""
    return [list(_turn(acts, rendering, _numbered(turn, number))) for number, acts in enumerate(script, 1)]


def _numbered(turn: Turn, number: int) -> Turn:
    return Turn(number, turn.session, turn.project, turn.skills, turn.offers, turn.model)


def _turn(acts: Sequence[Act], rendering: Rendering, turn: Turn) -> Iterable[Step]:
    yield from rendering.begin(turn)
    for act in acts:
        yield from _act(act, rendering, turn)
    if not any(isinstance(act, Crash | Hang | Flood) for act in acts):
        yield from rendering.end(turn, SPENT)


def _act(act: Act, rendering: Rendering, turn: Turn) -> Iterable[Step]:
    match act:
        case ReadSkill():
            for skill in turn.skills:
                yield from rendering.read_skill(turn, skill)
        case CallTool(use=use):
            yield from rendering.call(turn, use)
        case BeRefused(use=use):
            yield from rendering.refused(turn, use)
        case Answer(text=text):
            yield from rendering.answer(turn, text)
        case Print(stream=stream, text=text):
            yield (stream, text)
        case Crash(code=code):
            yield ("exit", str(code))
        case Hang():
            yield ("hang",)
        case Flood():
            yield ("flood", "flood " * 20 + "\n")
        case LeaveChild(path=path, own_session=own):
            yield ("child", str(path), "own" if own else "same")


@dataclass(frozen=True)
class FakeProgram:
    """A program that plays a script, and what it noted of its starts."""

    path: Path
    folder: Path = field(repr=False)

    @classmethod
    def build(cls, folder: Path, name: str, replies: Sequence[Reply], talker: Path | None = None) -> FakeProgram:
        """Write a program that knows its replies, how to talk, and no turn yet."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "player.py").write_bytes(Path(__file__).with_name("player.py").read_bytes())
        if talker is not None:
            (folder / "talker.py").write_bytes(talker.read_bytes())
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{folder / "player.py"}" "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        program = cls(path, folder)
        program.play([[]], replies)
        return program

    def play(self, turns: Sequence[Sequence[Step]], replies: Sequence[Reply]) -> None:
        """Play these turns from now on."""
        told = [{"argv": one.argv, "out": one.out, "err": one.err, "code": one.code} for one in replies]
        (self.folder / "script.json").write_text(json.dumps({"replies": told, "turns": turns}), encoding="utf-8")

    @property
    def starts(self) -> list[dict[str, Any]]:
        """How it was started to take a prompt: `argv`, `cwd`, `env`, `prompt`, `told` (before it), `home` (files)."""
        notes = self.folder / "starts.jsonl"
        return [json.loads(line) for line in notes.read_text("ascii").splitlines()] if notes.exists() else []

    @property
    def children(self) -> list[int]:
        """The processes that it left behind."""
        notes = self.folder / "children.txt"
        return [int(line) for line in notes.read_text("ascii").split()] if notes.exists() else []
