"""What a live case starts from: whether it may begin, what a search shows of it, and what code gets and changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.api import ToolAnswer
from skilltrial.testing import AnswererFacade, bind
from skilltrial_grader_kody.answerer import KodyAnswerer

KODY = bind(AnswererFacade, "kody", KodyAnswerer())


def saved(name: str, serves: str = "nothing", **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{name}",
        "name": f"@me/{name}",
        "title": name,
        "description": f"Does the {name}.",
        "serves": serves,
        **more,
    }


EXACT = saved("release-update", "exact", public=True, returns={"text": "Release update."})
STATE: dict[str, Any] = {
    "presupposes": {"exact": "one", "values": ["team"]},
    "saved": [saved("contact-lookup", "primitive"), EXACT],
    "values": {"team": {"value": {"size": 3}}, "token": {"value": "canary-7f3a", "secret": True}},
}


def execute(code: str, state: Any = None, **more: Any) -> ToolAnswer:
    return KODY.answer_call("execute", {"code": code, **more}, STATE if state is None else state)


def search(**arguments: Any) -> ToolAnswer:
    return KODY.answer_call("search", arguments, STATE)


def calls(answer: ToolAnswer) -> list[Any]:
    assert isinstance(answer.result, dict)
    found = answer.result["calls"]
    assert isinstance(found, list)
    return found


# --- Before the session.


@pytest.mark.parametrize(
    ("change", "holds", "why", "skips"),
    [
        ({}, True, "holds", False),
        ({"saved": []}, False, "skipped_no_eligible_match", True),
        ({"saved": [EXACT, saved("another", "exact")]}, False, "skipped_no_eligible_match", True),
        ({"values": {}}, False, "value_missing", False),
        ({"presupposes": {"exact": "none"}}, False, "exact_result_present", False),
        ({"presupposes": {"exact": "none"}, "saved": []}, True, "holds", False),
        ({"presupposes": {"exact": "none"}, "saved": [saved("x", "primitive")]}, True, "holds", False),
    ],
)
def test_a_case_begins_where_what_it_presupposes_is_there(change: Any, holds: bool, why: str, skips: bool) -> None:
    ready = KODY.check_ready(STATE | change)

    assert (ready.holds, ready.why, ready.skips) == (holds, why, skips)


def test_what_was_looked_at_is_told() -> None:
    assert KODY.check_ready(STATE).found == {"exact": ["@me/release-update"], "lacking": []}
    assert KODY.check_ready(STATE | {"values": {}}).found == {"exact": ["@me/release-update"], "lacking": ["team"]}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"entries": []}, "state/entries: "),
        ({"saved": [{**EXACT, "serves": "perhaps"}]}, "state/saved/0/serves: "),
        ({"saved": [EXACT, EXACT]}, "state: two saved packages have the same id or name"),
        ({"saved": [{"id": "x"}]}, "state/saved/0/name: "),
        ({"values": {"canary-7f3a": 1}}, "state/values/canary-7f3a: "),
        ({"presupposes": {"exact": 1}}, "state/presupposes/exact: "),
    ],
)
def test_a_state_that_does_not_fit_is_refused_with_its_place(change: Any, place: str) -> None:
    faults = KODY.check_state(STATE | change)

    assert any(fault.startswith(place) for fault in faults), faults


def test_a_sound_state_has_no_fault_and_neither_has_what_code_leaves() -> None:
    assert KODY.check_state(STATE) == ()
    assert KODY.check_state({}) == ()
    after = execute("await kody.packageSave({ name: 'New one' }); await workflows.create({ runAt: 'then' });").state
    assert KODY.check_state(after) == ()


# --- Searches.


def test_a_search_shows_the_nearest_first_and_marks_what_does_the_whole_job() -> None:
    found = search(query="write the release updates")

    assert isinstance(found.result, dict)
    results = found.result["results"]
    assert isinstance(results, list)
    assert results[0] == {
        "entity": "package:@me/release-update",
        "type": "package",
        "title": "release-update",
        "description": "Does the release-update.",
    }
    assert found.marks == {"exact": ["@me/release-update"]}
    assert "exact" not in json.dumps(found.result)
    assert found.state == STATE


def test_a_search_that_was_too_narrow_has_not_found_it() -> None:
    assert search(query="lookup contact", limit=1).marks == {"exact": []}


@pytest.mark.parametrize(
    ("entity", "fails", "exact"),
    [
        ("package:@me/release-update", False, ["@me/release-update"]),
        ("package:id-release-update", False, ["@me/release-update"]),
        ("package:@me/contact-lookup", False, []),
        ("guide:packages", False, []),
        ("capability:kody.valueList", False, []),
        ("capability:valueList", False, []),
        ("value:team", False, []),
        ("value:token", True, []),
        ("guide:nothing", True, []),
        ("package:@me/nothing", True, []),
        ("nonsense", True, []),
    ],
)
def test_an_entity_is_read_whole(entity: str, fails: bool, exact: list[str]) -> None:
    found = search(entity=entity)

    assert (found.is_error, found.marks) == (fails, {"exact": exact})


def test_primitives_are_shown_where_they_fit_and_never_as_exact() -> None:
    found = search(query="list saved values")

    assert "capability:kody.valueList" in json.dumps(found.result)


# --- Code.


def test_lists_return_the_inventory() -> None:
    first, second = calls(execute("await kody.packageList({}); return await kody.valueList({});"))

    assert [one["visibility"] for one in first["result"]] == ["private", "public"]
    assert second == {
        "call": "kody.valueList",
        "result": [{"name": "team", "secret": False}, {"name": "token", "secret": True}],
    }


def test_a_secret_value_is_never_given() -> None:
    answers = (execute("return await kody.valueGet({ name: 'token' });"), search(query="token"))

    assert all("canary-7f3a" not in json.dumps(one.result) for one in answers)


def test_what_follows_from_an_answer_is_followed() -> None:
    code = """
        const team = await kody.valueGet({ name: 'team' });
        if (team.value.size > 2) await kody.valueGet({ name: 'big' }); else await kody.valueGet({ name: 'small' });
        for (const one of await kody.packageList({})) await kody.packageGet({ id: one.id });
        const mine = (await kody.packageList({})).find((one) => one.visibility === 'public');
        await kody.packageGet({ name: mine.name });
    """
    answer = execute(code)

    assert answer.scripted
    assert [one["call"].removeprefix("kody.") for one in calls(answer)] == [
        "valueGet", "valueGet", "packageList", "packageGet", "packageGet", "packageList", "packageGet",
    ]  # fmt: skip
    assert calls(answer)[1]["result"] is None
    assert calls(answer)[-1]["result"]["name"] == "@me/release-update"


@pytest.mark.parametrize(
    "code",
    [
        "let next; do { const page = await kody.packageList({ next }); next = page.next; } while (next);",
        "const all = await kody.packageList({}); for (const x of all.items ?? all) if (!x.id) await kody.jobList({});",
        "const [first, second] = await Promise.all([kody.packageList({})]); return first.length;",
        "try { return (await kody.packageList({})).map((one) => one.name); } catch (error) { return String(error); }",
        "const by = new Map(); for (const one of await kody.packageList({})) by.set(one.id, one); return by.size;",
        "const all: any[] = await kody.packageList({}); return all.reduce((sum, one) => sum + one.title.length, 0);",
    ],
)
def test_usual_ways_to_write_a_listing_are_followed(code: str) -> None:
    assert [one["call"] for one in calls(execute(code))] == ["kody.packageList"]


def test_a_time_that_is_made_while_the_code_runs_is_left_out() -> None:
    (made,) = calls(execute("await workflows.create({ code: '1', runAt: new Date(Date.now() + 1e6).toISOString() });"))

    assert made["result"] == {"id": "schedule-1"}


def test_saves_and_schedules_change_what_the_next_call_sees() -> None:
    first = execute(
        "await kody.packageSave({ name: '@me/new' }); await workflows.create({ code: '1', runAt: 'then' });"
    )
    second = execute("await kody.packageList({}); await workflows.list({});", first.state)
    third = execute("await kody.packageDelete({ id: 'package-1' }); await kody.packageList({});", second.state)

    assert isinstance(first.marks, dict)
    assert first.marks["created"] == [
        {"kind": "package", "id": "package-1", "name": "@me/new"},
        {"kind": "schedule", "id": "schedule-2", "runAt": "then"},
    ]
    assert len(calls(second)[0]["result"]) == 3
    assert calls(second)[1]["result"] == [{"id": "schedule-2", "runAt": "then"}]
    assert len(calls(third)[1]["result"]) == 2
    assert isinstance(second.marks, dict)
    assert second.marks["created"] == []


def test_a_saved_package_is_run_by_its_name_and_by_invoke() -> None:
    by_import = execute("import run from 'kody:@me/release-update/run'; return await run({});")
    by_invoke = KODY.answer_call("execute", {"invoke": {"entity": "package:@me/release-update"}}, STATE)

    for answer in (by_import, by_invoke):
        assert calls(answer)[0]["result"] == {"text": "Release update."}
        assert answer.marks == {"ran": ["@me/release-update"], "created": []}


def test_the_deferred_module_does_not_run_now() -> None:
    code = "await workflows.create({ code: \"await kody.packageSave({ name: 'x' })\", runAt: 'then' });"
    named = (
        "export const later = () => kody.packageSave({});"
        "export default () => workflows.create({ exportName: 'later' });"
    )

    for one in (code, named):
        assert [call["call"] for call in calls(execute(one))] == ["workflows.create"]


@pytest.mark.parametrize("name", ["@me/new", "New and shiny", "\\ud800", "n" + "a" * 999, "", "kody-notes"])
def test_whatever_is_saved_is_there_afterwards(name: str) -> None:
    code = f"await kody.packageSave({{ name: '{name}' }}); await kody.valueSet({{ name: 'x{name[:50]}', value: NaN }});"
    first = execute(code)
    second = execute("await kody.packageList({}); await kody.valueList({});", first.state)

    assert first.scripted
    assert not first.is_error
    assert KODY.check_state(json.loads(json.dumps(second.state))) == ()
    assert [len(one["result"]) for one in calls(second)] == [3, 3]


def test_what_was_saved_is_found_by_its_name() -> None:
    answer = execute("await kody.packageSave({ name: '@me/new' }); await kody.packageGet({ name: '@me/new' });")

    assert calls(answer)[1]["result"]["id"] == "package-1"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("await kody.packageGet({ name: '@me/nothing' }); await kody.packageSave({});", "no such package"),
        ("await kody.job_schedule({}); await kody.packageSave({});", "is not a function"),
        ("import run from 'kody:@me/nothing/run'; await run({}); await kody.packageSave({});", "no saved package"),
        ("await kody.codingGuideGet({ id: 'nothing' });", "no such guide"),
    ],
)
def test_an_error_of_the_runtime_ends_the_code(code: str, says: str) -> None:
    answer = execute(code)

    assert answer.is_error
    assert answer.scripted
    assert says in json.dumps(answer.result)
    assert len(calls(answer)) == 1
    assert answer.marks == {"ran": [], "created": []}


@pytest.mark.parametrize("given", [{}, {"params": {}}, {"invoke": {"entity": "package:@me/nothing"}}, {"code": 7}])
def test_a_call_without_anything_to_run_fails(given: Any) -> None:
    assert KODY.answer_call("execute", given, STATE).is_error


@pytest.mark.parametrize(
    "code",
    [
        "for (const op of Object.values(kody)) await op({});",
        "await kody[params.op]({});",
        "if (Math.random() > 0.5) await kody.packageSave({});",
        "eval(atob(secret));",
        "await kody.smokeSignalSend({});",
        "await kody.packageGet({ id: String(Math.random()) });",
        "import run from 'kody:@me/contact-lookup/run'; await run({});",
        "await (await import(params.which)).default({});",
        "await workflows.create({ runAt:",
        "somebody.packageSave({});",
        "let one = null; try { one = await kody.packageGet({ name: 'no' }); } catch { await kody.packageSave({}); }",
        "const one = await kody.packageGet({ name: 'no' }).catch(() => null);",
    ],
)
def test_what_nobody_can_tell_is_marked_and_changes_nothing(code: str) -> None:
    answer = execute("await kody.valueSet({ name: 'x', value: 1 });" + code)

    assert not answer.scripted
    assert answer.is_error
    assert answer.state == STATE
    assert "FIXTURE_UNSCRIPTED" in json.dumps(answer.result)


def test_a_tool_that_kody_does_not_have_is_not_played() -> None:
    assert not KODY.answer_call("save", {}, STATE).scripted


_PIECES = st.sampled_from(
    [
        "await kody.packageList({})", "kody.", "valueGet", "({ name: 'team' })", "for (const x of", "if (", ") {", "}",
        "workflows.create({ runAt: 1 })", "[0]", ".map((x) => ", "return ", ";", "\n", "params.x", "`${", "x", "=>",
        "import run from 'kody:@me/release-update/run';", "await run()", "kody[", "]", ".filter(Boolean)", "try {",
        "catch {", "1", "await kody.valueSet({ name: ", "'An odd: name'", "'\\ud800'", "})",
        "await kody.packageSave({ name: ", "NaN", "0 / 0", "''", "x.repeat(9)",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_PIECES | st.text(max_size=4), max_size=14).map("".join),
    st.none() | st.dictionaries(st.text(max_size=3), st.integers()),
)
def test_whatever_the_code_is_it_is_answered_and_leaves_a_sound_state(code: str, params: Any) -> None:
    answer = execute(code, **({} if params is None else {"params": params}))

    assert KODY.check_state(answer.state) == ()
    json.dumps([answer.result, answer.marks])
    if not answer.scripted:
        assert answer.state == STATE
    again = execute(code, answer.state)
    assert KODY.check_state(again.state) == ()
