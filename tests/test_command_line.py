"""What the command line says: help, plans, faults with their places, forms of a report, and 80 columns."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
COMMANDS = ("demo", "run", "rehearse", "grade", "verify", "scan", "lint", "plugins", "schema")


def narrow(text: str) -> list[str]:
    """The lines that are wider than 80 columns, but for those that end in a path or a digest."""
    return [line for line in text.splitlines() if len(line) > 80 and not re.search(r"\S{40,}", line)]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_explains_itself_in_80_columns(skilltrial: Command, command: str) -> None:
    told = skilltrial(*filter(None, [command]), "--help")

    assert told.code == 0
    assert told.err == ""
    assert "Usage: skilltrial" in told.out
    assert narrow(told.out) == []


def test_the_help_lists_every_command_that_is_tested_here(skilltrial: Command) -> None:
    told = skilltrial("--help").out

    assert all(f"\n  {command} " in told for command in COMMANDS)
    for code in ("0 gate passed", "1 gate failed", "2 not a valid", "3 incomplete", "4 archive", "70", "130"):
        assert code in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rnu",), "did you mean 'run'?"),
        (("run", "--attemtps", "2"), "--attempts"),
        (("run",), "which suite?"),
        (("run", "organisation", *AGENT), "did you mean 'organization'?"),
        (("run", "nowhere.trial.yaml", *AGENT), "there is no file nowhere.trial.yaml"),
        (("schema", "suit"), "suite"),
        (("rehearse", "organization", "--scripted", "scriptd", *AGENT), "did you mean 'scripted'?"),
        (("run", "--incomplete", "organization", *AGENT), "--resume"),
        (("run", "--accept-host-change", "organization", *AGENT), "--reuse"),
        (("run", "--resume", "nowhere"), "nowhere"),
    ],
)
def test_what_is_misspelt_is_answered_with_what_would_be_right(
    skilltrial: Command, arguments: tuple[str, ...], says: str
) -> None:
    refused = skilltrial(*arguments)

    assert refused.code in (2, 4), refused.err
    assert says in refused.err
    assert refused.out == ""


FAULTY = """\
arms: [{id: with_skill, skills: [greeter, nobody]}, {id: with_skill}]
attemps: 3
cases:
  - id: one
    prompt: Greet.
    workspace: nowhere
    expect:
      - {files: a.txt, contian: hello}
      - {fiels: a.txt, contains: hello}
  - id: one
    promt: Greet.
    expect: []
"""


def test_lint_tells_every_fault_at_once_with_its_line_and_column(skilltrial: Command, lay: Lay) -> None:
    lay({"s.trial.yaml": FAULTY})

    told = skilltrial("lint", "s.trial.yaml")

    assert told.code == 2
    places = [match.groups() for match in re.finditer(r"s\.trial\.yaml:(\d+):(\d+): ", told.err)]
    lines = {int(line) for line, _ in places}
    assert lines >= {1, 2, 6, 8, 9, 10, 11, 12}, told.err
    assert places == sorted(places, key=lambda place: (int(place[0]), int(place[1])))
    assert all(int(column) >= 1 for _, column in places)
    for hint in ("attempts", "contains", "files", "prompt"):
        assert f"`{hint}`" in told.err or f"'{hint}'" in told.err, hint
    for command in ("run", "rehearse"):
        assert skilltrial(command, "s.trial.yaml", *AGENT).err == told.err


def test_lint_prints_a_long_form_that_loads_to_the_same_suite(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()

    long = skilltrial("lint", suite, "--expand")
    suite.write_text(long.out)

    assert long.code == 0
    assert skilltrial("lint", suite, "--expand").out == long.out
    assert "sound; 1 case, 2 arms" in skilltrial("lint", suite).out


def test_a_dry_run_says_what_would_happen_and_does_nothing(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter(
        '#!/bin/sh\necho called >> "$CALLS"\n',
        text="""\
cases:
  greet:
    prompt: Greet.
    workspace: start
    expect: [{files: greeting.txt, contains: hello}]
  talk:
    turns: [Hello., And again.]
    workspace: start
    expect: [{files: greeting.txt, contains: hello}]
""",
    )
    calls = tmp_path / "calls"
    before = sorted(path for path in tmp_path.rglob("*"))

    told = skilltrial(
        "run", suite, "--dry-run", "--attempts", "3", "--max-sessions", "5", "--pass-env", "CALLS", *AGENT,
        env={"CALLS": str(calls)},
    )  # fmt: skip

    assert told.code == 0, told.err
    text = " ".join(told.out.split())
    for part in ("6 sessions", "6 user turns", "at most 5 sessions", "skipped: case talk", "multi turn", "cost money"):
        assert part in text.replace("_", " "), (part, told.out)
    assert sorted(path for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("start/.agents/skills/greeter/SKILL.md", "taken"), "already has"),
        (("greeter/SKILL.md", "no front matter"), "SKILL.md"),
        (("greeter.trial.yaml", "cases: {}"), "greeter.trial.yaml:1:"),
    ],
)
def test_a_dry_run_finds_what_a_run_would_stumble_over(
    skilltrial: Command, greeter: Callable[..., Path], lay: Lay, change: tuple[str, str], says: str
) -> None:
    suite = greeter()
    lay(dict([change]))

    told = skilltrial("run", suite, "--dry-run", *AGENT)

    assert told.code == 2
    assert says in told.err


def test_a_dry_rehearsal_says_that_it_costs_nothing(skilltrial: Command, tmp_path: Path) -> None:
    told = skilltrial("rehearse", "organization", "--dry-run", "--host", "portable", "--", "skilltrial-agent")

    assert told.code == 0, told.err
    assert "nothing is spent" in " ".join(told.out.split())
    assert list(tmp_path.iterdir()) == []


def test_every_form_of_a_report_says_the_same_and_only_the_result_is_standard_output(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--quiet", "--format", "json", *AGENT)

    told = {form: skilltrial("grade", "run", "--format", form) for form in ("json", "markdown", "text", "auto")}

    assert json.loads(ran.out) == json.loads(told["json"].out)
    assert told["auto"].out == told["text"].out
    assert "| case" in told["markdown"].out
    for form in ("markdown", "text"):
        assert "1 better, 0 worse, 0 alike, of 1 pair." in told[form].out
        assert "passed" in told[form].out
        assert "\033" not in told[form].out
    assert all(one.code == 0 for one in told.values())
    assert all(one.err == "" for one in told.values())


def test_quiet_leaves_the_result_and_where_it_lies(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--quiet", *AGENT)

    assert [line.split()[0] for line in ran.err.splitlines()] == ["archive", "manifest"]


def test_everything_that_a_run_says_fits_80_columns(
    skilltrial: Command, lay: Lay, greeter: Callable[..., Path]
) -> None:
    long = "a-rather-long-name-of-a-case-that-somebody-thought-was-telling"
    suite = greeter(
        text=f"""\
skills: [{{id: greeter, folder: greeter, previous: greeter}}]
arms:
  - {{id: without_skill}}
  - {{id: with_skill, skills: [greeter]}}
  - {{id: previous, skills: [greeter@previous]}}
cases:
  {long}:
    prompt: Greet.
    workspace: start
    expect:
      - {{files: greeting.txt, contains: "{"hello " * 30}"}}
      - {{grader: answers, contains: hello}}
  greet:
    prompt: Greet.
    workspace: start
    expect: [{{files: greeting.txt, contains: hello}}]
"""
    )

    ran = skilltrial("run", suite, "--out", "run", "--attempts", "2", *AGENT)

    assert ran.code == 1, ran.err
    assert narrow(ran.out) == []
    assert narrow(ran.err) == []


def on_a_terminal(folder: Path, *arguments: str, env: Mapping[str, str]) -> tuple[int, str]:
    """Run a command on a terminal of its own; its exit code and all that it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "skilltrial", *arguments],
        cwd=folder, env={**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm-256color", **env},
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while process.poll() is None or select.select([ours], [], [], 0.1)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    return process.wait(), seen.decode("utf-8", "replace")


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_is_for_terminals_of_people_who_want_it(
    greeter: Callable[..., Path], tmp_path: Path, skilltrial: Command, env: dict[str, str], coloured: bool
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    code, seen = on_a_terminal(tmp_path, "grade", "run", env={"NO_COLOR": "", **env})

    assert code == 0
    assert bool(re.search(r"\033\[[0-9;]*3[0-9]m", seen)) is coloured
    text = skilltrial("grade", "run", env={"NO_COLOR": "", "FORCE_COLOR": ""}).out
    assert "\033" not in text


def test_a_run_of_many_live_sessions_asks_on_a_terminal_and_takes_no_for_an_answer(
    greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "skilltrial", "run", str(suite), "--out", "run", "--attempts", "11", *AGENT],
        cwd=tmp_path, env={**os.environ, "COLUMNS": "80"}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"start 22 live sessions?" not in seen:
        assert select.select([ours], [], [], 30)[0], seen
        seen += os.read(ours, 65536)
    os.write(ours, b"n\n")

    assert process.wait(timeout=30) == 130
    os.close(ours)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("reader", ["head -c 1", "true"])
def test_a_reader_that_leaves_early_is_no_error(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, reader: str
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    done = subprocess.run(
        ["sh", "-c", f'"$@" | {reader}', "sh", sys.executable, "-m", "skilltrial", "schema", "suite"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.stderr == ""


def test_last_is_the_newest_run_below_this_folder_which_git_does_not_see(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()
    earlier = skilltrial("run", suite, *AGENT)
    ran = skilltrial("run", suite, "--format", "json", *AGENT)
    assert (earlier.code, ran.code) == (0, 0), ran.err

    assert skilltrial("grade", "--format", "json").out == ran.out
    assert skilltrial("verify", "last").code == 0
    assert len(list((tmp_path / ".skilltrial" / "runs").iterdir())) == 2
    assert (tmp_path / ".skilltrial" / ".gitignore").read_text() == "*\n"
    for path in (tmp_path / ".skilltrial" / "runs").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 or path.is_dir(), path
    assert (tmp_path / ".skilltrial" / "runs").stat().st_mode & 0o777 == 0o700


def test_schemas_fit_what_is_written(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    import jsonschema

    ran = skilltrial("run", greeter(), "--out", "run", "--format", "json", *AGENT)

    jsonschema.validate(ran.report, json.loads(skilltrial("schema", "report").out))
