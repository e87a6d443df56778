"""Where skills and fixtures lie, and what they may hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import ForeignSuite

Read = Callable[..., ForeignSuite]
SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nBody.\n"


def test_without_a_hint_skills_lie_beside_the_suite(suite: dict[str, Any], read: Read, tmp_path: Path) -> None:
    assert read(suite).skills_root == tmp_path


def test_root_comes_before_embraion_home_before_a_framework_above(
    suite: dict[str, Any], read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = {"framework.yaml": "", "core/catalog.yaml": ""}
    home, named = tmp_path / "home", tmp_path / "named"
    files = {**frame, "home/greeter/SKILL.md": SKILL, "named/greeter/SKILL.md": SKILL}

    above = read(suite, files)
    monkeypatch.setenv("EMBRAION_HOME", str(home))
    by_home = read(suite, files)
    by_root = read(suite, files, root=named)

    assert [one.skills_root for one in (above, by_home, by_root)] == [tmp_path, home, named]


def test_the_nearest_framework_above_is_taken_and_half_a_one_is_none(
    suite: dict[str, Any], laid: Any, tmp_path: Path
) -> None:
    from skilltrial_format_embraion.sources import skills_root

    laid({"framework.yaml": "", "core/catalog.yaml": "", "deep/framework.yaml": "", "deep/evals/suite.json": "{}"})

    assert skills_root(tmp_path / "deep" / "evals" / "suite.json", None, {"EMBRAION_HOME": ""}) == tmp_path


PLACES = [("greeter", ("skills", 0, "candidate")), ("start", ("cases", 0, "fixture"))]


@pytest.mark.parametrize(("folder", "place"), PLACES, ids=["skill", "fixture"])
@pytest.mark.parametrize("kind", ["link inside", "link itself", "broken link", "special file", "missing", "a file"])
def test_embraion_04_a_source_is_a_folder_of_plain_files(
    suite: dict[str, Any], read: Read, tmp_path: Path, folder: str, place: tuple[str | int, ...], kind: str
) -> None:
    assert read(suite).misfits == ()
    source = tmp_path / folder
    match kind:
        case "link inside":
            (source / "deep").mkdir()
            (source / "deep" / "way").symlink_to("../notes.txt")
        case "link itself":
            source.rename(tmp_path / "real")
            source.symlink_to("real")
        case "broken link":
            (source / "way").symlink_to("nowhere")
        case "special file":
            os.mkfifo(source / "pipe")
        case "missing":
            source.rename(tmp_path / "elsewhere")
        case _:
            source.rename(tmp_path / "elsewhere")
            source.write_text("")

    from skilltrial_format_embraion.format import EmbraionFormat

    faults = EmbraionFormat().read_suite(tmp_path / "suite.json", suite).misfits

    assert [fault.path for fault in faults] == [place]


def test_a_link_on_the_way_below_the_root_is_refused(suite: dict[str, Any], read: Read, tmp_path: Path) -> None:
    suite["cases"][0]["fixture"] = "alias/start"
    (tmp_path / "alias").symlink_to(".")

    assert [fault.path for fault in read(suite).misfits] == [("cases", 0, "fixture")]


@pytest.mark.parametrize(("files", "sound"), [(200, True), (201, False)])
def test_a_source_has_200_files_at_most(suite: dict[str, Any], read: Read, files: int, sound: bool) -> None:
    # One file is there already.
    faults = read(suite, {f"start/deep/{at}": "" for at in range(files - 1)}).misfits

    assert (not faults) is sound


@pytest.mark.parametrize(("size", "sound"), [(2_000_000, True), (2_000_001, False)])
def test_a_source_has_2000000_bytes_at_most(suite: dict[str, Any], read: Read, size: int, sound: bool) -> None:
    faults = read(suite, {"start/big": "x" * (size - len("notes\n"))}).misfits

    assert (not faults) is sound


def test_a_skill_has_a_skill_md_and_what_it_says_of_itself_is_not_asked(
    suite: dict[str, Any], read: Read, tmp_path: Path
) -> None:
    assert read(suite, {"greeter/SKILL.md": "no head\n"}).misfits == ()
    (tmp_path / "greeter" / "SKILL.md").rename(tmp_path / "greeter" / "skill.md")
    suite["skills"][0]["previous"] = "greeter/SKILL.md"

    faults = read(suite, {"greeter/SKILL.md": "no head\n"}).misfits

    assert [fault.path for fault in faults] == [("skills", 0, "previous")]


def test_previous_forms_make_a_third_arm(suite: dict[str, Any], read: Read) -> None:
    suite["skills"][0]["previous"] = "earlier"

    long: Any = read(suite, {"earlier/SKILL.md": SKILL}).suite

    assert long["arms"][2] == {"id": "previous", "skills": ["greeter@previous"]}
    assert long["skills"] == [{"id": "greeter", "folder": "greeter", "previous": "earlier"}]


def test_a_suite_is_a_json_file(suite: dict[str, Any], laid: Any) -> None:
    from skilltrial_format_embraion.format import EmbraionFormat

    assert EmbraionFormat().read_suite(laid({}).with_suffix(".yaml"), suite).misfits
