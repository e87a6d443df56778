"""Where an agent finds the skills of an EmbrAIon suite, and what else lies around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
FINDS = "#!/bin/sh\ncat > /dev/null\nif [ -f tools/know-how/greeter/SKILL.md ]; then echo hello > greeting.txt; fi\n"
"""An agent that looks for its skills in a folder of its own choice."""


def test_embraion_16_a_program_that_looks_elsewhere_for_skills_is_told_by_skill_dir(
    run: Command, greetings: Callable[..., Path], outcomes: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    suite = greetings(FINDS)

    ran = run(suite, "--skill-dir", "tools/know-how")

    assert ran.code == 0, ran.err
    assert outcomes(ran.report) == {
        f"greet/{v}/{n}": v == "candidate" for v in ("baseline", "candidate") for n in (1, 2)
    }
    assert ran.report["pair-summary"]["baseline"]["improved"] == 2
    assert "agent.sh" not in ran.out


def test_embraion_81_03_a_fixture_that_holds_the_skill_already_is_refused_before_the_first_session(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, skill: str
) -> None:
    refused = run(greetings(**{"start/.agents/skills/greeter/SKILL.md": skill}))

    assert refused.code == 2
    assert "already has .agents/skills/greeter" in refused.err
    assert not (tmp_path / "run").exists()


def test_embraion_81_14_nothing_around_an_agent_tells_that_it_is_watched(
    run: Command, greetings: Callable[..., Path], document: Callable[..., dict[str, Any]], canary: str
) -> None:
    agent = "#!/bin/sh\ncat > /dev/null\n{ pwd; ls -a ..; ls -a ../..; env; } > around.txt\n"
    checks = [{"type": "file-absent", "path": "prompt.txt"}]
    (case,) = document(*checks)["cases"]
    suite = greetings(agent, document(cases=[case]))
    # What else lies in the system's folder for temporary files is not ours.
    places = suite.parent / "p"
    places.mkdir()

    assert run(suite, "--attempts", "1", env={"TMPDIR": str(places)}).code == 0
    kept = [path for path in (suite.parent / "run").rglob("changed/*") if b"/" in path.read_bytes()]
    assert len(kept) == 2
    for around in kept:
        # Where places lie is this test's own choice, and bears its name.
        text = around.read_bytes().decode(errors="replace").replace(str(places), "").lower()
        assert "embraion" not in text
        assert "skill-eval" not in text
        assert "prompt.txt" not in text
        assert canary.lower() not in text
