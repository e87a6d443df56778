"""Normalizes recordings of a host again and again beside reading their lines; or judges one long session, once.

    python normalizing.py recordings HOST FOLDER REPEATS
    python normalizing.py write HOST MEGABYTES FILE
    python normalizing.py judge HOST FILE

The first prints a line a repetition: seconds of CPU of the floor (`json.loads` of the same lines), and of normalizing
them. The second writes the records of a made session of calls with results of 1 KiB (`codex+log`: with its session
log), the third reads, normalizes and judges them as `grade` does; how much memory that takes is seen from outside.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skilltrial.archive.records import records_at
from skilltrial.judge.belonging import Expected
from skilltrial.judge.trialview import Bench, judge_trial
from skilltrial.model.capabilities import Sees
from skilltrial.model.evidence import CommandResult, Files
from skilltrial.model.facts import TrialFacts
from skilltrial.model.notes import Exited, SkillPlaced, Spawned, TurnSent, as_raw
from skilltrial.model.records import Record
from skilltrial.model.report import TrialReport
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import EvidenceKind, Source
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.plugins.normalizers import Normalizers

RESULT = "a line of a file that an agent looks at, as long as such lines are\n" * 15
SKILL = SkillPlaced(skill="invoice-format", path="skills/invoice-format", sha256="0" * 64, body_sha256="0" * 64)
PROMPT, ANSWER = "look", "done"
Line = tuple[int, Source, str]


def recorded(folder: Path) -> list[Record]:
    """A recorded session as the records of a trial: a process is a turn, the session log comes at the end."""
    lines: list[Line] = [(0, Source.RUNNER, as_raw(SKILL))]
    runs = json.loads((folder / "runs.json").read_text("utf-8"))
    for turn, run in enumerate(runs, 1):
        lines += _before(turn, *run["argv"])
        for name, source in ((f"stdout.{turn}.jsonl", Source.STDOUT), (f"stderr.{turn}.txt", Source.STDERR)):
            lines += [(turn, source, line) for line in _lines(folder / name)]
        lines += [(turn, Source.RUNNER, as_raw(Exited(code=run["exit"] or 0)))]
        lines += [(turn, Source.SESSION_LOG, line) for line in _lines(folder / f"session.{turn}.jsonl")]
    lines += [(len(runs), Source.SESSION_LOG, line) for line in _lines(folder / "rollout.jsonl")]
    return [_record(seq, line) for seq, line in enumerate(lines, 1)]


def _before(turn: int, *arguments: str) -> list[Line]:
    notes = (
        TurnSent(turn=turn, prompt_sha256=hashlib.sha256(PROMPT.encode()).hexdigest()),
        Spawned(argv=("agent", *arguments)),
    )
    return [(turn, Source.RUNNER, as_raw(note)) for note in notes]


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").split("\n") if line] if file.exists() else []


def _record(seq: int, line: Line) -> Record:
    turn, source, raw = line
    return Record(seq, 0.0, source, turn, raw)


FIRST: Mapping[str, Sequence[object]] = {
    "codex": ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}),
    "claude": ({"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "skills": []},),
}
LAST: Mapping[str, Sequence[object]] = {
    "codex": (
        {"type": "item.completed", "item": {"id": "last", "type": "agent_message", "text": ANSWER}},
        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
    ),
    "claude": (
        {"type": "assistant", "message": {"id": "last", "model": "m", "content": [{"type": "text", "text": ANSWER}]}},
        {"type": "result", "subtype": "success", "is_error": False, "result": ANSWER},
    ),
}
UNLOGGED = {"codex": "--ephemeral", "claude": "--no-session-persistence"}
"""With this a program keeps no session log."""


def told(what: str, megabytes: int) -> Iterator[Line]:
    """A session whose native lines are that long together; its calls are of a shell, with results of 1 KiB."""
    host, _, log = what.partition("+")
    pair = {"codex": _codex, "claude": _claude}[host]
    size = sum(map(len, pair(0))) + (sum(map(len, _logged(0))) if log else 0)
    calls = megabytes * 1_000_000 // size
    yield from _before(1, *(() if log else (UNLOGGED[host],)))
    yield from ((1, Source.STDOUT, json.dumps(line)) for line in FIRST[host])
    for number in range(calls):
        yield from ((1, Source.STDOUT, line) for line in pair(number))
    yield from ((1, Source.STDOUT, json.dumps(line)) for line in LAST[host])
    yield 1, Source.RUNNER, as_raw(Exited(code=0))
    if log:
        meta = {"id": "t", "cli_version": "0.171.0", "cwd": "/project"}
        yield 1, Source.SESSION_LOG, json.dumps({"type": "session_meta", "payload": meta})
        for number in range(calls):
            yield from ((1, Source.SESSION_LOG, line) for line in _logged(number))
        over = {"type": "event_msg", "payload": {"type": "task_complete", "turn_id": "1"}}
        yield 1, Source.SESSION_LOG, json.dumps(over)


def write(what: str, megabytes: int, file: Path) -> None:
    """The session as a record file."""
    with file.open("w", encoding="ascii") as lines:
        lines.writelines(_record(seq, line).line() for seq, line in enumerate(told(what, megabytes), 1))


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


def _logged(number: int) -> tuple[str, str, str]:
    """The same in its session log."""
    call, cmd = f"call_{number}", f"cat file-{number}"
    asked = {"type": "function_call", "call_id": call, "name": "exec_command", "arguments": json.dumps({"cmd": cmd})}
    item = {"type": "CommandExecution", "id": call, "command": ["bash", "-lc", cmd], "cwd": "/project"}
    done = {"aggregated_output": RESULT, "exit_code": 0, "status": "completed"}
    rows = (
        {"type": "response_item", "payload": asked},
        {"type": "event_msg", "payload": {"type": "item_completed", "item": {**item, **done}}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": call, "output": RESULT}},
    )
    return json.dumps(rows[0]), json.dumps(rows[1]), json.dumps(rows[2])


@dataclass(frozen=True)
class Sealed:
    """A trial whose records lie in `file`, as far as judging looks at it."""

    facts: TrialFacts
    file: Path

    def records(self) -> Sequence[Record]:
        """The records, from their file."""
        return records_at(self.file)

    def earlier_tries(self) -> tuple[Sequence[Record], ...]:
        """None."""
        return ()

    def fixture_records(self) -> dict[str, Sequence[Record]]:
        """None."""
        return {}

    def model_records(self) -> Sequence[Record]:
        """None."""
        return ()

    def answers(self) -> tuple[str, ...]:
        """Of its one turn."""
        return (ANSWER,)

    def files(self) -> Files:
        """An empty project."""
        return Files(before={}, after={}, changes=())

    def after(self) -> tuple[CommandResult, ...]:
        """None."""
        return ()


def judge(normalizer: NormalizerFacade, file: Path) -> TrialReport:
    """Judge the trial whose records lie in `file`."""
    suite = {"id": "long", "cases": [{"id": "one", "turns": [PROMPT], "checks": [{"id": "a", "grader": "none"}]}]}
    case = Suite.read(json.dumps({**suite, "arms": [{"id": "with_skill"}], "gate": {"arm": "with_skill"}})).cases[0]
    key = TrialKey(case="one", arm="with_skill", label="1")
    facts = TrialFacts(
        key=key, started=datetime(2026, 1, 2, tzinfo=UTC), setup_seconds=0.0, agent_seconds=0.0, closing_seconds=0.0
    )
    identity = HostIdentity(
        name=normalizer.name,
        records=normalizer.name,
        sees=frozenset(Sees),
        evidence_kind=EvidenceKind.STAND_IN_HOST,
    )
    bench = Bench(
        case=case,
        questions=(),
        assets={},
        fixtures=(),
        names={},
        skills=(),
        present=frozenset(),
        asked=frozenset(),
        identity=identity,
        normalizer=normalizer,
        expected=Expected(
            case=case, skills={}, kind=identity.evidence_kind, sees=identity.sees, fixtures=(), canaries={}
        ),
    )
    return judge_trial(key, Sealed(facts, file), bench)[0]


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
    if what == "write":
        write(host, int(rest[0]), Path(rest[1]))
        return
    normalizer = Normalizers(Discovery()).find(host.partition("+")[0])
    if what == "judge":
        report = judge(normalizer, Path(rest[0]))
        sys.stdout.write(f"{report.tool_calls} calls, {report.ending}\n")
        if report.verdict.reason != "no_check_applies":
            sys.exit(f"it was not judged to its end: {report.verdict.reason}")
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
