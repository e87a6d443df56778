"""Arms differ in nothing but skills: what each really ran with is compared, and named where it differs."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.model.likeness import placeheld, unplaced
from skilltrial.model.notes import Exited, Furnished, Spawned

ENDED, FURNISHED = Exited(code=0), Furnished(files={})


def spawned(*argv: str, environment: tuple[str, ...] | None = ("HOME", "PATH")) -> Spawned:
    return Spawned(argv=("agent", *argv), environment=environment)


@pytest.fixture
def judged(world: Any, w: Any) -> Any:
    """The report where the arms' programs left these notes."""

    def judge(one: list[Any], other: list[Any]) -> Any:
        world.cases = [w.case(checks=[w.check("told")])]
        world.trials = {
            w.key(arm=arm): w.trial(w.ANSWER, *notes, w.COMPLETED)
            for arm, notes in (("with_skill", one), ("without_skill", other))
        }
        return world.grade().report

    return judge


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ([spawned("-p"), ENDED], [spawned("-p"), ENDED], ()),
        ([spawned("-p", "--isolated"), ENDED], [spawned("-p"), ENDED], ("argv",)),
        ([spawned(environment=("HOME", "KEY", "PATH")), ENDED], [spawned(), ENDED], ("environment",)),
        ([spawned(environment=None), ENDED], [spawned(), ENDED], ()),
        (
            [spawned("--at", "http://127.0.0.1:4711/a/mcp"), ENDED],
            [spawned("--at", "http://127.0.0.1:12/b"), ENDED],
            (),
        ),
        (
            [spawned("resume", "01a22d7d-752b-7922-953d-c0cd335511f6"), ENDED],
            [spawned("resume", "6d5cd4b3-7770-4395-a115-987bccd04271"), ENDED],
            (),
        ),
        ([Furnished(files={".agent/config": "a"})], [Furnished(files={".agent/config": "a"})], ()),
        ([Furnished(files={".agent/config": "a"})], [Furnished(files={".agent/config": "b"})], ("home",)),
        ([Furnished(files={}, whole=False)], [Furnished(files={".agent/config": "b"})], ()),
        (
            [spawned("-x"), ENDED, Furnished(files={"a": "1"})],
            [spawned(), ENDED, Furnished(files={})],
            ("argv", "home"),
        ),
    ],
)
def test_r18_what_differs_beside_the_skills_is_named_and_the_pair_shows_nothing(
    judged: Any, one: list[Any], other: list[Any], differs: tuple[str, ...]
) -> None:
    report = judged(one, other)

    (pair,) = report.pairs
    assert pair.differs == differs
    assert pair.outcome == ("unavailable" if differs else "tied-pass")
    assert (report.gate.exit, report.gate.reasons) == ((3, ("arms_differ",)) if differs else (0, ("all_passed",)))


def test_what_is_a_trials_own_is_taken_out_before_anything_is_compared(tmp_path: Any) -> None:
    folders = {"home": tmp_path / "home", "project": tmp_path / "home/project"}

    assert placeheld(f"{tmp_path}/home/project/x:{tmp_path}/home", folders) == "{project}/x:{home}"
    assert unplaced('url = "http://127.0.0.1:4711/run/TOKEN/mcp"') == 'url = "{loopback}"'
    assert unplaced("--session ses_dd3f4ccb9ffeQDN16m5BYXa71t") == "--session {id}"
    assert unplaced("--model long-name_of_a_model claude-sonnet-4-20250514") == (
        "--model long-name_of_a_model claude-sonnet-4-20250514"
    )
    assert unplaced("https://example.org/mcp at [::1]:80") == "https://example.org/mcp at {loopback}"
