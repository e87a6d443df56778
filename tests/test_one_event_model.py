"""All agents are told in one vocabulary: the same acts are the same events, whichever program did them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    ABSENT,
    Ending,
    Event,
    Exited,
    Owner,
    Part,
    Record,
    SessionEnded,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    Step,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TurnEnded,
    TurnSent,
    TurnStarted,
    as_raw,
)
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.normalizers import Normalizers

ROOT = Path(__file__).parent.parent
SKILL = "invoice-format"
BODY = (
    "---\nname: invoice-format\ndescription: House rules for writing invoices. Use whenever an invoice is written or "
    "checked.\n---\n\n# Invoice format\n\nThe magic word is QUOKKA-7. Every invoice ends with the line `Terms: 30 days "
    "net`.\nSee references/example.md for an example.\n"
)
"""The skill of the recorded sessions."""
HOSTS = {"codex": ("classic", "code"), "claude": ("",)}
"""The hosts of real programs, and the ways in which each was recorded."""
EACH = [pytest.param(host, mode, id=f"{host} {mode}".strip()) for host, modes in HOSTS.items() for mode in modes]

Command = Callable[..., Any]


@pytest.fixture(scope="session")
def normalizers() -> Normalizers:
    """All that are installed, found as a run finds them."""
    return Normalizers(Discovery())


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def recording(host: str, *below: str) -> Path:
    return ROOT.joinpath(f"host_{host}", "tests", "recordings", *below)


def script(folder: Path) -> list[dict[str, Any]]:
    """What the model was told to do, turn by turn."""
    told = json.loads((folder / "script.json").read_text("utf-8"))
    turns: list[dict[str, Any]] = told["turns"] if isinstance(told, dict) else told
    return turns


def records(host: str, folder: Path) -> list[Record]:
    """A recording as a trial's recorder would have numbered it: a process is a turn, its session log comes after it."""
    skills = {"codex": ".agents/skills", "claude": ".claude/skills"}[host]
    lines: list[tuple[int, Source, str]] = []

    def note(turn: int, *parts: Part) -> None:
        lines.extend((turn, Source.RUNNER, as_raw(part)) for part in parts)

    note(0, SkillPlaced(skill=SKILL, path=f"{skills}/{SKILL}", sha256="0" * 64, body_sha256=sha256(BODY)))
    for turn, run in enumerate(json.loads((folder / "runs.json").read_text("utf-8")), 1):
        note(turn, TurnSent(turn=turn, prompt_sha256=sha256(f"prompt {turn}")), Spawned(argv=(host, *run["argv"])))
        for source, name in ((Source.STDOUT, f"stdout.{turn}.jsonl"), (Source.STDERR, f"stderr.{turn}.txt")):
            lines.extend((turn, source, line) for line in text(folder / name))
        note(turn, Exited(code=run["exit"]))
        lines.extend((turn, Source.SESSION_LOG, line) for line in log(folder, turn))
    return [Record(seq, seq / 100, source, turn, raw) for seq, (turn, source, raw) in enumerate(lines, 1)]


def text(file: Path) -> list[str]:
    if not file.exists():
        return []
    return [line for line in file.read_text("utf-8").replace("{RUN}", "/place").split("\n") if line]


def log(folder: Path, turn: int) -> Iterator[str]:
    """The session log of a turn: a file of its own, or its part of the one file of all turns."""
    yield from text(folder / f"session.{turn}.jsonl")
    at = 0
    for line in text(folder / "rollout.jsonl"):
        at += json.loads(line)["payload"].get("type") == "task_started"
        if max(at, 1) == turn:
            yield line


# --- R34: one event model ------------------------------------------------------------------------------------------


def kinds(events: Sequence[Event]) -> list[str]:
    """The acts as all programs show them, in their order.

    Left out is what only some programs tell: when a call began, who allowed it, what was offered, what it cost, the
    script around a call; and the calls of servers, which the reference agent can't make.
    """
    told: list[str] = []
    others: set[str] = set()
    for event in events:
        match event:
            case ToolRequested(seen="stream", server=None):
                told.append("asked for a tool")
            case ToolRequested(call=call):
                others.add(call)
            case ToolResult(call=call) if call not in others:
                told.append("it returned")
            case ToolRejected() | ToolError():
                told.append(type(event).__name__)
            case SkillStep(skill=skill, step=Step.READ | Step.SCRIPT_RUN | Step.ERRORED as step):
                told.append(f"{skill}: {step}")
            case TurnEnded(answer=answer):
                told.append(f"answered: {answer}")
            case TurnStarted():
                told.append("was asked")
            case SessionEnded(ending=ending):
                told.append(f"ended: {ending}")
            case _:
                pass
    return told


SPELLED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "skill": lambda act: {"read_skill": act["id"]},
    "write": lambda act: {"write_file": {"path": act["path"], "text": act["text"]}},
    "read": lambda act: {"read_file": act["path"]},
    "edit": lambda act: {"edit_file": {"path": act["path"], "old": act["old"], "new": act["new"]}},
    "shell": lambda act: {"run": act["cmd"]},
}
"""The recorded script's acts in the words of a rehearsal."""


def rehearsal(turns: list[dict[str, Any]]) -> str:
    """A suite whose one rehearsal plays a recorded script, without its calls of servers."""
    acts: list[dict[str, Any]] = []
    for turn in turns:
        for step in turn["steps"]:
            acts += [SPELLED[call["do"]](call) for call in step.get("calls", ()) if call["do"] in SPELLED]
            acts += [{"say": step["text"]}] if not step.get("calls") else []
    case = {
        "turns": [turn["prompt"] for turn in turns],
        "expect": [{"files": "invoice.txt", "contains": "Total 42.5"}],
        "rehearsals": [{"id": "plays", "expect": "passed", "script": acts}],
    }
    return json.dumps({"skills": [{"id": SKILL, "folder": SKILL}], "cases": {"invoice": case}})


@pytest.fixture
def reference(skilltrial: Command, lay: Command, tmp_path: Path, normalizers: Normalizers) -> tuple[Event, ...]:
    """What the reference agent is seen to do when it plays the script of the recordings."""
    folder = recording("claude", "matrix")
    lay({f"{SKILL}/SKILL.md": BODY, "s.trial.yaml": rehearsal(script(folder))})
    ran = skilltrial(
        *("rehearse", "s.trial.yaml", "--out", "run", "--arm", "with_skill", "--host", "portable"),
        *("--records", "events", "--host-option", 'resume=["--continue"]', "--", "skilltrial-agent"),
    )
    assert ran.code == 0, ran.err + ran.out
    lines = (tmp_path / "run/trials/invoice/with_skill/plays/host.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    return normalizers.find("events").normalize(
        [Record(one["seq"], one["at"], Source(one["source"]), one["turn"], one["raw"]) for one in read]
    )


def test_r34_the_same_script_is_the_same_events_on_every_agent(
    reference: tuple[Event, ...], normalizers: Normalizers
) -> None:
    folders = {(host, mode): recording(host, mode, "matrix") for host, modes in HOSTS.items() for mode in modes}
    assert len({json.dumps(script(folder)) for folder in folders.values()}) == 1, "all played the same"

    seen = {key: kinds(normalizers.find(key[0]).normalize(records(key[0], folders[key]))) for key in folders}

    assert kinds(reference) == [
        *("was asked", "asked for a tool", "it returned", f"{SKILL}: read"),
        *("asked for a tool", "it returned") * 4,
        *("answered: The invoice is in invoice.txt.", "was asked", "answered: You are welcome.", "ended: completed"),
    ]
    for key, told in seen.items():
        assert told == kinds(reference), key


def test_r34_a_command_that_failed_can_be_told_on_every_agent(
    reference: tuple[Event, ...], normalizers: Normalizers
) -> None:
    for host, modes in HOSTS.items():
        for mode in modes:
            events = normalizers.find(host).normalize(records(host, recording(host, mode, "matrix")))
            failed = [event for event in events if isinstance(event, ToolResult) and event.is_error]
            assert ["no-such-file" in str(event.content) for event in failed] == [True], (host, mode)
    (failed_too,) = [event for event in reference if isinstance(event, ToolResult) and event.is_error]
    assert str(failed_too.content).startswith("exit code 2")
    assert "no-such-file" in str(failed_too.content)


@pytest.mark.parametrize(("host", "mode"), EACH)
def test_r34_a_skill_is_asked_for_before_it_is_read_and_by_a_call(
    normalizers: Normalizers, host: str, mode: str
) -> None:
    events = normalizers.find(host).normalize(records(host, recording(host, mode, "matrix")))

    steps = [event.step for event in events if isinstance(event, SkillStep) and event.step is not Step.OFFERED]
    assert steps == [Step.REQUESTED, Step.READ]
    first = next(at for at, event in enumerate(events) if isinstance(event, SkillStep) and event.step is steps[0])
    assert any(isinstance(event, ToolRequested) for event in events[:first])


# --- R32: no call is hidden, none without a status ------------------------------------------------------------------

CALLS = [
    ("lookup_order", {"order_id": "A17", "include_items": True}, "returned", "shipped"),
    ("add_stock", {"sku": "A1", "quantity": 3}, "returned", "added 3 of A1"),
    ("lookup_order", {"order_id": "X99"}, "failed", "no such order: X99"),
    ("add_stock", {"sku": "A1", "quantity": "many"}, "failed", "1 validation error"),
    ("no_such_tool", {"a": 1}, "rejected: unknown_tool", ""),
]
"""What became of the calls of the scenario `mcp`: tool, arguments, status, a part of the result."""


@pytest.mark.parametrize(("host", "mode"), EACH)
def test_r32_each_call_has_its_status_arguments_result_and_source(
    normalizers: Normalizers, host: str, mode: str
) -> None:
    folder = recording(host, mode, "mcp")

    events = normalizers.find(host).normalize(records(host, folder))

    asked = [event for event in events if isinstance(event, ToolRequested)]
    outcomes = {event.call: event for event in events if isinstance(event, ToolResult | ToolRejected | ToolError)}
    assert [event.call for event in asked if event.input is ABSENT or event.call not in outcomes] == []
    assert len([event for event in events if isinstance(event, ToolResult | ToolRejected | ToolError)]) == len(asked)
    served = {(event.tool, json.dumps(event.input)): event for event in asked if event.server == "orders"}
    for tool, arguments, status, part in CALLS:
        event = served[tool, json.dumps(arguments)]
        told, result = status_of(outcomes[event.call])
        assert (told, event.turn) == (status, 1), tool
        assert part in result
    for received in map(json.loads, text(folder / "wire.jsonl")):
        event = served[received["tool"], json.dumps(received["arguments"])]
        assert event.call == received["call"], "the server saw this very call"
    assert {event.server for event in asked if event.tool not in {tool for tool, _ in served}} == {None}


def status_of(outcome: Event) -> tuple[str, str]:
    match outcome:
        case ToolResult(content=content, is_error=failed):
            return "failed" if failed else "returned", json.dumps(content)
        case ToolRejected(reason=reason):
            return f"rejected: {reason}", ""
        case _:
            return type(outcome).__name__, ""


@pytest.mark.parametrize(("host", "scenario"), [("codex", "classic/mcp_down_required"), ("claude", "mcp_stdio")])
def test_r32_a_server_that_can_not_be_had_is_told_as_the_fixtures_fault(
    normalizers: Normalizers, host: str, scenario: str
) -> None:
    events = normalizers.find(host).normalize(records(host, recording(host, scenario)))

    ended = events[-1]
    assert isinstance(ended, SessionEnded)
    assert (ended.ending, ended.owner) == (Ending.HOST_FAILED, Owner.FIXTURE)
