"""What users of similar tools have suffered, shown not to happen here (`test_rNN`: rows of our list of reports)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
EVENTS = ("--host", "portable", "--records", "events", "--retries", "0", "--", "./agent.sh")
BARE = "arms: [{id: bare}]\ngate: {arm: bare}\n"
DONE = '{"type": "TurnEnded", "answer": "Done."}\n{"type": "SessionEnded", "ending": "completed"}'
"""What a program that prints events says when it has answered."""


def telling(*lines: str, work: str = "echo hello > greeting.txt") -> str:
    """An agent that does some work and prints events."""
    return f"#!/bin/sh\ncat > /dev/null\n{work}\ncat <<EOF\n" + "\n".join(lines) + "\nEOF\n"


def step(name: str) -> str:
    """The event of a skill's step, for a shell to fill in; nothing where the skill is not there."""
    return (
        "$([ -f .agents/skills/greeter/SKILL.md ] && printf "
        f'\'{{"type": "SkillStep", "skill": "greeter", "step": "{name}", "path": "%s", "sha256": "%s"}}\' '
        ".agents/skills/greeter/SKILL.md $(sha256sum .agents/skills/greeter/SKILL.md | cut -c1-64))"
    )


# --- R2: the skill under test keeps its name ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [((), ".agents/skills"), (("--skill-dir", "know-how"), "know-how"), (("--skill-dir", "a/b/c"), "a/b/c")],
)
def test_r02_a_skill_is_installed_under_its_own_name_and_known_by_its_content(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, arguments: tuple[str, ...], folder: str
) -> None:
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\nls -A {folder} > greeting.txt 2>&1\necho hello >> greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", "--arm", "with_skill", "--format", "json", *arguments, *AGENT)

    assert ran.code == 0, ran.err
    (kept,) = (tmp_path / "run" / "trials" / "greet" / "with_skill" / "1" / "changed").iterdir()
    assert kept.read_text() == "greeter\nhello\n"
    (skill,) = ran.report["digests"]["skills"]
    assert skill["id"] == "greeter"
    assert skill["sha256"] in (tmp_path / "run" / "trials/greet/with_skill/1/host.jsonl").read_text()


def test_r02_a_step_of_a_skill_with_the_same_name_and_other_content_is_not_one_of_ours(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    foreign = step("read").replace("$(sha256sum .agents/skills/greeter/SKILL.md | cut -c1-64)", "0" * 64)
    elsewhere = step("read").replace('"%s", "sha', '"home/%s", "sha')
    suite = greeter(telling(foreign, elsewhere, DONE))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    assert ran.code == 0, ran.err + ran.out
    assert {row["evidence"] for trial in ran.trials.values() for row in trial["trigger"]} == {"unverified"}


# --- R5: a missing attempt keeps an empty cell --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "arguments"),
    [
        ("echo hello > greeting.txt", ("--max-sessions", "2")),
        ("exit 5", ("--retries", "0")),
        ("echo hello > greeting.txt; sleep 0.6", ("--max-time", "0.5")),
    ],
    ids=["sessions used up", "host broken", "time used up"],
)
def test_r05_an_attempt_that_was_not_made_is_in_the_table_and_no_gate_passes(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, arguments: tuple[str, ...]
) -> None:
    suite = greeter(f"#!/bin/sh\n{agent}\n")

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "3", "--jobs", "1", "--format", "json", *arguments, *AGENT
    )

    assert ran.code == 3
    assert len(ran.trials) == 6
    missing = [one for one in ran.trials.values() if one["verdict"]["reason"] == "not_run"]
    assert missing
    assert {(one["verdict"]["kind"], one["ending"]) for one in missing} == {("incomplete", None)}
    (whole,) = [one for one in ran.report["counts"] if one["arm"] == "with_skill" and one["case"] == "greet"]
    assert whole["n"] == whole["planned"] == 3
    assert whole["sealed"] + sum(one["key"]["arm"] == "with_skill" for one in missing) == 3
    assert any(f"{len(missing)} of 6 planned trials left no seal" in one for one in ran.report["limitations"])


# --- R7, R12: how a skill was reached, and what came of it ---------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "evidence", "reached"),
    [
        (("mentioned",), "unverified", "mentioned"),
        (("offered", "requested"), "unverified", "requested"),
        (("offered", "errored"), "unverified", "errored"),
        (("offered", "read"), "read-observed", "read"),
        (("read", "script_run"), "read-observed", "script_run"),
    ],
)
def test_r07_the_report_tells_how_far_a_skill_came_and_by_which_way(
    skilltrial: Command, greeter: Callable[..., Path], steps: tuple[str, ...], evidence: str, reached: str
) -> None:
    suite = greeter(telling(*map(step, steps), DONE))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    (row,) = ran.trials["greet/with_skill/1"]["trigger"]
    assert (row["evidence"], row["reached"], set(row["steps"])) == (evidence, reached, set(steps))
    (bare,) = ran.trials["greet/without_skill/1"]["trigger"]
    assert (bare["present"], bare["steps"]) == (False, [])


@pytest.mark.parametrize(
    ("steps", "work", "verdict", "evidence"),
    [
        ((), "echo hello > greeting.txt", "passed", "unverified"),
        (("read",), "true", "failed", "read-observed"),
        (("read",), "echo hello > greeting.txt", "passed", "read-observed"),
        ((), "true", "failed", "unverified"),
    ],
    ids=["well without it", "badly with it", "well with it", "badly without it"],
)
def test_r12_whether_a_skill_was_read_and_what_the_agent_did_are_two_answers(
    skilltrial: Command, greeter: Callable[..., Path], steps: tuple[str, ...], work: str, verdict: str, evidence: str
) -> None:
    suite = greeter(telling(*map(step, steps), DONE, work=work))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["trigger"][0]["evidence"]) == (verdict, evidence)


# --- R11: what can't be seen is not available, never 0 --------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"), [("tool_calls", None), ("usage", None), ("models", []), ("model_retries", None)]
)
def test_r11_what_a_host_does_not_show_is_absent_from_the_report(
    skilltrial: Command, greeter: Callable[..., Path], field: str, value: object
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--format", "json", *AGENT)

    for trial in ran.trials.values():
        assert trial[field] == value, trial[field]
        assert {(row["evidence"], row["reason"]) for row in trial["trigger"]} == {("unverified", "host_does_not_show")}
    assert "Of this host only exit codes and files were observed." in ran.report["limitations"]


def test_r11_a_check_on_what_the_host_does_not_show_is_unverified_and_not_green(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter(
        text="cases:\n  greet:\n    prompt: Greet.\n    workspace: start\n"
        "    expect:\n      - {id: says, grader: answers, contains: Done}\n"
        "      - {id: says_not, grader: answers, lacks: Done}\n"
    )

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 3
    assert set(ran.outcomes("greet/with_skill/1").values()) == {"unverified"}


# --- R35: an agent that does nothing passes no case -----------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [
        "{files: notes.txt, exists: true}",
        "{files: notes.txt, contains: here}",
        "{files: notes.txt, unchanged: true}",
        "{files: other.txt, exists: false}",
        "{files: {nothing_changed: true}}",
    ],
)
def test_r35_a_case_that_an_agent_passes_by_doing_nothing_is_named_as_faulty(
    skilltrial: Command, lay: Lay, check: str
) -> None:
    lay(
        {
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: {{notes.txt: here}}\n"
            f"    expect: [{check}]\n    rehearsals: [{{id: honest, expect: passed, script: [{{say: Fine.}}]}}]\n"
        }
    )

    rehearsed = skilltrial(
        "rehearse", "s.trial.yaml", "--out", "run", "--format", "json", "--host", "portable", "--", "skilltrial-agent"
    )

    assert rehearsed.code == 1, rehearsed.err
    (fault,) = rehearsed.report["rehearsal"]["faults"]
    assert (fault["case"], fault["fault"]) == ("c", "cannot_fail")
    assert "null" in fault["agents"]


# --- R39: effects count, not intentions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "agent",
    [
        "echo 'I have written hello to greeting.txt.'",
        "echo hello > /dev/null; echo hello > ../home/greeting.txt",
        "mkdir -p out; echo hello > out/greeting.txt",
        "echo 'echo hello > greeting.txt' > do-it.sh",
        "touch greeting.txt",
    ],
    ids=["claims", "beside the project", "wrong path", "a plan", "an empty file"],
)
def test_r39_what_an_agent_meant_to_do_is_not_what_it_did(
    skilltrial: Command, greeter: Callable[..., Path], agent: str
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\n{agent}\n"), "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 1
    assert set(ran.verdicts.values()) == {"failed"}


# --- R46: zero executed cases are never green -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suite", "arguments"),
    [
        ("cases:\n  greet:\n    turns: [Hello., And again.]\n    workspace: start\n{expect}", ()),
        ("cases:\n  greet:\n    prompt: Hello.\n    needs: [mcp_http]\n    workspace: start\n{expect}", ()),
        ("cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n{expect}", ("--arm", "without_skill")),
        ("cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n{expect}", ("--max-time", "0.000001")),
    ],
    ids=["skipped for its turns", "skipped for its needs", "the gate's arm left out", "no time"],
)
def test_r46_a_run_in_which_the_gates_arm_did_not_take_part_is_not_green(
    skilltrial: Command, greeter: Callable[..., Path], suite: str, arguments: tuple[str, ...]
) -> None:
    path = greeter(
        "#!/bin/sh\necho hello > greeting.txt\n",
        text=suite.format(expect="    expect: [{files: greeting.txt, contains: hello}]\n"),
    )

    ran = skilltrial("run", path, "--out", "run", "--format", "json", *arguments, *AGENT)

    assert ran.code == 3, ran.err
    assert ran.report["gate"]["decision"] == "incomplete"
    assert ran.report["gate"]["reasons"]


def test_r46_a_skipped_case_of_two_keeps_the_gate_from_passing_and_says_why(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    path = greeter(
        text="cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n"
        "    expect: [{files: greeting.txt, contains: hello}]\n"
        "  talk:\n    turns: [Hello., More.]\n    workspace: start\n    expect: [{files: a, exists: true}]\n"
    )

    ran = skilltrial("run", path, "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 3
    assert ran.verdicts["greet/with_skill/1"] == "passed"
    assert ran.trials["talk/with_skill/1"]["verdict"] == {
        "kind": "skipped", "reason": "needs_multi_turn", "owner": "operator", "check": None,
    }  # fmt: skip


# --- R48: every failure has a reason and an owner, every try is kept -------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "kind", "owner"),
    [
        ("true", "failed", "agent"),
        ("exit 4", "incomplete", "host"),
        ("sleep 9", "incomplete", "agent"),
        ("yes", "incomplete", "agent"),
        ("kill -SEGV $$", "incomplete", "host"),
    ],
    ids=["did nothing", "exit 4", "hangs", "floods", "crashes"],
)
def test_r48_whatever_goes_wrong_has_a_reason_an_owner_and_its_records(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, kind: str, owner: str
) -> None:
    suite = greeter(f"#!/bin/sh\necho begun\n{agent}\n")
    suite.write_text("limits: {seconds: 1, stdout: 200000}\n" + suite.read_text())

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", "--retries", "0", *AGENT)

    for key, trial in ran.trials.items():
        assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == (kind, owner)
        assert trial["verdict"]["reason"]
        assert '"begun"' in (tmp_path / "run" / "trials" / key / "host.jsonl").read_text()
    text = skilltrial("grade", "run").out
    assert text.count(f"owner {owner}") == len(ran.trials)


# --- R52: one way to every number -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "outcome"),
    [
        ("[ -d .agents ] && echo hello > greeting.txt; exit 0", "improved"),
        ("[ -d .agents ] || echo hello > greeting.txt", "regressed"),
        ("echo hello > greeting.txt", "tied_pass"),
        ("true", "tied_fail"),
        ("[ -d .agents ] || exit 1; echo hello > greeting.txt", "unavailable"),
    ],
)
def test_r52_the_summary_says_what_the_cells_say(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, outcome: str
) -> None:
    suite = greeter(f"#!/bin/sh\n{agent}\n")

    ran = skilltrial("run", suite, "--out", "run", "--attempts", "2", "--format", "json", "--retries", "0", *AGENT)

    (summary,) = ran.report["pair_summary"]
    assert (summary["n"], summary[outcome]) == (2, 2)
    for one in ran.report["counts"]:
        trials = [
            trial
            for trial in ran.trials.values()
            if trial["key"]["arm"] == one["arm"]
            and one["case"] in (None, trial["key"]["case"])
            and one["polarity"] in (None, trial["polarity"])
        ]
        assert one["n"] == len(trials)
        for kind in ("passed", "failed", "unverified", "incomplete", "skipped"):
            assert one[kind] == sum(trial["verdict"]["kind"] == kind for trial in trials)
    table = skilltrial("grade", "run").out
    assert f"2 {outcome.replace('_', '-')}" in table


# --- R54: a baseline is the default ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "outcome", "code"),
    [
        ("echo hello > greeting.txt", "tied-pass", 0),
        ("[ -d .agents ] && echo hello > greeting.txt; exit 0", "improved", 0),
        ("[ -d .agents ] || echo hello > greeting.txt", "regressed", 1),
    ],
    ids=["useless", "decisive", "harmful"],
)
def test_r54_a_suite_that_says_nothing_of_arms_is_run_without_the_skill_too(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, outcome: str, code: int
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\n{agent}\n"), "--out", "run", "--format", "json", *AGENT)

    assert ran.code == code
    assert {trial["key"]["arm"] for trial in ran.trials.values()} == {"with_skill", "without_skill"}
    assert [(pair["reference"], pair["outcome"]) for pair in ran.report["pairs"]] == [("without_skill", outcome)]


# --- R61: separate clocks; a limit names its setting ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "agent", "after", "slow"),
    [
        ("sleep 0.5", "true", "true", "setup_seconds"),
        ("true", "sleep 0.5", "true", "agent_seconds"),
        ("true", "true", "sleep 0.5", None),
    ],
)
def test_r61_the_time_of_the_agent_is_its_own(
    skilltrial: Command, lay: Lay, setup: str, agent: str, after: str, slow: str | None
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\ncat > /dev/null\n{agent}\necho yes > answer.txt\n",
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n    setup: ['{setup}']\n"
            f"    after: ['{after}']\n    expect: [{{files: answer.txt, exists: true}}]\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", "--allow-commands", *AGENT)

    assert ran.code == 0, ran.err
    trial = ran.trials["c/bare/1"]
    for clock in ("setup_seconds", "agent_seconds"):
        assert (trial[clock] >= 0.5) is (clock == slow), trial


@pytest.mark.parametrize(
    ("limits", "agent", "ending", "setting"),
    [
        ("seconds: 1", "sleep 9", "time_limit", "limits.seconds"),
        ("stdout: 100000", "yes", "output_limit", "limits.stdout"),
        ("stderr: 100000", "yes >&2", "output_limit", "limits.stderr"),
    ],
)
def test_r61_a_limit_that_ended_a_trial_is_named_with_its_value(
    skilltrial: Command, lay: Lay, limits: str, agent: str, ending: str, setting: str
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\n{agent}\n",
            "s.trial.yaml": f"limits: {{{limits}}}\n{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n"
            "    expect: [{files: answer.txt, exists: true}]\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", *AGENT)

    assert ran.code == 3
    assert ending.replace("_", " ") in ran.out
    value = limits.partition(": ")[2]
    assert f"The setting {setting} ({value} " in " ".join(ran.out.split())


# --- R64: runs are kept and judged again without a model ------------------------------------------------------------


@pytest.mark.parametrize("gone", ["suite", "workspace and skill", "the folder moved"])
def test_r64_an_archive_is_judged_again_without_anything_it_was_made_of(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, gone: str
) -> None:
    suite = greeter()
    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT)
    archive = tmp_path / "run"
    if gone == "suite":
        suite.unlink()
    elif gone == "workspace and skill":
        for path in (tmp_path / "start" / "agent.sh", tmp_path / "greeter" / "SKILL.md"):
            path.unlink()
    else:
        archive = archive.rename(tmp_path / "kept for years")

    again = skilltrial("grade", archive, "--format", "json", env={"PATH": "/nowhere"})

    assert (again.code, again.out) == (0, ran.out)


@pytest.mark.parametrize("version", [2, 0, "1", True, None])
def test_r64_an_archive_of_another_version_is_refused_by_name(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, version: object
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema_version": version}))

    for command in ("grade", "verify"):
        refused = skilltrial(command, "run")
        assert refused.code == 4
        assert f"version {version!r}" in refused.err
        assert not refused.out
