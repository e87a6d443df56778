"""A plugin that a program was given to install: what lay there, what it found of it, and what two arms' had alike."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.model.notes import Exited, PluginPlaced, SkillPlaced, Spawned
from skilltrial.model.packaged import Delivery, PluginIdentity
from skilltrial.model.trial import FixtureIdentity

WITH, WITHOUT, BODY = "a" * 64, "b" * 64, "0" * 64
SERVER = {"name": "memory", "connected": True, "tools": 2}
FOUND = {
    "event": "PluginFound",
    "turn": 1,
    "plugin": "atlas",
    "enabled": True,
    "skills": ["notes", "a-command"],
    "servers": [SERVER],
}
FILES = {"hooks/h.py": "1", ".claude-plugin/plugin.json": "2"}


def identity(delivery: Delivery = Delivery.PLUGIN) -> PluginIdentity:
    return PluginIdentity(
        name="atlas",
        version="1.0.0",
        delivery=delivery,
        arms={"with_skill": WITH, "without_skill": WITHOUT},
        skills={"with_skill": ("notes",), "without_skill": ()},
        servers=("memory",),
    )


def laid(arm: str = "with_skill", **more: Any) -> list[Any]:
    """The runner's notes of an arm's plugin, and of a program that was started in turn 1."""
    skill = arm == "with_skill"
    files = {**FILES, **({"skills/notes/SKILL.md": BODY} if skill else {})}
    note = PluginPlaced(
        **{"plugin": "atlas", "path": "../plugins/atlas", "sha256": WITH if skill else WITHOUT, "files": files, **more}
    )
    placed = SkillPlaced(skill="notes", path="../plugins/atlas/skills/notes", sha256=BODY, body_sha256=BODY)
    return [*([placed] if skill else []), note, Spawned(argv=("agent",)), Exited(code=0)]


@pytest.fixture
def judged(world: Any, w: Any) -> Any:
    """The report of one trial with these notes and events."""

    def judge(*happened: Any, delivery: Delivery = Delivery.PLUGIN, arm: str = "with_skill") -> Any:
        offered = {"memory": FixtureIdentity(tools=("save", "search"))}
        world.plan = {"plugin": identity(delivery), "fixtures": offered}
        world.trials = {w.key(arm=arm): w.trial(*happened, w.ANSWER, w.COMPLETED)}
        return world.grade().report

    return judge


def test_a_plugin_that_was_found_as_it_was_laid_is_judged_like_any_trial(judged: Any) -> None:
    report = judged(*laid(), FOUND)

    assert report.trials[0].verdict.kind == "passed"
    assert report.plugin.delivery is Delivery.PLUGIN
    assert any("installed the suite's plugin atlas 1.0.0" in one for one in report.limitations)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (None, "invalid_native_plugin_discovery"),
        ({"plugin": "other"}, "invalid_native_plugin_discovery"),
        ({"turn": 2}, "invalid_native_plugin_discovery"),
        ({"enabled": False}, "invalid_native_plugin_discovery"),
        ({"skills": []}, "invalid_native_plugin_discovery"),
        ({"faults": 1}, "invalid_native_plugin_discovery"),
        ({"servers": []}, "incomplete_native_mcp_discovery"),
        ({"servers": [{**SERVER, "connected": False}]}, "incomplete_native_mcp_discovery"),
        ({"servers": [{**SERVER, "tools": 1}]}, "incomplete_native_mcp_discovery"),
        ({"servers": [{**SERVER, "tools": 3}]}, "incomplete_native_mcp_discovery"),
        ({"servers": [{**SERVER, "name": "other"}]}, "incomplete_native_mcp_discovery"),
    ],
)
def test_what_was_found_otherwise_shows_nothing_and_is_the_hosts(judged: Any, found: Any, reason: str) -> None:
    (trial,) = judged(*laid(), *([] if found is None else [{**FOUND, **found}])).trials

    assert (trial.verdict.kind, trial.verdict.reason, trial.verdict.owner) == ("incomplete", reason, "host")


def test_a_later_finding_with_a_fault_counts_too(judged: Any) -> None:
    (trial,) = judged(*laid(), FOUND, {**FOUND, "faults": 1}).trials

    assert trial.verdict.reason == "invalid_native_plugin_discovery"


def test_a_server_whose_tools_are_not_counted_need_only_be_connected(judged: Any) -> None:
    (trial,) = judged(*laid(), {**FOUND, "servers": [{"name": "memory", "connected": True}]}).trials

    assert trial.verdict.kind == "passed"


def test_a_program_that_does_not_say_is_shown_by_the_plugins_servers(world: Any, judged: Any) -> None:
    """Their addresses stand in the plugin alone. One without servers shows nothing."""
    quiet = {**FOUND, "enabled": None, "servers": [{"name": "memory"}]}
    (told,) = judged(*laid(), quiet).trials
    world.plan["plugin"] = identity().model_copy(update={"servers": ()})
    (bare,) = world.grade().report.trials

    assert told.verdict.kind == "passed"
    assert bare.verdict.reason == "invalid_native_plugin_discovery"


def test_the_arm_without_the_skill_must_not_find_it(judged: Any) -> None:
    (trial,) = judged(*laid("without_skill"), FOUND, arm="without_skill").trials
    (clean,) = judged(*laid("without_skill"), {**FOUND, "skills": ["a-command"]}, arm="without_skill").trials

    assert trial.verdict.reason == "invalid_native_plugin_discovery"
    assert clean.verdict.kind == "passed"


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        (laid()[:1] + laid()[2:], "plugin_not_placed"),
        (laid(sha256=WITHOUT), "plugin_not_placed"),
        ([*laid(), *laid()[1:2]], "plugin_not_placed"),
        (laid(files=FILES), "skill_not_placed"),
        (laid(files={**FILES, "skills/notes/SKILL.md": WITH}), "skill_not_placed"),
    ],
)
def test_what_lay_there_is_what_was_planned(judged: Any, notes: list[Any], reason: str) -> None:
    (trial,) = judged(*notes, FOUND).trials

    assert trial.verdict.reason == reason


def test_no_plugin_may_lie_where_none_was_to_be_installed(judged: Any) -> None:
    report = judged(*laid(), FOUND, delivery=Delivery.FOLDER)

    assert report.trials[0].verdict.reason == "plugin_not_placed"
    assert any("was not installed" in one and "(delivery: folder)" in one for one in report.limitations)


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ({}, ()),
        ({"files": {**FILES, "hooks/h.py": "9"}}, ("plugin",)),
        ({"files": {**FILES, "more": "1"}}, ("plugin",)),
        ({"files": {".claude-plugin/plugin.json": "2"}}, ("plugin",)),
    ],
)
def test_arms_differ_in_no_file_of_the_plugin_but_the_skills(
    world: Any, judged: Any, w: Any, other: Any, differs: Any
) -> None:
    judged(*laid(), FOUND)
    world.trials = {
        w.key(): w.trial(*laid(), FOUND, w.ANSWER, w.COMPLETED),
        w.key(arm="without_skill"): w.trial(
            *laid("without_skill", **other), {**FOUND, "skills": []}, w.ANSWER, w.COMPLETED
        ),
    }

    report = world.grade().report

    (pair,) = report.pairs
    assert (pair.differs, report.gate.exit) == (differs, 3 if differs else 0)
    assert all(trial.ran.plugin is not None for trial in report.trials)


def test_a_skill_that_is_offered_under_the_plugins_name_is_offered(judged: Any) -> None:
    """In the arm that does not have it, that is a contamination like any other."""
    offered = {"event": "Offered", "turn": 1, "skills": ["atlas:notes"]}
    (trial,) = judged(*laid("without_skill"), {**FOUND, "skills": []}, offered, arm="without_skill").trials

    assert (trial.verdict.reason, trial.trigger[0].steps) == ("contaminated", ("offered",))
