"""What an archive is worth: it qualifies one key, and only if nothing about it is in doubt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Lay = Callable[[Mapping[str, str]], None]
RUN = ("--host", "portable", "--records", "events", "--", "./agent.sh")
DATA = Path(__file__).parent / "data"
AGENT = (DATA / "agent.sh").read_text("utf-8")
SUITE = (DATA / "suite.yaml").read_text("utf-8")
FAKE = (DATA / "fake").read_text("utf-8")


class TestQualified:
    def test_an_archive_of_the_same_key_qualifies_and_the_command_says_so(self, project: Any) -> None:
        root = project.root / "run"

        asked = project.asked(root)

        assert asked.code == 0, asked.out + asked.err
        assert f"{root}: qualifies" in asked.out.splitlines()
        assert "host     claude 9.9.9, program " in asked.out
        assert "model m-1;" in asked.out
        told = json.loads(project.asked(root, more=("--format", "json")).out)
        jsonschema.validate(told, json.loads(project.skilltrial("schema", "qualification").out))
        assert told["schema_version"] == 1
        assert [one["worth"] for one in told["archives"]] == ["qualifies"]
        assert told["archives"][0]["key"]["model"] == "m-1"

    def test_the_best_of_several_archives_decides(self, project: Any) -> None:
        good, other = project.root / "run", project.run("run-2")

        assert project.asked(other).code == 1
        assert project.asked(other, good).code == 0

    def test_a_model_counts_where_one_is_asked_for(self, project: Any) -> None:
        root = project.root / "run"

        assert project.asked(root, more=("--model", "m-1")).code == 0
        other = project.asked(root, more=("--model", "m-2"))
        assert other.code == 1
        assert "the model: m-1 then, m-2 now" in other.out

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda project: (project.root / "fake").write_text(f"{FAKE}# more\n"), "the host's program"),
            (
                lambda project: (project.root / "fake").write_text(FAKE.replace("9.9.9", "9.9.10")),
                "the host's version: 9.9.9 then, 9.9.10 now",
            ),
            (
                lambda project: (project.root / "greeter/SKILL.md").write_text(
                    "---\nname: greeter\ndescription: x\n---\nWrite.\n"
                ),
                "skill greeter",
            ),
            (
                lambda project: (project.root / "suite.yaml").write_text(SUITE.replace("Wave.", "Wave to us.")),
                "case wave",
            ),
            (
                lambda project: (project.root / "suite.yaml").write_text(SUITE.replace("hello}", "hallo}")),
                "case greet",
            ),
            (lambda project: (project.root / "start/new.txt").write_text("x"), "the workspace of case greet"),
            (lambda project: (project.root / "suite.yaml").write_text(f"{SUITE}limits: {{seconds: 60}}\n"), "`limits`"),
        ],
    )
    def test_what_has_changed_since_is_named(self, project: Any, change: Callable[[Any], object], told: str) -> None:
        root = project.root / "run"

        change(project)
        asked = project.asked(root)

        assert asked.code == 1
        assert f"{root}: qualified what it ran; since then changed" in asked.out
        assert told in asked.out

    def test_a_comment_in_the_suite_changes_nothing(self, project: Any) -> None:
        root = project.root / "run"

        (project.root / "suite.yaml").write_text(f"# a comment\n{SUITE}")

        assert project.asked(root).code == 0

    def test_one_that_is_refused_hides_none_and_is_told(self, project: Any) -> None:
        good, bad = project.root / "run", project.run("run-2")
        (bad / "plan.json").write_bytes(b"{}")

        assert project.asked(bad).code == 4
        asked = project.asked(bad, good, project.root / "nowhere")
        assert asked.code == 0
        assert f"{bad}: refused" in asked.out
        assert f"{project.root / 'nowhere'}: refused" in asked.out

    @pytest.mark.parametrize("words", [("nosuchsuite",), ("suite.yaml", "--skill", "nowhere"), ("nowhere.yaml",)])
    def test_what_can_not_be_asked_is_no_answer(self, project: Any, words: tuple[str, ...]) -> None:
        suite, *more = words

        assert project.skilltrial("qualified", suite, "run", "--host", "claude", *more).code == 2


def provenance(**values: Any) -> Callable[[Any, Path], object]:
    return lambda project, root: project.alter(root, "provenance.json", lambda facts: facts.update(values))


def plan(**values: Any) -> Callable[[Any, Path], object]:
    return lambda project, root: project.alter(root, "plan.json", lambda told: told.update(values))


def host(**values: Any) -> Callable[[Any, Path], object]:
    return lambda project, root: project.graft(root, **values)


PIN: dict[str, Any] = {"skill": "greeter", "commit": None, "faults": []}
KEY = {"case": "wave", "arm": "without_skill", "label": "1"}


class TestNothing:
    """What never qualifies, each by its reason."""

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (plan(model="scripted"), "rehearsal"),
            (host(evidence_kind="imported"), "imported"),
            (host(evidence_kind="stand-in-host"), "stand_in"),
            (host(evidence_kind="live-server"), "not_controlled"),
            (
                lambda project, root: project.alter(
                    root, "parts.json", lambda parts: parts[1].update(version="unpackaged")
                ),
                "unpackaged",
            ),
            (host(version=None), "host_unidentified"),
            (host(program_sha256=None), "host_unidentified"),
            (provenance(pins=[]), "skill_unpinned"),
            (provenance(pins=[PIN | {"state": "unpinned"}]), "skill_unpinned"),
            (provenance(pins=[PIN | {"state": "changed"}]), "skill_changed"),
            (provenance(pins=[PIN | {"state": "unverified"}]), "skill_unverified"),
            (plan(narrowed=True), "narrowed"),
            (provenance(interrupted=True), "partial"),
            (provenance(stopped="the budget is used up"), "partial"),
            (provenance(resumed_with=["grader files"]), "resumed_with_others"),
            (
                provenance(reused=[{"key": KEY, "archive": "0" * 64, "started": "2026-01-01T00:00:00Z"}]),
                "reused_trials",
            ),
            (provenance(changed_sources=["skill greeter"]), "sources_changed"),
            (provenance(repository_dirty=True), "repository_dirty"),
            (
                lambda project, root: project.alter(
                    root, "plan.json", lambda told: told["skips"].append({"key": KEY, "reason": "needs_mcp_http"})
                ),
                "skipped",
            ),
        ],
    )
    def test_an_archive_in_doubt(self, project: Any, change: Callable[[Any, Path], object], reason: str) -> None:
        root = project.root / "run"
        change(project, root)

        one = project.standing(root)

        assert one["worth"] == "nothing"
        assert reason in [doubt["reason"] for doubt in one["doubts"]]

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (provenance(repository_dirty=True), "repository_dirty"),
            (provenance(pins=[PIN | {"state": "unverified"}]), "skill_unverified"),
            (provenance(changed_sources=["skill greeter"]), "sources_changed"),
            (host(version=None), "host_unidentified"),
            (host(program_sha256=None), "host_unidentified"),
        ],
    )
    def test_gap_13_where_what_ran_is_not_known_to_the_commit_and_the_version_nothing_is_qualified(
        self, project: Any, change: Callable[[Any, Path], object], reason: str
    ) -> None:
        root = project.run_in("with_skill", "spawned", lambda told: None)
        assert project.reasons(root) == [], "it qualifies before"

        change(project, root)

        assert project.reasons(root)[:1] == [reason]
        assert project.asked(root).code == 1

    def test_a_rehearsal(self, project: Any) -> None:
        words = ("rehearse", "organization", "--out", "again", "--case", "policy-english", "--host", "portable", "--")
        assert project.skilltrial(*words, "skilltrial-agent").code == 0

        assert "rehearsal" in project.reasons(project.root / "again")

    def test_a_run_whose_calls_were_passed_on(self, project: Any) -> None:
        root, trial = project.root / "run", "trials/wave/with_skill/1"
        note = json.dumps({"wire": "answered", "number": 1, "result": "x", "because": "forwarded"})
        line = {"seq": 1, "at": 0.5, "source": "wire", "turn": 1, "raw": note, "redacted": 0}
        project.put(root, trial, "fixture-memory.jsonl", json.dumps(line).encode())

        assert project.reasons(root) == ["not_controlled"]

    @pytest.mark.parametrize(
        ("note", "change", "aspect"),
        [
            ("spawned", lambda told: told["argv"].append("--more"), "argv"),
            ("spawned", lambda told: told["environment"].append("MORE"), "environment"),
            ("furnished", lambda told: told["files"].update({".more": "0" * 64}), "home"),
        ],
    )
    def test_a_run_whose_arms_ran_with_more_that_differs_and_the_pair_and_what_are_named(
        self, project: Any, note: str, change: Callable[[Any], object], aspect: str
    ) -> None:
        root = project.run_in("with_skill", note, change)

        doubts = {one["reason"]: one["told"] for one in project.standing(root)["doubts"]}

        assert set(doubts) == {"arms_differ", "gate_incomplete"}
        assert doubts["arms_differ"] == (
            f"case wave, attempt 1, against without_skill ran with more that differs than the skill: {aspect}"
        )
        asked = project.asked(root)
        assert (asked.code, "arms_differ" in asked.out) == (1, True)

    @pytest.mark.parametrize(
        ("note", "change", "aspect"),
        [
            ("spawned", lambda told: told.update(environment=None), "environment"),
            ("furnished", lambda told: told.update(whole=False), "home"),
            ("furnished", lambda told: told.update(note="of_another_release"), "home"),
        ],
    )
    def test_a_run_that_does_not_show_what_an_arm_ran_with(
        self, project: Any, note: str, change: Callable[[Any], object], aspect: str
    ) -> None:
        root = project.run_in("with_skill", note, change)

        assert project.standing(root)["doubts"] == [
            {"reason": "arms_unshown", "told": f"what the arms ran with was not seen whole: {aspect}"}
        ]

    def test_a_part_of_a_suite(self, project: Any) -> None:
        root = project.graft(project.run("run-2", "--case", "greet"))

        assert project.reasons(root) == ["narrowed"]

    @pytest.mark.parametrize(
        ("agent", "reasons"),
        [
            (AGENT.replace("m-1", "m-'$$'"), ["several_models", "pairs_unavailable"]),
            (AGENT.replace("m-1", "no name of a model"), ["model_not_seen"]),
            (AGENT.replace('{"type": "ModelRequested", "model": "m-1"}', "words"), ["model_not_seen"]),
            (AGENT.replace("greeting.txt; fi", "other.txt; fi"), ["gate_failed"]),
            (
                AGENT.replace('"completed"', '"host_failed"'),
                ["partial", "pairs_unavailable", "undecided", "gate_incomplete"],
            ),
        ],
    )
    def test_a_run_that_shows_too_little(self, project: Any, lay: Lay, agent: str, reasons: list[str]) -> None:
        lay({"start/agent.sh": agent})
        project.commit()

        root = project.graft(project.run("run-2", "--retries", "0"))

        assert project.reasons(root) == reasons

    def test_a_run_on_another_host_than_the_suite_qualifies_on(self, project: Any, lay: Lay) -> None:
        lay({"suite.yaml": f"{SUITE}qualifies: {{host: claude, version: 9.9.9}}\n"})
        project.commit()
        root = project.graft(project.run("run-2"))
        assert project.asked(root).code == 0

        project.graft(root, version="9.9.8")
        one = project.standing(root)

        assert one["doubts"] == [{"reason": "other_host", "told": "the suite qualifies on claude 9.9.9 alone"}]

    def test_a_run_that_was_taken_up_with_another_part(self, project: Any) -> None:
        root = project.run("run-3", "--max-sessions", "1")
        parts = root / "parts.json"
        told = json.loads(parts.read_bytes())
        changed = [one | {"source_sha256": "0" * 64} if one["kind"] == "grader" else one for one in told]
        parts.write_text(json.dumps(changed))
        manifest = json.loads((root / "manifest.json").read_bytes())
        manifest["files"]["parts.json"] = hashlib.sha256(parts.read_bytes()).hexdigest()
        (root / "manifest.json").write_text(json.dumps(manifest))

        taken_up = project.skilltrial("run", "--resume", root)

        assert taken_up.code == 0, taken_up.err
        assert json.loads((root / "provenance.json").read_bytes())["resumed_with"] == ["grader files"]
        project.graft(root)
        assert project.reasons(root) == ["resumed_with_others"]

    def test_a_run_that_was_taken_up_with_another_option_but_not_one_with_the_same(self, project: Any) -> None:
        same, other = (project.run(out, "--max-sessions", "1") for out in ("run-2", "run-3"))

        assert project.skilltrial("run", "--resume", same, "--records", "events").code == 0
        assert project.skilltrial("run", "--resume", other, "--skill-dir", ".other/skills").code in (0, 1, 3)

        assert json.loads((same / "provenance.json").read_bytes())["resumed_with"] == []
        assert json.loads((other / "provenance.json").read_bytes())["resumed_with"] == ["option skill_dir"]
