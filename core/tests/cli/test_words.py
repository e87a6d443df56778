"""What commands have in common: places of archives, options of hosts, what is said before and while a run goes on."""

from __future__ import annotations

import io
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from skilltrial.cli.options import host_fields
from skilltrial.cli.outline import counted, outline
from skilltrial.cli.places import default_out, find_archive, keep_out_of_git
from skilltrial.cli.progress import Bar, Lines, Silent, progress
from skilltrial.model.errors import ArchiveRefused, Exit, SourceUnusable
from skilltrial.model.observing import TrialTold
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending
from skilltrial.record.planning import Digests, Selection, plan_run
from skilltrial.record.stopping import Budget

NOON = datetime(2026, 1, 2, 12, 30, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_run_gets_a_folder_of_its_own_also_in_the_same_second():
    first = default_out("small", NOON)
    assert first == Path(".skilltrial/runs/small-20260102-123005")
    first.mkdir(parents=True)
    second = default_out("small", NOON)
    second.mkdir()

    assert second.name == "small-20260102-123005-2"
    assert default_out("small", NOON).name == "small-20260102-123005-3"


def test_our_folder_keeps_itself_out_of_git_and_leaves_another_place_alone(tmp_path):
    keep_out_of_git(tmp_path / "elsewhere" / "out")
    assert not (tmp_path / ".skilltrial").exists()

    keep_out_of_git(default_out("small", NOON))
    assert (tmp_path / ".skilltrial/.gitignore").read_text() == "*\n"
    (tmp_path / ".skilltrial/.gitignore").write_text("mine\n")
    keep_out_of_git(default_out("small", NOON))
    assert (tmp_path / ".skilltrial/.gitignore").read_text() == "mine\n"


def test_where_our_folder_can_not_be_made_the_way_out_is_named(tmp_path):
    (tmp_path / ".skilltrial").write_text("")

    with pytest.raises(SourceUnusable, match="name another folder with --out"):
        keep_out_of_git(default_out("small", NOON))


def test_last_is_the_run_whose_plan_is_the_newest(tmp_path):
    import os

    for name, age in (("a", 30), ("b", 10), ("c", 20)):
        folder = tmp_path / ".skilltrial/runs" / name
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text("")
        os.utime(folder / "plan.json", (1_000_000 - age, 1_000_000 - age))
    (tmp_path / ".skilltrial/runs/z-no-run").mkdir()

    assert find_archive("last") == Path(".skilltrial/runs/b")


@pytest.mark.parametrize("argument", ["last", "nowhere", "file"])
def test_an_archive_that_is_none_is_said(tmp_path, argument):
    (tmp_path / "file").write_text("")

    with pytest.raises(ArchiveRefused, match=r"there is no (last run|such folder)") as caught:
        find_archive(argument)
    assert caught.value.exit is Exit.REFUSED


GIVEN: dict[str, Any] = {
    "command": (),
    "host_command": None,
    "host_binary": None,
    "model": None,
    "effort": None,
    "skill_dir": None,
    "records": None,
    "profile": None,
    "home": None,
    "host_option": (),
}


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({}, {}),
        ({"command": ("agent", "--flag", "--")}, {"command": ("agent", "--flag", "--")}),
        ({"host_command": '["agent", "a b"]'}, {"command": ("agent", "a b")}),
        ({"host_binary": "x", "model": "m", "effort": "e"}, {"binary": "x", "model": "m", "effort": "e"}),
        (
            {"skill_dir": "s", "records": "events", "home": "own"},
            {"skill_dir": "s", "records": "events", "home": "own"},
        ),
        ({"host_option": ("a-b=text",)}, {"a_b": "text"}),
        ({"host_option": ("a=x=y",)}, {"a": "x=y"}),
        ({"host_option": ("a=",)}, {"a": ""}),
        ({"host_option": ("a=NaN", "b=-Infinity")}, {"a": "NaN", "b": "-Infinity"}),
        ({"host_option": ("a=" + "[" * 100_000,)}, {"a": "[" * 100_000}),
        ({"host_option": ("a=3", "b=true", "c=[1]", 'd={"e": 1}')}, {"a": 3, "b": True, "c": [1], "d": {"e": 1}}),
        ({"host_option": ("a=null", 'b="quoted"')}, {"a": "null", "b": '"quoted"'}),
    ],
)
def test_flags_become_the_options_of_the_host_and_only_those_that_were_given(given, fields):
    assert host_fields({**GIVEN, **given}) == fields


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"command": ("a",), "host_command": '["a"]'}, "given twice"),
        ({"host_command": "agent --flag"}, "JSON array of texts"),
        ({"host_command": '{"a": 1}'}, "JSON array of texts"),
        ({"host_command": "[1]"}, "JSON array of texts"),
        ({"host_option": ("a",)}, "KEY=VALUE"),
        ({"host_option": ("=a",)}, "KEY=VALUE"),
        ({"host_option": ("a=1", "a=2")}, "`a` is given twice"),
        ({"host_option": ("a-b=1", "a_b=2")}, "is given twice"),
        ({"host_option": ("a-b=1", "a-b=2")}, "is given twice"),
        ({"model": "x", "host_option": ("model=y",)}, "`model` is given twice"),
        ({"skill_dir": "x", "host_option": ("skill-dir=y",)}, "is given twice"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(given, said):
    with pytest.raises(click.UsageError) as caught:
        host_fields({**GIVEN, **given})
    assert said in caught.value.message


FREE = Budget()


def prepared(budget: Budget = FREE, model: str | None = None, **host: Any) -> Any:
    case = {"checks": [{"id": "c", "grader": "files"}]}
    suite = Suite.model_validate(
        {
            "id": "small",
            "arms": ({"id": "without_skill"}, {"id": "with_skill"}),
            "gate": {"arm": "with_skill"},
            "cases": (
                {"id": "one", "turns": ("a",), "checks": tuple(case["checks"])},
                {"id": "two", "turns": ("a", "b"), "checks": tuple(case["checks"])},
            ),
        }
    )
    identity = HostIdentity(name="fake", records="fake", **host)
    plan = plan_run(suite, identity, Selection(seed=5, jobs=1), Digests("0" * 64), "run")
    return SimpleNamespace(
        plan=plan.model_copy(update={"model": model}),
        suite=suite,
        trials=plan.trials,
        budget=budget,
        told=(),
        loaded=None,
        secrets={},
        sources=SimpleNamespace(workspaces={}, skills={}, plugin=None),
    )


def test_what_will_happen_is_said_before_it_does():
    text = outline(prepared(version="1.2"))

    assert "suite small on fake 1.2: 2 sessions, 2 user turns; seed 5, 1 job" in text
    assert "ends after 600 s at the latest" in text
    assert "skipped: case two (needs_multi_turn), 2 sessions" in text
    assert "may cost money" in text
    assert "the agent's own choice" in text


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(sessions=3), "at most 3 sessions"),
        (Budget(seconds=1.5, cost=Decimal("2.50")), "at most 1.5 seconds, 2.50 dollars"),
        (Budget(tokens=0), "at most 0 tokens"),
    ],
)
def test_bounds_are_said(budget, said):
    assert said in outline(prepared(budget))
    assert "at most" not in outline(prepared())


def test_a_rehearsal_says_that_it_costs_and_shows_nothing():
    text = outline(prepared(model="scripted"))

    assert "The model is scripted" in text
    assert "money" not in text


def test_what_the_host_sees_of_the_operators_own_is_said():
    assert "note: your own home" in outline(prepared(ambient=("your own home",)))


def test_things_are_counted_as_people_do():
    assert [counted(number, "session") for number in (0, 1, 2)] == ["0 sessions", "1 session", "2 sessions"]


SEALED = TrialTold(Ending.COMPLETED)
KEYS = [TrialKey(case="one", arm="with_skill", label=str(number)) for number in (1, 2)]


def test_a_log_gets_a_line_a_trial_on_standard_error(capsys):
    lines = Lines(10)
    for key in KEYS:
        lines.trial_started(key)
        lines.trial_sealed(key, SEALED)
    captured = capsys.readouterr()

    assert captured.out == ""
    told = captured.err.splitlines()
    assert told[0].startswith(" 1/10 ")
    assert told[1].startswith(" 2/10 ")
    assert told[1].endswith("one / with_skill / 2")


def test_a_log_hears_of_trials_that_take_long(capsys):
    lines = Lines(2)
    lines.still()
    for key in KEYS:
        lines.trial_started(key)
    lines.turn_started(KEYS[0], 2)
    lines.still()
    lines.trial_sealed(KEYS[0], SEALED)
    lines.still()
    told = capsys.readouterr().err.splitlines()

    assert len(told) == 3
    assert told[0].endswith("2 running; one / with_skill / 1 turn 2, 0 s")
    assert told[2].startswith("1/2 ")
    assert told[2].endswith("1 running; one / with_skill / 2, 0 s")


def test_a_log_hears_by_itself_and_no_more_when_all_is_over(capsys, monkeypatch):
    monkeypatch.setattr("skilltrial.cli.progress.BEAT", 0.01)
    with progress(2, quiet=False) as shown:
        assert isinstance(shown, Lines)
        shown.trial_started(KEYS[0])
        until = time.monotonic() + 20
        heard = ""
        while "1 running" not in heard and time.monotonic() < until:
            heard += capsys.readouterr().err
    assert "1 running" in heard
    assert not [thread for thread in threading.enumerate() if thread.name == "progress"]


def test_quiet_says_nothing(capsys):
    with progress(2, quiet=True) as shown:
        assert isinstance(shown, Silent)
        for key in KEYS:
            shown.trial_started(key)
            shown.trial_sealed(key, SEALED)
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_also_with_trials_that_never_end(monkeypatch):
    """A trial that was interrupted is begun, and never told to be sealed."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress(2, quiet=False) as shown:
        assert isinstance(shown, Bar)
        shown.trial_started(KEYS[0])
        shown.trial_started(KEYS[1])
        shown.turn_started(KEYS[1], 3)
        shown.trial_sealed(KEYS[0], SEALED)
    assert "1/2" in terminal.getvalue()
    assert "1 running; one / with_skill / 2 turn 3, 0 s" in terminal.getvalue()
