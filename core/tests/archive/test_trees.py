"""Trees as values: digests tell any two folders apart, listings bring back what they were made of."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.archive.trees import Tree, as_json, listing, of_json, path_bytes, read_listing, tree_digest
from skilltrial.model.evidence import Entry, FileKind

# Any bytes but `/` and NUL can be a name; `.` and `..` can't. Undecodable bytes are lone surrogates.
NAMES = (
    st.binary(min_size=1, max_size=6)
    .filter(lambda raw: b"/" not in raw and b"\0" not in raw and raw not in {b".", b".."})
    .map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def file(path: str, data: bytes, *, executable: bool = False) -> Entry:
    digest = hashlib.sha256(data).hexdigest()
    return Entry(path=path, kind=FileKind.FILE, executable=executable, size=len(data), sha256=digest)


def entry(path: str, what: tuple[str, bytes, bool]) -> Entry:
    kind, data, executable = what
    match kind:
        case "file":
            return file(path, data, executable=executable)
        case "link":
            return Entry(path=path, kind=FileKind.LINK, target=data.decode("utf-8", "surrogateescape"))
        case "other":
            return Entry(path=path, kind=FileKind.OTHER)
        case _:
            return Entry(path=path, kind=FileKind.FOLDER)


WHATS = st.tuples(
    st.sampled_from(["file", "link", "folder", "other"]), st.binary(min_size=1, max_size=4), st.booleans()
)
FOLDERS = st.dictionaries(PATHS, WHATS, max_size=5).map(
    lambda found: Tree.of(
        [entry(path, what) for path, what in found.items()],
        {hashlib.sha256(data).hexdigest(): data for kind, data, _ in found.values() if kind == "file"},
    )
)


@given(FOLDERS, FOLDERS)
@settings(max_examples=150, deadline=None)
def test_two_folders_share_a_digest_exactly_when_they_are_equal(one, other):
    assert (one.digest() == other.digest()) == (one.entries == other.entries)


@given(FOLDERS)
@settings(max_examples=100, deadline=None)
def test_a_listing_brings_back_the_tree_with_every_name_link_and_empty_folder(tree):
    again = read_listing(listing(tree.entries), lambda digest: tree.contents[digest])

    assert again.entries == tree.entries
    assert again.contents == tree.contents
    assert again.digest() == tree.digest()
    assert listing(again.entries) == listing(tree.entries)


@given(
    st.permutations([file("b", b"1"), file("a.txt", b"2"), Entry(path="a", kind=FileKind.FOLDER), file("a/b", b"3")])
)
@settings(max_examples=20, deadline=None)
def test_the_order_in_which_a_disk_tells_entries_does_not_matter(entries):
    assert Tree.of(entries, {}).digest() == Tree.of(sorted(entries, key=lambda one: one.path), {}).digest()


def test_one_file_that_looks_like_two_is_not_two():
    """Without length framing, `a` = `x NUL b NUL y` and `a` = `x`, `b` = `y` were the same folder."""
    one = Tree.of([file("a", b"x\0b\0y")], {})
    two = Tree.of([file("a", b"x"), file("b", b"y")], {})

    assert one.digest() != two.digest()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([file("run", b"#!")], [file("run", b"#!", executable=True)], id="executable bit"),
        pytest.param([], [Entry(path="logs", kind=FileKind.FOLDER)], id="an empty folder"),
        pytest.param([file("a", b"b")], [Entry(path="a", kind=FileKind.LINK, target="b")], id="link for a file"),
        pytest.param(
            [Entry(path="a", kind=FileKind.LINK, target="b")],
            [Entry(path="a", kind=FileKind.LINK, target="./b")],
            id="the text of a link",
        ),
        pytest.param([file("ab", b"c")], [file("a", b"bc")], id="a letter that moves from name to content"),
        pytest.param(
            [file(unicodedata.normalize("NFC", "é"), b"x")],
            [file(unicodedata.normalize("NFD", "é"), b"x")],
            id="NFC, NFD",
        ),
        pytest.param([file("\udcc3\udca9", b"x")], [file("\udcc3", b"x")], id="undecodable names"),
        pytest.param([file("A", b"x")], [file("a", b"x")], id="case"),
    ],
)
def test_what_differs_has_another_digest(one, other):
    assert Tree.of(one, {}).digest() != Tree.of(other, {}).digest()


def test_entries_stand_in_the_order_of_the_bytes_of_their_paths():
    """`.` sorts before `/`, so `a.txt` stands between `a` and `a/b`; é (C3 A9) stands after z."""
    tree = Tree.of([file(path, b"") for path in ("é", "z", "a/b", "a.txt", "a", "a-b", "\udcff")], {})

    assert [one.path for one in tree.entries] == ["a", "a-b", "a.txt", "a/b", "z", "é", "\udcff"]
    assert [path_bytes(one.path) for one in tree.entries] == sorted(path_bytes(one.path) for one in tree.entries)


def test_the_digest_is_the_documented_one():
    """Written out by hand: whoever has only the page can compute it."""
    tree = Tree.of([Entry(path="d", kind=FileKind.FOLDER), file("d/run", b"x", executable=True)], {})
    held = hashlib.sha256(b"x").hexdigest().encode()
    text = b"skilltrial tree 1\n"
    for part in (b"d", b"folder", b"-", b"", b"d/run", b"file", b"x", held):
        text += len(part).to_bytes(8, "big") + part

    assert tree_digest(tree.entries) == hashlib.sha256(text).hexdigest()


def test_texts_bring_their_folders_along():
    tree = Tree.of_texts({"a/b/c.txt": "1", "a/d.txt": "2", "top.txt": "ä"})

    assert [(one.path, one.kind) for one in tree.entries] == [
        ("a", FileKind.FOLDER),
        ("a/b", FileKind.FOLDER),
        ("a/b/c.txt", FileKind.FILE),
        ("a/d.txt", FileKind.FILE),
        ("top.txt", FileKind.FILE),
    ]
    assert tree.data("top.txt") == "ä".encode()
    assert tree.data("a") is None
    assert tree.data("nowhere") is None
    assert tree.size() == 4


def test_a_tree_moved_below_a_folder_gets_the_folders_above_it():
    moved = Tree.of_texts({"SKILL.md": "x"}).under(".agents/skills/notes")

    assert [one.path for one in moved.entries] == [
        ".agents",
        ".agents/skills",
        ".agents/skills/notes",
        ".agents/skills/notes/SKILL.md",
    ]
    assert moved.data(".agents/skills/notes/SKILL.md") == b"x"


def test_two_trees_share_folders_and_nothing_else():
    both = Tree.of_texts({"a/x": "1"}).with_(Tree.of_texts({"a/y": "2", "b/z": "3"}))

    assert sorted(both.by_path) == ["a", "a/x", "a/y", "b", "b/z"]
    assert both.data("a/x") == b"1"
    assert both.data("b/z") == b"3"


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        pytest.param(file("a", b"1"), file("a", b"2"), id="two files"),
        pytest.param(file("a", b"1"), file("a", b"1"), id="two equal files"),
        pytest.param(file("a", b"1"), Entry(path="a", kind=FileKind.FOLDER), id="a file where a folder must be"),
        pytest.param(Entry(path="a", kind=FileKind.LINK, target="x"), Entry(path="a", kind=FileKind.FOLDER), id="link"),
        pytest.param(Entry(path="a", kind=FileKind.FOLDER), file("a", b"1"), id="a folder where a file must be"),
    ],
)
def test_two_trees_that_disagree_about_a_path_name_it(mine, theirs):
    with pytest.raises(ValueError, match=r"^a$"):
        Tree.of([mine], {}).with_(Tree.of([theirs], {}))


def test_a_listing_with_what_is_no_entry_is_refused():
    with pytest.raises(ValueError, match="target_of_nothing"):
        of_json([{**as_json([file("a", b"1")])[0], "target_of_nothing": 1}])
