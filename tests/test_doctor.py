"""The doctor: what is installed, and whether a program still does what its adapter relies on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.doctor.canaries import (
    CANARY,
    CANARY_TEXT,
    MEMORY_FOLDER,
    MEMORY_TEXT,
    PLUGIN,
    PLUGIN_TEXT,
    PROJECT_TEXT,
)
from skilltrial.doctor.deep import staged
from skilltrial.doctor.drift import CALLED, Probes, State, watch
from skilltrial.doctor.examining import probes as play
from skilltrial.doctor.seen import Seen
from skilltrial.model.capabilities import Can
from skilltrial.model.endings import Ended
from skilltrial.model.events import (
    Event,
    Offered,
    SkillStep,
    Step,
    ToolRequested,
    ToolResult,
    TurnEnded,
    Unrecognized,
    Usage,
)
from skilltrial.model.words import Cause, Ending, Owner
from skilltrial.plugins.discovery import Discovery

AGENT = (
    *("--host-option", 'command=["skilltrial-agent"]', "--host-option", "records=events"),
    *("--host-option", "mcp_env=MCP_SERVERS"),
)
Command = Callable[..., Any]


@pytest.fixture(scope="module")
def probes() -> Iterator[Probes]:
    """The probes of the reference agent, played once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        with staged("portable", AGENT) as stage:
            yield play(Discovery(), stage)


def changed(probes: Probes, change: Callable[[Event], Event | None], *more: Event) -> dict[str, str]:
    """What drifted once every event was changed, or taken out where the change is None."""

    def anew(seen: Seen) -> Seen:
        events = tuple(new for event in seen.events if (new := change(event)) is not None)
        return replace(seen, events=(*events, *more))

    rows = watch(replace(probes, trials={key: anew(seen) for key, seen in probes.trials.items()}))
    return {row.thing: row.why for row in rows if row.state is State.DRIFTED}


def test_everything_that_the_reference_agent_promises_holds(probes: Probes) -> None:
    rows = watch(probes)

    assert {row.thing: row.why for row in rows if row.state is not State.HOLDS} == {}
    assert len(rows) >= 14


DRIFTS: dict[str, tuple[Callable[[Event], Event | None], set[str]]] = {
    "calls are no longer told": (
        lambda event: None if isinstance(event, ToolRequested) else event,
        {"every call of its model is seen", "a command's output is seen", CALLED},
    ),
    "results are no longer told": (
        lambda event: None if isinstance(event, ToolResult) else event,
        {"every call is seen to end", "a command's output is seen", CALLED},
    ),
    "servers are called by another name": (
        lambda event: replace(event, server="other") if isinstance(event, ToolRequested) and event.server else event,
        {CALLED},
    ),
    "the answer is another": (
        lambda event: replace(event, answer="Sure!") if isinstance(event, TurnEnded) else event,
        {"its last words are the model's"},
    ),
    "reads of skills are no longer told": (
        lambda event: None if isinstance(event, SkillStep) and event.step is Step.READ else event,
        {"the reading of a skill is seen"},
    ),
    "offers of skills are no longer told": (
        lambda event: None if isinstance(event, SkillStep) and event.step is Step.OFFERED else event,
        {"the offer of a skill is seen"},
    ),
    "tokens are counted twice": (
        lambda event: replace(event, output=(event.output or 0) * 2) if isinstance(event, Usage) else event,
        {"tokens are counted by turn"},
    ),
    "tokens are no longer counted": (
        lambda event: None if isinstance(event, Usage) else event,
        {"tokens are counted by turn"},
    ),
}


@pytest.mark.parametrize("name", list(DRIFTS))
def test_what_a_program_no_longer_shows_has_drifted_and_nothing_else(probes: Probes, name: str) -> None:
    change, expected = DRIFTS[name]

    assert set(changed(probes, change)) == expected


def test_an_unknown_line_has_drifted(probes: Probes) -> None:
    assert set(changed(probes, lambda event: event, Unrecognized(seq=1, turn=1))) == {"every line it writes is known"}


OWN = "skills and instructions in the user's home are not offered"
INSTALLED = "plugins that the user installed are not offered"
REMEMBERED = "what was remembered of the user is not offered"
OF_THE_PROJECT = "what was remembered of the project is not offered"


@pytest.mark.parametrize(
    ("offered", "thing"),
    [
        (Offered(seq=1, turn=1, skills=(CANARY,)), OWN),
        (Offered(seq=1, turn=1, skills=(f"{PLUGIN}:notes",)), INSTALLED),
        (Offered(seq=1, turn=1, tools=(f"mcp__plugin_{PLUGIN}_notes__keep",)), INSTALLED),
        (Offered(seq=1, turn=1, servers=(f"plugin:{PLUGIN}:notes",)), INSTALLED),
        (Offered(seq=1, turn=1, plugins=(PLUGIN,)), INSTALLED),
        (Offered(seq=1, turn=1, instructions=(f"/home/me/.claude/{MEMORY_FOLDER}/MEMORY.md",)), REMEMBERED),
        (Offered(seq=1, turn=1, instructions=("/home/me/.claude/projects/-w/memory/MEMORY.md",)), OF_THE_PROJECT),
    ],
)
def test_a_canary_among_the_offers_has_drifted(probes: Probes, offered: Offered, thing: str) -> None:
    drifted = changed(probes, lambda event: event, offered)

    assert set(drifted) == {thing}
    assert drifted[thing].startswith("the canary was offered in ")


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        (CANARY_TEXT, OWN),
        (PLUGIN_TEXT, INSTALLED),
        (MEMORY_TEXT, REMEMBERED),
        (PROJECT_TEXT, OF_THE_PROJECT),
    ],
)
def test_a_canary_that_reached_the_model_has_drifted(probes: Probes, text: str, thing: str) -> None:
    found = drifted_where(probes, "model_records", lambda raw: raw.replace("PROBE-PROMPT-1", f"PROBE-PROMPT-1 {text}"))

    assert set(found) == {thing}


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ("PROBE-ARGUMENT", "another", "the call did not reach the server as it was made"),
        ('"called"', '"heard"', "the call reached no server"),
    ],
)
def test_a_call_that_reaches_its_server_otherwise_has_drifted(probes: Probes, was: str, now: str, why: str) -> None:
    assert drifted_where(probes, "fixture_records", lambda raw: raw.replace(was, now)) == {CALLED: why}


def test_an_answer_that_never_reaches_the_model_has_drifted(probes: Probes) -> None:
    found = drifted_where(probes, "model_records", lambda raw: raw.replace("PROBE-REPLY-6c2f", "nothing"))

    assert found == {CALLED: "the answer never reached the model"}


def test_where_nobody_plays_a_server_nothing_is_asked_of_it(probes: Probes) -> None:
    assert CALLED in {row.thing for row in watch(probes)}
    assert CALLED not in {row.thing for row in watch(replace(probes, serves=False))}


def test_a_hook_of_the_users_own_that_was_started_has_drifted(probes: Probes) -> None:
    rows = watch(replace(probes, started=("a hook of Claude Code",)))

    assert {row.thing: row.why for row in rows if row.state is not State.HOLDS} == {
        "servers and hooks of the user's own are not started": "started: a hook of Claude Code"
    }


def test_another_model_than_was_asked_for_has_drifted(probes: Probes) -> None:
    can = probes.identity.model_copy(update={"can": probes.identity.can | {Can.MODEL}})
    thing = "its model is the one that was asked for"

    holds = watch(replace(probes, identity=can))

    assert [row.state for row in holds if row.thing == thing] == [State.HOLDS]
    found = drifted_where(
        replace(probes, identity=can), "model_records", lambda raw: raw.replace('"scripted-1"', '"own-model"')
    )
    assert found == {thing: "it asked own-model"}


def drifted_where(probes: Probes, which: str, change: Callable[[str], str]) -> dict[str, str]:
    """What drifted once these records of every trial were changed."""

    class Changed:
        """A trial with other records."""

        def __init__(self, trial: Any) -> None:
            self._trial = trial

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._trial, name)
            return (lambda: anew(found())) if name == which else found

    def anew(records: Any) -> Any:
        if isinstance(records, dict):
            return {name: anew(one) for name, one in records.items()}
        return [replace(record, raw=change(record.raw)) for record in records]

    changed_: Any = Changed
    trials = {key: replace(seen, trial=changed_(seen.trial)) for key, seen in probes.trials.items()}
    return {row.thing: row.why for row in watch(replace(probes, trials=trials)) if row.state is State.DRIFTED}


@pytest.mark.parametrize(
    ("ending", "cause"), [(Ending.HOST_FAILED, Cause.SERVER), (Ending.HOST_FAILED, None), (Ending.COMPLETED, None)]
)
def test_a_failure_of_another_cause_has_drifted(probes: Probes, ending: Ending, cause: Cause | None) -> None:
    end = Ended(ending, cause, None, Owner.HOST)
    trials = {
        key: replace(seen, end=end) if key.case == "failure" and key.label == "unauthorized" else seen
        for key, seen in probes.trials.items()
    }

    rows = watch(replace(probes, trials=trials))

    assert [row.thing for row in rows if row.state is State.DRIFTED] == [
        "a refused key ends the session with the cause auth"
    ]


def test_without_its_trials_nothing_is_decided_and_nothing_holds(probes: Probes) -> None:
    rows = watch(replace(probes, trials={}))

    assert {row.state for row in rows} == {State.UNDECIDED}


def test_a_session_that_broke_decides_only_that(probes: Probes) -> None:
    end = Ended(Ending.HOST_FAILED, Cause.SERVER, "server", Owner.HOST)
    rows = watch(replace(probes, trials={key: replace(seen, end=end) for key, seen in probes.trials.items()}))

    states = {row.thing: row.state for row in rows}
    assert states["it starts, asks its model and ends"] is State.DRIFTED
    assert states["every call of its model is seen"] is State.UNDECIDED


TALKS = """\
#!/bin/sh
"exec" "{python}" "$0" "$@"
import subprocess, sys
done = subprocess.run(["skilltrial-agent", *sys.argv[1:]], stdin=sys.stdin, stdout=subprocess.PIPE, text=True)
for line in done.stdout.splitlines():
    print(line)
    print('{{"type": "brand_new_line"}}')
sys.exit(done.returncode)
"""


def test_a_program_that_writes_new_lines_ends_with_1(
    skilltrial: Command, lay: Callable[..., None], tmp_path: Path
) -> None:
    lay({"talks": TALKS.format(python=sys.executable)})
    command = f'command=["{tmp_path / "talks"}"]'

    ran = skilltrial(
        *("doctor", "portable", "--deep", "--host-option", command, "--host-option", "records=events"),
        *("--host-option", "dialect=skilltrial-agent", "--format", "json"),
    )

    (found,) = json.loads(ran.out)
    drifted = {row["thing"] for row in found["probes"] if row["state"] == "drifted"}
    assert ran.code == 1, ran.out + ran.err
    assert drifted == {"every line it writes is known"}


def test_probes_that_cannot_be_played_are_undecided(skilltrial: Command) -> None:
    ran = skilltrial("doctor", "portable", "--deep", "--host-option", 'command=["/bin/cat"]')

    assert ran.code == 3
    assert "undecided: the probes of 'portable' can't be played: no dialect called 'cat'" in " ".join(ran.out.split())


def test_without_a_name_every_host_is_told_of_and_one_that_needs_options_is_passed_over(skilltrial: Command) -> None:
    ran = skilltrial("doctor", env={"PATH": "/usr/bin:/bin"})

    assert ran.code == 0, ran.err
    assert "passed over: needs options of yours (the option `command`" in " ".join(ran.out.split())
    found = {one["host"]: one for one in json.loads(skilltrial("doctor", "--format", "json").out)}
    assert found["portable"]["passed_over"]
    assert "claude-code" in found["claude"]["also"], "a host is told of once, whatever its names"


def test_what_is_found_and_what_to_do_fits_80_columns(skilltrial: Command) -> None:
    ran = skilltrial("doctor", env={"PATH": "/usr/bin:/bin", "COLUMNS": "80"})

    assert "to do: no program 'codex'" in ran.out
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []


def test_a_host_that_is_named_without_the_options_it_needs_is_passed_over_too(skilltrial: Command) -> None:
    ran, deep = skilltrial("doctor", "portable"), skilltrial("doctor", "portable", "--deep")

    assert (ran.code, deep.code) == (0, 3)
    assert "passed over: needs options of yours (the option `command`" in " ".join(ran.out.split())


def test_an_unknown_host_is_no_valid_request(skilltrial: Command) -> None:
    ran = skilltrial("doctor", "codx")

    assert ran.code == 2
    assert "no host called 'codx'; did you mean 'codex'?" in ran.err


def test_options_without_a_host_are_refused(skilltrial: Command) -> None:
    assert skilltrial("doctor", "--host-binary", "x").code == 2
