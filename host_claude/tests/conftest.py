"""Recordings of the real program as the records of a trial."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from skilltrial.api import Event, Exited, LimitHit, Part, Record, SkillPlaced, Source, Spawned, TurnSent, as_raw
from skilltrial_host_claude.normalizer import ClaudeNormalizer

RECORDINGS = Path(__file__).parent / "recordings"
PLACE = "/place"
SKILL = "invoice-format"
FOLDER = f".claude/skills/{SKILL}"
BODY = (
    "---\nname: invoice-format\ndescription: House rules for writing invoices. Use whenever an invoice is written or "
    "checked.\n---\n\n# Invoice format\n\nThe magic word is QUOKKA-7. Every invoice ends with the line `Terms: 30 days "
    "net`.\nSee references/example.md for an example.\n"
)
"""The skill of the captured sessions; those recorded for this package had a shorter one."""
SHORT = (
    "---\nname: invoice-format\ndescription: House rules for invoices.\n---\n\n# Invoice format\n\n"
    "The magic word is QUOKKA-7.\n"
)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Tape:
    """Records as a trial's recorder would have numbered them."""

    records: list[Record] = field(default_factory=list)
    turn: int = 0

    def add(self, source: Source, raw: str) -> None:
        self.records.append(Record(len(self.records) + 1, len(self.records) / 100, source, self.turn, raw))

    def note(self, note: Part) -> None:
        self.add(Source.RUNNER, as_raw(note))

    def out(self, *lines: object) -> None:
        """Lines of standard output; what is no string is written as JSON."""
        for line in lines:
            self.add(Source.STDOUT, line if isinstance(line, str) else json.dumps(line))

    def text(self, source: Source, text: str) -> None:
        for line in text.replace("{RUN}", PLACE).split("\n"):
            if line:
                self.add(source, line)

    def place(self, body: str = BODY, *, skill: str = SKILL) -> None:
        self.note(SkillPlaced(skill=skill, path=f".claude/skills/{skill}", sha256="0" * 64, body_sha256=sha256(body)))

    def begin(self, turn: int = 1, arguments: tuple[str, ...] = ("-p",)) -> None:
        self.turn = turn
        self.note(TurnSent(turn=turn, prompt_sha256=sha256(f"prompt {turn}")))
        self.note(Spawned(argv=("claude", *arguments)))

    def init(self, **more: object) -> None:
        """The line with which a turn begins."""
        line = {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": PLACE, "model": "m"}
        self.out({**line, "claude_code_version": "2.1.332", "tools": ["Bash"], "skills": [], **more})

    def call(self, id: str, tool: str, *, parent: str | None = None, **given: object) -> None:
        """The model asks for a tool."""
        block = {"type": "tool_use", "id": id, "name": tool, "input": given}
        message = {"id": f"msg-{id}", "model": "m", "content": [block]}
        self.out({"type": "assistant", "message": message, "parent_tool_use_id": parent})

    def result(self, id: str, content: object = "ok", *, failed: bool = False, **more: object) -> None:
        """What the tool returned."""
        block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}
        self.out({"type": "user", "message": {"content": [block]}, **more})

    def says(self, text: str = "Done.", model: str = "m") -> None:
        """The model speaks."""
        self.out({"type": "assistant", "message": {"id": text, "model": model, "content": [_text(text)]}})

    def told(self, text: str, **more: object) -> None:
        """The program puts a text into the conversation."""
        self.out({"type": "user", "message": {"content": [_text(text)]}, "isSynthetic": True, **more})

    def error(self, text: str, **more: object) -> None:
        """The program writes itself that its model failed."""
        message = {"id": "e", "model": "<synthetic>", "content": [_text(text)]}
        self.out({"type": "assistant", "message": message, "is_api_error_message": True, **more})

    def over(self, answer: str = "Done.", **more: object) -> None:
        """The line with which a turn ends."""
        self.out({"type": "result", "subtype": "success", "is_error": False, "result": answer, **more})

    def end(self, code: int = 0, *, log: bool = True) -> None:
        """The program is gone, and what it kept of the conversation is read."""
        self.note(Exited(code=code))
        if log:
            self.add(Source.SESSION_LOG, json.dumps({"type": "user", "message": {"role": "user", "content": "Do it."}}))


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def tape_of(name: str, *, body: str | None = BODY, turns: int = 9, log: bool = True) -> list[Record]:
    """The records of a recording, of its first so many processes; each process is a turn of one trial.

    `body` is the SKILL.md of the skill that was placed, None where none was.
    """
    folder = RECORDINGS / name
    tape = Tape()
    if body is not None:
        tape.place(body)
    for number, run in enumerate(json.loads((folder / "runs.json").read_text("utf-8"))[:turns], 1):
        tape.begin(number, tuple(run["argv"]))
        for source, file in ((Source.STDOUT, f"stdout.{number}.jsonl"), (Source.STDERR, f"stderr.{number}.txt")):
            if (folder / file).exists():
                tape.text(source, (folder / file).read_text("utf-8"))
        tape.note(LimitHit(limit="seconds", value=20) if run["killed"] == "timeout" else Exited(code=run["exit"]))
        if log and (folder / f"session.{number}.jsonl").exists():
            tape.text(Source.SESSION_LOG, (folder / f"session.{number}.jsonl").read_text("utf-8"))
    return tape.records


@pytest.fixture(scope="session")
def recorded() -> Callable[..., list[Record]]:
    """`recorded("plain")`: the records of a recording."""
    return tape_of


@pytest.fixture(scope="session")
def recordings() -> Path:
    """Where they lie."""
    return RECORDINGS


@pytest.fixture(scope="session")
def normalize() -> Callable[[Sequence[Record]], tuple[Event, ...]]:
    return lambda records: tuple(ClaudeNormalizer().normalize(records))


@pytest.fixture(scope="session")
def short_body() -> Callable[..., str]:
    """The SKILL.md of the sessions that were recorded for this package."""
    return lambda *, fork=False: SHORT.replace("\n---\n\n#", "\ncontext: fork\n---\n\n#") if fork else SHORT


@pytest.fixture
def tape() -> Tape:
    """An empty tape, to write a session by hand."""
    return Tape()


@pytest.fixture(scope="session")
def renumbered() -> Callable[[Sequence[Record]], list[Record]]:
    """Records after some were taken out or put in: numbered anew."""
    return lambda records: [replace(record, seq=number) for number, record in enumerate(records, 1)]


@pytest.fixture
def session(tape):
    """A tape on which a program has begun a turn."""
    tape.begin()
    tape.init()
    return tape


@pytest.fixture
def ending(session, normalize):
    """Ends the program of `session` with a code and tells how the session ended."""

    def read(code: int = 0):
        session.end(code)
        last = normalize(session.records)[-1]
        return last.ending, last.cause, last.owner

    return read
