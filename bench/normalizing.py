"""Normalizes recordings of a host again and again beside reading their lines; or one long stream, once.

    python normalizing.py recordings HOST FOLDER REPEATS
    python normalizing.py stream HOST MEGABYTES

The first prints a line a repetition: seconds of CPU of the floor (`json.loads` of the same lines), and of normalizing
them. The second normalizes a made session of calls with results of 1 KiB; how much memory it takes is seen from
outside.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from skilltrial.model.notes import Exited, SkillPlaced, Spawned, TurnSent, as_raw
from skilltrial.model.records import Record
from skilltrial.model.words import Source
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.normalizers import Normalizers

RESULT = "a line of a file that an agent looks at, as long as such lines are\n" * 15
SKILL = SkillPlaced(skill="invoice-format", path="skills/invoice-format", sha256="0" * 64, body_sha256="0" * 64)
Line = tuple[int, Source, str]


def recorded(folder: Path) -> list[Record]:
    """A recorded session as the records of a trial: a process is a turn, the session log comes at the end."""
    lines: list[Line] = [(0, Source.RUNNER, as_raw(SKILL))]
    runs = json.loads((folder / "runs.json").read_text("utf-8"))
    for turn, run in enumerate(runs, 1):
        lines += _before(turn)
        for name, source in ((f"stdout.{turn}.jsonl", Source.STDOUT), (f"stderr.{turn}.txt", Source.STDERR)):
            lines += [(turn, source, line) for line in _lines(folder / name)]
        lines += [(turn, Source.RUNNER, as_raw(Exited(code=run["exit"] or 0)))]
        lines += [(turn, Source.SESSION_LOG, line) for line in _lines(folder / f"session.{turn}.jsonl")]
    lines += [(len(runs), Source.SESSION_LOG, line) for line in _lines(folder / "rollout.jsonl")]
    return [_record(seq, line) for seq, line in enumerate(lines, 1)]


def _before(turn: int) -> list[Line]:
    notes = (TurnSent(turn=turn, prompt_sha256="0" * 64), Spawned(argv=("agent",)))
    return [(turn, Source.RUNNER, as_raw(note)) for note in notes]


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").split("\n") if line] if file.exists() else []


def _record(seq: int, line: Line) -> Record:
    turn, source, raw = line
    return Record(seq, 0.0, source, turn, raw)


class Stream(Sequence[Record]):
    """The records of a long session, made as they are asked for, so that only what is kept of them takes memory."""

    def __init__(self, host: str, megabytes: int) -> None:
        self._pair = {"codex": _codex, "claude": _claude}[host]
        self._first = {
            "codex": '{"type": "thread.started", "thread_id": "t"}\n{"type": "turn.started"}',
            "claude": '{"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "skills": []}',
        }[host].split("\n")
        self._calls = megabytes * 1_000_000 // sum(map(len, self._pair(0)))

    def __iter__(self) -> Iterator[Record]:
        return (_record(seq, line) for seq, line in enumerate(self._told(), 1))

    def __len__(self) -> int:
        return 2 + len(self._first) + 2 * self._calls + 1

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        return list(self)[at]

    def _told(self) -> Iterator[Line]:
        yield from _before(1)
        yield from ((1, Source.STDOUT, line) for line in self._first)
        for number in range(self._calls):
            yield from ((1, Source.STDOUT, line) for line in self._pair(number))
        yield 1, Source.RUNNER, as_raw(Exited(code=0))


def _codex(number: int) -> tuple[str, str]:
    """A command begins and ends, as Codex says it."""
    item = {"id": f"item_{number}", "type": "command_execution", "command": f"cat file-{number}"}
    begun = {"type": "item.started", "item": {**item, "status": "in_progress"}}
    over = {"aggregated_output": RESULT, "exit_code": 0, "status": "completed"}
    return json.dumps(begun), json.dumps({"type": "item.completed", "item": {**item, **over}})


def _claude(number: int) -> tuple[str, str]:
    """A command is asked for and answered, as Claude Code says it."""
    call = f"toolu_{number}"
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"cat file-{number}"}}
    asked = {"type": "assistant", "message": {"id": f"msg_{number}", "model": "m", "content": [use]}}
    result = {"type": "tool_result", "tool_use_id": call, "content": RESULT, "is_error": False}
    return json.dumps(asked), json.dumps({"type": "user", "message": {"content": [result]}})


def floor(sessions: Sequence[Sequence[Record]]) -> None:
    """Read each line as JSON, and do nothing with it."""
    for records in sessions:
        for record in records:
            try:
                json.loads(record.raw)
            except ValueError:
                continue


def seconds(work: Callable[[], object]) -> float:
    """Seconds of CPU that it takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main(what: str, host: str, *rest: str) -> None:
    """Measure, and print."""
    normalizer = Normalizers(Discovery()).find(host)
    if what == "stream":
        normalizer.normalize(Stream(host, int(rest[0])))
        return
    sessions = [recorded(file.parent) for file in sorted(Path(rest[0]).rglob("runs.json"))]
    if not sessions:
        sys.exit(f"no recordings of {host}")

    def ours() -> None:
        for records in sessions:
            normalizer.normalize(records)

    ours()
    for _ in range(int(rest[1])):
        sys.stdout.write(f"{seconds(lambda: floor(sessions))} {seconds(ours)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
