"""JSON is read as the standard library reads it, whichever reader is quicker: same values, same refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.model.jsontext import read_json, read_strict_json

NUMBERS = [
    *(
        "0",
        "-0",
        "-0.0",
        "1e5",
        "1E+5",
        "1e22",
        "1e23",
        "1e400",
        "-1e400",
        "1e-400",
        "5e-324",
        "2e-324",
        "01",
        ".5",
        "1.",
    ),
    *("9007199254740993", "9223372036854775808", "-9223372036854775809", "1" * 80, "1" * 4300, "1" * 4301),
    *("0.1", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308", "1" * 400 + ".5"),
    *("NaN", "Infinity", "-Infinity", "+1", "[1e308, NaN]"),
]
TEXTS = [
    *(
        '"\\ud800"',
        '"\\ude00\\ud83d"',
        '"\\ud83d\\ude00"',
        '"\ud800"',
        '"\udc80 \\n"',
        '"é \u2028 🎉"',
        '"\\/"',
        '"\\x"',
    ),
    *('"\x00"', '"\x1f"', '"\x7f"', '"\\u0000"', '"open', '"' + "a" * 500 + '\udcff"'),
]
SHAPES = [
    *(
        "",
        " ",
        "{}",
        ' {"a": 1}\r\n',
        '{"a": 1} x',
        "\ufeff{}",
        "\xa0{}",
        "[1,]",
        '{"a": 1,}',
        "{1: 2}",
        "nul",
        "/**/1",
    ),
    *('{"a": 1, "b": 2, "a": 3}', '{"": {"": []}}', "[" * 150 + "]" * 150, "[" * 700 + "]" * 700, "[" * 100_000),
]


@pytest.fixture(params=[*NUMBERS, *TEXTS, *SHAPES], ids=lambda text: ascii(text[:12]))
def text(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def told(read: Callable[[str], Any], text: str) -> str:
    """What became of it, as a text: also NaN, the sign of zero and the order of keys are compared."""
    try:
        return repr(read(text))
    except (ValueError, RecursionError):
        return "refused"


def strictly(text: str) -> Any:
    def refuse(name: str) -> NoReturn:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def test_a_text_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert told(read_json, text) == told(json.loads, text)
    assert told(read_strict_json, text) == told(strictly, text)


@given(st.text(st.sampled_from('{}[]":,\\u0d8bn 1.eE+-truNaI\ud800\x00é\t'), max_size=16))
def test_any_text_is_read_alike(text: str) -> None:
    assert told(read_json, text) == told(json.loads, text)
    assert told(read_strict_json, text) == told(strictly, text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_any_value_comes_back(value: object, plain: bool) -> None:
    written = json.dumps(value, ensure_ascii=plain)

    assert repr(read_json(written)) == repr(json.loads(written))
    assert told(read_strict_json, written) == told(strictly, written)


@given(st.binary(max_size=12) | st.text(max_size=6).map(lambda text: json.dumps(text).encode("utf-16")))
def test_bytes_are_read_alike(data: bytes) -> None:
    assert told(read_json, data) == told(json.loads, data)  # type: ignore[arg-type]
