"""A skill to begin with, and what is done to the suite that is written for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Lay = Callable[[Mapping[str, str]], None]

SKILL = """\
---
name: greeter
description: "How to greet: warmly."
allowed-tools: Read Bash(git *)
---
Write hello into greeting.txt, always with one exclamation mark and never with more than one of them.
"""


@pytest.fixture
def project(tmp_path: Path, lay: Lay) -> Path:
    lay({"skills/greeter/SKILL.md": SKILL})
    return tmp_path


@pytest.fixture
def read() -> Callable[[Path], Any]:
    """Read a file of YAML."""
    return lambda path: YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


@pytest.fixture
def fill() -> Callable[[Path], None]:
    """Fill in every placeholder: prompts, and files that nothing holds yet."""

    def filled(path: Path) -> None:
        text = path.read_text("utf-8")
        text = re.sub(r'files: "<TODO: [^>]*>"', 'files: "greeting.txt"', text)
        text = re.sub(r'contains: "<TODO: [^>]*>"', 'contains: "hello"', text)
        path.write_text(re.sub(r'prompt: "<TODO: [^>]*>"', 'prompt: "Say good morning."', text), "utf-8")

    return filled
