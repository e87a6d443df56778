"""What an archive is worth: it qualifies one key, and only if nothing about it is in doubt."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skilltrial.archive.keying import key_of
from skilltrial.archive.reading import open_archive
from skilltrial.cli.judging import judge
from skilltrial.judge.qualifying import standing
from skilltrial.plugins.discovery import Discovery

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

AGENT = """\
#!/bin/sh
cat > /dev/null
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
echo '{"type": "ModelRequested", "model": "m-1"}'
echo '{"type": "TurnEnded", "answer": "done"}'
echo '{"type": "SessionEnded", "ending": "completed"}'
"""
"""Greets where the skill tells it how, and says which model answered."""
SUITE = """\
skills: [{id: greeter, folder: greeter}]
cases:
  greet:
    prompt: Greet the user.
    workspace: start
    expect: [{files: greeting.txt, contains: hello}]
  wave:
    prompt: Wave.
    workspace: start
    expect: [{files: greeting.txt, contains: hello}]
"""
FAKE = "#!/bin/sh\necho '9.9.9 (Claude Code)'\n"
"""Stands for the program of a host: it is asked for its version, and nothing else."""
RUN = ("--host", "portable", "--records", "events", "--", "./agent.sh")


@dataclass
class Project:
    """A repository with a suite, its skill and a program, and what is run in it."""

    root: Path
    skilltrial: Command

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *identity, *words], cwd=self.root, check=True, capture_output=True, text=True, env=environment
        )
        return done.stdout.strip()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "change")

    def run(self, out: str = "run", *more: str) -> Path:
        ran = self.skilltrial("run", "suite.yaml", "--out", out, "--seed", "1", *more, *RUN)
        assert ran.code in (0, 1, 3), ran.err
        return self.root / out

    def graft(self, root: Path, **values: Any) -> Path:
        """Make an archive say that another host ran, as only the real one could, and seal it again."""
        program = hashlib.sha256((self.root / "fake").read_bytes()).hexdigest()
        host = {"name": "claude", "version": "9.9.9", "program_sha256": program}
        host["evidence_kind"] = "live-claude-code-subprocess"
        return alter(root, "plan.json", lambda plan: plan["host"].update({**host, **values}))

    def asked(self, *archives: str | Path, more: tuple[str, ...] = ()) -> Any:
        fake = self.root / "fake"
        return self.skilltrial("qualified", "suite.yaml", *archives, "--host", "claude", "--host-binary", fake, *more)

    def standing(self, archive: Path) -> dict[str, Any]:
        """What the archive is worth to whoever asks about its own key; in this process, for there are many of them."""
        opened = open_archive(archive)
        key = key_of(opened.plan, opened.suite, opened.assets, {})
        told: dict[str, Any] = standing("x", opened, judge(archive, Discovery()).report, key).model_dump(mode="json")
        return told

    def reasons(self, archive: Path) -> list[str]:
        return [doubt["reason"] for doubt in self.standing(archive)["doubts"]]


def alter(root: Path, name: str, change: Callable[[Any], object]) -> Path:
    """Change a JSON file of an archive, and seal the archive again."""
    value = json.loads((root / name).read_bytes())
    change(value)
    data = json.dumps(value).encode()
    (root / name).write_bytes(data)
    manifest = json.loads((root / "manifest.json").read_bytes())
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    (root / "manifest.json").write_text(json.dumps(manifest))
    return root


FILES = {
    "suite.yaml": SUITE,
    "greeter/SKILL.md": "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n",
    "start/agent.sh": AGENT,
    "fake": FAKE,
    ".gitignore": "run*\nfake*\n",
}


def called(root: Path) -> Command:
    """`skilltrial ARGUMENTS` in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "skilltrial", *map(str, words)]
        environment = {**os.environ, "PATH": path, "COLUMNS": "80"}
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)

    return call


def put(root: Path, trial: str, name: str, data: bytes) -> None:
    """Add a file to a trial of an archive, and seal both again."""
    (root / trial / name).write_bytes(data)
    seal = json.loads((root / trial / "seal.json").read_bytes())
    seal["files"][name] = hashlib.sha256(data).hexdigest()
    (root / trial / "seal.json").write_text(json.dumps(seal))
    manifest = json.loads((root / "manifest.json").read_bytes())
    manifest["trials"][trial] = hashlib.sha256((root / trial / "seal.json").read_bytes()).hexdigest()
    (root / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a pinned and committed suite, and the archive of a run that qualifies."""
    root = tmp_path_factory.mktemp("template")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    for name in ("start/agent.sh", "fake"):
        (root / name).chmod(0o755)
    made = Project(root, called(root))
    made.git("init", "-q", "-b", "main")
    made.commit()
    assert made.skilltrial("pin", "suite.yaml").returncode == 0
    made.commit()
    ran = made.skilltrial("run", "suite.yaml", "--out", "run", "--seed", "1", *RUN)
    assert ran.returncode == 0, ran.stderr
    made.graft(root / "run")
    return root


@pytest.fixture
def project(skilltrial: Command, template: Path, tmp_path: Path) -> Project:
    """A copy of the template of this test's own."""
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Project(tmp_path, skilltrial)


class TestPin:
    def test_it_is_written_beside_the_suite_and_checked(self, project: Project) -> None:
        checked = project.skilltrial("pin", "suite.yaml", "--check")

        assert checked.code == 0
        assert checked.out == f"greeter: 1 file, pinned at {project.git('rev-parse', 'HEAD~1')}\n"

    def test_every_fault_is_told_at_once_and_nothing_is_written(self, project: Project, lay: Lay) -> None:
        before = (project.root / "skilltrial.lock").read_bytes()
        lay({"greeter/SKILL.md": "---\nname: greeter\ndescription: x\n---\n", "greeter/more.md": "x"})

        for flags in (("--check",), (), ("--revision", "HEAD")):
            refused = project.skilltrial("pin", "suite.yaml", *flags)

            assert (refused.code, refused.out) == (2, "")
            assert "SKILL.md was changed" in refused.err
            assert "more.md was added" in refused.err
        assert (project.root / "skilltrial.lock").read_bytes() == before

    def test_check_and_revision_exclude_each_other(self, project: Project) -> None:
        assert project.skilltrial("pin", "suite.yaml", "--check", "--revision", "HEAD").code == 2

    def test_the_archive_holds_the_pin_and_what_was_found_of_it(self, project: Project) -> None:
        root = project.root / "run"

        pins = json.loads((root / "provenance.json").read_bytes())["pins"]
        assert pins == [
            {"skill": "greeter", "state": "pinned", "commit": project.git("rev-parse", "HEAD~1"), "faults": []}
        ]
        assert (root / "inputs/skilltrial.lock").read_bytes() == (project.root / "skilltrial.lock").read_bytes()

    def test_a_changed_skill_runs_and_the_report_says_what_that_costs(self, project: Project, lay: Lay) -> None:
        lay({"greeter/SKILL.md": "---\nname: greeter\ndescription: x\n---\nWrite.\n"})

        ran = project.skilltrial("run", "suite.yaml", "--out", "run-2", "--format", "json", *RUN)

        assert ran.code == 0, ran.err
        assert "The skill greeter was not what its pin says: this run qualifies nothing." in ran.report["limitations"]

    def test_an_archive_whose_skill_is_not_what_its_own_pin_says_is_refused(self, project: Project) -> None:
        root = project.root / "run"
        alter(
            root,
            "inputs/skilltrial.lock",
            lambda lock: lock["skills"]["greeter"]["files"].update({"SKILL.md": "0" * 64}),
        )

        refused = project.skilltrial("grade", root)

        assert refused.code == 4
        assert "archived_skill_pin_mismatch" in refused.err
        assert "SKILL.md was changed" in refused.err


class TestQualified:
    def test_an_archive_of_the_same_key_qualifies_and_the_command_says_so(self, project: Project) -> None:
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

    def test_the_best_of_several_archives_decides(self, project: Project) -> None:
        good, other = project.root / "run", project.run("run-2")

        assert project.asked(other).code == 1
        assert project.asked(other, good).code == 0

    def test_a_model_counts_where_one_is_asked_for(self, project: Project) -> None:
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
    def test_what_has_changed_since_is_named(
        self, project: Project, change: Callable[[Project], object], told: str
    ) -> None:
        root = project.root / "run"

        change(project)
        asked = project.asked(root)

        assert asked.code == 1
        assert f"{root}: qualified what it ran; since then changed" in asked.out
        assert told in asked.out

    def test_a_comment_in_the_suite_changes_nothing(self, project: Project) -> None:
        root = project.root / "run"

        (project.root / "suite.yaml").write_text(f"# a comment\n{SUITE}")

        assert project.asked(root).code == 0

    def test_one_that_is_refused_hides_none_and_is_told(self, project: Project) -> None:
        good, bad = project.root / "run", project.run("run-2")
        (bad / "plan.json").write_bytes(b"{}")

        assert project.asked(bad).code == 4
        asked = project.asked(bad, good, project.root / "nowhere")
        assert asked.code == 0
        assert f"{bad}: refused" in asked.out
        assert f"{project.root / 'nowhere'}: refused" in asked.out

    @pytest.mark.parametrize("words", [("nosuchsuite",), ("suite.yaml", "--skill", "nowhere"), ("nowhere.yaml",)])
    def test_what_can_not_be_asked_is_no_answer(self, project: Project, words: tuple[str, ...]) -> None:
        suite, *more = words

        assert project.skilltrial("qualified", suite, "run", "--host", "claude", *more).code == 2


def provenance(**values: Any) -> Callable[[Project, Path], object]:
    return lambda project, root: alter(root, "provenance.json", lambda facts: facts.update(values))


def plan(**values: Any) -> Callable[[Project, Path], object]:
    return lambda project, root: alter(root, "plan.json", lambda told: told.update(values))


def host(**values: Any) -> Callable[[Project, Path], object]:
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
                lambda project, root: alter(root, "parts.json", lambda parts: parts[1].update(version="unpackaged")),
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
                lambda project, root: alter(
                    root, "plan.json", lambda told: told["skips"].append({"key": KEY, "reason": "needs_mcp_http"})
                ),
                "skipped",
            ),
        ],
    )
    def test_an_archive_in_doubt(
        self, project: Project, change: Callable[[Project, Path], object], reason: str
    ) -> None:
        root = project.root / "run"
        change(project, root)

        one = project.standing(root)

        assert one["worth"] == "nothing"
        assert reason in [doubt["reason"] for doubt in one["doubts"]]

    def test_a_rehearsal(self, project: Project) -> None:
        words = ("rehearse", "organization", "--out", "again", "--case", "policy-english", "--host", "portable", "--")
        assert project.skilltrial(*words, "skilltrial-agent").code == 0

        assert "rehearsal" in project.reasons(project.root / "again")

    def test_a_run_whose_calls_were_passed_on(self, project: Project) -> None:
        root, trial = project.root / "run", "trials/wave/with_skill/1"
        note = json.dumps({"wire": "answered", "number": 1, "result": "x", "because": "forwarded"})
        line = {"seq": 1, "at": 0.5, "source": "wire", "turn": 1, "raw": note, "redacted": 0}
        put(root, trial, "fixture-memory.jsonl", json.dumps(line).encode())

        assert project.reasons(root) == ["not_controlled"]

    def test_a_part_of_a_suite(self, project: Project) -> None:
        root = project.graft(project.run("run-2", "--case", "greet"))

        assert project.reasons(root) == ["narrowed"]

    @pytest.mark.parametrize(
        ("agent", "reasons"),
        [
            (AGENT.replace("m-1", "m-'$$'"), ["several_models"]),
            (AGENT.replace("m-1", "no name of a model"), ["model_not_seen"]),
            (AGENT.replace('{"type": "ModelRequested", "model": "m-1"}', "words"), ["model_not_seen"]),
            (AGENT.replace("greeting.txt; fi", "other.txt; fi"), ["gate_failed"]),
            (
                AGENT.replace('"completed"', '"host_failed"'),
                ["partial", "undecided", "gate_incomplete"],
            ),
        ],
    )
    def test_a_run_that_shows_too_little(self, project: Project, lay: Lay, agent: str, reasons: list[str]) -> None:
        lay({"start/agent.sh": agent})
        project.commit()

        root = project.graft(project.run("run-2", "--retries", "0"))

        assert project.reasons(root) == reasons

    def test_a_run_on_another_host_than_the_suite_qualifies_on(self, project: Project, lay: Lay) -> None:
        lay({"suite.yaml": f"{SUITE}qualifies: {{host: claude, version: 9.9.9}}\n"})
        project.commit()
        root = project.graft(project.run("run-2"))
        assert project.asked(root).code == 0

        project.graft(root, version="9.9.8")
        one = project.standing(root)

        assert one["doubts"] == [{"reason": "other_host", "told": "the suite qualifies on claude 9.9.9 alone"}]

    def test_a_run_that_was_taken_up_with_another_part(self, project: Project) -> None:
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

    def test_a_run_that_was_taken_up_with_another_option_but_not_one_with_the_same(self, project: Project) -> None:
        same, other = (project.run(out, "--max-sessions", "1") for out in ("run-2", "run-3"))

        assert project.skilltrial("run", "--resume", same, "--records", "events").code == 0
        assert project.skilltrial("run", "--resume", other, "--skill-dir", ".other/skills").code in (0, 1, 3)

        assert json.loads((same / "provenance.json").read_bytes())["resumed_with"] == []
        assert json.loads((other / "provenance.json").read_bytes())["resumed_with"] == ["option skill_dir"]
