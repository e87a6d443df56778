"""Reading: every rule of the format alone and in pairs, places of faults, what is no JSON, and the shipped schemas."""

from __future__ import annotations

import copy
import json
import tracemalloc
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from skilltrial_grader_kody import reading
from skilltrial_grader_kody.faults import TranscriptInvalid
from skilltrial_grader_kody.jsontext import NotJson
from skilltrial_grader_kody.reading import Unusual, read, streamed
from skilltrial_grader_kody.schema import FILES, render, schema
from skilltrial_grader_kody.scoring import score
from skilltrial_grader_kody.words import Profile

SCHEMAS = {profile: Draft202012Validator(schema(profile)) for profile in Profile}
INVOCATION, SEARCH, AUTHOR = 2, 1, 5
MISSING = object()

NOT_A_LIST: tuple[Any, ...] = ([], {}, None)
NOT_AN_OBJECT: tuple[Any, ...] = ([], None, "x", 1)
# rule, where, what stands there instead, the pointer that is told (None: where it stands)
VIOLATIONS = [
    ("S1", ("schemaVersion",), MISSING, None),
    ("S1", ("more",), 1, None),
    *[("S2", ("schemaVersion",), value, None) for value in ("1", 2, 1.5, True, None)],
    *[("S3", ("evalName",), value, None) for value in ("", "other", None)],
    *[("S4", ("host",), value, None) for value in ("Cursor", "codex", "", 1)],
    *[("S5", ("model",), value, None) for value in ("", None, 3)],
    *[
        ("S6", ("runAt",), value, None)
        for value in (
            "2026-07-14T21:00:00+00:00",
            "2026-07-14T21:00:00",
            "2026-07-14t21:00:00Z",
            "2026-07-14T21:00:00z",
            "2026-07-14 21:00:00Z",
            "2026-07-14T24:00:00Z",
            "2026-07-14T21:00:60Z",
            "2026-07-14T21:60:00Z",
            "2026-02-30T21:00:00Z",
            "2026-02-29T21:00:00Z",
            "1900-02-29T21:00:00Z",
            "2026-04-31T21:00:00Z",
            "2026-13-01T21:00:00Z",
            "2026-07-14T21:00Z",
            "2026-07-14T21:00:00.Z",
            "2026-07-14T21:00:00Z\n",
            "",
            0,
        )
    ],
    *[("S7", ("results",), value, None) for value in NOT_A_LIST],
    ("S7", ("results", 0, "outcome"), "failed", None),
    ("S7", ("results", 0, "outcome"), MISSING, None),
    ("S7", ("results", 0), "x", None),
    ("S8", ("results", 0, "caseId"), "", None),
    ("S8", ("results", 0, "events"), MISSING, None),
    ("S8", ("results", 0, "note"), "x", None),
    ("S9", ("results", 8, "note"), "", None),
    ("S9", ("results", 8, "note"), MISSING, None),
    ("S9", ("results", 8, "events"), [], None),
    *[
        ("S10", ("results", 0, "events", 0, key), MISSING, None)
        for key in ("callId", "action", "toolName", "status", "input", "output")
    ],
    ("S10", ("results", 0, "events", 0, "callId"), "", None),
    ("S10", ("results", 0, "events", 0, "status"), "ok", None),
    ("S10", ("results", 0, "events", 0, "more"), 1, None),
    *[("S11", ("results", 0, "events", 0, "input"), value, None) for value in NOT_AN_OBJECT],
    ("S13", ("results", 0, "events", 0, "toolName"), "execute", None),
    ("S13", ("results", 0, "events", 0, "match"), MISSING, None),
    ("S14", ("results", 0, "events", 0, "match", "kind"), "maybe", None),
    ("S14", ("results", 0, "events", 0, "match", "entityId"), "x", None),
    ("S14", ("results", 0, "events", SEARCH, "match", "entityId"), "", None),
    ("S14", ("results", 0, "events", SEARCH, "match", "entityId"), MISSING, None),
    ("S15", ("results", 0, "events", INVOCATION, "toolName"), "search", None),
    ("S15", ("results", 0, "events", INVOCATION, "targetEntityId"), MISSING, None),
    ("S15", ("results", 0, "events", INVOCATION, "targetEntityId"), "", None),
    ("S15", ("results", 0, "events", INVOCATION, "match"), {"kind": "no-exact-reusable"}, None),
    ("S16", ("results", AUTHOR, "events", 1, "toolName"), "search", None),
    ("S16", ("results", AUTHOR, "events", 1, "match"), {"kind": "no-exact-reusable"}, None),
    ("S16", ("results", AUTHOR, "events", 1, "targetEntityId"), "x", None),
    *[("S17", ("results", 0, "events", 0, "action"), value, None) for value in ("explain-only", "", None)],
]  # fmt: skip


@pytest.fixture
def whole(kit):
    cases = kit.honest()
    cases["skipped"] = {"caseId": kit.ONE_OFF, "outcome": "skipped-no-eligible-match", "note": "none"}
    return kit.document(cases)


def put(document, path, value):
    inner = document
    for part in path[:-1]:
        inner = inner[part]
    if value is MISSING and isinstance(inner, list):
        del inner[path[-1]]
    elif value is MISSING:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = copy.deepcopy(value)


def look(event):
    return None


def pointers(document, profile=Profile.STRICT):
    text = document if isinstance(document, str) else json.dumps(document)
    try:
        read(text.encode(), profile, look)
    except TranscriptInvalid as error:
        return [fault.pointer for fault in error.faults]
    return []


def pointer(path):
    return "".join(f"/{part}" for part in path)


def test_a_whole_transcript_is_read(whole):
    assert pointers(whole) == []


@pytest.mark.parametrize(("rule", "path", "value", "told"), VIOLATIONS)
@pytest.mark.parametrize("profile", list(Profile))
def test_each_violation_alone_is_told_with_its_place(whole, rule, path, value, told, profile):
    put(whole, path, value)

    assert pointer(path) in pointers(whole, profile)
    assert not SCHEMAS[profile].is_valid(whole)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_violations_in_pairs_are_both_told(kit, data):
    cases = kit.honest()
    cases["skipped"] = {"caseId": "x", "outcome": "skipped-no-eligible-match", "note": "none"}
    document = kit.document(cases)
    inside = [one for one in VIOLATIONS if one[1][-1] not in ("outcome", "action", "kind") and one[1] != ("results", 0)]
    inside = [one for one in inside if one[1] != ("results",)]  # those hide what is inside
    one, other = data.draw(
        st.lists(st.sampled_from(inside), min_size=2, max_size=2, unique_by=lambda violation: violation[1][:5])
    )
    short, long = sorted((one[1], other[1]), key=len)
    assume(long[: len(short)] != short)  # where a whole is wrong, nobody looks at its parts
    put(document, one[1], one[2])
    put(document, other[1], other[2])

    told = pointers(document)

    assert {pointer(one[1]), pointer(other[1])} <= set(told)


@pytest.mark.parametrize("key", ["a/b", "a~b"])
def test_pointers_are_escaped(whole, key):
    whole["results"][0][key] = 1

    assert pointers(whole) == [f"/results/0/{key.replace('~', '~0').replace('/', '~1')}"]


@pytest.mark.parametrize(
    "value",
    ["2024-02-29T00:00:00Z", "2000-02-29T23:59:59Z", "2026-07-14T21:00:00.1Z", "0001-01-01T00:00:00.123456789012345Z"],
)
def test_real_instants_are_taken(whole, value):
    whole["runAt"] = value

    assert pointers(whole) == []


@pytest.mark.parametrize("value", ["1", "1.0", "1e0", "10e-1"])
def test_a_number_is_a_number_however_it_is_written(whole, value):
    text = json.dumps(whole).replace('"schemaVersion": 1', f'"schemaVersion": {value}')

    assert pointers(text) == []


@pytest.mark.parametrize("output", [None, 0, "", [], {}, {"deep": [1, None]}])
def test_any_output_will_do_even_null(whole, output):
    whole["results"][0]["events"][0]["output"] = output

    assert pointers(whole) == []


def test_a_guide_read_through_search_is_refused_only_by_the_original(whole, kit):
    event = {"callId": "g", "action": "inspect-authoring-guidance", "toolName": "search", "status": "succeeded"}
    whole["results"][AUTHOR]["events"].insert(1, {**event, "input": {"entity": "guide:coding"}, "output": None})

    assert pointers(whole, Profile.STRICT) == []
    assert pointers(whole, Profile.ORIGINAL) == [f"/results/{AUTHOR}/events/1/toolName"]


@pytest.mark.parametrize("found", [Profile.STRICT, Profile.ORIGINAL])
def test_the_shipped_schema_is_that_of_the_models(found):
    shipped = files("skilltrial_grader_kody").joinpath(FILES[found]).read_text(encoding="utf-8")

    assert shipped == render(found)


PLACES = [path for _, path, _, _ in VIOLATIONS]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | st.sampled_from(["", "x", "search", "execute", "1"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["kind", "code", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(deadline=None, max_examples=300)
@given(
    changes=st.lists(st.tuples(st.sampled_from(PLACES), JSON | st.just(MISSING)), max_size=3),
    profile=st.sampled_from(Profile),
)
def test_the_reader_and_the_schema_say_the_same(kit, changes, profile):
    cases = kit.honest()
    cases["skipped"] = {"caseId": "x", "outcome": "skipped-no-eligible-match", "note": "none"}
    document = kit.document(cases)
    for path, value in changes:
        try:
            put(document, path, value)
        except (TypeError, KeyError, IndexError, AttributeError):
            continue

    assert (pointers(document, profile) == []) is SCHEMAS[profile].is_valid(document)


NOT_JSON = {
    "empty": b"",
    "blank": b" \n",
    "byte order mark": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "not utf-8": b'{"a": "\xff"}',
    "cut off": b'{"schemaVersion": 1, "results": [',
    "trailing comma": b'{"schemaVersion": 1,}',
    "single quotes": b"{'schemaVersion': 1}",
    "NaN": b'{"schemaVersion": NaN}',
    "two documents": b"{} {}",
    "control character": b'{"a": "\n"}',
    "comment": b"{} // done",
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("data", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_no_json_is_told_in_one_sentence(data):
    with pytest.raises(NotJson) as told:
        read(data, Profile.STRICT, look)

    assert "\n" not in str(told.value)


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"'])
def test_json_that_is_no_object_has_a_fault_at_its_top(text):
    assert pointers(text) == [""]


def test_of_equal_keys_the_last_one_counts(whole):
    text = json.dumps(whole)
    doubled = '{"results": [], "host": "nobody", ' + text[1:]

    assert pointers(doubled) == []


def test_no_text_of_the_transcript_is_in_a_fault(whole):
    canary = "canary-3141"
    whole["host"] = whole["model"] = canary
    whole["results"][0]["events"][0] |= {"status": canary, "action": "search", "toolName": canary}
    whole["results"][0]["outcome"] = canary

    with pytest.raises(TranscriptInvalid) as told:
        read(json.dumps(whole).encode(), Profile.STRICT, look)

    assert canary not in str(told.value)


SPACES = st.sampled_from(["", " ", "\n\t "])


def seen(event):
    return event.input, event.output


@settings(deadline=None, max_examples=150)
@given(
    changes=st.lists(st.tuples(st.sampled_from(PLACES), JSON | st.just(MISSING)), max_size=1),
    indent=st.sampled_from([None, 0, 2]),
    order=st.randoms(),
    space=SPACES,
)
def test_one_pass_over_a_large_transcript_reads_what_the_models_read(kit, changes, indent, order, space):
    cases = kit.honest()
    cases["skipped"] = {"caseId": "x", "outcome": "skipped-no-eligible-match", "note": "none"}
    cases[kit.AUTHOR].append(cases[kit.AUTHOR][-1])
    document = kit.document(cases)
    for path, value in changes:
        put(document, path, value)
    keys = list(document)
    order.shuffle(keys)
    text = space + json.dumps({key: document[key] for key in keys}, indent=indent) + space

    try:
        passed = streamed(text, Profile.STRICT, seen)
    except (Unusual, ValueError):
        return  # then the models are asked
    at_once = reading.whole(text, Profile.STRICT, seen)

    assert passed.results == at_once.results
    assert passed.head == type(passed.head).model_validate(at_once.head.model_dump(exclude={"results"}))


@pytest.mark.parametrize("ending", ["", "]", "}", " {}", ","])
def test_a_large_transcript_with_something_behind_it_is_no_json(whole, ending):
    text = json.dumps({**whole, "model": "m" * 300_000})

    if ending:
        with pytest.raises(NotJson):
            read((text + ending).encode(), Profile.STRICT, look)
    else:
        assert pointers(text) == []


def test_faults_of_a_large_transcript_are_all_told(whole):
    whole["model"], whole["host"] = "m" * 300_000, "nobody"
    whole["results"][0]["events"][0]["status"] = "ok"

    assert pointers(whole) == ["/host", "/results/0/events/0/status"]


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", r"\ud83d x", r"\udc00\ud800", r"\\\ud800"])
@pytest.mark.parametrize("where", ['"a model"', '"s1"', '"cursor"', '"an output"'])
def test_a_text_that_was_cut_within_a_character_is_still_a_text(kit, half, where):
    document = kit.document(kit.honest())
    document["results"][0]["events"][0]["output"] = "an output"
    text = json.dumps(document).replace(where, f'"{half}"')

    assert pointers(text) == (["/host"] if where == '"cursor"' else [])


def test_whole_pairs_and_escaped_backslashes_stay_what_they_are(kit):
    document = kit.document(kit.honest())
    document["model"] = "\U0001f600 \\ud800"
    document["results"][0]["events"][0]["callId"] = "half"
    text = json.dumps(document).replace('"half"', r'"\ud83d"')

    assert read(text.encode(), Profile.STRICT, look).head.model == "\U0001f600 \\ud800"


@pytest.mark.parametrize("profile", list(Profile))
def test_scoring_takes_few_times_the_memory_of_the_file(kit, profile):
    document = kit.document(kit.honest())
    code = "// what the code is for, at some length, as people write it\n" * 8
    for result in document["results"]:
        for event in result["events"]:
            event["output"] = {"hits": [{"id": f"entry-{at}", "score": at / 7} for at in range(20)]}
            if event["toolName"] == "execute":
                event["input"]["code"] = code + event["input"]["code"]
    data = json.dumps(document).encode()
    kit.score(document, profile)  # what is made once is made

    tracemalloc.start()
    score(data, kit.suite, profile)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert 20_000 < len(data) < 200_000
    assert peak <= 4 * len(data)
