"""What a suite names on disk: skills, workspaces, files of checks."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from skilltrial.model.errors import DocumentInvalid
from skilltrial.model.evidence import FileKind
from skilltrial.record.loading import load
from skilltrial.record.sources import scan
from skilltrial.record.suitefile.frontmatter import read_frontmatter
from skilltrial.record.suitefile.paths import device_name, path_fault

CASE = "cases: {one: {prompt: Go., workspace: start, expect: [{files: a.txt, contains: x}]}}\n"
LISTED = "skills: [{id: commit-style, folder: commit-style}]\n" + CASE


@pytest.fixture
def start(project) -> Path:
    folder = project.root / "start"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    return folder


@pytest.mark.parametrize(
    "path",
    [
        "../outside",
        "./fixture",
        "fixture/./file",
        "fixture//file",
        "fixture/../file",
        "C:/secret",
        "C:secret",
        "a:b",
        "//server/share",
        "..\\secret",
        "a\\b",
        "a\0b",
        "a\n",
        "a\r",
        "a\x1f",
        "a\x7f",
        "a\u2028",
        "",
        "/",
        "/etc",
        "a/",
        ".",
        "..",
        "\ud800",
        "x" * 1025,
    ],
)
def test_an_unsafe_path_has_a_reason(path):
    what, right = path_fault(path) or ("", "")

    assert what
    assert right


@pytest.mark.parametrize(
    "path", ["a", "a/b.txt", ".git", "~", "-x", "*", "a b", "é", "…/x", "...", "a..b", "aux.txt", "😀"]
)
def test_a_path_below_its_root_is_sound(path):
    assert path_fault(path) is None


def test_names_of_devices_are_known():
    assert all(device_name(path) for path in ("aux", "NUL.txt", "a/com1/b", "x/LPT9.log"))
    assert not any(device_name(path) for path in ("auxiliary", "null", "com0", "a/b"))


# --- workspaces -------------------------------------------------------------------------------------------------------


def test_inner_links_modes_and_empty_folders_are_part_of_a_workspace(project, start):
    (start / "empty").mkdir()
    (start / "run").write_text("#!/bin/sh\n")
    (start / "run").chmod(0o755)
    (start / "sub").mkdir()
    (start / "sub" / "link").symlink_to("../a.txt")

    assert project.load(CASE).links == ()
    entries = {entry.path: entry for entry in scan(start, links="inside").entries}

    assert list(entries) == ["a.txt", "empty", "run", "sub", "sub/link"]
    assert entries["empty"].kind is FileKind.FOLDER
    assert entries["run"].executable
    assert (entries["sub/link"].kind, entries["sub/link"].target) == (FileKind.LINK, "../a.txt")


@pytest.mark.parametrize(
    "target", ["../commit-style/SKILL.md", "/etc/passwd", "..", "sub/../../start/a.txt", "../start/a.txt"]
)
def test_a_link_that_leaves_the_workspace_is_refused(project, start, target):
    (start / "sub").mkdir()
    (start / "link").symlink_to(target)

    (told,) = project.told(CASE)

    assert told.startswith("1:39: the workspace holds a link that leaves it or is absolute (link); use relative links")


def test_a_link_that_leaves_by_way_of_another_link_is_refused(project, start):
    (start / "one").symlink_to("two")
    (start / "two").symlink_to("../commit-style")

    assert len(project.told(CASE)) == 2


def test_an_absolute_link_to_the_inside_would_lead_back_to_the_source(project, start):
    (start / "link").symlink_to(start / "a.txt")

    assert "leaves it or is absolute" in project.told(CASE)[0]


def test_a_special_file_is_refused(project, start, monkeypatch):
    os.mkfifo(start / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(start)  # the name of a socket must be short
        server.bind("door")

    assert [one.split("; ")[0] for one in project.told(CASE)] == [
        "1:39: the workspace holds a special file (door)",
        "1:39: the workspace holds a special file (pipe)",
    ]


def test_many_refused_entries_are_counted(project, start):
    for at in range(9):
        (start / f"link{at}").symlink_to("/etc/passwd")

    told = project.told(CASE)

    assert len(told) == 6
    assert any("4 more such entries" in one for one in told)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ("{files_in: 2}", "the workspace has 3 files; `limits` allow 2; raise `files_in` or leave some out"),
        ("{bytes_in: 6}", "the workspace has 7 bytes; `limits` allow 6; raise `bytes_in` or leave some out"),
    ],
)
@pytest.mark.parametrize("inline", [False, True])
def test_an_oversized_workspace_is_refused(project, start, limits, told, inline):
    (start / "b.txt").write_text("xx")
    (start / "c.txt").write_text("xxxx")
    text = CASE.replace("start", "{a.txt: x, b.txt: xx, c.txt: xxxx}") if inline else CASE
    # The skill is small enough to have one file, and is not what is measured here.
    (project.root / "commit-style" / "SKILL.md").write_text("---\nname: commit-style\n---\n")

    found = project.told(f"limits: {limits}\n{text}")

    assert f"2:39: {told}" in found


def test_an_oversized_skill_is_refused_but_not_for_what_is_never_installed(project, start):
    skill = project.root / "commit-style"
    (skill / "evals").mkdir()
    (skill / "evals" / "big").write_text("x" * 500)
    (skill / "own.trial.yaml").write_text("x" * 500)
    (skill / "evals" / "link").symlink_to("/etc/passwd")

    assert project.load("limits: {bytes_in: 400}\n" + LISTED)

    (skill / "big").write_text("x" * 500)
    assert any("2:37: the skill has" in one for one in project.told("limits: {bytes_in: 400}\n" + LISTED))


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_names_that_are_not_utf_8_survive(project, start):
    try:
        Path(os.fsdecode(os.fsencode(start) + b"/caf\xe9")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (start / "link").symlink_to(os.fsdecode(b"caf\xe9"))

    assert project.load(CASE)
    paths = [entry.path for entry in scan(start, links="inside").entries]

    assert [os.fsencode(path) for path in paths] == [b"a.txt", b"caf\xe9", b"link"]


def test_names_in_both_normal_forms_are_two_files(start):
    (start / "e\u0301").write_text("x")
    (start / "\u00e9").write_text("x")

    assert len([entry for entry in scan(start, links="inside").entries if entry.path != "a.txt"]) == 2


def test_a_refused_name_that_is_not_utf_8_can_be_told(project, start):
    try:
        Path(os.fsdecode(os.fsencode(start) + b"/caf\xe9\n")).symlink_to("/etc/passwd")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")

    (told,) = project.told(CASE)

    assert told.isprintable()
    assert told.encode()


# --- links above ------------------------------------------------------------------------------------------------------


def test_the_named_folder_itself_may_not_be_a_link(project, start):
    start.rename(project.root / "real")
    start.symlink_to("real")

    assert project.told(CASE) == ["1:39: the workspace folder is a link; name the folder that it leads to"]


def test_a_link_above_a_source_is_resolved_and_recorded(project, start):
    (project.root / "all").mkdir()
    start.rename(project.root / "all" / "start")
    (project.root / "linked").symlink_to("all")

    loaded = project.load(CASE.replace("start", "linked/start"))

    assert loaded.links == ("linked is a link; what it leads to was used",)


def test_a_link_to_the_suite_is_resolved_and_recorded(project, start, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "here").symlink_to(project.root)
    project.write(CASE)

    loaded = load(other / "here" / "commit-style.trial.yaml", project.graders)

    assert loaded.path == project.root / "commit-style.trial.yaml"
    assert loaded.links == ("the suite file was reached through a link",)


# --- skills -----------------------------------------------------------------------------------------------------------


def test_a_link_in_a_skill_is_refused_even_to_the_inside(project, start):
    (project.root / "commit-style" / "again.md").symlink_to("SKILL.md")

    assert project.told(LISTED) == ["1:37: the skill holds a link (again.md); put the file itself there"]


def test_a_skill_folder_without_a_skill_md_is_refused(project, start):
    (project.root / "commit-style" / "SKILL.md").unlink()

    assert project.told(LISTED) == ["1:37: the skill's folder has no file SKILL.md; name the folder that holds it"]


def test_a_missing_skill_folder_is_told_with_the_nearest(project, start):
    assert project.told(LISTED.replace("folder: commit-style", "folder: commit-stile")) == [
        "1:37: the skill's folder does not exist; did you mean `commit-style`?"
    ]


@pytest.mark.parametrize("previous", ["old", "HEAD:", ":x", "HEAD:../x", "merge-base::x", "/etc"])
def test_a_previous_version_that_can_not_be_is_refused(project, start, previous):
    text = LISTED.replace("commit-style}", f"commit-style, previous: '{previous}'}}")

    (told,) = project.told(text)

    assert told.startswith("1:61: ")


def test_a_skills_id_is_the_name_in_its_skill_md(project, start):
    project.skill(name="commit-messages")

    assert project.told(LISTED) == [
        "1:15: the skill's id must be the `name` in its SKILL.md; they differ; the SKILL.md says `commit-messages`"
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no front matter", "commit-style/SKILL.md:1:1: the file has no front matter"),
        ("---\nname: commit-style\n", "commit-style/SKILL.md:1:1: the file has no front matter"),
        ("---\nname: [\n---\n", "commit-style/SKILL.md:3:1: not valid YAML"),
        ("---\n- x\n---\n", "commit-style/SKILL.md:2:1: the front matter is no mapping"),
        ("---\nname: a\nname: b\n---\n", "commit-style/SKILL.md:3:1: `name` is given twice"),
        ("---\ndescription: a\n---\n", "the skill's SKILL.md has no `name`; add `name: commit-style`"),
        ("---\nname: 7\n---\n", "the skill's SKILL.md has no `name`"),
    ],
)
def test_the_head_of_a_skill_md_must_be_readable(project, start, text, fault):
    (project.root / "commit-style" / "SKILL.md").write_text(text)

    (told,) = [str(one) for one in project.faults(LISTED)]

    assert fault in told


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_is_name_description_and_body(end):
    text = end.join(["---", "name: x", "description: >-", "  two", "  lines", "---", "", "Body", ""])

    matter = read_frontmatter("SKILL.md", b"\xef\xbb\xbf" + text.encode())

    assert (matter.name, matter.description, matter.body) == ("x", "two lines", "\nBody\n")


def test_front_matter_may_be_empty_and_dashes_may_stand_in_the_body():
    assert read_frontmatter("SKILL.md", b"---\nname: x\n---\na\n---\nb").body == "a\n---\nb"
    with pytest.raises(DocumentInvalid):
        read_frontmatter("SKILL.md", b"---\n---\nbody")


# --- files of checks --------------------------------------------------------------------------------------------------


def test_a_check_may_need_a_file_beside_the_suite(project, start):
    text = CASE.replace("contains: x", "equals_file: golden/a.txt")
    assert len(project.told(text)) == 1

    (project.root / "golden").mkdir()
    (project.root / "golden" / "a.txt").write_text("x")
    assert project.load(text).checks["one", "files-1"].assets() == ("golden/a.txt",)

    (project.root / "golden" / "a.txt").unlink()
    (project.root / "golden" / "a.txt").symlink_to("../start/a.txt")
    assert len(project.told(text)) == 1


def test_nothing_is_written_by_loading(project, start):
    project.write(CASE)
    before = sorted(project.root.rglob("*"))

    project.load(CASE)
    shutil.rmtree(start)
    project.faults(CASE)

    assert [path for path in before if start not in (path, *path.parents)] == sorted(project.root.rglob("*"))
