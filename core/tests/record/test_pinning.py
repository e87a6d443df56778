"""Pins: what is committed, what lies in the folder, and what the lock says must be one thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.archive.pins import content_sha256
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.pins import PinState
from skilltrial.record.gathering import Gatherer
from skilltrial.record.loading import Elsewhere, Loaded
from skilltrial.record.pinning import check_pins, pins_of, write_pins

BODY = "---\nname: notes\ndescription: x\n---\nKeep notes.\n"
FILES = {
    "notes/SKILL.md": BODY,
    "notes/.hidden.json": "{}\n",
    "notes/references/deep/more.md": "More.\n",
    "notes/evals/answers.json": "never installed",
    "notes/small.trial.yaml": "never installed",
    "other.txt": "not of the skill",
}


@pytest.fixture
def loaded(repository, suite) -> Loaded:
    repository.commit(FILES)
    return loaded_in(repository.root, suite)


def loaded_in(root: Path, suite, **more) -> Loaded:
    asked = suite([{"id": "one"}])
    return Loaded(asked, root / "small.trial.yaml", root, b"", {}, None, **more)  # type: ignore[arg-type]


def lock(loaded: Loaded) -> dict:
    return json.loads((loaded.root / "skilltrial.lock").read_bytes())


def faults(loaded: Loaded) -> list[str]:
    """The codes of what `--check` finds, in order."""
    with pytest.raises(InvalidRequest) as refused:
        check_pins(loaded)
    return [line.partition(":")[0] for line in str(refused.value).splitlines()]


def test_a_pin_names_the_commit_and_every_installed_file_hidden_ones_too(loaded, repository):
    pinned = write_pins(loaded, None)

    assert [(one.skill, one.commit, one.files) for one in pinned] == [("notes", repository.git("rev-parse", "HEAD"), 3)]
    assert lock(loaded) == {
        "schema_version": 1,
        "skills": {
            "notes": {
                "source_path": "notes",
                "source_commit": repository.git("rev-parse", "HEAD"),
                "files": {
                    name.removeprefix("notes/"): content_sha256(FILES[name].encode())
                    for name in ("notes/.hidden.json", "notes/SKILL.md", "notes/references/deep/more.md")
                },
                "executable": [],
            }
        },
    }
    assert check_pins(loaded) == pinned
    text = (loaded.root / "skilltrial.lock").read_text()
    assert text.startswith('{\n  "schema_version"')
    assert text.endswith("}\n")


def change(name: str, text: str = "other\n"):
    return lambda root: (root / name).write_text(text)


@pytest.mark.parametrize(
    ("disturb", "found"),
    [
        (change("notes/SKILL.md", BODY + "More.\n"), ["skill_pin_mismatch"]),
        (change("notes/.hidden.json"), ["skill_pin_mismatch"]),
        (change("notes/new.md"), ["skill_pin_mismatch"]),
        (change("notes/references/.new"), ["skill_pin_mismatch"]),
        (lambda root: (root / "notes/references/deep/more.md").unlink(), ["skill_pin_mismatch"]),
        (lambda root: (root / "notes/SKILL.md").chmod(0o755), ["skill_pin_mismatch"]),
        (
            lambda root: (change("notes/SKILL.md", BODY + "x\n")(root), change("notes/new.md")(root)),
            ["skill_pin_mismatch"] * 2,
        ),
        (lambda root: (root / "skilltrial.lock").unlink(), ["skill_pin_missing"]),
        (change("skilltrial.lock", "{"), ["skill_pin_unreadable"]),
        (change("skilltrial.lock", '{"skills": {}}'), ["skill_unpinned"]),
        (change("skilltrial.lock", '{"skills": {"notes": {"source_path": "notes"}}}'), ["skill_pin_unreadable"]),
        (lambda root: (root / "skilltrial.lock").write_bytes(b"\xff"), ["skill_pin_unreadable"]),
        (change("notes/evals/answers.json"), []),
        (change("notes/small.trial.yaml"), []),
        (change("other.txt"), []),
        (lambda root: (root / "notes/SKILL.md").write_bytes(BODY.replace("\n", "\r\n").encode()), []),
    ],
)  # fmt: skip
def test_what_is_not_as_pinned_is_found(loaded, disturb, found):
    write_pins(loaded, None)

    disturb(loaded.root)

    if found:
        assert faults(loaded) == found
    else:
        assert check_pins(loaded)


def test_line_ends_of_a_binary_file_are_its_content(loaded, repository):
    image = repository.root / "notes/image.png"
    image.write_bytes(b"\x89PNG\r\n\0\r\n")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "image")
    write_pins(loaded, None)

    image.write_bytes(b"\x89PNG\n\0\n")

    assert faults(loaded) == ["skill_pin_mismatch"]


def altered(loaded: Loaded, **values) -> None:
    """Change the pin by hand."""
    told = lock(loaded)
    told["skills"]["notes"].update(values)
    (loaded.root / "skilltrial.lock").write_text(json.dumps(told))


class TestTheCommit:
    def test_one_that_does_not_exist_is_no_pin(self, loaded):
        write_pins(loaded, None)
        altered(loaded, source_commit="0123456789" * 4)

        assert faults(loaded) == ["skill_commit_unknown"]

    def test_one_that_holds_other_bytes_is_no_pin(self, loaded, repository):
        before = repository.git("rev-parse", "HEAD")
        repository.commit({"notes/SKILL.md": BODY + "More.\n"})
        write_pins(loaded, None)
        altered(loaded, source_commit=before)

        assert faults(loaded) == ["skill_commit_mismatch"]

    def test_one_that_lacks_the_skill_is_no_pin(self, loaded, repository):
        repository.git("rm", "-r", "-q", "notes")
        without = repository.commit({"x": "y"})
        repository.commit({name: text for name, text in FILES.items() if name.startswith("notes")})
        write_pins(loaded, None)
        altered(loaded, source_commit=without or repository.git("rev-parse", "HEAD~1"))

        assert faults(loaded) == ["skill_missing_at_revision"]

    def test_what_is_no_commit_is_no_pin(self, loaded, repository):
        write_pins(loaded, None)
        altered(loaded, source_commit=repository.git("rev-parse", "HEAD^{tree}"))

        assert faults(loaded) == ["skill_commit_unknown"]

    def test_a_pin_of_another_folder_is_no_pin(self, loaded):
        write_pins(loaded, None)
        altered(loaded, source_path="elsewhere/notes")

        assert faults(loaded) == ["skill_pin_mismatch", "skill_missing_at_revision"]

    def test_without_a_repository_it_is_unverified(self, loaded, tmp_path, suite, repository):
        write_pins(loaded, None)
        (repository.root / ".git").rename(tmp_path / "gone")

        assert faults(loaded) == ["skill_commit_unknown"]
        assert state(loaded) is PinState.UNVERIFIED


def state(loaded: Loaded) -> PinState:
    trees = {one.id: Gatherer.of(loaded).skill(one).tree for one in loaded.suite.skills}
    return pins_of(loaded, trees)[0].state


def test_a_run_is_told_one_of_four_states(loaded):
    assert state(loaded) is PinState.UNPINNED
    write_pins(loaded, None)
    assert state(loaded) is PinState.PINNED
    change("notes/SKILL.md", BODY + "x\n")(loaded.root)
    assert state(loaded) is PinState.CHANGED


def test_bytes_that_are_not_committed_are_not_pinned_and_nothing_is_written(loaded):
    change("notes/SKILL.md", BODY + "x\n")(loaded.root)
    change("notes/new.md")(loaded.root)

    with pytest.raises(InvalidRequest) as refused:
        write_pins(loaded, None)

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == ["skill_uncommitted"] * 2
    assert not (loaded.root / "skilltrial.lock").exists()


def test_an_older_revision_than_the_folder_is_refused_and_the_pin_stays(loaded, repository):
    write_pins(loaded, None)
    before = (loaded.root / "skilltrial.lock").read_bytes()
    repository.commit({"notes/SKILL.md": BODY + "More.\n"})

    with pytest.raises(InvalidRequest, match=r"skill_pin_mismatch: skill 'notes': since HEAD~1: SKILL\.md was changed"):
        write_pins(loaded, "HEAD~1")

    assert (loaded.root / "skilltrial.lock").read_bytes() == before


@pytest.mark.parametrize("revision", ["nothing-of-that-name", "HEAD^{tree}", "--all"])
def test_a_revision_that_is_none_is_named(loaded, revision):
    with pytest.raises(InvalidRequest, match="skill_commit_unknown"):
        write_pins(loaded, revision)


def test_the_commit_is_the_one_that_last_changed_the_skill(loaded, repository):
    changed = repository.git("rev-parse", "HEAD")
    repository.commit({"other.txt": "later"})

    assert write_pins(loaded, None)[0].commit == changed


def test_a_folder_that_was_never_committed_is_told_so(repository, suite):
    repository.commit({"other.txt": "x"})
    repository.write({"notes/SKILL.md": BODY})

    with pytest.raises(InvalidRequest, match="skill_commit_unknown: skill 'notes': no commit has this folder"):
        write_pins(loaded_in(repository.root, suite), None)


def test_a_sound_pin_stays_where_it_is_until_a_revision_is_asked_for(loaded, repository):
    first = write_pins(loaded, None)
    repository.commit({"other.txt": "later"})

    assert write_pins(loaded, None) == first
    assert write_pins(loaded, "HEAD")[0].commit == repository.git("rev-parse", "HEAD") != first[0].commit


def test_the_pins_of_another_suite_in_the_same_folder_are_kept(loaded):
    write_pins(loaded, None)
    told = lock(loaded)
    told["skills"]["others"] = told["skills"]["notes"]
    del told["skills"]["notes"]
    (loaded.root / "skilltrial.lock").write_text(json.dumps(told))

    write_pins(loaded, None)

    assert set(lock(loaded)["skills"]) == {"notes", "others"}


def test_a_skill_in_the_place_of_the_suites_own_has_its_lock_beside_it(loaded, repository, suite):
    repository.commit({"product/notes/SKILL.md": BODY + "Ours.\n"})
    theirs = loaded_in(repository.root, suite, elsewhere=Elsewhere(skills={"notes": repository.root / "product/notes"}))

    write_pins(theirs, None)

    assert not (loaded.root / "skilltrial.lock").exists()
    assert json.loads((loaded.root / "product/skilltrial.lock").read_bytes())["skills"]["notes"]["source_path"] == (
        "product/notes"
    )
    assert faults(loaded) == ["skill_pin_missing"]


def test_a_skill_that_is_the_top_of_its_repository_is_pinned_without_the_repository(repository, suite):
    repository.commit({"SKILL.md": BODY, "notes.yaml": "the suite"})
    asked = suite([{"id": "one"}], skills=[{"id": "notes", "folder": "."}])
    loaded = Loaded(asked, repository.root / "notes.yaml", repository.root, b"", {}, None)  # type: ignore[arg-type]

    write_pins(loaded, None)

    assert lock(loaded)["skills"]["notes"]["source_path"] == "."
    assert list(lock(loaded)["skills"]["notes"]["files"]) == ["SKILL.md"]
    assert check_pins(loaded)
