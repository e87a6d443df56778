"""The page for people who come from another tool names commands and flags that are there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
PAGE = (Path(__file__).parents[1] / "docs" / "coming-from.md").read_text(encoding="utf-8")
CODE = re.compile(r"`(skilltrial [^`]+)`")


def said() -> list[tuple[str, tuple[str, ...]]]:
    """The commands of the right-hand columns, each with the flags that are named with it."""
    found: dict[str, set[str]] = {}
    for row in PAGE.splitlines():
        cells = re.split(r"(?<!\\)\|", row)
        for code in CODE.findall(cells[2]) if len(cells) > 3 else ():
            words = code.split()
            found.setdefault(words[1], set()).update(word for word in words[2:] if word.startswith("--"))
    return sorted((command, tuple(sorted(flags))) for command, flags in found.items())


def test_the_page_speaks_of_the_commands_of_all_three() -> None:
    assert {"run", "show", "grade", "verify", "score-kody", "import"} <= {command for command, _ in said()}
    assert sum(len(flags) for _, flags in said()) >= 15


@pytest.mark.parametrize(("command", "flags"), said(), ids=lambda value: value if isinstance(value, str) else "")
def test_each_command_of_the_page_is_there_with_its_flags(
    skilltrial: Command, command: str, flags: tuple[str, ...]
) -> None:
    ran = skilltrial(command, "--help")

    assert ran.code == 0, ran.err
    known = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ran.out))
    assert set(flags) <= known


def test_their_checks_are_ours(skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path) -> None:
    suite = greeter()
    checks = re.findall(r"`(\{files: [^`]+\})`", PAGE)
    values = {"PATH": "a/b.json", "TEXT": "x", "VALUE": "1"}
    lines = [re.sub(r"\b(PATH|TEXT|VALUE)\b", lambda match: values[match[0]], check) for check in checks]
    text = "skills: [{id: greeter, folder: greeter}]\ncases:\n  one:\n    prompt: x\n    expect:\n" + "".join(
        f"      - {line}\n" for line in lines
    )
    (tmp_path / "theirs.trial.yaml").write_text(text, encoding="utf-8")

    ran = skilltrial("lint", "theirs.trial.yaml")

    assert len(checks) >= 6
    assert suite.exists()
    assert ran.code == 0, ran.err
