"""Remarks on a suite without faults."""

from __future__ import annotations

import shutil

import pytest

from skilltrial.model.errors import DocumentInvalid
from skilltrial.record.linting import lint

CASE = "cases: {one: {prompt: Go., workspace: {a.txt: x, src/b.txt: y}, expect: [{files: a.txt, contains: x}]}}\n"
LISTED = "skills: [{id: commit-style, folder: commit-style}]\n" + CASE


def remarks(project, text: str) -> list[str]:
    return [str(one) for one in lint(project.load(text), project.graders, project.fixtures)]


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


def skill_md(*lines: str, body: str = "Body.\n") -> str:
    head = {"name": "name: commit-style", "description": "description: How commits are written."}
    head |= {line.partition(":")[0]: line for line in lines}
    return "---\n" + "\n".join(head.values()) + f"\n---\n{body}"


@pytest.mark.parametrize(
    ("text", "remark", "fault"),
    [
        (skill_md("compatibility: " + "x" * 501), "its `compatibility` is longer than 500 characters", True),
        (skill_md("compatibility: ''"), "its `compatibility` must be a text that is not empty", True),
        (skill_md("metadata: {version: 1.0}"), "its `metadata` must be a mapping from texts to texts", True),
        (skill_md("license: [MIT]"), "its `license` must be a text", True),
        (skill_md("allowed-tools: []"), "its `allowed-tools` is a list; the specification has one text", False),
        (skill_md("user-invocable: true"), "its front matter has 1 key that only some agents know", False),
        (skill_md(body="x\n" * 501), "its body has 501 lines and 1002 characters; put details into files", False),
        (skill_md(body="See [more](references/more.md).\n"), "names 1 file that the folder does not hold", False),
        (skill_md(body="Run `scripts/a.sh` and `scripts/a.sh`.\n"), "names 1 file that the folder does not", False),
    ],
)
def test_a_skill_is_held_to_the_specification(project, text, remark, fault):
    (project.root / "commit-style" / "SKILL.md").write_text(text)

    (told,) = lint(project.load(LISTED), project.graders, project.fixtures)

    assert remark in told.text
    assert told.fault is fault


@pytest.mark.parametrize("name", ["commit_style", "commit--style", "commit-", "c" * 64])
def test_a_name_that_the_specification_does_not_have_is_a_fault(project, name):
    project.skill("commit-style", name=name)
    text = LISTED.replace("id: commit-style", f"id: {name}")

    found = [one for one in lint(project.load(text), project.graders, project.fixtures) if one.fault]

    assert [one.text.endswith("with single hyphens between") for one in found] == ([] if len(name) == 64 else [True])


def test_links_that_are_no_files_of_the_skill_are_left_alone(project):
    body = "[a](https://example.org/x.md) [b](#top) [c](/etc/x) [d](../x.md) [e](mailto:x@example.org) `src/a.py`\n"
    (project.root / "commit-style" / "SKILL.md").write_text(skill_md(body=body))

    assert remarks(project, LISTED) == []


def test_answer_keys_in_the_skill_are_noted(project):
    (project.root / "commit-style" / "evals").mkdir()

    (told,) = remarks(project, LISTED)

    assert "it holds `evals/`, which is never installed" in told


ASKS = "cases: {one: {prompt: PROMPT, workspace: {notes.txt: x}, expect: [{answers: Done}]}}\n"


@pytest.mark.parametrize(
    ("prompt", "noted"),
    [
        ("Fix notes.txt.", True),
        ("Write the rest into src/list.py please.", True),
        ("How many files are here?", False),
        ("Ask e.g. for version 1.2 of it.", False),
    ],
)
def test_asking_only_what_is_said_about_files_is_noted(project, prompt, noted):
    told = remarks(project, ASKS.replace("PROMPT", f'"{prompt}"'))

    assert any("an answer is no proof of an act" in one for one in told) is noted


RULE = "Write the subject of every commit in the imperative mood, with at most fifty characters."


@pytest.mark.parametrize(
    ("prompt", "noted"),
    [
        (f"Commit. {RULE}", "15 words of the prompt are those of skill `commit-style`"),
        ("WRITE the subject of every commit, in the imperative MOOD!", "10 words of the prompt"),
        ("Write the subject of every commit in a nice way.", None),
        ("Commit by the commit-style skill.", "the prompt names skill `commit-style`"),
        ("/commit-style now", "the prompt names skill"),
        ("Commit with style.", None),
    ],
)
def test_a_prompt_that_gives_the_skill_away_is_noted(project, prompt, noted):
    project.skill("commit-style", body=f"{RULE}\n")

    told = remarks(project, CASE.replace("prompt: Go.", f'prompt: "{prompt}"'))

    assert len(told) == (noted is not None)
    assert all(noted in one and prompt not in one for one in told)


@pytest.mark.parametrize("value", ["<TODO: what a user asks>", "  <TODO: two\\nlines>  "])
def test_a_placeholder_is_refused_by_its_line(project, value):
    text = LISTED.replace("prompt: Go.", f'prompt: "{value}"').replace("expect:", "\n  expect:")

    with pytest.raises(DocumentInvalid) as error:
        project.load(text.replace("contains: x", 'contains: "<TODO: a text>"'))

    places = [(one.line, one.what) for one in error.value.faults]
    assert places == [(2, "this is still to be filled in"), (3, "this is still to be filled in")]


@pytest.mark.parametrize("value", ["TODO: x", "Replace <TODO: x> in a.txt.", "<TODO>", "<b>"])
def test_what_only_looks_like_a_placeholder_is_text(project, value):
    assert project.load(CASE.replace("prompt: Go.", f'prompt: "{value}"')).suite.cases[0].turns == (value,)
