"""Files as written: values and their places, in JSON and in YAML 1.2."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.model.errors import DocumentInvalid, Fault
from skilltrial.record.suitefile.document import MAX_BYTES, Document, read
from skilltrial.record.suitefile.nodes import Node

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def same(one: object, other: object) -> bool:
    """Equal, types included."""
    return json.dumps(one) == json.dumps(other)


def fault(text: str | bytes, name: str = "x.yaml") -> str:
    with pytest.raises(DocumentInvalid) as caught:
        read(name, text if isinstance(text, bytes) else text.encode())
    return str(caught.value)


def every(node: Node, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    return [path, *(found for key, child in node.children.items() for found in every(child, (*path, key)))]


@given(VALUES, st.sampled_from([None, 1, 3]), st.booleans())
def test_json_is_read_as_json_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert same(read("x.json", text.encode()).value, json.loads(text))


@given(st.text(alphabet='{}[]",:tru0-1.eE \n\\ab', max_size=14))
def test_json_is_refused_where_json_refuses_it(text):
    try:
        wanted: object = json.loads(text, parse_constant=lambda word: json.loads("!"))
    except ValueError:
        with pytest.raises(DocumentInvalid):
            read("x.json", text.encode())
    else:
        document = read("x.json", text.encode())
        assert document.double or same(document.value, wanted)


@given(VALUES.filter(lambda value: value is not None))
def test_yaml_reads_json_as_json_does(value):
    text = json.dumps(value)

    assert same(read("x.yaml", text.encode()).value, value)


def line_at(text: str, document: Document, path: tuple[str | int, ...]) -> str:
    mark = document.mark(path)
    return text.split("\n")[mark.line - 1][mark.column - 1 :]


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
@given(value=VALUES.filter(lambda value: isinstance(value, dict | list)))
@settings(max_examples=60)
def test_each_value_stands_where_its_mark_says(name, value):
    text = json.dumps(value, indent=2)
    document = read(name, text.encode())

    for path in every(document.root):
        first = json.dumps(document.at(path), indent=2).split("\n")[0]
        assert line_at(text, document, path).startswith(first)
        if path and isinstance(path[-1], str):
            key = document.mark(path, key=True)
            assert text.split("\n")[key.line - 1][key.column - 1 :].startswith(json.dumps(path[-1]))


def test_a_place_that_is_not_there_is_the_nearest_one_above():
    document = read("x.yaml", b"a:\n  b:\n    c: 1\n")

    assert document.mark(("a", "b", "d", "e")) == document.mark(("a", "b"))
    assert document.at(("a", "b", "d")) is None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("''", ""),
        ("12", 12),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("6.", 6.0),
        ("1_000", "1_000"),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("2026-01-31", "2026-01-31"),
        ("12:30:45", "12:30:45"),
        ("=", "="),
        ("!!str 12", "12"),
        ("0b11", "0b11"),
        ("1.2.3", "1.2.3"),
        ("tRue", "tRue"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
    ],
)
def test_plain_scalars_follow_the_core_schema(written, value):
    assert same(read("x.yaml", f"a: {written}\n".encode()).value, {"a": value})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: .nan", "x.yaml:1:4: infinity and not-a-number are no JSON values"),
        ("a: -.inf", "x.yaml:1:4: infinity and not-a-number"),
        ("a: 1e999", "x.yaml:1:4: the number is too large"),
        ("a: " + "9" * 5000, "x.yaml:1:4: the number is too large"),
        ('a: "\\ud800"', "x.yaml:1:4: text holds half of a surrogate pair"),
        ("a: !!binary aGk=", "x.yaml:1:4: tags (`!…`) mean nothing in a suite"),
        ("a: !!timestamp 2026-01-31", "x.yaml:1:4: tags"),
        ("a: !thing {}", "x.yaml:1:4: tags"),
        ("1: x", "x.yaml:1:1: a key must be text; put it in double quotes"),
        ("? [a]\n: x", "x.yaml:1:3: a key must be text"),
        ("null: x", "x.yaml:1:1: a key must be text"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "x.yaml:3:3: merge keys (`<<`) are not part of YAML 1.2"),
        ("a: *x", "x.yaml:1:4: an alias (`*…`) has no anchor before it"),
        ("a: &x [*x]", "x.yaml:1:8: an alias stands inside its own anchor"),
        ("a: 1\n---\nb: 2", "x.yaml:3:1: the file holds a second document"),
        ("%YAML 1.1\n---\na: 1", "x.yaml:1:1: suites are YAML 1.2"),
        ("a: b: c", "x.yaml:1:5: not valid YAML: `:` can't stand here"),
        ("\ta: 1", "x.yaml:1:1: not valid YAML: a tab can't stand here"),
        ("a: [1", "x.yaml:1:6: not valid YAML: `,` or a closing bracket is missing here"),
        ("a: 'x", "x.yaml:1:6: not valid YAML: quoted text does not end"),
        ('a: "\\q"', "x.yaml:1:6: not valid YAML: a backslash begins no escape"),
        ("a: @x", "x.yaml:1:4: not valid YAML: plain text can't begin with this character"),
        ("- a\nb: c", "x.yaml:2:1: not valid YAML: this line does not belong"),
        ("a: \x07", "x.yaml:1:4: a character that can't be shown stands here"),
        ("a: x\n\n b: \x00", "x.yaml:3:5: a character that can't be shown"),
        ("[" * 100, "x.yaml:1:66: values are nested more than 64 deep"),
    ],
)
def test_what_yaml_may_not_hold(text, told):
    assert fault(text).startswith(told), fault(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "x.json:1:1: the file is empty"),
        ("[NaN]", "x.json:1:2: a JSON value is missing here"),
        ("[Infinity]", "x.json:1:2: a JSON value is missing here"),
        ("[1e999]", "x.json:1:2: the number is too large"),
        ("[" + "9" * 5000 + "]", "x.json:1:2: the number is too large"),
        ('["\\ud800"]', "x.json:1:2: text holds half of a surrogate pair"),
        ('{"a": 1,}', "x.json:1:9: a key in double quotes is missing here; remove a comma too many"),
        ("{'a': 1}", "x.json:1:2: a key in double quotes is missing here"),
        ('{"a" 1}', "x.json:1:6: `:` is missing after a key"),
        ('{"a": 1 "b": 2}', "x.json:1:9: `,` or `}` is missing here"),
        ("[1 2]", "x.json:1:4: `,` or `]` is missing here"),
        ('{"a": "b\n"}', "x.json:1:9: text in double quotes does not end, or holds what must be escaped"),
        ('{"a": "\\q"}', "x.json:1:8: text in double quotes does not end, or holds"),
        ("{} x", "x.json:1:4: there is text after the end of the JSON value"),
        ("[" * 100, "x.json:1:66: values are nested more than 64 deep"),
        ("[" * 100_000, "x.json:1:66: values are nested more than 64 deep"),
    ],
)
def test_what_json_may_not_hold(text, told):
    assert fault(text, "x.json").startswith(told), fault(text, "x.json")


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("x.json", '{"a": 1,\r\n "a": 2, "b": {"c": 1, "c": 2}}', [(2, 2), (2, 24)]),
        ("x.yaml", "a: 1\r\nb: {c: 1, c: 2}\r\na: 3\r\n", [(2, 11), (3, 1)]),
        ("x.yaml", "a: 1\n'a': 2\n\"a\": 3\n", [(2, 1), (3, 1)]),
    ],
)
def test_keys_given_twice_are_found_and_the_first_counts(name, text, places):
    document = read(name, text.encode())

    assert [(one.line, one.column) for one in document.double] == places
    assert document.at(("a",)) == 1


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_a_byte_order_mark_is_no_content(name):
    assert read(name, b'\xef\xbb\xbf{"a": 1}').value == {"a": 1}


@pytest.mark.parametrize("data", [b"a: \xff", "a: ü".encode("latin-1"), '{"a": 1}'.encode("utf-16")])
def test_a_file_that_is_not_utf_8_is_refused(data):
    assert "the file is not UTF-8 text" in fault(data)


def test_the_place_of_a_byte_that_is_not_utf_8_is_told():
    assert fault("a: 1\r\nbü: ".encode() + b"\xff").startswith("x.yaml:2:5: ")


def test_a_file_may_be_of_a_certain_size_and_no_longer():
    fitting = b'{"a": "' + b"x" * (MAX_BYTES - 9) + b'"}'

    assert read("x.json", fitting).at(("a",))
    assert "more than 2000000 bytes long" in fault(fitting + b" ", "x.json")


def bomb(width: int, depth: int) -> str:
    lines = ["a0: &a0 [" + ", ".join(["x"] * width) + "]"]
    more = [f"a{at}: &a{at} [" + ", ".join([f"*a{at - 1}"] * width) + "]" for at in range(1, depth)]
    return "\n".join(lines + more)


@pytest.mark.parametrize("text", [bomb(9, 9), bomb(2, 30), bomb(400, 4)])
def test_aliases_can_not_make_a_small_file_large(text):
    begun = time.monotonic()

    told = fault(text)

    assert "the file holds more than 200000 values" in told or "nested more than" in told
    assert time.monotonic() - begun < 10


def test_aliases_can_not_make_a_flat_file_deep():
    text = "a0: &a0 [x]\n" + "".join(f"a{at}: &a{at} [*a{at - 1}]\n" for at in range(1, 90))

    assert "values are nested more than 64 deep" in fault(text)


@given(st.text(alphabet="ab:- \n\t'\"[]{}&*!|>#%@,?~0", max_size=30))
@settings(max_examples=300)
def test_any_text_is_read_or_refused_and_nothing_else_happens(text):
    for name in ("x.yaml", "x.json"):
        faults: tuple[Fault, ...] = ()
        try:
            document = read(name, text.encode())
            json.dumps(document.value, allow_nan=False)
        except DocumentInvalid as error:
            faults = error.faults
        assert all(one.line >= 1 and one.column >= 1 for one in faults)
