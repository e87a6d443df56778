"""The flags that name the format, the report and the skills of an EmbrAIon suite."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")


def test_without_the_flag_the_error_names_the_flag_and_the_package(
    skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    for command in ("run", "lint", "rehearse"):
        refused = skilltrial(command, greetings(), *(() if command == "lint" else AGENT))

        assert refused.code == 2
        assert "--format embraion" in refused.err
        assert "skilltrial-format-embraion" in refused.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--format", "embrayon"), "did you mean 'embraion'"),
        (("--format", "embraion", "--format", "other"), "one format"),
        (("--format", "embraion", "--format", "json", "--format", "text"), "one form"),
        (("--format", "embraion", "--format", "json", "--report", "embraion"), "leave one out"),
        (("--format", "embraion", "--report", "nobody"), "no renderer called 'nobody'"),
        (("--format", "embraion", "--timeout", "3601"), "timeout"),
        (("--root", "."), "--format NAME"),
        (("--timeout", "5"), "--format NAME"),
    ],
)
def test_what_can_not_be_meant_is_refused_in_a_sentence(
    skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    refused = skilltrial("run", greetings(), "--out", "run", *arguments, *AGENT)

    assert refused.code == 2
    assert says in refused.err
    assert not (tmp_path / "run").exists()


def test_a_foreign_suite_and_a_form_of_the_report_are_both_named_by_format(
    skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    ran = skilltrial("run", greetings(), "--out", "run", "--format", "embraion", "--format", "json", *AGENT)

    assert ran.code == 0, ran.err
    assert set(ran.verdicts.values()) == {"passed", "failed"}


def test_embraion_home_and_root_say_where_the_skills_are(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, skill: str
) -> None:
    suite = greetings(**{"home/greeter/SKILL.md": skill, "named/greeter/SKILL.md": skill})
    shutil.rmtree(tmp_path / "greeter")

    by_home = run(suite, "--attempts", "1", env={"EMBRAION_HOME": str(tmp_path / "home")})
    by_root = run(suite, "--attempts", "1", "--root", "named", "--out", "run2")
    nowhere = run(suite, "--attempts", "1", "--out", "run3")

    assert (by_home.code, by_root.code, nowhere.code) == (0, 0, 2)
    assert "suite.json:1:" in nowhere.err
