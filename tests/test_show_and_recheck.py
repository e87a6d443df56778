"""The morning after: a trial turn by turn, remarks outside the seal, edited checks on sealed evidence, commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.cli.commands import COMMANDS as COMMANDS_OF_OURS

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")


# --- show -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_trial_is_shown_with_its_prompt_program_checks_files_and_how_to_repeat_it(
    skilltrial: Command, greeter: Callable[..., Path], columns: str
) -> None:
    skilltrial("run", greeter("#!/bin/sh\ncat > /dev/null\necho bye > greeting.txt\n"), "--out", "run", *AGENT)

    shown = skilltrial("show", "run/greet/with_skill/1", env={"COLUMNS": columns})

    assert shown.code == 0, shown.err
    text = " ".join(shown.out.split())
    assert "greet/with_skill/1: failed (text missing), check files-1" in text
    assert "turn 1 prompt: Greet the user." in text
    assert "[runner] skill greeter lies in .agents/skills/greeter host.jsonl:1" in text
    assert "greeting.txt contains hello (files-1) expected: contains hello seen: bye\\n because: text missing" in text
    assert "from: files.json: greeting.txt" in text
    assert "created: greeting.txt @@ -0,0 +1 @@ +bye" in text
    assert "skilltrial show run/greet/with_skill/1 --unpack DIR && sh DIR/repeat.sh" in shown.out
    wide = [line for line in shown.out.splitlines() if len(line) > int(columns) and "--unpack" not in line]
    assert wide == []
    assert "unknown whether opened" in text, "this host does not show whether a skill was read"


@pytest.mark.parametrize(
    "where", ["last/greet/with_skill/1", "{run}/greet/with_skill/1", "{run}/trials/greet/with_skill/1"]
)
def test_a_trial_may_be_named_in_every_way_in_which_its_run_may(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, where: str
) -> None:
    skilltrial("run", greeter(), *AGENT)
    (run,) = (tmp_path / ".skilltrial" / "runs").glob("greeter-*")

    shown = skilltrial("show", where.format(run=run))

    assert shown.code == 0, shown.err
    assert shown.out.startswith("● greet/with_skill/1: passed")


def test_a_run_is_shown_as_its_table_and_nothing_is_written(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    ran = skilltrial("run", greeter("#!/bin/sh\nexit 0\n"), "--out", "run", *AGENT)
    before = sorted(path.name for path in (tmp_path / "run").iterdir())

    shown = skilltrial("show", "run")

    assert (ran.code, shown.code) == (1, 0)
    assert shown.out == ran.out
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == before


@pytest.mark.parametrize(
    ("where", "code", "said"),
    [
        ("run/greet/with_skill/9", 2, "has no trial greet/with_skill/9; it has: greet/with_skill/1"),
        ("run/greet/with_skill/0", 4, "names no trial"),
        ("run/greet", 4, "is no archive"),
        ("nowhere/greet/with_skill/1", 4, "nowhere is no archive"),
        ("last", 4, "there is no last run"),
    ],
)
def test_what_is_not_there_is_named(
    skilltrial: Command, greeter: Callable[..., Path], where: str, code: int, said: str
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    shown = skilltrial("show", where)

    assert shown.code == code
    assert said in shown.err
    assert shown.out == ""


def test_a_trial_that_did_not_run_or_was_cut_short_is_shown_as_that(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter("#!/bin/sh\nsleep 30\n")
    suite.write_text("limits: {seconds: 1}\n" + suite.read_text())
    skilltrial("run", suite, "--out", "run", "--retries", "0", "--max-sessions", "1", "--jobs", "1", *AGENT)
    trials = {arm: skilltrial("show", f"run/greet/{arm}/1") for arm in ("with_skill", "without_skill")}

    assert {one.code for one in trials.values()} == {0}
    (cut,) = [one.out for one in trials.values() if "not run" not in one.out]
    assert "limits.seconds (1) ended the session" in cut
    assert "none was asked" in cut
    assert "skill greeter: not opened" not in "".join(one.out for one in trials.values())


def test_what_a_session_started_from_is_laid_out_and_its_command_repeats_it(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    laid = skilltrial("show", "run/greet/with_skill/1", "--unpack", "by hand")
    subprocess.run(["/bin/sh", "by hand/repeat.sh"], cwd=tmp_path, check=True)

    assert laid.code == 0, laid.err
    assert (tmp_path / "by hand" / "project" / "greeting.txt").read_text() == "hello\n"
    assert (tmp_path / "by hand" / "prompt-1.txt").read_text() == "Greet the user."
    again = skilltrial("show", "run/greet/with_skill/1", "--unpack", "by hand")
    assert (again.code, "name a new folder" in again.err) == (2, True)


def test_what_an_agent_wrote_steers_no_terminal(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    agent = "#!/bin/sh\ncat > /dev/null\nprintf '\\033[2Jhello\\342\\200\\256' > greeting.txt\n"
    skilltrial("run", greeter(agent), "--out", "run", *AGENT)

    shown = skilltrial("show", "run/greet/with_skill/1")

    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out
    assert "\\x1b[2Jhello" in shown.out


# --- note -----------------------------------------------------------------------------------------------------------


def test_a_remark_is_kept_outside_the_seal_and_shown(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    sealed = skilltrial("verify", "run").out

    noted = [
        skilltrial("note", "run/greet/with_skill/1", "Looks right.\x1b[2J"),
        skilltrial("note", "run", "A whole run."),
    ]

    assert [one.code for one in noted] == [0, 0]
    assert skilltrial("verify", "run").out == sealed
    assert skilltrial("grade", "run", "--format", "json").out == (tmp_path / "run" / "report.json").read_text()
    trial = skilltrial("show", "run/greet/with_skill/1").out
    assert "Looks right.\\x1b[2J" in trial
    assert "A whole run." not in trial
    run = skilltrial("show", "run").err
    assert "greet/with_skill/1: Looks right." in run
    assert "A whole run." in run


def test_a_remark_on_nothing_or_without_a_text_is_refused(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    assert skilltrial("note", "run", "  ").code == 2
    assert skilltrial("note", "run/greet/with_skill/7", "x").code == 2
    assert skilltrial("note", "nowhere", "x").code == 4


# --- grade --checks -------------------------------------------------------------------------------------------------


SUITE = """\
cases:
  greet:
    prompt: {prompt}
    workspace: start
    expect:
      - {{files: greeting.txt, contains: {wanted}}}
"""


@pytest.fixture
def edited(skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path) -> Callable[..., Any]:
    """Run the greeter with a check that no agent can meet, edit its suite, and judge by it."""
    suite = greeter(text=SUITE.format(prompt="Greet.", wanted="goodbye"))
    skilltrial("run", suite, "--out", "run", *AGENT)

    def judge(prompt: str = "Greet.", wanted: str = "hello", more: str = "", **files: str) -> Any:
        suite.write_text(more + SUITE.format(prompt=prompt, wanted=wanted))
        for name, text in files.items():
            (tmp_path / name.replace("__", "/").replace("_md", ".md")).write_text(text)
        return skilltrial("grade", "run", "--checks", suite, "--format", "json")

    return judge


def test_edited_checks_judge_sealed_evidence_beside_the_first_report_and_decide_no_gate(
    skilltrial: Command, edited: Callable[..., Any], tmp_path: Path
) -> None:
    first = (tmp_path / "run" / "report.json").read_bytes()

    judged = edited()

    assert judged.code == 3
    assert judged.verdicts == {"greet/with_skill/1": "passed", "greet/without_skill/1": "failed"}
    assert judged.report["gate"]["reasons"] == ["checks_changed"]
    assert judged.report["headline"]["says"] == "proves_nothing"
    assert judged.report["limitations"][0].startswith("Checks changed after the run")
    assert "changed by other checks: greet / with_skill / 1: failed (files-1, text missing) -> passed" in judged.err
    assert "starts" not in judged.err, "no session"
    assert (tmp_path / "run" / "report.json").read_bytes() == first
    (beside,) = (tmp_path / "run").glob("report-*.json")
    assert json.loads(beside.read_text()) == judged.report
    assert skilltrial("verify", "run").code == 0
    assert skilltrial("grade", "run", "--format", "json").out.encode() == first


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"prompt": "Greet loudly."}, "case 'greet': its `prompt` is another"),
        ({"start__agent_md": "new"}, "case 'greet': its workspace is another"),
        ({"greeter__SKILL_md": "---\nname: greeter\ndescription: Other.\n---\nx\n"}, "skill 'greeter' is another"),
        ({"more": "limits: {seconds: 7}\n"}, "the limits are others"),
        ({"more": "allow: [Bash]\n"}, "the permissions (`allow`) are others"),
    ],
    ids=["prompt", "workspace", "skill", "limits", "allow"],
)
def test_evidence_of_another_question_is_refused_and_named(
    edited: Callable[..., Any], tmp_path: Path, change: dict[str, str], said: str
) -> None:
    refused = edited(**change)

    assert refused.code == 2
    assert said in refused.err
    assert refused.out == ""
    assert list((tmp_path / "run").glob("report-*.json")) == []


def test_a_case_that_is_gone_is_named_and_a_new_one_is_told(
    skilltrial: Command, edited: Callable[..., Any], tmp_path: Path
) -> None:
    edited()
    suite = tmp_path / "greeter.trial.yaml"
    text = suite.read_text()

    suite.write_text(text.replace("  greet:", "  other:"))
    gone = skilltrial("grade", "run", "--checks", suite)
    suite.write_text(text + text.partition("\n")[2].replace("  greet:", "  other:"))
    more = skilltrial("grade", "run", "--checks", suite)

    assert (gone.code, "case 'greet' is not there any more" in gone.err) == (2, True)
    assert (more.code, "note: case other was not part of the run" in more.err) == (3, True)


def test_a_gate_beside_other_checks_is_refused(skilltrial: Command, edited: Callable[..., Any], tmp_path: Path) -> None:
    edited()
    both = skilltrial("grade", "run", "--checks", tmp_path / "greeter.trial.yaml", "--gate", "all")

    assert (both.code, "decides no gate" in both.err) == (2, True)


# --- commands -------------------------------------------------------------------------------------------------------


COMMANDS = """\
env: [GH_TOKEN]
cases:
  greet:
    prompt: Greet the user.
    workspace: start
    setup: ["echo ready > state.txt"]
    after: ["grep hello greeting.txt", "test -n \\"$GH_TOKEN\\" && echo token $GH_TOKEN"]
    expect:
      - {command: grep hello greeting.txt, prints: hello}
      - {command: "test -n \\"$GH_TOKEN\\" && echo token $GH_TOKEN", advisory: true}
"""
SECRET = "fake-0123456789-token"


def test_a_suites_commands_are_listed_run_only_where_that_is_allowed_and_judged_from_the_record(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, holders: Callable[..., list[str]]
) -> None:
    suite, token = greeter(text=COMMANDS), {"GH_TOKEN": SECRET}

    refused = skilltrial("run", suite, "--out", "run", *AGENT, env=token)
    listed = skilltrial("run", suite, "--allow-commands", "--dry-run", *AGENT, env=token)
    assert (refused.code, "--allow-commands" in refused.err) == (2, True)
    assert not (tmp_path / "run").exists()
    told = " ".join(listed.out.split())
    assert "runs on this machine, before case greet: echo ready > state.txt" in told
    assert "runs on this machine, after case greet: grep hello greeting.txt" in told

    ran = skilltrial("run", suite, "--out", "run", "--allow-commands", "--format", "json", *AGENT, env=token)

    assert ran.code == 0, ran.err
    assert ran.outcomes("greet/with_skill/1") == {"command-1": "passed", "command-2": "passed"}
    assert ran.outcomes("greet/without_skill/1")["command-1"] == "failed"
    assert holders(tmp_path / "run", SECRET) == []
    again = skilltrial("grade", "run", "--format", "json")
    assert again.out == ran.out, "judging again runs nothing, and needs no token"


def test_a_check_on_a_command_that_would_not_run_is_a_fault_of_the_suite(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    linted = skilltrial("lint", greeter(text=COMMANDS.replace("{command: grep hello", "{command: grep hallo")))

    assert linted.code == 2
    assert "greeter.trial.yaml:9:" in linted.err
    assert "a command that the case's `after` does not have" in " ".join(linted.err.split())


def test_a_command_that_never_ends_is_ended_and_decides_nothing(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    text = """\
limits: {seconds: 1}
cases:
  greet:
    prompt: Greet the user.
    workspace: start
    after: ["sleep 60"]
    expect: [{command: sleep 60}]
"""
    ran = skilltrial("run", greeter(text=text), "--out", "run", "--allow-commands", "--format", "json", *AGENT)

    assert ran.code == 3
    (check,) = ran.trials["greet/with_skill/1"]["checks"]
    assert (check["outcome"], check["reason"], check["owner"]) == ("unverified", "command_ended_by_limit", "operator")


# --- JUnit, help, completion ------------------------------------------------------------------------------------------


def test_a_run_is_written_as_junit(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--report", "junit", *AGENT)

    assert ran.code == 0, ran.err
    assert ran.out.startswith("<")
    assert 'failures="0"' in ran.out
    assert 'skipped="1"' in ran.out
    assert skilltrial("grade", "run", "--report", "junit").out == ran.out


def test_the_help_stands_in_groups_and_names_every_command_once(skilltrial: Command) -> None:
    told = skilltrial("--help").out

    titles = [line.rstrip(":") for line in told.splitlines() if line in ("Start:", "Understand:", "Trust:", "Extend:")]
    assert titles == ["Start", "Understand", "Trust", "Extend"]
    named = [line.split()[0] for line in told.splitlines() if line.startswith("  ") and line.strip()]
    assert [name for name in named if name in COMMANDS_OF_OURS] == list(COMMANDS_OF_OURS)
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "point", "offered"),
    [
        ("skilltrial sh", "1", "show"),
        ("skilltrial grade --che", "2", "--checks"),
        ("skilltrial run --ga", "2", "--gate"),
    ],
)
def test_a_shell_completes_commands_and_flags(tmp_path: Path, words: str, point: str, offered: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial"],
        env={**os.environ, "_SKILLTRIAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": point},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.split() == [f"plain,{offered}"]


def test_a_shell_is_given_its_completion_script(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial"],
        env={**os.environ, "_SKILLTRIAL_COMPLETE": "zsh_source"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("#compdef skilltrial")
