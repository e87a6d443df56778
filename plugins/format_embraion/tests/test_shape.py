"""What a suite of EmbrAIon may say: keys, ids, paths, doubles; every fault at once, and none tells a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import ForeignSuite
from skilltrial_format_embraion.paths import path_fault
from skilltrial_format_embraion.structure import read as read_structure

Read = Callable[..., ForeignSuite]
Path = tuple[str | int, ...]

UNSAFE = [
    "../outside", "./start", "start/./notes", "start//notes", "start/../start", "/etc", "start/", "C:/secret",
    "C:secret", "a:b", "\\\\server\\share", "start\\notes", "..\\outside", "nul\0byte", ".", "..",
]  # fmt: skip


def test_a_sound_suite_has_no_fault_and_every_default_is_embraions(suite: dict[str, Any], read: Read) -> None:
    foreign = read(suite)

    assert foreign.misfits == ()
    long: Any = foreign.suite
    assert (long["attempts"], long["limits"]["seconds"], long["gate"]) == (2, 180, {"arm": "with_skill"})
    assert [arm["id"] for arm in long["arms"]] == ["without_skill", "with_skill"]
    assert long["cases"][0]["turns"] == ["Greet the user."]
    assert long["skills"] == [{"id": "greeter", "folder": "greeter"}]


@pytest.mark.parametrize("version", [1, 1.0])
def test_the_version_is_the_number_1_however_it_is_written(suite: dict[str, Any], read: Read, version: object) -> None:
    suite["schema-version"] = version

    assert read(suite).misfits == ()


@pytest.mark.parametrize("version", [True, "1", 2, 0, 1.5, None, [1]])
def test_no_other_version_is_read_and_true_is_no_number(suite: dict[str, Any], read: Read, version: object) -> None:
    suite["schema-version"] = version

    assert [fault.path for fault in read(suite).misfits] == [("schema-version",)]


def changed(suite: dict[str, Any], path: Path, value: object) -> dict[str, Any]:
    holder: Any = suite
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return suite


CASE: Path = ("cases", 0)
CHECK: Path = (*CASE, "checks", 0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("extra",), 1),
        (("schema_version",), 1),
        (("skills", 0, "folder"), "greeter"),
        ((*CASE, "expect"), []),
        ((*CHECK, "pattern"), "x"),
        (("id",), "Greetings"),
        (("id",), "a" * 65),
        (("id",), "greetings\n"),
        (("id",), 7),
        (("skills", 0, "id"), "a_b"),
        (("skills",), []),
        (("skills", 0, "previous"), None),
        (("cases",), []),
        (("cases",), {}),
        ((*CASE, "id"), "-greet"),
        ((*CASE, "polarity"), "sideways"),
        ((*CASE, "prompt"), ""),
        ((*CASE, "prompt"), "x" * 20_001),
        ((*CASE, "prompt"), ["x"]),
        ((*CASE, "checks"), []),
        ((*CHECK, "type"), "file-matches"),
        ((*CHECK, "text"), ""),
        ((*CHECK, "path"), "x" * 251),
        ((*CHECK, "path"), 1),
        (CHECK, "file-exists"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_a_fault_of_the_shape_stands_where_it_is(suite: dict[str, Any], read: Read, path: Path, value: object) -> None:
    faults = read(changed(suite, path, value)).misfits

    assert len(faults) == 1
    assert faults[0].path == path


@pytest.mark.parametrize("key", ["schema-version", "id", "skills", "cases"])
def test_a_missing_key_is_named(suite: dict[str, Any], read: Read, key: str) -> None:
    del suite[key]

    assert [fault.what for fault in read(suite).misfits] == [f"`{key}` is missing"]


@pytest.mark.parametrize("path", UNSAFE)
@pytest.mark.parametrize(
    "place",
    [("skills", 0, "candidate"), ("skills", 0, "previous"), (*CASE, "fixture"), (*CHECK, "path")],
    ids=["candidate", "previous", "fixture", "check"],
)
def test_embraion_04_an_unsafe_path_is_refused_wherever_it_stands(
    suite: dict[str, Any], read: Read, place: Path, path: str
) -> None:
    assert [fault.path for fault in read(changed(suite, place, path)).misfits] == [place]


def test_embraion_04_every_path_of_changed_paths_within_is_looked_at(suite: dict[str, Any], read: Read) -> None:
    suite["cases"][0]["checks"] = [{"type": "changed-paths-within", "paths": ["a", *UNSAFE]}]

    assert [fault.path[-1] for fault in read(suite).misfits] == list(range(1, len(UNSAFE) + 1))


@given(st.text(min_size=1))
def test_a_path_without_fault_stays_below_its_root(path: str) -> None:
    if path_fault(path) is None:
        assert not {"", ".", ".."} & set(path.split("/"))
        assert not re.search(r"[\\\0]", path)
        assert not re.match("[A-Za-z]:", path)


def test_doubles_and_half_given_previous_forms_are_all_told_at_once(suite: dict[str, Any], read: Read) -> None:
    suite["skills"] *= 2
    suite["skills"].append({"id": "signer", "candidate": "greeter", "previous": "greeter"})
    suite["cases"] *= 2

    faults = read(suite).misfits

    assert [fault.path for fault in faults] == [("skills", 1, "id"), ("cases", 1, "id"), ("skills", 0)]


CANARY = "Crocuses-in-the-snow"
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.just(CANARY),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "skills", "cases", "checks", "type", "path", CANARY]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from([("id",), ("skills",), ("cases",), CASE, CHECK, (*CASE, "prompt"), (*CHECK, "type")]), ANYTHING)
def test_embraion_08_whatever_stands_there_is_answered_without_a_word_of_it(path: Path, value: Any) -> None:
    document = changed(
        {
            "schema-version": 1,
            "id": "greetings",
            "skills": [{"id": "greeter", "candidate": "greeter"}],
            "cases": [
                {
                    "id": "greet",
                    "polarity": "positive",
                    "fixture": "start",
                    "prompt": "Greet.",
                    "checks": [{"type": "file-exists", "path": "a"}],
                }
            ],
        },
        path,
        value,
    )

    _, faults = read_structure(document)

    assert all(CANARY not in fault.what + fault.right for fault in faults)


@pytest.mark.parametrize("document", [None, 1, "text", [], {}])
def test_what_is_no_suite_at_all_is_refused_in_words(read: Read, document: object) -> None:
    assert read(document).misfits
