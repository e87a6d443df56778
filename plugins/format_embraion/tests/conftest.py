"""EmbrAIon suites on disk, read as the core reads them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import ForeignSuite
from skilltrial_format_embraion.format import EmbraionFormat

SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n"
SUITE: dict[str, Any] = {
    "schema-version": 1,
    "id": "greetings",
    "skills": [{"id": "greeter", "candidate": "greeter"}],
    "cases": [
        {
            "id": "greet",
            "polarity": "positive",
            "fixture": "start",
            "prompt": "Greet the user.",
            "checks": [{"type": "file-contains", "path": "greeting.txt", "text": "hello"}],
        }
    ],
}


@pytest.fixture(autouse=True)
def no_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBRAION_HOME", raising=False)


@pytest.fixture
def suite() -> dict[str, Any]:
    """A sound suite, to be changed at will."""
    return copy.deepcopy(SUITE)


@pytest.fixture
def laid(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    """Write files; the sources of the sound suite are among them."""

    def lay(files: Mapping[str, str]) -> Path:
        for name, text in {"greeter/SKILL.md": SKILL, "start/notes.txt": "notes\n", **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "suite.json"

    return lay


@pytest.fixture
def read(laid: Callable[[Mapping[str, str]], Path]) -> Callable[..., ForeignSuite]:
    """Read a suite that lies beside its sources; `files` are further ones, other arguments the format's options."""

    def reader(document: Any, files: Mapping[str, str] | None = None, **options: Any) -> ForeignSuite:
        path = laid(files or {})
        # What the core hands over was written as JSON.
        return EmbraionFormat(**options).read_suite(path, json.loads(json.dumps(document)))

    return reader


@pytest.fixture
def checks(suite: dict[str, Any], read: Callable[..., ForeignSuite]) -> Callable[..., list[dict[str, Any]]]:
    """The long form of checks."""

    def convert(*written: dict[str, Any]) -> list[dict[str, Any]]:
        suite["cases"][0]["checks"] = list(written)
        foreign = read(suite)
        assert foreign.misfits == ()
        cases: Any = foreign.suite["cases"]
        return list(cases[0]["checks"])

    return convert
