"""Programs of fixtures come first on PATH, also in shells that make PATH anew."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skilltrial.model.trial import Place
from skilltrial.record.programs.placing import with_programs


@pytest.fixture
def place(tmp_path: Path) -> Place:
    launcher: Any = None
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    return Place(tmp_path, tmp_path, tmp_path, environment, launcher)


def folder_with(tmp_path: Path, name: str, says: str) -> Path:
    folder = tmp_path / f"a folder's {says}"
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return folder


def test_without_programs_a_place_is_left_as_it_is(place: Place) -> None:
    assert with_programs(place, []) is place
    assert list(place.home.iterdir()) == []


@pytest.mark.parametrize("shell", [["sh", "-c"], ["sh", "-lc"], ["bash", "-c"], ["bash", "-lc"]])
def test_commands_find_them_in_every_shell(place: Place, tmp_path: Path, shell: list[str]) -> None:
    first, second = folder_with(tmp_path, "git", "first"), folder_with(tmp_path, "npm", "second")

    changed = with_programs(place, [first, second])

    said = subprocess.check_output([*shell, "git; npm; ls /dev/null"], env=changed.environment, text=True)
    assert said.split() == ["first", "second", "/dev/null"]
    assert place.environment["PATH"] == os.environ["PATH"]
