"""A small suite of EmbrAIon, and a command line that runs it (`test_embraion_NN`: its own tests, `_81_NN`: defects)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
CANARY = "Crocuses-in-the-snow"
SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n"
OBEDIENT = "#!/bin/sh\ncat > /dev/null\nif [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi\n"


@pytest.fixture
def canary() -> str:
    """A word of the suite's prompt, which no report, error or surrounding may tell."""
    return CANARY


@pytest.fixture
def skill() -> str:
    """The text of the skill `greeter`."""
    return SKILL


def of_one_case(*checks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A suite of one case."""
    return {
        "schema-version": 1,
        "id": "greetings",
        "skills": [{"id": "greeter", "candidate": "greeter"}],
        "cases": [
            {
                "id": "greet",
                "polarity": "positive",
                "fixture": "start",
                "prompt": f"Greet the user. {CANARY}",
                "checks": list(checks) or [{"type": "file-contains", "path": "greeting.txt", "text": "hello"}],
            }
        ],
        **more,
    }


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    """Make a suite of one case, with the checks and the further keys given."""
    return of_one_case


@pytest.fixture
def greetings(lay: Lay, tmp_path: Path) -> Callable[..., Path]:
    """An EmbrAIon suite beside its skill; the agent lies in its fixture."""

    def make(agent: str = OBEDIENT, suite: dict[str, Any] | str | None = None, **files: str) -> Path:
        text = suite if isinstance(suite, str) else json.dumps(suite or of_one_case())
        lay({"greeter/SKILL.md": SKILL, "start/agent.sh": agent, "suite.json": text, **files})
        return tmp_path / "suite.json"

    return make


@pytest.fixture
def run(skilltrial: Command) -> Command:
    """Run an EmbrAIon suite and read the report in its shape, as `ran.report`."""

    def do(suite: Path, *arguments: str, agent: tuple[str, ...] = AGENT, **more: Any) -> Any:
        given = ("--format", "embraion", "--report", "embraion", "--out", "run", "--retries", "0", *arguments)
        return skilltrial("run", suite, *given, *agent, **more)

    return do


@pytest.fixture
def outcomes() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Read from a report whether each run passed, by `case/variant/attempt`."""
    return lambda report: {
        f"{one['case']}/{one['variant']}/{one['attempt']}": one["behavior-passed"] for one in report["runs"]
    }
