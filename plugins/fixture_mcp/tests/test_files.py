"""Faults of catalog, replies and options: each one sentence with its place, none with the file's text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial.api import Can, InvalidRequest, RunInfo
from skilltrial.testing import FixtureFacade, bind
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture

GOOD = b"scripts: {one: {rules: [{tool: save, reply: {text: ok}}]}}"
SECRET = "canary-7f3a"


def faults(catalog: bytes, replies: bytes, options: Any = None, **suite: Any) -> list[str]:
    fixture = bind(FixtureFacade, "mcp", McpFixture(catalog="catalog.json", replies="replies.yaml", **suite))
    return list(fixture.check_fixture({"catalog.json": catalog, "replies.yaml": replies}, options or {}))


def test_good_files_have_no_fault_and_the_fixture_fits_its_spec(make_catalog: Any, notes_tools: Any) -> None:
    fixture = bind(FixtureFacade, "mcp", McpFixture(catalog="catalog.json", replies="replies.yaml"))

    assert faults(make_catalog(*notes_tools), GOOD) == []
    assert fixture.fixture_assets() == ("catalog.json", "replies.yaml")
    assert fixture.fixture_needs() == {Can.MCP_HTTP}
    assert McpFixture(catalog="c", replies="r", transport="stdio").fixture_needs() == {Can.MCP_STDIO}


def test_it_says_which_catalog_it_offers(make_catalog: Any, notes_tools: Any) -> None:
    fixture = bind(FixtureFacade, "mcp", McpFixture(catalog="catalog.json", replies="replies.yaml"))
    catalog = make_catalog(*notes_tools)
    written = json.loads(catalog)

    told = fixture.describe_fixture({"catalog.json": catalog, "replies.yaml": GOOD})

    assert told.tools == tuple(tool["name"] for tool in notes_tools)
    assert told.catalog is not None
    assert told.catalog.sha256 == written["sha256"]
    assert {"name": told.catalog.server, "version": told.catalog.version} == written["server"]
    assert told.catalog.captured == written["captured"]


@pytest.mark.parametrize(
    "options", [{"transport": "tcp"}, {"catalogue": "x"}, {"era": "old"}, {"catalog": ""}, {"instructions": ""}]
)
def test_unknown_options_are_refused_by_the_class(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        McpFixture(**({"catalog": "c", "replies": "r"} | options))


@pytest.mark.parametrize(
    ("replies", "sentence"),
    [
        (b"\xff", "replies.yaml: not a text in UTF-8"),
        (b"scripts: {", "replies.yaml:1:11: not valid YAML"),
        (b"a: 1\na: 2\n", "replies.yaml:2:1: a key is given twice"),
        (
            b"scripts: {one: {rules: [], state: {at: 2026-01-31}}}",
            "replies.yaml: a date is no value of JSON; write it in quotes",
        ),
        (b"scripts: {one: {rules: [], state: {1: x}}}", "replies.yaml: a key that is no text; write it in quotes"),
        (b"scripts: {one: {rules: [], state: {n: .inf}}}", "replies.yaml: a number that is not finite"),
        (
            b'scripts: {one: {rules: [{reply: {text: "\\ud800"}}]}}',
            "replies.yaml: it has half a character (a lone surrogate)",
        ),
        (
            b'scripts: {one: {state: {"\\udfff": 1}, rules: []}}',
            "replies.yaml: it has half a character (a lone surrogate)",
        ),
        (b"a: &a [*a]", "replies.yaml: values are nested more than 100 deep"),
        (b"--- 1\n--- 2\n", "replies.yaml:2:1: not valid YAML"),
        (b"", "replies.yaml:1:1: a mapping is wanted here"),
        (b"{}", "replies.yaml:1:1: `scripts` is missing here"),
        (b"scripts: {}", "replies.yaml:1:1: there must be at least one script"),
        (b"scripts: {One: {rules: []}}", "replies.yaml:1:11: the text has not the form that is wanted here"),
        (
            b"script: {}\nscripts: {one: {rules: []}}",
            "replies.yaml:1:1: this key is not known here; known are `schema_version`, `scripts`",
        ),
        (b"schema_version: 2\nscripts: {one: {rules: []}}", "replies.yaml:1:1: one of 1 is wanted here"),
    ],
)
def test_a_replies_file_that_is_none(make_catalog: Any, notes_tools: Any, replies: bytes, sentence: str) -> None:
    assert faults(make_catalog(*notes_tools), replies) == [sentence]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("{tool: save}", "2:5: a rule has either a `reply` or a `fault`"),
        ("{tool: save, reply: {text: a}, fault: drop}", "2:5: a rule has either a `reply` or a `fault`"),
        ("{tool: sav, fault: drop}", "2:6: the catalog has no tool of this name"),
        ("{tool: [save, sav], fault: drop}", "2:6: the catalog has no tool of this name"),
        ("{hide: [sav], fault: drop}", "2:6: the catalog has no tool of this name"),
        ("{fault: explode}", "2:6: one of 'hang', 'drop', 'malformed' or 'server_error' is wanted here"),
        ("{fault: drop, delay: -1}", "2:19: the number is too small"),
        ("{fault: drop, delay: soon}", "2:19: a number is wanted here"),
        ("{reply: {}}", "2:6: a reply has exactly one of `body`, `text` and `content`"),
        ("{reply: {text: a, body: 1}}", "2:6: a reply has exactly one of `body`, `text` and `content`"),
        ("{reply: {text: 5}}", "2:14: a text is wanted here"),
        ("{reply: {content: [{text: a}]}}", "2:24: a content block is a mapping with a `type`"),
        (
            "{reply: {body: 1, structuredContent: 2}}",
            "2:23: `body` is its own structured content; use `text` beside it",
        ),
        (
            "{reply: {text: a, is_error: true}}",
            "2:23: this key is not known here; known are `body`, `text`, `content`, `structuredContent`, `isError`",
        ),
        ("{reply: {body: {a: {$argument: text}}}}", '2:25: a JSON Pointer is wanted here, such as "/text"'),
        ("{reply: {body: {$state: 1}}}", '2:21: a JSON Pointer is wanted here, such as "/text"'),
        (
            "{set: {a: {$state: /a, b: 1}}, fault: drop}",
            "2:12: `$argument`, `$state` and `$literal` stand alone; the first two may have an `else` beside them",
        ),
        ("{arguments: [], fault: drop}", "2:6: a JSON Schema is a mapping, `true` or `false`"),
        ("{arguments: {type: strin}, fault: drop}", "2:6: not a JSON Schema: wrong at $.type"),
        ("{arguments: {$schema: x}, fault: drop}", "2:6: `$schema` names no known draft of JSON Schema"),
        (
            "{state: {$ref: 'https://example.org/s'}, fault: drop}",
            "2:6: a reference of the schema leads nowhere; nothing is ever fetched",
        ),
        (
            "{state: {$ref: '#/$defs/a'}, fault: drop}",
            "2:6: a reference of the schema leads nowhere; nothing is ever fetched",
        ),
        ("{state: {properties: {a: {pattern: '('}}}, fault: drop}", "2:6: not a JSON Schema"),
        ("{include: two}", "2:6: there is no script of this name in the file"),
        ("{include: one}", "2:6: these scripts include each other in a circle"),
        ("{include: one, tool: save}", "2:5: `include` stands alone in its rule"),
        ("{tool: count, reply: {body: {n: many}}}", "the reply does not fit the tool's output schema (type at $.n)"),
        ("{tool: count, reply: {text: x}}", "the reply does not fit the tool's output schema (type at $)"),
    ],
)
def test_a_faulty_rule_has_its_place(make_catalog: Any, notes_tools: Any, rule: str, says: str) -> None:
    replies = f"scripts: {{one: {{rules: [\n    {rule}]}}}}".encode()

    found = faults(make_catalog(*notes_tools), replies)

    assert len(found) == 1
    assert found[0].startswith("replies.yaml:2:")
    assert says in found[0]


def test_all_faults_are_found_at_once(make_catalog: Any, notes_tools: Any) -> None:
    replies = (
        b"scripts:\n  one:\n    hidden: [nope]\n    rules:\n      - {tool: nope, fault: drop}\n      - {reply: {}}\n"
    )

    assert [fault.split(": ")[0] for fault in faults(make_catalog(*notes_tools), replies)] == [
        "replies.yaml:5:10",
        "replies.yaml:6:10",
        "replies.yaml:3:5",
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sha256": "0" * 64}, "the catalog was changed since its capture"),
        ({"tools": []}, "the catalog has no tools"),
        ({"captured": "today"}, "the text has not the form that is wanted here"),
        ({"server": {"name": "x"}}, "`version` is missing here"),
        ({"schema_version": 2}, "one of 1 is wanted here"),
        ({"more": 1}, "this key is not known here"),
        ({"tools": [{"inputSchema": {"type": "object"}}]}, "a tool needs a `name`"),
        ({"tools": [{"name": "a"}]}, "the `inputSchema` of a tool is a JSON Schema whose type is `object`"),
        ({"tools": [{"name": "a", "inputSchema": {"type": "string"}}]}, "whose type is `object`"),
        ({"tools": [{"name": "a", "inputSchema": {"type": "object", "required": "x"}}]}, "wrong at $.required"),
        (
            {"tools": [{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": 1}]},
            "a JSON Schema is a mapping",
        ),
        (
            {"tools": [{"name": "save", "inputSchema": {"type": "object"}}] * 2},
            "two tools of the catalog have this name",
        ),
    ],
)
def test_a_faulty_catalog(make_catalog: Any, notes_tools: Any, change: Any, says: str) -> None:
    body = json.loads(make_catalog(*notes_tools)) | change
    if "sha256" not in change:
        body["sha256"] = digest(body)

    found = faults(json.dumps(body).encode(), b"scripts: {one: {rules: [{fault: drop}]}}")

    assert len(found) == 1
    assert found[0].startswith("catalog.json:1:")
    assert says in found[0]


@pytest.mark.parametrize("data", [b"", b"[1", b'{"a": 1, "a": 2}', b"\xff", b"NaN"])
def test_a_catalog_that_is_no_json(data: bytes) -> None:
    assert [fault.partition(":")[0] for fault in faults(data, GOOD)] == ["catalog.json"]


def test_a_digest_does_not_depend_on_the_order_of_keys(make_catalog: Any, notes_tools: Any) -> None:
    body = json.loads(make_catalog(*notes_tools))

    assert faults(json.dumps(dict(reversed(body.items())), indent=4).encode(), GOOD) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "the case must say which `script` of the replies it plays: one, two"),
        ({"script": "three"}, "the replies have no such `script`; they have one, two"),
        ({"script": 1}, "the replies have no such `script`"),
        (
            {"script": "one", "catalog": "x"},
            "a case can't set `catalog` of this fixture; it can set `script` and `state`",
        ),
        ({"script": "one", "state": [1]}, "`state` is a mapping"),
    ],
)
def test_faulty_options_of_a_case(make_catalog: Any, notes_tools: Any, options: Any, says: str) -> None:
    replies = b"scripts: {one: {rules: []}, two: {rules: []}}"

    (found,) = faults(make_catalog(*notes_tools), replies, options)

    assert says in found


@pytest.mark.parametrize(
    "replies",
    [
        f"scripts: {{one: {{rules: [{{tool: {SECRET}, fault: drop}}]}}}}",
        f"scripts: {{one: {{rules: [{{reply: {{text: [{SECRET}]}}}}]}}}}",
        f"{SECRET}: 1",
        f"scripts: {{one: {{rules: [{{{SECRET}: 1}}]}}}}",
        f"scripts: {{one: {{rules: [{{fault: {SECRET}}}]}}}}",
        f"scripts: {{one: {{rules: [{{arguments: {{type: {SECRET}}}, fault: drop}}]}}}}",
        f"scripts: {{one: {{rules: [{{include: {SECRET}}}]}}}}",
        f"scripts: {SECRET} : {{",
        f"[{SECRET}, &a *b]",
    ],
)
def test_no_fault_repeats_the_file(make_catalog: Any, notes_tools: Any, replies: str) -> None:
    found = faults(make_catalog(*notes_tools), replies.encode())

    assert found
    assert SECRET not in "".join(found)


def test_a_run_with_faulty_files_does_not_start(make_catalog: Any, notes_tools: Any) -> None:
    fixture = McpFixture(catalog="c.json", replies="r.yaml")
    assets = {"c.json": make_catalog(*notes_tools), "r.yaml": b"scripts: {}"}

    with (
        pytest.raises(InvalidRequest, match="at least one script"),
        fixture.open_fixtures(RunInfo("run"), assets, None),
    ):
        pass


@pytest.mark.parametrize(
    ("route", "says"),
    [
        ("{path: /a}", "a route has exactly one of `body`, `text` and `fault`"),
        ("{path: /a, text: x, body: 1}", "a route has exactly one of"),
        ("{path: a, text: x}", "the text has not the form that is wanted here"),
        ("{path: /mcp, text: x}", "the tools are served on this path"),
        ("{path: '/a{b}', text: x}", "an open place is a whole step"),
        ("{path: '/{b}/{b}', text: x}", "an open place is a whole step"),
        ("{path: '/{B}', text: x}", "an open place is a whole step"),
        ("{path: /a, text: [x]}", "a text is wanted here"),
        ("{path: /a, status: 99, text: x}", "the number is too small"),
        ("{path: /a, method: FETCH, text: x}", "one of 'GET', 'POST'"),
        ("{path: /a, arguments: 1, text: x}", "a JSON Schema is a mapping"),
        ("{path: /a, body: {$state: x}}", "a JSON Pointer is wanted here"),
    ],
)
def test_a_faulty_route_has_its_place(make_catalog: Any, notes_tools: Any, route: str, says: str) -> None:
    replies = f"scripts: {{one: {{rules: [], routes: [\n    {route}]}}}}".encode()

    found = faults(make_catalog(*notes_tools), replies)

    assert len(found) == 1
    assert found[0].startswith("replies.yaml:2:")
    assert says in found[0]
