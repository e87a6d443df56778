"""The first ten minutes on the real programs: try, init, lint, edit, run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
    """The rows of the table by their label, each cell's lines as one text."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines() if line[0] == "|"]
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
    assert table["files changed"] == ["CHANGELOG.md (created)"] * 2
    assert table["answer"] == ["29 characters"] * 2
    assert all(cell[0].isdigit() for cell in (*table["calls"], *table["tokens"]))
    report = json.loads((desk.folder / "run" / "report.json").read_bytes())
    (model,) = {model for trial in report["trials"] for model in trial["models"]}
    assert f"these sessions ran on {model}; your own setting is {settled}" in tried.out
    assert report["evidence_kind"] == ("live-codex-subprocess" if program.host == "codex" else LIVE_CLAUDE)


LIVE_CLAUDE = "live-claude-code-subprocess"
