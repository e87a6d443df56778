"""`skilltrial init --ci github`: the workflow that it writes, and what its commands do."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
SUITE = "skills/greeter.trial.yaml"
ON = ("--host", "portable", "--")


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(project: Path) -> Path:
    """A clone whose `origin/main` has the skill."""
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "skills")
    git(project, "commit", "-q", "-m", "x")
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    return project


def test_a_workflow_gates_changes_without_a_key_for_forks(skilltrial: Command, repository: Path, read: Any) -> None:
    began = skilltrial("init", "skills/greeter", "--ci", "github")

    assert began.code == 0, began.err
    suite = read(repository / SUITE)
    assert suite["gate"] == {"arm": "with_skill", "majority_of": 5}
    assert suite["skills"][0]["previous"] == "merge-base:origin/main:skills/greeter"
    assert suite["arms"][-1] == {"id": "previous", "from": "previous"}
    workflow = read(repository / ".github/workflows/skilltrial-greeter.yml")
    rehearse, live = workflow["jobs"]["rehearse"], workflow["jobs"]["live"]
    assert "secrets." not in json.dumps(rehearse)
    assert "head.repo.full_name == github.repository" in live["if"]
    assert live["needs"] == "rehearse"
    assert [step["with"]["fetch-depth"] for job in (rehearse, live) for step in job["steps"][:1]] == [0, 0]
    commands = [step["run"] for job in (rehearse, live) for step in job["steps"] if "run" in step]
    assert not [one for one in commands if "|| true" in one or "set +e" in one or " | " in one], "no exit code is lost"
    assert "continue-on-error" not in json.dumps(workflow)
    uses = {step["uses"]: step for step in live["steps"] if "uses" in step}
    saved, restored = uses["actions/cache/save@v4"], uses["actions/cache/restore@v4"]
    assert saved["if"] == "always()"
    assert saved["with"]["path"] == restored["with"]["path"] == "${{ env.RUN }}"
    assert saved["with"]["key"].startswith(restored["with"]["restore-keys"])
    assert "run_attempt" not in restored["with"]["restore-keys"]
    assert "--resume" in commands[-1]


def test_the_workflows_own_commands_run(skilltrial: Command, repository: Path, lay: Lay, fill: Any) -> None:
    skilltrial("init", "skills/greeter", "--ci", "github")
    fill(repository / SUITE)
    lay({"agent.sh": "#!/bin/sh\ncat > /dev/null\necho hello > greeting.txt\n"})

    assert skilltrial("lint", SUITE).code == 0
    workflow = (repository / ".github/workflows/skilltrial-greeter.yml").read_text("utf-8")
    assert "GITHUB_STEP_SUMMARY" not in workflow, "the page is written there anyhow"
    summary = repository / "summary.md"
    told = {"GITHUB_STEP_SUMMARY": str(summary)}
    events = ("--host", "portable", "--records", "events", "--", "skilltrial-agent")
    assert f"skilltrial rehearse {SUITE} {' '.join(events)}" in workflow
    rehearsed = skilltrial("rehearse", SUITE, *events, env=told)
    assert rehearsed.code == 0, rehearsed.out + rehearsed.err
    assert summary.read_text("utf-8").count("promises: kept") == 1
    out = repository / ".skilltrial/ci/greeter"
    flags = ("--max-sessions", "200", "--max-time", "6000", "--yes")
    ran = skilltrial("run", SUITE, "--out", out, *flags, "--case", "first-use", *ON, repository / "agent.sh", env=told)
    assert ran.code == 0, ran.out + ran.err
    resumed = skilltrial("run", "--resume", out, "--incomplete", *flags)
    assert resumed.code == 0, resumed.err
    assert summary.read_text("utf-8").count("passed (all passed), exit 0") == 1


def test_a_skill_that_is_not_on_that_branch_yet_has_no_previous_form(
    skilltrial: Command, repository: Path, lay: Lay, read: Any
) -> None:
    skill = (repository / "skills/greeter/SKILL.md").read_text("utf-8")
    lay({"skills/new/SKILL.md": skill.replace("name: greeter", "name: new")})

    assert skilltrial("init", "skills/new", "--ci", "github", "--ci-host", "codex").code == 0

    suite = read(repository / "skills/new.trial.yaml")
    assert "arms" not in suite
    assert "#     previous: " in (repository / "skills/new.trial.yaml").read_text()
    assert "CODEX_API_KEY" in (repository / ".github/workflows/skilltrial-new.yml").read_text()


def test_a_suite_that_is_there_is_left_and_only_the_workflow_is_written(skilltrial: Command, repository: Path) -> None:
    skilltrial("init", "skills/greeter")
    before = (repository / SUITE).read_bytes()

    began = skilltrial("init", "skills/greeter", "--ci", "github")

    assert began.code == 0, began.err
    assert (repository / SUITE).read_bytes() == before
    assert "gate: {arm: with_skill, majority_of: 5}" in began.out
    again = skilltrial("init", "skills/greeter", "--ci", "github")
    assert (again.code, "nothing is overwritten" in again.err) == (2, True)


def test_a_shallow_clone_says_what_would_be_right(
    skilltrial: Command, repository: Path, tmp_path: Path, fill: Any
) -> None:
    skilltrial("init", "skills/greeter", "--ci", "github")
    fill(repository / SUITE)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "y")
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository}", "shallow"], cwd=tmp_path, check=True)
    git(tmp_path / "shallow", "update-ref", "-d", "refs/remotes/origin/main")

    ran = skilltrial("run", "shallow/" + SUITE, *ON, "true")

    assert ran.code == 2
    assert "the clone is shallow: fetch its whole history (`fetch-depth: 0`)" in ran.err
