"""What real programs printed, read by the profiles that come along, against what the scripted model was told to do."""

import json
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.api import (
    Cause,
    Declared,
    Ending,
    Event,
    Exited,
    Owner,
    Record,
    SessionEnded,
    SessionStarted,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    Step,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TurnEnded,
    TurnSent,
    Unrecognized,
    Usage,
    as_raw,
)
from skilltrial_host_portable.profiles.normalizer import ProfileNormalizer
from skilltrial_host_portable.profiles.reading import read_profile

HERE = Path(__file__).parent / "recordings"
PROGRAMS = {"opencode": HERE / "opencode-1.18.33", "pi": HERE / "pi-1.6.0"}
WHOLE = [
    (program, path.stem)
    for program, folder in PROGRAMS.items()
    for path in sorted(folder.glob("*.jsonl"))
    if path.stem not in ("err401", "breaks")
]
DIGEST = "0" * 64
SKILL = "invoice-format"


def normalized(records: Sequence[Record]) -> tuple[Event, ...]:
    """Their trajectory."""
    return tuple(ProfileNormalizer().normalize(records))


def records_of(program, lines, *, code=0, servers=("orders",)):
    """The records of a trial of one turn."""
    profile = read_profile(program).profile
    value: Any = {
        "profile": profile.model_dump(mode="json", exclude_defaults=True),
        "servers": list(servers),
        "project": "/run/proj",
    }
    notes = [
        SkillPlaced(skill=SKILL, path=f".agents/skills/{SKILL}", sha256=DIGEST, body_sha256=DIGEST),
        Declared(name="profile", value=value),
        TurnSent(turn=1, prompt_sha256=DIGEST),
        Spawned(argv=profile.command),
    ]
    raws = [(Source.RUNNER, as_raw(note)) for note in notes] + [(Source.STDOUT, line) for line in lines]
    raws += [] if code is None else [(Source.RUNNER, as_raw(Exited(code=code)))]
    return [Record(seq, 0.0, source, 1, raw) for seq, (source, raw) in enumerate(raws, 1)]


def lines_of(program, name):
    return (PROGRAMS[program] / f"{name}.jsonl").read_text("utf-8").splitlines()


def steps_of(program, name):
    script = json.loads((PROGRAMS[program] / f"{name}.script.json").read_text("utf-8"))
    return script["turns"][0]["steps"]


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def read(program, name, **more):
    return normalized(records_of(program, lines_of(program, name), **more))


@pytest.mark.parametrize(("program", "name"), WHOLE)
def test_a_recording_is_understood_to_its_end(program, name):
    events = read(program, name)

    (ended,) = of(events, SessionEnded)
    assert (ended.ending, ended.cause, ended.owner) == (Ending.COMPLETED, None, None)
    assert of(events, Unrecognized) == []
    assert len(of(events, SessionStarted)) == 1
    (turn,) = of(events, TurnEnded)
    assert turn.answer == steps_of(program, name)[-1]["text"]


@pytest.mark.parametrize(("program", "name"), WHOLE)
def test_every_call_of_the_script_is_seen_once_with_what_became_of_it(program, name):
    events = read(program, name)
    asked = [call for step in steps_of(program, name) for call in step.get("calls", ())]

    calls = of(events, ToolRequested)
    assert len(calls) == len(asked)
    assert len({call.call for call in calls}) == len(calls)
    results = {event.call for event in (*of(events, ToolResult), *of(events, ToolRejected))}
    assert results == {call.call for call in calls}
    for call, wanted in zip(calls, asked, strict=True):
        if wanted.get("do") == "mcp":
            assert (call.server, call.tool, call.input) == (wanted["server"], wanted["tool"], wanted["args"])
        elif "name" in wanted and not wanted["name"].startswith(("mcp__", "orders_")):
            assert (call.server, call.tool) == (None, wanted["name"])


@pytest.mark.parametrize("program", PROGRAMS)
def test_tokens_and_cost_of_a_turn_are_added_up(program):
    (used,) = of(read(program, "matrix"), Usage)

    # Seven requests: 200 tokens that were new, 800 from the cache, 50 out of which 5 are reasoning.
    assert (used.input, used.cached, used.output, used.reasoning) == (7000, 5600, 350, 35)
    assert abs(used.cost - Decimal("0.00266")) < Decimal("1e-9")


@pytest.mark.parametrize("name", ["matrix", "skill_agents"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_skill_that_was_loaded_is_seen_by_where_it_lies(program, name):
    steps = [(event.skill, event.step) for event in of(read(program, name), SkillStep)]

    assert steps == [(SKILL, Step.REQUESTED), (SKILL, Step.READ)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_where_no_skill_was_loaded_none_is_seen(program):
    assert of(read(program, "edit"), SkillStep) == []


def test_calls_that_were_not_carried_out_are_rejections():
    rejected = [(event.reason) for event in of(read("opencode", "badcalls"), ToolRejected)]
    failed = [event for event in of(read("opencode", "badcalls"), ToolResult) if event.is_error]

    assert rejected == ["unknown_tool", "schema", "unknown_tool"]
    assert len(failed) == 1


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_refused_key_is_no_behaviour_whatever_the_exit_code(program, code):
    (ended,) = of(read(program, "err401", code=code), SessionEnded)

    assert (ended.ending, ended.cause, ended.owner) == (Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR)


@pytest.mark.parametrize(
    ("program", "code", "cause", "owner"),
    [("opencode", 1, Cause.RATE_LIMIT, Owner.MODEL), ("pi", 0, Cause.UNCLASSIFIED, Owner.HOST)],
)
def test_a_stream_that_the_provider_broke_off_is_a_failure_of_known_cause_where_the_program_tells_it(
    program, code, cause, owner
):
    events = read(program, "breaks", code=code)

    (ended,) = of(events, SessionEnded)
    assert (ended.ending, ended.cause, ended.owner) == (Ending.HOST_FAILED, cause, owner)
    assert not of(events, TurnEnded)
    assert not of(events, Unrecognized)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_recording_that_is_cut_anywhere_is_never_complete(program):
    lines = lines_of(program, "matrix")
    last = next(n for n in reversed(range(len(lines))) if '"stop"' in lines[n])

    for kept in range(last):
        (ended,) = of(normalized(records_of(program, lines[:kept])), SessionEnded)
        assert ended.ending is Ending.INVALID_EVENTS, kept
    for kept in range(last + 1):
        cut = [*lines[:kept], lines[kept][: len(lines[kept]) // 2]]
        (ended,) = of(normalized(records_of(program, cut)), SessionEnded)
        assert ended.ending is Ending.INVALID_EVENTS, kept


@pytest.mark.parametrize("code", [None, 1, -9])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_process_that_did_not_end_well_is_never_complete(program, code):
    (ended,) = of(read(program, "matrix", code=code), SessionEnded)

    assert ended.ending is not Ending.COMPLETED


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_the_profile_on_record_nothing_is_believed(program):
    records = [record for record in records_of(program, lines_of(program, "matrix")) if '"declared"' not in record.raw]

    events = normalized(records)

    assert of(events, SessionEnded)[0].ending is Ending.INVALID_EVENTS
    assert of(events, ToolRequested) == []


def test_the_profile_of_a_record_that_is_none_is_not_believed_and_nothing_breaks():
    value: Any
    for value in (None, 1, [], {}, {"profile": {"name": "x"}}, {"profile": None, "servers": 3}):
        raw = as_raw(Declared(name="profile", value=value))
        records = records_of("pi", lines_of("pi", "plain"))
        records[1] = Record(2, 0.0, Source.RUNNER, 1, raw)

        assert of(normalized(records), SessionEnded)[0].ending is Ending.INVALID_EVENTS


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(PROGRAMS)), st.randoms(use_true_random=False))
def test_lines_that_were_tampered_with_break_nothing(program, chance: random.Random):
    lines = lines_of(program, "matrix")
    for _ in range(chance.randint(1, 4)):
        number = chance.randrange(len(lines))
        line = list(lines[number])
        for _ in range(chance.randint(1, 6)):
            line[chance.randrange(len(line))] = chance.choice('{}[]",:0a\\\u0000é')
        lines[number] = "".join(line)

    events = normalized(records_of(program, lines))

    assert len(of(events, SessionEnded)) == 1
    assert events[-1] is of(events, SessionEnded)[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_skill_of_another_place_is_not_the_placed_one(program):
    """What is known by its path was simply not read; what has only the name in common leaves the trial open."""
    told = [line.replace("/proj/.agents/skills/", "/proj/.other/skills/") for line in lines_of(program, "skill_agents")]

    events = normalized(records_of(program, [line.replace('".agents/skills/', '".other/skills/') for line in told]))

    assert Step.READ not in [event.step for event in of(events, SkillStep)]
    doubts = [event.why for event in of(events, Unrecognized)]
    assert doubts == (["skill_of_another_place"] if program == "opencode" else [])
    assert (of(events, SessionEnded)[0].ending is Ending.INVALID_EVENTS) == bool(doubts)


def test_a_skill_in_a_users_message_is_known_by_where_it_lies():
    def steps(folder):
        text = f'<skill name="{SKILL}" location="{folder}/SKILL.md">\nBody.\n</skill>'
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        line = json.dumps({"type": "message_end", "message": message})
        return [event.step for event in of(normalized(records_of("pi", [line])), SkillStep)]

    assert steps(f"/run/proj/.agents/skills/{SKILL}") == [Step.READ]
    assert steps(f"/home/someone/.agents/skills/{SKILL}") == []


def test_a_shell_that_shows_the_skill_is_seen_and_one_that_names_it_is_not():
    def call(command, output="---\nname: x\n---\nBody.\n"):
        state = {"status": "completed", "input": {"command": command}, "output": output}
        tool = {"type": "tool_use", "part": {"tool": "bash", "callID": "c", "state": state}}
        records = records_of("opencode", [json.dumps(tool)])
        return [event.step for event in of(normalized(records), SkillStep)]

    file = f".agents/skills/{SKILL}/SKILL.md"
    assert call(f"cat {file}") == [Step.REQUESTED, Step.READ]
    assert call(f"cd .agents && sed -n 1,200p skills/{SKILL}/SKILL.md | head -100") == [Step.REQUESTED, Step.READ]
    assert call(f"cat '/run/proj/{file}'") == [Step.REQUESTED, Step.READ]
    assert call(f"head -3 {file}", "---\nname: x\n---\n") == [Step.REQUESTED]
    assert call(f"ls -l {file}") == []
    assert call(f"cat /elsewhere/{file}") == []
    assert call(f"cat > {file} <<E\nE") == []
    assert call("cat 'unclosed") == []
