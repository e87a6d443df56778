"""Taking over what was sealed before, and nothing that was something else."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from skilltrial.model.plan import PartIdentity
from skilltrial.record.reusing import other_parts

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
AGAIN = ("--out", "second", "--reuse", "first", "--pass-env", "COUNT", "--format", "json")


@pytest.fixture
def earlier(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    tmp_path: Path,
    counts: str,
    started_times: Callable[[Path], int],
) -> Path:
    """A suite that was run once, into `first`, with two sessions."""
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\n{counts}[ -d .agents ] && echo hello > greeting.txt\nexit 0\n")
    ran = skilltrial("run", suite, "--out", "first", "--pass-env", "COUNT", "--jobs", "1", *AGENT, env=counting)
    assert (ran.code, started_times(tmp_path)) == (0, 2)
    return suite


def age(archive: Path, days: int) -> None:
    """Make an archive older, seal and all."""
    provenance = archive / "provenance.json"
    facts = json.loads(provenance.read_text())
    facts["started"] = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    provenance.write_text(json.dumps(facts))
    manifest = archive / "manifest.json"
    value = json.loads(manifest.read_text())
    value["files"]["provenance.json"] = hashlib.sha256(provenance.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(value))


def test_a_reference_arm_is_taken_over_and_the_gates_arm_never(
    skilltrial: Command,
    earlier: Path,
    counting: Mapping[str, str],
    tmp_path: Path,
    started_times: Callable[[Path], int],
) -> None:
    ran = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 3
    ages = {key: trial["reused_days"] for key, trial in ran.trials.items()}
    assert ages == {"greet/with_skill/1": None, "greet/without_skill/1": 0.0}
    assert any("taken over from an earlier run" in one for one in ran.report["limitations"])
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first / "trials/greet/without_skill/1").rglob("*"):
        assert path.is_dir() or (second / path.relative_to(first)).read_bytes() == path.read_bytes()
    assert skilltrial("verify", "second").code == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("prompt", "case greet differs"),
        ("workspace", "workspace of case greet differs"),
        ("limits", "limits differ"),
        ("env", "`env`"),
        ("options", ""),
        ("age", "older than 14 days"),
    ],
)
def test_a_trial_of_something_else_is_not_taken_over(
    skilltrial: Command,
    earlier: Path,
    counting: Mapping[str, str],
    tmp_path: Path,
    change: str,
    says: str,
    *,
    started_times: Callable[[Path], int],
) -> None:
    more: tuple[str, ...] = ()
    if change == "prompt":
        earlier.write_text(earlier.read_text().replace("Greet the user.", "Greet everybody."))
    elif change == "workspace":
        (tmp_path / "start" / "more.txt").write_text("more")
    elif change == "limits":
        earlier.write_text("limits: {seconds: 60}\n" + earlier.read_text())
    elif change == "env":
        earlier.write_text("env: [COUNT]\n" + earlier.read_text())
    elif change == "options":
        more = ("--loud",)
    else:
        age(tmp_path / "first", 15)

    ran = skilltrial("run", earlier, *AGAIN, *AGENT, *more, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 4, ran.err
    assert {trial["reused_days"] for trial in ran.trials.values()} == {None}
    assert "not taken over" in ran.err
    assert says in ran.err


def other_sources(archive: Path, kind: str) -> None:
    """Say that a part of this kind had other sources when the archive was made, seal and all."""
    told = json.loads((archive / "parts.json").read_text())
    assert [one for one in told if one["kind"] == kind]
    changed = [one | {"source_sha256": "0" * 64} if one["kind"] == kind else one for one in told]
    (archive / "parts.json").write_text(json.dumps(changed))
    manifest = json.loads((archive / "manifest.json").read_text())
    manifest["files"]["parts.json"] = hashlib.sha256((archive / "parts.json").read_bytes()).hexdigest()
    (archive / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("kind", "accept", "sessions"),
    [
        ("host", (), 4),
        ("host", ("--accept-host-change",), 3),
        ("fixture", (), 4),
        ("fixture", ("--accept-host-change",), 4),
        ("grader", (), 3),
    ],
)
def test_a_trial_in_which_a_part_of_other_sources_acted_is_not_taken_over(
    skilltrial: Command,
    earlier: Path,
    counting: Mapping[str, str],
    tmp_path: Path,
    kind: str,
    accept: tuple[str, ...],
    *,
    sessions: int,
    started_times: Callable[[Path], int],
) -> None:
    """Name, options and files of a part may all be as they were. Who judges does so anew, whatever it was."""
    (tmp_path / "replies.yaml").write_text("schema_version: 1\nscripts: {one: {rules: []}}\n")
    tools = "fixtures:\n  tools: {use: commands, programs: [gh], replies: replies.yaml}\n"
    earlier.write_text(tools + earlier.read_text())
    (tmp_path / "count").unlink()
    shutil.rmtree(tmp_path / "first")
    skilltrial("run", earlier, "--out", "first", "--pass-env", "COUNT", *AGENT, env=counting)
    assert started_times(tmp_path) == 2
    other_sources(tmp_path / "first", kind)

    ran = skilltrial("run", earlier, *AGAIN, *accept, *AGENT, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == sessions, ran.err
    assert ("has other sources" in ran.err) is (sessions == 4)


def test_what_acted_in_a_trial_is_its_host_its_fixtures_and_who_answers_for_them() -> None:
    def part(kind: Any, name: str, digest: str) -> PartIdentity:
        return PartIdentity(kind=kind, name=name, distribution="d", version="1", source_sha256=digest * 64)

    kinds = ("core", "host", "fixture", "answerer", "normalizer", "grader", "observer", "suite")
    now: Any = SimpleNamespace(parts=SimpleNamespace(identities=[part(kind, "x", "1") for kind in kinds]))
    then: Any = SimpleNamespace(parts=[part(kind, "x", "2") for kind in kinds])
    without: Any = SimpleNamespace(parts=[])

    for archive in (then, without):
        assert dict(other_parts(now, archive)) == {
            kind: f"the {kind} x has other sources" for kind in ("host", "fixture", "answerer")
        }
    same: Any = SimpleNamespace(parts=now.parts.identities)
    assert dict(other_parts(now, same)) == {}


def test_a_changed_skill_leaves_the_arm_without_it_as_it_was(
    skilltrial: Command,
    earlier: Path,
    counting: Mapping[str, str],
    tmp_path: Path,
    started_times: Callable[[Path], int],
) -> None:
    skill = tmp_path / "greeter" / "SKILL.md"
    skill.write_text(skill.read_text() + "Be brief.\n")

    ran = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 3


@pytest.mark.parametrize(("accept", "sessions"), [((), 4), (("--accept-host-change",), 3)])
def test_another_program_is_another_host_unless_it_is_accepted(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    tmp_path: Path,
    accept: tuple[str, ...],
    sessions: int,
    *,
    counts: str,
    started_times: Callable[[Path], int],
) -> None:
    suite, program = greeter(), tmp_path / "agent"
    text = f"#!/bin/sh\n{counts}echo hello > greeting.txt\n"
    program.write_text(text)
    program.chmod(0o755)
    host = ("--host", "portable", "--", str(program))
    skilltrial("run", suite, "--out", "first", "--pass-env", "COUNT", *host, env=counting)
    program.write_text(text + "# version 2\n")

    ran = skilltrial("run", suite, *AGAIN, *accept, *host, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == sessions


def test_a_changed_archive_is_not_reused(
    skilltrial: Command,
    earlier: Path,
    counting: Mapping[str, str],
    tmp_path: Path,
    started_times: Callable[[Path], int],
) -> None:
    records = tmp_path / "first" / "trials/greet/without_skill/1/host.jsonl"
    records.write_bytes(records.read_bytes().replace(b"exited", b"Exited"))

    refused = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert refused.code == 4
    assert "host.jsonl" in refused.err
    assert not (tmp_path / "second").exists()
    assert started_times(tmp_path) == 2
