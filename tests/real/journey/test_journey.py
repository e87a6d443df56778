"""The first ten minutes on the real programs: try, init, lint, edit, run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

Live = Callable[..., Any]
PROMPT = "Add an entry for the dark mode to the list of changes."


@pytest.fixture
def settled(desk: Any, program: Any) -> str:
    """A model that the user's own settings name."""
    home: Mapping[str, str] = desk.env
    if program.host == "codex":
        file, text = Path(home["CODEX_HOME"]) / "config.toml", 'model = "own-model-1"\n'
    else:
        file, text = Path(home["CLAUDE_CONFIG_DIR"]) / "settings.json", '{"model": "own-model-1"}'
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    return "own-model-1"


def rows(out: str) -> dict[str, list[str]]:
    """The rows of the table by label, each cell's lines as one text. A cell may hold a bar, so borders are columns."""
    lines = [line for line in out.splitlines() if line[0] in "+|"]
    borders = [at for at, sign in enumerate(lines[0]) if sign == "+"]
    cells = [[line[one + 1 : two].strip() for one, two in pairwise(borders)] for line in lines if line[0] == "|"]
    found: dict[str, list[str]] = {}
    for first, *texts in cells:
        label = first or next(reversed(found), "")
        before = found.get(label, [""] * len(texts))
        found[label] = [f"{old} {text}".strip() for old, text in zip(before, texts, strict=True)]
    return found


def test_try_shows_two_sessions_side_by_side_and_no_verdict(live: Live, desk: Any, program: Any, settled: str) -> None:
    tried = live("try", "skills/changelog", PROMPT, "--out", "run")

    assert tried.code == 0, tried.out + tried.err
    assert tried.out.splitlines()[0] == "one session each and nothing checked: an observation, not a verdict"
    table = rows(tried.out)
    assert table["session"] == ["went to its end"] * 2
    assert table["skill"] == ["not there", "opened"]
    assert table["files changed"] == ["CHANGELOG.md (created)", "CHANGELOG.md (created, but otherwise)"]
    assert table["answer"] == ["29 characters"] * 2
    assert all(cell[0].isdigit() for cell in (*table["calls"], *table["tokens"]))
    report = json.loads((desk.folder / "run" / "report.json").read_bytes())
    (model,) = {model for trial in report["trials"] for model in trial["models"]}
    assert f"these sessions ran on {model}; your own setting is {settled}" in tried.out
    assert report["evidence_kind"] == ("live-codex-subprocess" if program.host == "codex" else LIVE_CLAUDE)


LIVE_CLAUDE = "live-claude-code-subprocess"


ELSEWHERE = "Say which year it is."


def edited(text: str) -> str:
    """What an author does with the first suite: fill in what is left, case by case."""
    head, tried, other, negative = re.split(r"(?m)^(?=  (?:add|second|not)-[a-z-]+:$)", text)
    for wanted, given in ((TEXT_TODO, "## Unreleased"), (FILE_TODO, "CHANGELOG.md"), (PROMPT_TODO, OTHER)):
        other = other.replace(wanted, given)
    for wanted, given in ((TEXT_TODO, "2026"), (FILE_TODO, "year.txt"), (OUTSIDE_TODO, ELSEWHERE)):
        negative = negative.replace(wanted, given)
    return head + tried.replace(THERE_TODO, "## Unreleased") + other + negative


THERE_TODO = "<TODO: a text from there that must be in it>"
PROMPT_TODO = "<TODO: what a user of the skill would ask, in words of their own>"
OUTSIDE_TODO = "<TODO: a request close to the skill's subject that is none of its business>"
OTHER = "Note in the list of changes that the old menu is gone."
FILE_TODO = "<TODO: a file that the agent should write or change>"
TEXT_TODO = "<TODO: a text that must then be in it>"
SUITE = "skills/changelog.trial.yaml"


NEGATIVE = "not-its-business"


@pytest.fixture
def ran(live: Live, desk: Any) -> Any:
    """The first ten minutes: try, init, lint, edit, run. What the run printed, and the suite in `skills/`."""
    suite = desk.folder / SUITE
    tried = live("try", "skills/changelog", PROMPT, "--out", "tried")
    assert tried.code == 0, tried.out + tried.err
    assert desk.run("init", "skills/changelog", "--from", "tried").code == 0
    refused = desk.run("lint", SUITE)
    assert refused.code == 2
    assert refused.err.count("still to be filled in") == 7
    assert "#     ## Unreleased" in suite.read_text("utf-8"), "what only the session with the skill wrote is shown"
    suite.write_text(edited(suite.read_text("utf-8")), "utf-8")
    linted = desk.run("lint", SUITE, "--strict")
    assert linted.code == 0, linted.out + linted.err
    return live("run", SUITE, "--out", "run", "--format", "json", "--yes")


def test_the_first_ten_minutes_and_a_gate_that_is_red_the_morning_after(
    ran: Any, live: Live, desk: Any, provider: Any
) -> None:
    assert ran.code == 0, ran.out + ran.err
    found = {(trial["key"]["case"], trial["key"]["arm"]): trial["verdict"]["kind"] for trial in ran.report["trials"]}
    helped = {case for case, _ in found} - {NEGATIVE}
    assert {found[case, "with_skill"] for case in helped | {NEGATIVE}} == {"passed"}
    # R54: the arm without the skill is the default, and tells a useful skill from a useless one.
    assert {found[case, "without_skill"] for case in helped} == {"failed"}
    assert found[NEGATIVE, "without_skill"] == "passed"
    # R52: the pairs that are counted are those of the trials.
    (pairs,) = ran.report["pair_summary"]
    assert (pairs["n"], pairs["improved"], pairs["tied_pass"]) == (3, 2, 1)
    shown_and_judged_again(desk, provider)

    provider.obeys = False
    asked = provider.asked
    red = live("run", SUITE, "--out", "red", "--reuse", "run", "--format", "json", "--yes")

    assert red.code == 1, red.out + red.err
    # R48: each attempt is kept, and each that failed has its reason and its check.
    taken = {trial["key"]["arm"] for trial in red.report["trials"] if trial["reused_days"] is not None}
    assert taken == {"without_skill"}, "only what need not be run again is taken over"
    assert provider.asked > asked
    deciding = red.report["gate"]["deciding"]
    assert {key["case"] for key in deciding} == helped
    assert {key["arm"] for key in deciding} == {"with_skill"}
    failed = [trial["verdict"] for trial in red.report["trials"] if trial["verdict"]["kind"] == "failed"]
    assert all(one["reason"] and one["check"] and one["owner"] == "agent" for one in failed)
    assert desk.run("verify", "red").code == 0


def shown_and_judged_again(desk: Any, provider: Any) -> None:
    """The run is shown, and edited checks judge it without a session."""
    suite, asked = desk.folder / SUITE, provider.asked
    written = suite.read_text("utf-8")
    shown = desk.run("show", "run")
    assert "HELPS" in shown.out or "CAN'T TELL" in shown.out, shown.out
    trial = desk.run("show", f"run/{NEGATIVE}/with_skill/1")
    assert (trial.code, "year.txt" in trial.out) == (0, True), trial.out + trial.err

    suite.write_text(written.replace('contains: "2026"', 'contains: "1926"'), "utf-8")
    again = desk.run("grade", "run", "--checks", SUITE)

    assert again.code == 3, "checks that were changed after the run decide no gate"
    assert f"{NEGATIVE} / with_skill / 1: passed -> failed" in again.err
    assert provider.asked == asked, "no session was run"
    suite.write_text(written, "utf-8")
