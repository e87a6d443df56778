"""Remarks on a suite without faults."""

from __future__ import annotations

import shutil

import pytest

from skilltrial.record.linting import lint

CASE = "cases: {one: {prompt: Go., workspace: {a.txt: x, src/b.txt: y}, expect: [{files: a.txt, contains: x}]}}\n"
LISTED = "skills: [{id: commit-style, folder: commit-style}]\n" + CASE


def remarks(project, text: str) -> list[str]:
    return [str(one) for one in lint(project.load(text))]


def test_a_sound_suite_has_no_remarks(project):
    assert remarks(project, LISTED) == []


@pytest.mark.parametrize(
    ("skill_md", "remark"),
    [
        (
            "---\nname: commit-style\n---\nBody",
            "its SKILL.md has no `description`, so no agent can tell when to use it",
        ),
        ("---\nname: commit-style\ndescription: ' '\n---\nBody", "its SKILL.md has no `description`"),
        (
            f"---\nname: commit-style\ndescription: {'x' * 1025}\n---\nBody",
            "its `description` is longer than 1024 characters",
        ),
        ("---\nname: commit-style\ndescription: x\n---\n\n", "its SKILL.md says nothing below the front matter"),
    ],
)
def test_a_skill_that_no_agent_would_use_is_remarked(project, skill_md, remark):
    (project.root / "commit-style" / "SKILL.md").write_text(skill_md)

    (told,) = remarks(project, LISTED)

    assert told.startswith(f"commit-style.trial.yaml:1:37: skill `commit-style`: {remark}")


def test_a_folder_of_another_name_is_remarked(project):
    shutil.move(project.root / "commit-style", project.root / "style")

    (told,) = remarks(project, LISTED.replace("folder: commit-style", "folder: style"))

    assert "its folder has another name" in told


@pytest.mark.parametrize(
    ("path", "found"), [("a.txt", 0), ("src", 0), ("src/", 0), ("src/b.txt", 0), ("b.txt", 1), ("sr", 1)]
)
def test_what_must_stay_unchanged_should_be_there(project, path, found):
    told = remarks(project, CASE.replace("a.txt, contains: x", f"{path}, unchanged: true"))

    assert len(told) == found
    assert all("a path that must stay unchanged is not in the workspace" in one for one in told)


def test_the_same_holds_for_a_folder_as_workspace(project):
    (project.root / "start" / "src").mkdir(parents=True)
    checks = "[{files: src, unchanged: true}, {files: x, unchanged: true}]"
    text = f"cases: [{{id: one, prompt: Go., workspace: start, checks: {checks}}}]"

    assert [one.split(":")[2] for one in remarks(project, text)] == ["90"]


def test_a_script_that_says_more_than_it_is_asked_is_remarked(project):
    text = CASE.replace("expect: [", "rehearsals: [{id: r, expect: failed, script: [{say: a}, {say: b}]}], expect: [")

    (told,) = remarks(project, text)

    assert "a script has more last words than the case has turns" in told


def test_a_file_named_like_a_device_is_remarked(project):
    (told,) = remarks(project, CASE.replace("src/b.txt", "src/aux.txt"))

    assert "a name that Windows keeps for a device" in told
