"""Plain commands are read as a shell reads them; whatever is more than plain words is left to who has a syntax tree."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.shellwords import plain_commands

WORD = st.text("abz09_./,-", min_size=1, max_size=6) | st.text("ab $*;&|`(", max_size=6).map("'{}'".format)


def test_each_command_has_its_words_without_their_quotes() -> None:
    found = plain_commands("cd a/b && cat 'x y.md'; sed -n '1,9p' if")

    assert found == [["cd", "a/b"], ["cat", "x y.md"], ["sed", "-n", "1,9p", "if"]]


@pytest.mark.parametrize(
    "script",
    [
        *("cat a | wc", "cat *", "cat a'b'", "A=1 x", "if x", "x >y", "x\ny", "x &", "x || y", "$x", "x `y`", "(x)"),
        *("", " ", "x;", "; x", "x 'y", 'x "y"', "x # y", "~/x", "x\\ y", "a\tb", "x " * 1_500),
    ],
)
def test_what_is_more_than_plain_words_is_not_read(script: str) -> None:
    assert plain_commands(script) is None


@given(st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=3), st.sampled_from([";", " && ", " ; "]))
def test_words_are_those_of_the_standard_librarys_reader(commands: list[list[str]], between: str) -> None:
    found = plain_commands(between.join(" ".join(words) for words in commands))

    if found is not None:
        assert found == [shlex.split(" ".join(words)) for words in commands]
