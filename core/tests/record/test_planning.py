"""Plans: which trials, in which order, and which not; and the projects that they start from."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.archive.trees import Tree
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import Exit, InvalidRequest, PluginMismatch
from skilltrial.model.evidence import Entry, FileKind
from skilltrial.model.suite import Say, Suite, WriteFile
from skilltrial.model.trial import HostIdentity
from skilltrial.model.words import BUILT_IN_AGENTS
from skilltrial.record.gathering import prepared
from skilltrial.record.planning import Digests, Selection, plan_rehearsal, plan_run, skip_reason
from skilltrial.record.preparing import Sources, assemble
from skilltrial.rehearsal import CLAIM, NEUTRAL, by_turns, scripts

HOST = HostIdentity(name="fake", records="fake")
DIGESTS = Digests("0" * 64)
ARMS = ({"id": "without_skill"}, {"id": "with_skill", "skills": ("notes",)}, {"id": "third"})


def plan(suite: Suite, host: HostIdentity = HOST, **chosen: object):
    return plan_run(suite, host, Selection(**chosen), DIGESTS, "run")  # type: ignore[arg-type]


def rehearse(suite: Suite, host: HostIdentity = HOST, **chosen: object):
    return plan_rehearsal(suite, host, Selection(**chosen), DIGESTS, "run", "scripted")  # type: ignore[arg-type]


def some(suite, cases: int, last: int = 0, **more: object) -> Suite:
    return suite([{"id": f"c{at}", "stage": "last" if at >= cases - last else "any"} for at in range(cases)], **more)


@given(
    cases=st.integers(1, 6),
    last=st.integers(0, 3),
    attempts=st.integers(1, 4),
    seed=st.integers(0, 999),
    arms=st.integers(2, 3),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_round_has_every_case_in_every_arm_and_the_arms_side_by_side(suite, cases, last, attempts, seed, arms):
    asked = some(suite, cases, min(last, cases), arms=ARMS[:arms])
    trials = plan(asked, attempts=attempts, seed=seed).trials

    assert len(set(trials)) == len(trials) == cases * arms * attempts
    groups: list[tuple[str, str, list[str]]] = [
        (case, label, [key.arm for key in keys])
        for (case, label), keys in itertools.groupby(trials, lambda key: (key.case, key.label))
    ]
    for _, _, present in groups:
        assert sorted(present) == sorted(str(arm["id"]) for arm in ARMS[:arms])
    stages = [asked.case(case).stage for case, _, _ in groups]
    assert stages == sorted(stages)
    for stage in ("any", "last"):
        labels = [int(label) for case, label, _ in groups if asked.case(case).stage == stage]
        assert labels == sorted(labels), "a round begins before the one before it has ended"


def test_the_seed_alone_decides_the_order(suite):
    asked = some(suite, 6)

    orders = {seed: plan(asked, attempts=3, seed=seed).trials for seed in range(10)}

    assert all(plan(asked, attempts=3, seed=seed).trials == orders[seed] for seed in orders)
    assert len(set(orders.values())) == 10
    assert {frozenset(order) for order in orders.values()} == {frozenset(orders[0])}


def test_cases_come_in_another_order_each_round(suite):
    """So that no case always meets what the one before it left behind (a warm cache, a tired provider)."""
    trials = plan(some(suite, 6), attempts=8, seed=1).trials
    rounds = [tuple(dict.fromkeys(key.case for key in trials if key.label == str(number))) for number in range(1, 9)]

    assert all(sorted(order) == [f"c{at}" for at in range(6)] for order in rounds)
    assert len(set(rounds)) > 4


def test_no_arm_always_goes_first(suite):
    firsts = [plan(some(suite, 1), seed=seed).trials[0].arm for seed in range(40)]

    assert {"with_skill", "without_skill"} == set(firsts)
    assert 8 < firsts.count("with_skill") < 32


def test_attempts_are_what_was_asked_else_what_the_suite_says(suite):
    assert plan(some(suite, 1, attempts=3)).attempts == 3
    assert plan(some(suite, 1, attempts=3), attempts=2).attempts == 2
    assert [key.label for key in plan(some(suite, 1, attempts=3)).trials if key.arm == "with_skill"] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("chosen", "narrowed", "count"),
    [
        ({}, False, 6),
        ({"cases": ("c1",)}, True, 2),
        ({"arms": ("with_skill",)}, True, 3),
        ({"cases": ("c0", "c1", "c2"), "arms": ("with_skill", "without_skill")}, False, 6),
        ({"cases": ("c2", "c2")}, True, 2),
    ],
)
def test_a_part_of_a_suite_is_said_to_be_one(suite, chosen, narrowed, count):
    made = plan(some(suite, 3), **chosen)

    assert made.narrowed is narrowed
    assert len(made.trials) == count
    assert set(made.cases) == {"c0", "c1", "c2"}, "the digests are those of the whole suite"


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"cases": ("c11",)}, "no case 'c11'; did you mean 'c1'?"),
        ({"cases": ("zebra",)}, "no case 'zebra'; it has: c0, c1, c2"),
        ({"arms": ("with_skil",)}, "no arm 'with_skil'; did you mean 'with_skill'?"),
        ({"arms": ("x",)}, "no arm 'x'; it has: without_skill, with_skill"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(suite, chosen, said):
    for make in (plan, rehearse):
        with pytest.raises(InvalidRequest) as caught:
            make(some(suite, 3), **chosen)
        assert said in str(caught.value)
        assert caught.value.exit is Exit.INVALID


@pytest.mark.parametrize(
    ("case", "can", "reason"),
    [
        ({}, set(), None),
        ({"turns": ("a", "b")}, set(), "needs_multi_turn"),
        ({"turns": ("a", "b")}, {Can.MULTI_TURN}, None),
        ({"needs": (Can.MCP_HTTP,)}, {Can.MULTI_TURN}, "needs_mcp_http"),
        ({"needs": (Can.MODEL, Can.MCP_HTTP)}, set(), "needs_mcp_http"),
        ({"needs": (Can.MODEL,), "turns": ("a", "b")}, {Can.MODEL}, "needs_multi_turn"),
    ],
)
def test_a_case_that_the_host_can_not_run_is_skipped_with_the_reason_in_every_arm(suite, case, can, reason):
    asked = suite([{"id": "this", **case}, {"id": "other"}])
    host = HOST.model_copy(update={"can": frozenset(can)})
    made = plan(asked, host, attempts=2)

    assert skip_reason(asked.case("this"), host) == reason
    skipped = [(skip.key.arm, skip.key.label, skip.reason) for skip in made.skips]
    expected = [(arm, label, reason) for arm in ("without_skill", "with_skill") for label in ("1", "2")]
    assert skipped == (expected if reason else [])
    assert {key.case for key in made.trials} == ({"other"} if reason else {"this", "other"})


@pytest.mark.parametrize(
    ("wanted", "can", "reason"),
    [
        ({Can.MCP_HTTP, Can.MCP_STDIO}, {Can.MCP_STDIO}, None),
        ({Can.MCP_HTTP, Can.MCP_STDIO}, set(), "needs_mcp_http"),
        (set(), set(), None),
    ],
)
def test_a_fixture_needs_one_way_in_which_the_host_can_reach_it(suite, wanted, can, reason):
    host = HOST.model_copy(update={"can": frozenset(can)})

    assert skip_reason(suite([{"id": "one"}]).case("one"), host, [frozenset(wanted)]) == reason


REHEARSALS = (
    {"id": "honest", "script": ({"write_file": {"path": "a", "text": "x"}}, {"say": "ok"}), "expect": "passed"},
    {"id": "only-with", "script": ({"say": "ok"},), "expect": "failed", "arms": ("with_skill",)},
    {"id": "by-arm", "script": ({"say": "ok"},), "expect": {"without_skill": "failed"}},
)


def test_a_rehearsal_is_planned_where_it_promises_something_beside_the_built_in_agents(suite):
    asked = suite([{"id": "one", "rehearsals": REHEARSALS}])
    made = rehearse(asked)

    assert {key.label for key in made.trials if key.arm == "with_skill"} == {"honest", "only-with", *BUILT_IN_AGENTS}
    assert {key.label for key in made.trials if key.arm == "without_skill"} == {"honest", "by-arm", *BUILT_IN_AGENTS}
    assert (made.mode, made.model) == ("rehearse", "scripted")


@pytest.mark.parametrize(
    ("chosen", "labels"),
    [
        ({"rehearsals": ("honest",)}, {"with_skill": {"honest"}, "without_skill": {"honest"}}),
        ({"rehearsals": ("only-with", "null")}, {"with_skill": {"only-with", "null"}, "without_skill": {"null"}}),
        ({"rehearsals": ("by-arm",)}, {"without_skill": {"by-arm"}}),
    ],
)
def test_a_rehearsal_that_is_asked_for_is_played_alone_and_the_plan_says_so(suite, chosen, labels):
    made = rehearse(suite([{"id": "one", "rehearsals": REHEARSALS}]), **chosen)

    assert {(key.arm, key.label) for key in made.trials} == {(arm, id) for arm, ids in labels.items() for id in ids}
    assert made.narrowed


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"rehearsals": ("honst",)}, "no rehearsal 'honst'; did you mean 'honest'?"),
        ({"rehearsals": ("by-arm",), "arms": ("with_skill",)}, "no arm that was asked for plays 'by-arm'"),
    ],
)
def test_a_rehearsal_that_can_not_be_played_is_named(suite, chosen, said):
    with pytest.raises(InvalidRequest) as caught:
        rehearse(suite([{"id": "one", "rehearsals": REHEARSALS}]), **chosen)

    assert said in str(caught.value)


def test_every_planned_trial_has_a_script_with_a_part_for_each_turn(suite):
    asked = suite([{"id": "one", "turns": ("a", "b", "c"), "rehearsals": REHEARSALS}])
    host = HOST.model_copy(update={"can": frozenset({Can.MULTI_TURN})})
    made = rehearse(asked, host)
    tree = Tree.of_texts({"a.txt": "1", "b/c.txt": "2", ".git/config": "3"})
    tree = tree.with_(Tree.of([Entry(path="\udcff", kind=FileKind.FILE, sha256="0" * 64)], {}))

    played = scripts(asked, made, {"one": tree})

    assert set(played) == set(made.trials)
    assert {len(script.turns) for script in played.values()} == {3}
    by_label = {key.label: script for key, script in played.items()}
    assert by_label["null"].turns == ((Say(say=NEUTRAL),),) * 3
    assert by_label["talker"].turns == ((Say(say=CLAIM),),) * 3
    wrecked = [act.write_file.path for act in by_label["wrecker"].turns[0] if isinstance(act, WriteFile)]
    assert wrecked == ["a.txt", "b/c.txt", "wreckage.txt"]


@pytest.mark.parametrize(
    ("acts", "turns", "lengths"),
    [
        ("", 2, [0, 0]),
        ("s", 1, [1]),
        ("wws", 1, [3]),
        ("ww", 1, [2]),
        ("swsw", 3, [1, 2, 1]),
        ("sss", 2, [1, 1]),
        ("ws", 3, [2, 0, 0]),
    ],
)
def test_a_script_is_cut_into_turns_at_its_last_words(acts, turns, lengths):
    write = WriteFile.model_validate({"write_file": {"path": "a", "text": ""}})

    assert [len(turn) for turn in by_turns([Say(say="x") if act == "s" else write for act in acts], turns)] == lengths


# --- Projects ------------------------------------------------------------------------------------------------


SKILL = Tree.of_texts({"SKILL.md": "x", "deep/more.md": "y"})


def projects(suite: Suite, workspace: Tree, host, skill: Tree = SKILL):
    return assemble(suite, Sources({"one": workspace}, {"notes": prepared("notes", "notes", skill)}), host)


def test_an_arms_project_is_the_workspace_and_its_skills_and_nothing_else(suite, host):
    workspace = Tree.of_texts({"a.txt": "1", ".agents/config": "2"})
    made = projects(suite([{"id": "one"}]), workspace, host)

    assert made["one", "without_skill"].tree.digest() == workspace.digest()
    assert made["one", "without_skill"].skills == {}
    project = made["one", "with_skill"]
    assert project.skills == {"notes": ".agents/skills/notes"}
    assert set(project.tree.by_path) - set(workspace.by_path) == {
        ".agents/skills",
        ".agents/skills/notes",
        ".agents/skills/notes/SKILL.md",
        ".agents/skills/notes/deep",
        ".agents/skills/notes/deep/more.md",
    }


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({".agents/skills/notes/SKILL.md": "another"}, "already has .agents/skills/notes"),
        ({".agents/skills/notes": "a file"}, "already has .agents/skills/notes"),
        ({".agents/skills": "a file"}, "has .agents/skills in the way of"),
        ({".agents": "a file"}, "has .agents in the way of"),
    ],
)
def test_a_workspace_that_is_in_the_way_of_a_skill_is_refused(suite, host, texts, said):
    with pytest.raises(InvalidRequest, match=said):
        projects(suite([{"id": "one"}]), Tree.of_texts(texts), host)


def test_a_link_in_the_way_of_a_skill_is_refused(suite, host):
    """Through it the skill would be written where nobody looks, or out of the place."""
    link = Tree.of([Entry(path=".agents", kind=FileKind.LINK, target="elsewhere")], {})

    with pytest.raises(InvalidRequest, match=r"has \.agents in the way of"):
        projects(suite([{"id": "one"}]), link, host)


def test_another_skill_of_the_workspaces_own_stays(suite, host):
    workspace = Tree.of_texts({".agents/skills/other/SKILL.md": "x", ".agents/skills/notes-more/SKILL.md": "y"})

    tree = projects(suite([{"id": "one"}]), workspace, host)["one", "with_skill"].tree

    assert tree.data(".agents/skills/other/SKILL.md") == b"x"
    assert tree.data(".agents/skills/notes/SKILL.md") == b"x"


@pytest.mark.parametrize(("limit", "value"), [("files_in", 3), ("bytes_in", 4)])
def test_a_project_may_be_as_big_as_the_limit_and_no_bigger(suite, host, limit, value):
    """Two files of one byte in the skill, one of two in the workspace."""
    workspace = Tree.of_texts({"a.txt": "12"})

    projects(suite([{"id": "one"}], limits={limit: value}), workspace, host)
    with pytest.raises(InvalidRequest, match=rf"with arm 'with_skill'.*limits\.{limit}.*{value} > {value - 1}"):
        projects(suite([{"id": "one"}], limits={limit: value - 1}), workspace, host)


@pytest.mark.parametrize("folder", ["..", "/elsewhere", "a/../../b"])
def test_a_host_that_looks_for_skills_outside_the_project_is_refused(suite, host_at, folder):
    with pytest.raises(PluginMismatch, match="place_skill"):
        projects(suite([{"id": "one"}]), Tree(), host_at(folder))
