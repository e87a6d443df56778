"""Places: what is written comes back as it was, and what an agent did to it is told once and truly."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.archive.trees import Tree
from skilltrial.model.evidence import ChangeKind, Entry, FileKind
from skilltrial.record import listing as module
from skilltrial.record.ignoring import Ignore
from skilltrial.record.listing import Listing, changes, list_project
from skilltrial.record.workspace import make_folders, name_folders, remove, write_tree

NOTHING = Ignore(())
NAMES = (
    st.binary(min_size=1, max_size=8)
    .filter(lambda raw: b"/" not in raw and b"\0" not in raw and raw not in {b".", b".."})
    .map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)


def file(path: str, data: bytes = b"", *, executable: bool = False) -> Entry:
    return Entry(
        path=path,
        kind=FileKind.FILE,
        executable=executable,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A folder as a disk could hold it."""
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}

    def fill(prefix: str, depth: int) -> None:
        for name in draw(st.lists(NAMES, max_size=4, unique=True)):
            path = f"{prefix}{name}"
            match draw(st.sampled_from(["file", "link", "folder"])):
                case "folder" if depth < 3:
                    entries.append(Entry(path=path, kind=FileKind.FOLDER))
                    fill(f"{path}/", depth + 1)
                case "link":
                    entries.append(Entry(path=path, kind=FileKind.LINK, target=draw(NAMES)))
                case _:
                    data = draw(st.binary(max_size=20))
                    contents[hashlib.sha256(data).hexdigest()] = data
                    entries.append(file(path, data, executable=draw(st.booleans())))

    fill("", 0)
    return Tree.of(entries, contents)


def look(root: Path, before: Listing | None = None, **more: object) -> Listing:
    settings_ = {"most_files": 10_000, "most_bytes": 1_000_000, "known": before.entries if before else {}, **more}
    return list_project(root, settings_.pop("ignore", NOTHING), **settings_)  # type: ignore[arg-type]


@given(tree=trees())
@settings(max_examples=60, deadline=None)
def test_whatever_is_written_into_a_place_is_listed_as_it_was(tmp_path_factory, tree):
    root = tmp_path_factory.mktemp("place")
    write_tree(tree, root)

    listing = look(root)

    assert Tree.of(listing.entries.values(), {}).entries == tree.entries
    assert listing.complete
    assert changes({entry.path: entry for entry in tree.entries}, listing.entries) == ()
    assert {digest: tree.contents[digest] for digest in listing.contents} == listing.contents
    remove(root)
    assert not root.exists()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    write_tree(
        Tree.of_texts({"notes.md": "# Notes\n", "run.sh": "#!/bin/sh\n", "src/a.py": "a = 1\n", "src/b.py": "b = 1\n"}),
        root,
    )
    (root / "empty").mkdir()
    (root / "link").symlink_to("notes.md")
    return root


def told(before: Listing, after: Listing) -> list[tuple[str, str]]:
    return [(change.path, change.change.value) for change in changes(before.entries, after.entries)]


def chmod(path: str, mode: int):
    return lambda root: (root / path).chmod(mode)


def swap(path: str, make):
    def act(root: Path) -> None:
        (root / path).unlink() if not (root / path).is_dir() else (root / path).rmdir()
        make(root / path)

    return act


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        pytest.param(lambda root: None, [], id="nothing"),
        pytest.param(
            lambda root: (root / "notes.md").write_text("# Notes\n"), [], id="written anew with the same text"
        ),
        pytest.param(lambda root: os.utime(root / "notes.md", (1, 1)), [], id="touched"),
        pytest.param(lambda root: (root / "new.txt").write_text("x"), [("new.txt", "created")], id="a new file"),
        pytest.param(lambda root: (root / "notes.md").write_text("other\n"), [("notes.md", "changed")], id="same size"),
        pytest.param(lambda root: (root / "notes.md").write_text(""), [("notes.md", "changed")], id="emptied"),
        pytest.param(lambda root: (root / "notes.md").unlink(), [("notes.md", "removed")], id="removed"),
        pytest.param(chmod("run.sh", 0o755), [("run.sh", "mode")], id="made executable"),
        pytest.param(chmod("run.sh", 0o600), [], id="other rights than the executable bit"),
        pytest.param(swap("link", lambda at: at.symlink_to("run.sh")), [("link", "changed")], id="a link turned away"),
        pytest.param(swap("link", lambda at: at.write_text("x")), [("link", "kind")], id="a file for a link"),
        pytest.param(
            swap("notes.md", lambda at: at.symlink_to("run.sh")), [("notes.md", "kind")], id="a link for a file"
        ),
        pytest.param(swap("notes.md", Path.mkdir), [("notes.md", "kind")], id="a folder for a file"),
        pytest.param(swap("notes.md", os.mkfifo), [("notes.md", "kind")], id="a pipe for a file"),
        pytest.param(swap("empty", lambda at: at.write_text("")), [("empty", "kind")], id="a file for a folder"),
        pytest.param(lambda root: (root / "empty").rmdir(), [("empty", "removed")], id="an empty folder removed"),
        pytest.param(lambda root: (root / "logs").mkdir(), [("logs", "created")], id="an empty folder made"),
        pytest.param(
            lambda root: (root / "x/y/z").mkdir(parents=True), [("x/y/z", "created")], id="a chain of folders"
        ),
        pytest.param(
            lambda root: ((root / "x/y").mkdir(parents=True), (root / "x/y/f").write_text("")),
            [("x/y/f", "created")],
            id="folders of a new file are told by it",
        ),
        pytest.param(
            lambda root: remove(root / "src"),
            [("src/a.py", "removed"), ("src/b.py", "removed")],
            id="a folder that went is told by its files",
        ),
        pytest.param(
            lambda root: (root / "src").rename(root / "lib"),
            [("lib/a.py", "created"), ("lib/b.py", "created"), ("src/a.py", "removed"), ("src/b.py", "removed")],
            id="a folder renamed",
        ),
        pytest.param(
            lambda root: (root / "notes.md").rename(root / "Notes.md"),
            [("Notes.md", "created"), ("notes.md", "removed")],
            id="only the case of a name",
        ),
        pytest.param(lambda root: os.mkfifo(root / "pipe"), [("pipe", "created")], id="a pipe"),
        pytest.param(lambda root: (root / "loop").symlink_to("loop"), [("loop", "created")], id="a link to itself"),
        pytest.param(lambda root: (root / "out").symlink_to("/"), [("out", "created")], id="a link to everything"),
        pytest.param(lambda root: (root / "up").symlink_to(".."), [("up", "created")], id="a link upwards"),
        pytest.param(
            lambda root: (root / b"\xff\xfe".decode("utf-8", "surrogateescape")).write_text("x"),
            [("\udcff\udcfe", "created")],
            id="a name that is no text",
        ),
        pytest.param(
            lambda root: [(root / unicodedata.normalize(form, "é")).write_text("x") for form in ("NFC", "NFD")],
            [("e\u0301", "created"), ("\u00e9", "created")],
            id="two names that look the same",
        ),
        pytest.param(lambda root: (root / "a\nb").write_text("x"), [("a\nb", "created")], id="a name of two lines"),
    ],
)
def test_what_an_agent_did_is_told_once_with_its_word(place, act, expected):
    before = look(place)
    act(place)

    assert told(before, look(place, before)) == expected


def test_a_removed_project_is_a_project_in_which_everything_was_removed(place):
    before = look(place)
    remove(place)

    after = look(place, before)

    assert after.entries == {}
    assert after.complete
    assert {change.change for change in changes(before.entries, after.entries)} == {ChangeKind.REMOVED}
    assert "src/a.py" in [change.path for change in changes(before.entries, after.entries)]


def locked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `chmod 0` does to everybody but root, who may run these tests."""
    scan = os.scandir

    def scandir(path: str) -> object:
        if Path(path) == place / "src":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)


def deep(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder below so many others that no path leads there any more."""
    (place / "src").rename(place / "away")
    at = os.open(place, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=at)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.rename(place / "away", "src", dst_dir_fd=at)
    os.close(at)


@pytest.mark.parametrize("hide", [locked, deep])
def test_what_lies_in_a_folder_that_can_not_be_looked_into_was_not_seen_to_be_removed(place, hide, monkeypatch):
    before = look(place)
    hide(place, monkeypatch)

    after = look(place, before)

    assert not after.complete
    assert "src/a.py" not in after.entries
    assert "notes.md" in after.entries, "the rest is listed"
    monkeypatch.undo()
    remove(place)
    assert not place.exists()


@pytest.mark.parametrize("make", [lambda at: at.write_text("x"), lambda at: at.symlink_to("elsewhere"), os.mkfifo])
def test_a_project_that_became_something_else_is_empty(place, make):
    before = look(place)
    remove(place)
    make(place)

    assert look(place, before).entries == {}


def test_a_pipe_is_listed_and_never_read(place):
    os.mkfifo(place / "pipe")

    assert look(place).entries["pipe"] == Entry(path="pipe", kind=FileKind.OTHER)


def test_a_link_is_its_text_and_is_never_followed(place, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "inner").write_text("x")
    (place / "out").symlink_to(tmp_path / "secret")

    listing = look(place)

    assert listing.entries["out"].target == str(tmp_path / "secret")
    assert not [path for path in listing.entries if path.startswith("out/")]


@pytest.mark.parametrize(("limit", "complete"), [(7, True), (6, False), (1, False), (8, True)])
def test_more_files_than_the_limit_are_not_looked_at_and_the_listing_says_so(place, limit, complete):
    listing = look(place, most_files=limit)

    assert listing.complete is complete
    assert len(listing.entries) == min(limit, 7)


def test_big_files_are_told_by_their_digest_and_not_kept(place, monkeypatch):
    monkeypatch.setattr(module, "READ_WHOLE", 1000)
    before = look(place)
    (place / "big").write_bytes(b"x" * 1001)
    (place / "fits").write_bytes(b"y" * 1000)

    after = look(place, before)

    assert after.entries["big"] == file("big", b"x" * 1001)
    assert list(after.contents.values()) == [b"y" * 1000]


@pytest.mark.parametrize("told", [0, 3, 9, 10, 11, 5_000])
def test_a_file_that_grows_or_shrinks_while_it_is_looked_at_is_read_to_its_end(place, told):
    (place / "log").write_bytes(b"0123456789")

    assert module._read(str(place / "log"), told) == (hashlib.sha256(b"0123456789").hexdigest(), b"0123456789")


def test_a_file_that_comes_in_pieces_is_read_to_its_end(place, monkeypatch):
    (place / "log").write_bytes(b"0123456789")
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 4)))

    assert look(place).entries["log"] == file("log", b"0123456789")


def test_bytes_of_changed_files_are_kept_up_to_the_limit_and_no_others(place):
    before = look(place)
    (place / "a.txt").write_bytes(b"1" * 60)
    (place / "b.txt").write_bytes(b"2" * 60)
    (place / "c.txt").write_bytes(b"3" * 40)
    (place / "d.txt").write_bytes(b"1" * 60)
    (place / "notes.md").chmod(0o755)

    after = look(place, before, most_bytes=100)

    assert sorted(after.contents.values()) == [b"1" * 60, b"3" * 40]
    assert after.entries["b.txt"].sha256 == file("b.txt", b"2" * 60).sha256


def test_what_did_not_change_is_not_kept(place):
    before = look(place)

    assert look(place, before).contents == {}


@pytest.mark.parametrize(
    ("globs", "path", "folder", "skipped"),
    [
        (["node_modules/"], "node_modules", True, True),
        (["node_modules/"], "a/b/node_modules", True, True),
        (["node_modules/"], "node_modules", False, False),
        (["node_modules/"], "my_node_modules", True, False),
        (["*.pyc"], "a/b.pyc", False, True),
        (["*.pyc"], "b.pyc/c", False, False),
        (["*.pyc"], "B.PYC", False, False),
        (["build/*.log"], "build/x.log", False, True),
        (["build/*.log"], "build/deep/x.log", False, True),
        (["build/*.log"], "other/build/x.log", False, False),
        (["/top.txt"], "top.txt", False, True),
        (["/top.txt"], "a/top.txt", False, False),
        (["a/b/"], "a/b", True, True),
        ([".coverage"], "x/.coverage", False, True),
        (["[ab].txt"], "a.txt", False, True),
        (["[ab].txt"], "c.txt", False, False),
        (["x.y"], "xzy", False, False),
        (["line*"], "line\nbreak", False, True),
        ([], "anything", False, False),
    ],
)
def test_globs_mean_what_they_say(globs, path, folder, skipped):
    assert Ignore(globs).skips(path, folder=folder) is skipped


@pytest.mark.parametrize("glob", [".agents/", "skills/", "*", ".agents/*", "notes/", "*.md", "/.agents/skills/notes/"])
def test_no_glob_hides_what_happens_to_an_installed_skill(tmp_path, glob):
    tree = Tree.of_texts({"SKILL.md": "x", "deep/more.md": "y"}).under(".agents/skills/notes")
    write_tree(tree, tmp_path)
    ignore = Ignore([glob], kept=[".agents/skills/notes"])
    before = look(tmp_path, ignore=ignore)
    (tmp_path / ".agents/skills/notes/SKILL.md").write_text("changed")
    (tmp_path / ".agents/skills/notes/deep/more.md").unlink()

    assert told(before, look(tmp_path, before, ignore=ignore)) == [
        (".agents/skills/notes/SKILL.md", "changed"),
        (".agents/skills/notes/deep/more.md", "removed"),
    ]


@pytest.mark.parametrize("glob", [".codex/", ".codex/*", ".codex*"])
def test_an_ignored_folder_stays_ignored_beside_a_skill_that_lies_in_it(tmp_path, glob):
    """A program keeps its state where it looks for skills: only the skill itself is looked at."""
    write_tree(Tree.of_texts({"SKILL.md": "x"}).under(".codex/skills/notes"), tmp_path)
    ignore = Ignore([glob], kept=[".codex/skills/notes"])
    before = look(tmp_path, ignore=ignore)
    (tmp_path / ".codex/state.json").write_text("{}")
    (tmp_path / ".codex/skills/.index").write_text("")
    (tmp_path / ".codex/cache/deep").mkdir(parents=True)
    (tmp_path / ".codex/skills/notes/SKILL.md").write_text("y")

    assert told(before, look(tmp_path, before, ignore=ignore)) == [(".codex/skills/notes/SKILL.md", "changed")]


def test_a_place_has_folders_of_its_own_that_tell_nothing(tmp_path):
    one, other = make_folders(name_folders(tmp_path)), make_folders(name_folders(tmp_path))

    assert one.root != other.root
    assert sorted(path.name for path in one.root.iterdir()) == ["home", "project", "tmp"]
    for folder in (one.root, one.project, one.home, one.tmp):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert one.root.name.isalnum()


def test_a_place_goes_whole_whatever_lies_in_it(tmp_path):
    folders = make_folders(name_folders(tmp_path))
    (folders.project / "locked").mkdir()
    (folders.project / "locked" / "file").write_text("")
    (folders.project / "locked").chmod(0)
    (folders.project / "out").symlink_to(tmp_path)
    os.mkfifo(folders.home / "pipe")
    (tmp_path / "mine").write_text("x")

    remove(folders.root)
    remove(folders.root)

    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
