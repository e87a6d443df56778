"""What people write, and the long form that it means."""

from __future__ import annotations

import json
import shutil

import pytest

from skilltrial.model.suite import Arm, Gate, SkillSource
from skilltrial.model.words import VerdictKind
from skilltrial.record.loading import expanded

SHORT = """\
# beside the skill folder commit-style/
cases:
  dark-mode:
    prompt: Add a changelog entry for the new dark mode.
    workspace: {CHANGELOG.md: "# Changelog\\n"}
    expect:
      - {files: CHANGELOG.md, contains: "## Unreleased"}
"""


def test_the_short_form_is_a_whole_suite(project):
    suite = project.load(SHORT).suite

    assert suite.schema_version == 1
    assert suite.id == "commit-style"
    assert suite.skills == (SkillSource(id="commit-style", folder="commit-style"),)
    assert suite.arms == (Arm(id="without_skill"), Arm(id="with_skill", skills=("commit-style",)))
    assert suite.gate == Gate(arm="with_skill")
    (case,) = suite.cases
    assert case.id == "dark-mode"
    assert case.turns == ("Add a changelog entry for the new dark mode.",)
    assert case.workspace.files == {"CHANGELOG.md": "# Changelog\n"}
    (check,) = case.checks
    assert (check.id, check.grader) == ("files-1", "files")
    assert check.options == {"path": "CHANGELOG.md", "contains": "## Unreleased"}


def test_the_grader_gets_its_options_as_its_own_model(project):
    loaded = project.load(SHORT)

    options = loaded.checks["dark-mode", "files-1"]

    assert type(options).__name__ == "TextCheck"
    assert options.paths() == ("CHANGELOG.md",)


def test_the_bytes_are_kept_as_written(project):
    crlf = SHORT.replace("\n", "\r\n").encode()

    loaded = project.load(b"\xef\xbb\xbf" + crlf)

    assert loaded.source == b"\xef\xbb\xbf" + crlf
    assert loaded.suite == project.load(SHORT).suite
    assert loaded.root == project.root
    assert loaded.path == project.root / "commit-style.trial.yaml"


LONG = """\
schema_version: 1
id: commit-style
skills: [{id: commit-style, folder: commit-style}]
arms: [{id: without_skill}, {id: with_skill, skills: [commit-style]}]
gate: {arm: with_skill, require: all}
attempts: 1
cases:
  - id: dark-mode
    turns: [Add a changelog entry for the new dark mode.]
    workspace: {files: {CHANGELOG.md: "# Changelog\\n"}}
    checks:
      - {id: files-1, grader: files, path: CHANGELOG.md, contains: "## Unreleased"}
"""


def test_short_and_long_form_mean_the_same(project):
    assert project.load(LONG).suite == project.load(SHORT).suite


def test_json_and_yaml_mean_the_same(project):
    text = json.dumps(
        {
            "cases": {
                "dark-mode": {
                    "prompt": "Add a changelog entry for the new dark mode.",
                    "workspace": {"CHANGELOG.md": "# Changelog\n"},
                    "expect": [{"files": "CHANGELOG.md", "contains": "## Unreleased"}],
                }
            }
        }
    )

    assert project.load(text, "commit-style.trial.json").suite == project.load(SHORT).suite
    assert project.load(text, "commit-style.trial.yaml").suite == project.load(SHORT).suite


def case(**keys: str) -> str:
    more = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    return f"cases:\n  one:\n    prompt: Go.\n    expect: [{{files: a.txt, contains: x}}]\n{more}"


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("commit-style.trial.yaml", "commit-style"),
        ("commit-style.yml", "commit-style"),
        ("Commit Style.trial.yaml", "commit-style"),
        ("Über.trial.yaml", "ber"),
        ("v1.2.trial.json", "v1-2"),
    ],
)
def test_the_id_comes_from_the_files_name(project, name, id):
    text = "skills: [{id: commit-style, folder: commit-style}]\n" + case()
    if name.endswith(".json"):
        text = json.dumps(
            {
                "skills": [{"id": "commit-style", "folder": "commit-style"}],
                "cases": [{"id": "one", "prompt": "Go.", "checks": [{"files": "a", "contains": "x"}]}],
            }
        )

    assert project.load(text, name).suite.id == id


def test_a_suite_inside_a_skill_folder_is_about_that_skill(project):
    suite = project.load(case(), "commit-style/check.trial.yaml").suite

    assert suite.skills == (SkillSource(id="commit-style", folder="."),)


def test_the_skill_beside_the_file_is_known_by_the_name_in_its_skill_md(project):
    shutil.rmtree(project.root / "commit-style")
    project.skill("commit-style", name="commit-messages")

    suite = project.load(case()).suite

    assert suite.skills == (SkillSource(id="commit-messages", folder="commit-style"),)
    assert suite.arm("with_skill").skills == ("commit-messages",)


def test_a_suite_whose_arms_need_no_skill_needs_no_folder(project):
    shutil.rmtree(project.root / "commit-style")

    suite = project.load("arms: [{id: plain}]\n" + case()).suite

    assert suite.skills == ()
    assert suite.gate.arm == "plain"


@pytest.mark.parametrize(
    ("arms", "gate"),
    [
        ("[{id: a}, {id: with_skill, skills: [commit-style]}, {id: b}]", "with_skill"),
        ("[{id: a}, {id: b}]", "b"),
    ],
)
def test_the_gate_is_with_skill_or_else_the_last_arm(project, arms, gate):
    assert project.load(f"arms: {arms}\n" + case()).suite.gate.arm == gate


def test_an_arm_takes_the_previous_version_of_each_skill_that_has_one(project):
    project.skill("old/commit-style")
    project.skill("other")
    text = """\
skills:
  - {id: commit-style, folder: commit-style, previous: old/commit-style}
  - {id: other, folder: other}
arms:
  - {id: previous, from: previous}
  - {id: only, from: previous, skills: [commit-style]}
  - {id: mixed, skills: [commit-style@previous]}
"""

    suite = project.load(text + case()).suite

    assert suite.arm("previous").skills == ("commit-style@previous", "other")
    assert suite.arm("only").skills == ("commit-style@previous",)
    assert suite.arm("mixed").skills == ("commit-style@previous",)


@pytest.mark.parametrize("previous", ["HEAD~1:skills/commit-style", "merge-base:origin/main:skills/commit-style"])
def test_a_previous_version_may_be_a_revision(project, previous):
    text = f"skills: [{{id: commit-style, folder: commit-style, previous: '{previous}'}}]\n" + case()

    assert project.load(text).suite.skills[0].previous == previous


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ("start", {"folder": "start"}),
        ("{folder: start}", {"folder": "start"}),
        ("{folder: start, git: true}", {"folder": "start", "repository": True}),
        ("{a.txt: x, src/b.txt: y}", {"files": {"a.txt": "x", "src/b.txt": "y"}}),
        ("{files: {folder: x}}", {"files": {"folder": "x"}}),
        ("{files: {a: x}, repository: true}", {"files": {"a": "x"}, "repository": True}),
        ("{git: ., ref: HEAD}", {"git": ".", "ref": "HEAD"}),
        ("{git: true}", {"repository": True}),
        ("{git: false}", {}),
        ("{}", {}),
    ],
)
def test_a_workspace_has_many_forms(project, written, fields):
    (project.root / "start").mkdir()

    workspace = project.load(case(workspace=written)).suite.cases[0].workspace

    assert workspace.model_dump(exclude_defaults=True) == fields


@pytest.mark.parametrize(
    ("written", "size"),
    [("50MB", 50_000_000), ("512 KiB", 524_288), ("7", 7), ("2GiB", 2 * 2**30), ("9B", 9), ("1kB", 1000)],
)
def test_sizes_may_have_a_unit(project, written, size):
    assert project.load(f"limits: {{stdout: {written}}}\n" + case()).suite.limits.stdout == size


def test_a_missing_check_id_counts_the_checks_of_its_grader(project):
    text = """\
cases:
  one:
    prompt: Go.
    expect:
      - {files: a.txt, contains: x}
      - {id: files-2, files: b.txt, contains: x}
      - {answers: "Done"}
      - {files: c.txt, contains: x, advisory: true, arms: [with_skill]}
      - {id: named, grader: files, files: d.txt, contains: x}
"""

    checks = project.load(text).suite.cases[0].checks

    assert [check.id for check in checks] == ["files-1", "files-2", "answers-1", "files-3", "named"]
    assert checks[2].options == {"starts_with": "Done"}
    assert (checks[3].advisory, checks[3].arms) == (True, ("with_skill",))
    assert checks[4].options == {"path": "d.txt", "contains": "x"}


@pytest.mark.parametrize(
    ("written", "model", "options"),
    [
        ("{files: a.txt, unchanged: true}", "UnchangedCheck", {"path": "a.txt", "unchanged": True}),
        ("{files: {changed_within: [a, b]}}", "WithinCheck", {"changed_within": ["a", "b"]}),
        ("{files: {path: a, contains: x}, times: 2}", "TextCheck", {"path": "a", "contains": "x", "times": 2}),
        ("{files: a, contains: [x, y]}", "TextCheck", {"path": "a", "contains": ["x", "y"]}),
        ("{grader: files, changed_within: [a]}", "WithinCheck", {"changed_within": ["a"]}),
        ("{files: src/, unchanged: true}", "UnchangedCheck", {"path": "src/", "unchanged": True}),
    ],
)
def test_a_check_is_read_by_the_model_whose_keys_it_has(project, written, model, options):
    loaded = project.load(f"cases: {{one: {{prompt: Go., expect: [{written}]}}}}")

    (check,) = loaded.suite.cases[0].checks

    assert check.options == options
    assert type(loaded.checks["one", check.id]).__name__ == model


def test_null_is_a_value_of_an_option_that_takes_any(project):
    text = 'cases: {one: {prompt: Go., expect: [{answers: "x", lacks: null}]}}'

    loaded = project.load(text)

    assert loaded.suite.cases[0].checks[0].options == {"starts_with": "x", "lacks": None}
    assert project.load(expanded(loaded)).suite == loaded.suite


def test_rehearsals_are_acts_and_promises(project):
    text = case(
        rehearsals="""
      - id: honest
        expect: {with_skill: passed, without_skill: failed}
        script: [{read_skill: commit-style}, {write_file: {path: a.txt, text: x}}, {stall: 2}, {say: Done.}]
      - {id: lazy, expect: failed, because: [files-1], script: []}"""
    )

    honest, lazy = project.load(text).suite.cases[0].rehearsals

    assert honest.expected("with_skill") is VerdictKind.PASSED
    assert [type(act).__name__ for act in honest.script] == ["ReadSkill", "WriteFile", "Stall", "Say"]
    assert lazy.because == ("files-1",)


def test_a_fixture_of_an_installed_kind_is_kept_with_its_options(project):
    text = "fixtures: {memory: {use: mcp, catalog: c.json}}\n" + case(fixtures="{memory: {script: denied}}")

    suite = project.load(text, fixture_kinds=("mcp",)).suite

    assert suite.fixtures["memory"].options == {"catalog": "c.json"}
    assert suite.cases[0].fixtures == {"memory": {"script": "denied"}}


def test_yaml_1_2_reads_yes_and_dates_as_text(project):
    text = "cases: {one: {prompt: yes, workspace: {when.txt: 2026-01-31}, expect: [{files: a, contains: on}]}}"

    case_ = project.load(text).suite.cases[0]

    assert case_.turns == ("yes",)
    assert case_.workspace.files == {"when.txt": "2026-01-31"}
    assert case_.checks[0].options["contains"] == "on"


def test_an_anchor_may_be_used_again(project):
    text = """\
cases:
  one: {prompt: &ask Go., expect: &checks [{files: a.txt, contains: x}]}
  two: {prompt: *ask, expect: *checks}
"""

    one, two = project.load(text).suite.cases

    assert one.turns == two.turns
    assert one.checks == two.checks
