"""From calls on the wire to lifecycle events: one for each thing that a call did, all with its call id."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.api import WireCall
from skilltrial_grader_kody.lifecycle import Recorder
from skilltrial_grader_kody.words import Profile, Route


def lifecycle(calls: Any, route: Route, profile: Profile, exact: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    return Recorder(route, profile, exact).write(calls)


def call(tool: str, arguments: Any, marks: Any = None, **more: Any) -> WireCall:
    fields: dict[str, Any] = {"result": {"calls": []}, "is_error": False, "at": 1.0, **more}
    return WireCall("kody", 1, 1, tool, arguments, marks=marks, **fields)


def actions(code: str, route: Route = Route.ONE_OFF, **more: Any) -> list[str]:
    return [one["action"] for one in lifecycle([call("execute", {"code": code, **more})], route, Profile.STRICT)]


ONE_OFF, OTHER, INSPECT, AUTHOR = "execute-one-off", "other-execute", "inspect-authoring-guidance", "author-package"
INVOKE = "invoke-existing"
RUN = "import run from 'kody:@me/notes/run'; await run({});"


@pytest.mark.parametrize(
    ("code", "route", "expected"),
    [
        ("return await kody.valueList({});", Route.ONE_OFF, [ONE_OFF]),
        ("return await kody.valueList({});", Route.AUTHORING, [OTHER]),
        ("return await kody.valueList({});", Route.EXISTING, [OTHER]),
        ("await kody.packageSave({});", Route.AUTHORING, [AUTHOR]),
        ("await kody.packageSave({});", Route.ONE_OFF, [AUTHOR]),
        ("await kody.codingGuideGet({}); await kody.packageSave({});", Route.AUTHORING, [INSPECT, AUTHOR]),
        ("await kody.codingGuideGet({});", Route.ONE_OFF, [INSPECT]),
        ("await kody.packageGet({ id: 'a' });", Route.AUTHORING, [INSPECT]),
        ("await kody.packageGet({ id: 'a' });", Route.ONE_OFF, [ONE_OFF]),
        ("await kody.repoOpenSession({}); await kody.repoReadFile({});", Route.AUTHORING, [INSPECT]),
        ("await kody.repoOpenSession({});", Route.AUTHORING, [AUTHOR]),
        (RUN, Route.EXISTING, [INVOKE]),
        (RUN + "await kody.packageSave({});", Route.EXISTING, [AUTHOR, INVOKE]),
        (RUN + "await workflows.create({ runAt: 'x' });", Route.EXISTING, [INVOKE, ONE_OFF]),
        ("await workflows.create({ runAt: 'x' });", Route.AUTHORING, [ONE_OFF]),
        ("if (Math.random()) await kody.packageSave({});", Route.ONE_OFF, [AUTHOR]),
        ("// kody.packageSave()", Route.AUTHORING, [OTHER]),
        ("const save = kody.packageSave; return 'kody.packageSave()';", Route.AUTHORING, [OTHER]),
        ("", Route.ONE_OFF, [ONE_OFF]),
        ("await kody.jobUpdate({ id: 1 });", Route.EXISTING, [ONE_OFF]),
    ],
)
def test_a_call_is_as_many_events_as_it_did_things(code: str, route: Route, expected: list[str]) -> None:
    assert actions(code, route) == expected


def test_params_of_the_call_are_known() -> None:
    assert actions("await kody[params.op]({});", params={"op": "packageSave"}) == [AUTHOR]


def test_events_of_one_call_share_its_id_and_payload() -> None:
    both = call("execute", {"code": "await kody.codingGuideGet({}); await kody.packageSave({});"}, result={"n": 1})
    events = lifecycle(
        [both, call("execute", {"code": "await kody.packageSave({});"})], Route.AUTHORING, Profile.STRICT
    )

    assert [one["callId"] for one in events] == ["1", "1", "2"]
    assert [one["output"] for one in events[:2]] == [{"n": 1}] * 2
    assert events[0]["input"] == events[1]["input"] == both.arguments


def test_a_search_has_the_match_that_the_fixture_marked() -> None:
    one, none = (
        lifecycle([call("search", {"query": "x"}, {"exact": exact})], Route.EXISTING, Profile.STRICT)[0]
        for exact in (["@me/notes", "@me/more"], [])
    )

    assert one["match"] == {"kind": "exact-reusable", "entityId": "@me/notes"}
    assert none["match"] == {"kind": "no-exact-reusable"}


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"content": [{"type": "text", "text": "package:@me/notes: writes notes"}]}, "@me/notes"),
        ({"results": [{"id": "@me/notes"}]}, "@me/notes"),
        ("kody:@me/notes/run", None),
        ({"results": [{"id": "@me/notes-old"}, {"id": "x@me/notes"}]}, None),
        (None, None),
    ],
)
def test_a_real_account_marks_nothing_and_the_suite_says_what_is_exact(result: Any, found: str | None) -> None:
    searched = call("search", {"query": "notes"}, None, result=result)
    (event,) = lifecycle([searched], Route.EXISTING, Profile.STRICT, ("@me/notes",))

    assert event["match"].get("entityId") == found


@pytest.mark.parametrize("marks", [None, 7, {"exact": "x"}, {"exact": [1]}, {}])
def test_marks_of_another_kind_are_none(marks: Any) -> None:
    (event,) = lifecycle([call("search", {}, marks)], Route.EXISTING, Profile.STRICT)

    assert event["match"] == {"kind": "no-exact-reusable"}


def test_a_guide_that_was_read_by_a_search_is_an_inspection_where_the_format_has_it() -> None:
    read = call("search", {"entity": "guide:packages"})

    (strict,), (original,) = (lifecycle([read], Route.AUTHORING, profile) for profile in Profile)

    assert (strict["action"], strict["toolName"], "match" in strict) == (INSPECT, "search", False)
    assert (original["action"], original["match"]["kind"]) == ("search", "no-exact-reusable")


def test_the_target_is_the_inventorys_name_else_what_was_written() -> None:
    def target(given: dict[str, Any], ran: list[str]) -> object:
        (event,) = lifecycle([call("execute", given, {"ran": ran})], Route.EXISTING, Profile.STRICT)
        return event["targetEntityId"]

    assert target({"code": RUN}, ["@me/notes"]) == "@me/notes"
    assert target({"code": RUN}, []) == "@me/notes"
    assert target({"invoke": {"entity": "package:p-7"}}, ["@me/notes"]) == "@me/notes"
    assert target({"invoke": {"entity": "package:p-7"}}, []) == "p-7"


@pytest.mark.parametrize(("error", "status"), [(True, "failed"), (False, "succeeded")])
def test_a_call_that_failed_is_told_as_failed(error: bool, status: str) -> None:
    (event,) = lifecycle([call("execute", {"code": "1"}, is_error=error)], Route.ONE_OFF, Profile.STRICT)

    assert event["status"] == status


@pytest.mark.parametrize("arguments", [None, [1], "x", {"code": 7}])
def test_arguments_of_any_kind_are_told(arguments: Any) -> None:
    (event,) = lifecycle([call("execute", arguments)], Route.ONE_OFF, Profile.STRICT)

    assert isinstance(event["input"], dict)
