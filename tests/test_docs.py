"""What the documentation shows is what happens: its files are written, its commands are run, its output is compared."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>[a-z]+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"^# (?P<name>[\w./-]+\.[a-z]+)\n", re.MULTILINE)


def write(folder: Path, text: str) -> None:
    """Write a block that names its file in a comment of its first lines."""
    match = NAMED.search(text.partition("\n\n")[0])
    if match is None:
        return
    path = folder / match["name"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(match[0], "", 1), encoding="utf-8")
    if text.startswith("#!"):
        path.chmod(0o755)


def sessions(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it must print."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        else:
            command, expected = found[-1]
            found[-1] = (command, expected + line)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_of_a_page_runs_as_shown(page: Path, tmp_path: Path) -> None:
    checker = doctest.OutputChecker()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["kind"] != "console":
            write(tmp_path, block["text"])
            continue
        for command, expected in sessions(block["text"]):
            done = subprocess.run(
                ["/bin/bash", "-euc", command],
                cwd=tmp_path,
                env={**os.environ, "PATH": path, "COLUMNS": "80"},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, f"{page.name}: $ {command}\n{done.stdout}{done.stderr}"
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert checker.check_output(expected, done.stdout, flags), f"{page.name}: $ {command}\n{done.stdout}"


def test_the_readme_has_examples_at_all() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    assert sum(len(sessions(block["text"])) for block in BLOCK.finditer(text) if block["kind"] == "console") >= 4
