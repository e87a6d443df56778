"""A skill or a catalog in the place of the suite's own: what fits, and every fault of what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.record.gathering import Gatherer
from skilltrial.record.loading import Loaded
from skilltrial.record.replacing import in_place

CATALOG = {"use": "mcp", "catalog": "catalog.json", "replies": "replies.yaml"}


def head(name: str) -> str:
    return f"---\nname: {name}\ndescription: x\n---\nTheirs.\n"


@pytest.fixture
def loaded(tmp_path, suite):
    """Make a suite with these fixtures and skills, in a folder of its own."""
    root = tmp_path / "suite"
    (root / "notes").mkdir(parents=True)
    (root / "notes/SKILL.md").write_text(head("notes"))
    (root / "catalog.json").write_text("the suite's own")

    def make(fixtures: dict | None = None, **more: object) -> Loaded:
        asked = suite([{"id": "one"}], fixtures=fixtures or {}, **more)
        return Loaded(asked, root / "small.trial.yaml", root, b"", {}, None)  # type: ignore[arg-type]

    return make


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "product" / "notes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(head("notes"))
    (folder / "evals").mkdir()
    (folder / "evals/answers.json").write_text("{}")
    (tmp_path / "product/ours.json").write_text("theirs")
    return folder


@pytest.mark.parametrize("word", ["", "notes="])
def test_a_skill_takes_the_place_of_the_suites_own(loaded, theirs, word):
    replaced = in_place(loaded(), [f"{word}{theirs}"], [])

    skill = Gatherer.of(replaced).gather().skills["notes"]
    assert skill.tree.data("SKILL.md") == head("notes").encode()
    assert [entry.path for entry in skill.tree.entries] == ["SKILL.md"], "answer keys are never installed"
    assert replaced.suite == loaded().suite, "the suite stays what it says"


@pytest.mark.parametrize("word", ["", "memory="])
def test_a_catalog_takes_the_place_of_the_suites_own(loaded, theirs, word):
    replaced = in_place(loaded({"memory": CATALOG}), [], [f"{word}{theirs.parent / 'ours.json'}"])

    assert Gatherer.of(replaced).gather(["catalog.json"]).assets == {"catalog.json": b"theirs"}
    assert replaced.elsewhere.catalogs == ("memory",)


def test_a_folder_with_an_equals_sign_is_a_folder(loaded, theirs):
    odd = theirs.rename(theirs.parent / "notes=v2")

    assert in_place(loaded(), [str(odd)], []).elsewhere.skills == {"notes": odd}


def faults(loaded: Loaded, *given: str) -> list[str]:
    skills = [text for text in given if not text.endswith(".json")]
    with pytest.raises(InvalidRequest) as refused:
        in_place(loaded, skills, [text for text in given if text.endswith(".json")])
    return str(refused.value).splitlines()


def test_an_id_that_the_suite_does_not_have_is_told_with_those_it_has(loaded, theirs):
    assert faults(loaded(), f"note={theirs}") == ["--skill: the suite has no skill 'note'; it has: notes"]
    assert faults(loaded({"memory": CATALOG}), f"memo={theirs.parent}/ours.json") == [
        "--catalog: the suite has no fixture with a catalog 'memo'; it has: memory"
    ]


def test_a_skill_of_another_name_is_told_what_it_must_be_called(loaded, theirs):
    (theirs / "SKILL.md").write_text(head("product-notes"))

    (told,) = faults(loaded(), str(theirs))

    assert told.startswith(f"--skill {theirs}: its SKILL.md says `name: product-notes`; ")
    assert told.endswith("in this suite the skill is called `notes`: write `name: notes` into a copy of it")


def test_which_one_must_be_said_where_there_are_several(loaded, theirs):
    two = ({"id": "notes", "folder": "notes"}, {"id": "more", "folder": "more"})

    assert faults(loaded(skills=two), str(theirs)) == [
        f"--skill {theirs}: the suite has 2 of the kind 'skill' (notes, more); say which: --skill NAME={theirs}"
    ]


def test_fixtures_that_share_a_catalog_are_named_together(loaded, theirs):
    two = loaded({"memory": CATALOG, "archive": CATALOG})
    file = theirs.parent / "ours.json"

    assert faults(two, f"memory={file}") == ["--catalog: fixture 'archive' has the catalog of 'memory'; name both"]
    assert in_place(two, [], [f"memory={file}", f"archive={file}"]).elsewhere.catalogs == ("memory", "archive")


def test_all_faults_are_told_at_once(loaded, theirs, tmp_path):
    (tmp_path / "empty").mkdir()
    (theirs / "link").symlink_to("SKILL.md")

    told = faults(loaded(), f"notes={theirs}", "notes=x", "other=x", "nowhere.json")

    assert [line.partition(";")[0] for line in told] == [
        "--skill: 'notes' is given twice",
        "--skill: the suite has no skill 'other'",
        f"--skill {theirs}: it holds a link (link)",
        "--catalog nowhere.json: the suite has no fixture with a catalog",
    ]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda folder: None, "there is no such folder"),
        (lambda folder: folder.write_text("x"), "there is no such folder"),
        (lambda folder: folder.mkdir(), "it has no file SKILL.md"),
        (lambda folder: (folder.mkdir(), (folder / "SKILL.md").write_bytes(b"\xff")), "the file is not UTF-8 text"),
        (lambda folder: (folder.mkdir(), (folder / "SKILL.md").write_text("no head")), "SKILL.md:1"),
        (
            lambda folder: (folder.mkdir(), (folder / "SKILL.md").write_text(head("notes") + "x" * 200)),
            "`limits.bytes_in`",
        ),
    ],
)
def test_what_can_not_be_installed_is_named(loaded, tmp_path, make, told):
    folder = tmp_path / "theirs"
    make(folder)

    only = faults(loaded(limits={"bytes_in": 100}), str(folder))

    assert len(only) == 1
    assert only[0].startswith(f"--skill {folder}: ")
    assert told in only[0]
