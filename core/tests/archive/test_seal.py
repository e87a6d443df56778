"""Seals: over a real archive, every file is damaged in every way, and the one that was damaged is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.archive import layout
from skilltrial.archive.reading import open_archive
from skilltrial.archive.seal import MOST_NAMED, verify
from skilltrial.archive.trees import sha256
from skilltrial.model.errors import ArchiveRefused, ArchiveUnsupported, Exit
from skilltrial.model.part import canonical

Rebuild = Callable[[Path, str, bytes], None]


def read_all(root: Path) -> None:
    """What judging does: everything that an archive can give is asked for."""
    archive = open_archive(root)
    assert archive.suite.id == "small"
    assert archive.parts
    assert archive.provenance.seed == 7
    assert archive.assets
    for case in archive.suite.cases:
        assert archive.workspace(case.id).entries
    assert archive.skill("notes").data("SKILL.md")
    for key in archive.sealed():
        trial = archive.trial(key)
        assert trial is not None
        assert trial.records()
        assert trial.model_records()
        assert trial.answers()
        assert trial.files().changes
        assert trial.after()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_equal_link(path: Path) -> None:
    """The bytes are the same, but they do not lie in the archive."""
    data = path.read_bytes()
    target = next(up for up in path.parents if up.name == "copy").parent / "outside"
    target.write_bytes(data)
    path.unlink()
    path.symlink_to(target)


DAMAGES = [flip, truncate, lengthen, empty, Path.unlink, replace_by_folder, replace_by_equal_link]


def names(root: Path) -> list[str]:
    """Every file that was sealed, and the manifest."""
    every = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return sorted(every - {layout.LOCK})


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_whichever_file_is_damaged_the_archive_is_refused_and_the_file_named(sealed, tmp_path, damage):
    read_all(sealed)
    every = names(sealed)
    assert len(every) > 40
    for name in every:
        if name == layout.MANIFEST and damage in {truncate, lengthen}:
            continue  # white space at its end: told by the manifest's own digest alone
        copy = tmp_path / "copy"
        shutil.copytree(sealed, copy)
        damage(copy / name)

        for look in (verify, read_all):
            with pytest.raises(ArchiveRefused) as caught:
                look(copy)
            # A digit that flips in the manifest names another digest: then the file itself is what differs.
            assert name == layout.MANIFEST or name in str(caught.value), (name, look)
            assert caught.value.exit is Exit.REFUSED
        shutil.rmtree(copy)


@pytest.mark.parametrize(
    "name",
    [
        "stray.txt",
        "inputs/stray",
        "inputs/blobs/stray",
        "trials/one/with_skill/1/stray",
        "trials/stray",
        "a/report.json",
    ],
)
def test_a_file_that_nobody_sealed_is_named(sealed, name):
    (sealed / name).parent.mkdir(exist_ok=True, parents=True)
    (sealed / name).write_bytes(b"")

    for look in (verify, open_archive):
        with pytest.raises(ArchiveRefused, match=f"additional: {name}"):
            look(sealed)


def test_a_link_and_a_pipe_that_nobody_sealed_are_named_too(sealed):
    (sealed / "link").symlink_to("manifest.json")
    (sealed / "inputs" / "folder-link").symlink_to("..")

    with pytest.raises(ArchiveRefused) as caught:
        verify(sealed)

    assert "additional: link" in str(caught.value)
    assert "additional: inputs/folder-link" in str(caught.value)


@pytest.mark.parametrize("name", ["report.json", "report-0123456789ab.json", ".lock"])
def test_reports_and_the_lock_are_made_from_the_archive_and_no_part_of_it(sealed, name):
    (sealed / name).write_bytes(b"anything")

    verify(sealed)
    read_all(sealed)


def test_a_whole_trial_that_vanishes_is_named_by_its_seal(sealed):
    shutil.rmtree(sealed / "trials/two/with_skill/1")

    with pytest.raises(ArchiveRefused, match=r"missing: trials/two/with_skill/1/seal\.json"):
        open_archive(sealed)


def test_a_trial_in_the_place_of_another_is_refused(sealed):
    """Both folders are whole, and each was sealed; but not for that place."""
    one, two = sealed / "trials/one/with_skill/1", sealed / "trials/two/with_skill/1"
    shutil.rmtree(two)
    shutil.copytree(one, two)

    with pytest.raises(ArchiveRefused, match=r"trials/two/with_skill/1/seal\.json"):
        open_archive(sealed)


def test_all_faults_are_told_at_once_and_many_are_counted(sealed):
    (sealed / "plan.json").unlink()
    flip(sealed / "inputs/suite.source")
    for number in range(MOST_NAMED):
        (sealed / f"stray-{number:02}").write_bytes(b"")

    with pytest.raises(ArchiveRefused) as caught:
        open_archive(sealed)

    assert "missing: plan.json" in str(caught.value)
    assert "changed: inputs/suite.source" in str(caught.value)
    assert "and 2 more" in str(caught.value)


@pytest.mark.parametrize("version", [0, 2, "1", None, True, [1], {"major": 1}, 1.5])
def test_an_archive_of_another_version_is_unsupported_not_misread(sealed, version):
    manifest = json.loads((sealed / "manifest.json").read_bytes())
    (sealed / "manifest.json").write_bytes(canonical({**manifest, "schema_version": version}))

    with pytest.raises(ArchiveUnsupported, match="this release judges version 1"):
        open_archive(sealed)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"schema_version": 1}',
        b'{"schema_version": 1, "files": [], "trials": {}}',
        b'{"schema_version": 1, "files": {"plan.json": 3}, "trials": {}}',
        b'{"schema_version": 1, "files": {"plan.json": null}, "trials": {}}',
        b'{"schema_version": 1, "files": {}, "trials": {"trials/one": {}}}',
        b'{"schema_version": 1, "files": {"a\\u0000b": "00"}, "trials": {}}',
        b'{"schema_version": 1, "files": {"\\ud800": "00"}, "trials": {}}',
        b'{"schema_version": 1, "files": {"": "00", "/": "00", "..": "00"}, "trials": {}}',
        b'{"schema_version": 1, "files": {}, "trials": {"\\u0000": "00"}}',
    ],
)
def test_a_damaged_manifest_is_refused_whatever_it_holds(sealed, data):
    (sealed / "manifest.json").write_bytes(data)

    for look in (verify, open_archive):
        with pytest.raises(ArchiveRefused):
            look(sealed)


def test_a_folder_without_a_manifest_says_what_it_is(tmp_path, world):
    world.begin()
    with pytest.raises(ArchiveRefused, match=r"not sealed.*--resume"):
        open_archive(world.root)
    with pytest.raises(ArchiveRefused, match="is no archive"):
        open_archive(tmp_path)
    with pytest.raises(ArchiveRefused, match="is no archive"):
        open_archive(tmp_path / "nowhere")


def reseal(root: Path, name: str, data: bytes) -> None:
    """Put `data` in the place of a file and make every digest fit: nothing but reading can tell."""
    (root / name).write_bytes(data)
    manifest = json.loads((root / "manifest.json").read_bytes())
    folder, _, inner = name.rpartition("/")
    if name.startswith("trials/"):
        if inner != "seal.json":
            seal = json.loads((root / folder / "seal.json").read_bytes())
            seal["files"][inner] = sha256(data)
            (root / folder / "seal.json").write_bytes(canonical(seal))
        manifest["trials"][folder] = sha256((root / folder / "seal.json").read_bytes())
    else:
        manifest["files"][name] = sha256(data)
    (root / "manifest.json").write_bytes(canonical(manifest))


@pytest.mark.parametrize(
    "name",
    [
        layout.PLAN,
        layout.SUITE,
        layout.PARTS,
        layout.PROVENANCE,
        layout.ASSETS,
        layout.workspace_listing("one"),
        layout.skill_listing("notes"),
        f"trials/one/without_skill/1/{layout.SEAL}",
        f"trials/one/without_skill/1/{layout.FACTS}",
    ],
)
@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"{}", b"null", b"7", b'"text"', b"\xff", b"[" * 100_000, b'{"a": 1}', b'[{"a": 1}]', b"[null]"],
)
def test_json_that_was_sealed_damaged_is_refused_never_a_traceback(sealed, name, data):
    reseal(sealed, name, data)

    try:
        read_all(sealed)
    except ArchiveRefused:
        return
    except AssertionError:
        # An empty list of parts or entries is a value like any other.
        assert data in {b"[]", b"{}"}
        return
    pytest.fail("a damaged archive was read")


@pytest.mark.parametrize("name", [layout.HOST_RECORDS, layout.MODEL_RECORDS, layout.ANSWERS, layout.COMMANDS])
@pytest.mark.parametrize("data", [b"{", b"null", b"7", b"\xff", b"[" * 100_000])
def test_a_file_of_a_trial_that_was_sealed_damaged_is_refused_by_name(sealed, name, data):
    reseal(sealed, f"trials/one/without_skill/1/{name}", data)

    with pytest.raises(ArchiveRefused, match=rf"trials/one/without_skill/1/{name} can't be read"):
        read_all(sealed)


def test_a_sealed_trial_that_was_never_planned_is_refused(sealed):
    plan = json.loads((sealed / "plan.json").read_bytes())
    plan["trials"] = plan["trials"][:-1]
    reseal(sealed, "plan.json", canonical(plan))

    with pytest.raises(ArchiveRefused, match="never planned: trials/two/with_skill/1"):
        open_archive(sealed)


def test_the_name_of_an_archive_is_the_digest_of_its_manifest(world, sealed):
    archive = open_archive(sealed)

    assert archive.manifest_sha256 == sha256((sealed / "manifest.json").read_bytes()) == verify(sealed).sha256
    assert archive.sealed() == world.keys


def test_what_a_trial_kept_comes_back(world, sealed):
    archive = open_archive(sealed)
    trial = archive.trial(world.keys[0])
    assert trial is not None
    files = trial.files()

    assert [record.raw for record in trial.records()] == ["second try", "a warning"]
    assert [record.turn for record in trial.records()] == [0, 1]
    assert [record.seq for record in trial.records()] == [1, 2]
    assert trial.answers() == ("second try",)
    assert files.read("out.txt") == b"second try"
    assert files.read("notes.md", when="before") == b"# Notes\n"
    assert files.read("docs/deep/plan.md") == b"plan\n"
    assert "notes.md" not in files.after
    assert trial.after()[0].stdout == "second try"
    assert trial.facts.tries == 2
