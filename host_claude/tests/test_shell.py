"""What a shell script shows and starts, by its syntax."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skilltrial.shellwords import plain_commands
from skilltrial_host_claude.uses import uses


@pytest.mark.parametrize(
    ("script", "reads"),
    [
        ("cat a b", ["/p/a", "/p/b"]),
        ("cat 'a b' \"c d\" e\\ f", ["/p/a b", "/p/c d", "/p/e f"]),
        ("cat a.'md'", ["/p/a.md"]),
        ("cd x; (cd y; cat 1); cat 2", ["/p/x/y/1", "/p/x/2"]),
        ("cd x && cat 1 | head -n 3", ["/p/x/1"]),
        ("if true; then cat a; fi", ["/p/a"]),
        ("{ cat a; }", ["/p/a"]),
        ("! cat a", ["/p/a"]),
        ("env A=1 sudo -n cat a", ["/p/a"]),
        ("head -c 5 -n 3 a", ["/p/a"]),
        ("tail -n5 a", ["/p/a"]),
        ("sed -n -e 1p a", ["/p/a"]),
        ("awk -F: '{print $1}' a", ["/p/a"]),
        ("cat <<'E'\nfoo\nE", []),
        ("cat a >b", []),
        ("cat a &>b", []),
        ("cat a 2>b", ["/p/a"]),
        ("cat a | tee b", []),
        ("cat a | cat | wc", []),
        ("X=1 cat a", ["/p/a"]),
        ("bash -c 'bash -c \"cat a\"'", ["/p/a"]),
        ("bash -c 'cat a' > b", []),
        ("cat ../a", ["/a"]),
        ("cat -", []),
    ],
)
def test_reads(script, reads):
    found = uses(script, "/p")

    assert [path.text for path in found.reads] == reads
    assert found.understood


@pytest.mark.parametrize(
    "script",
    [
        "cat $X",
        "cat $(ls)",
        "cat `ls`",
        "cat {a,b}",
        "eval 'cat a'",
        "find . -exec cat {} +",
        "ls | xargs cat",
        "python3 -c 'print(open(1))'",
        "python3 <<E\nprint(1)\nE",
        "for f in *; do cat $f; done",
        "f() { cat a; }; f",
        "cat 'unfinished",
        "cd $X; cat a",
        "cd -; cat a",
        "cat ~/a",
        "cat " + "x" * 300_000,
    ],
)
def test_what_nobody_can_follow_is_said_to_be_so(script):
    assert not uses(script, "/p").understood


@pytest.mark.parametrize(
    ("script", "runs"),
    [
        ("./a/b.sh", ["/p/a/b.sh"]),
        ("bash a/b.sh x", ["/p/a/b.sh"]),
        (". a/b.sh", ["/p/a/b.sh"]),
        ("python3 -u a/b.py", ["/p/a/b.py"]),
        ("timeout 5 node a/b.js", ["/p/a/b.js"]),
        ("ls a/b.sh", []),
    ],
)
def test_runs(script, runs):
    assert [path.text for path in uses(script, "/p").runs] == runs


@pytest.mark.parametrize(
    ("script", "folder"),
    [("cd a", "/p/a"), ("cd a; cd ..", "/p"), ("(cd a)", "/p"), ("cd /x/y", "/x/y"), ("cd $X", None), ("cd", None)],
)
def test_where_the_shell_is_afterwards(script, folder):
    assert uses(script, "/p").cwd == folder


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet=st.sampled_from("cat ab/.'\"$(){}|&;<>\\\n`*~-#=\0é\ud800"), max_size=40))
def test_no_script_breaks_it(script):
    uses(script, "/p")


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(["(", "{ ", "bash -c '", "if true; then "]), st.integers(1, 3000))
def test_no_depth_breaks_it(opening, depth):
    uses(opening * depth + "cat a", "/p")


PLAIN = [
    *("cat", "echo", "sed", "head", "ls", "bash", "sh", "cd", "popd", "exit", "test", "eval", "env", "timeout", "tee"),
    *(
        "if",
        "in",
        "do",
        "done",
        "for",
        "time",
        "function",
        "export",
        "command",
        "source",
        ".",
        "..",
        "./x.sh",
        "a/b.md",
    ),
    *("-n", "-c", "-lc", "--", "-", "-i", "3", "1,20p", "1.5", "_a", "''", "'a b'", "'cat c'", "'$X'", "'$(x)'", "'#'"),
]


@given(
    st.lists(
        st.tuples(st.sampled_from(PLAIN) | st.text("ab1._/,-'", min_size=1, max_size=6), st.sampled_from([" ", "  "])),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.sampled_from([";", "; ", " && ", "&&", " ; "]), max_size=2),
    st.data(),
)
@settings(max_examples=400)
def test_a_script_of_plain_words_is_read_as_its_syntax_tree_says(words, between, data):
    script = "".join(word + gap for word, gap in words[:-1]) + words[-1][0]
    for one in between:
        script += one + data.draw(st.sampled_from(PLAIN)) + " " + data.draw(st.sampled_from(PLAIN))

    # The newline says nothing, but a script that holds one is always parsed, as is one that is broken.
    assume(plain_commands(script) is not None)
    assert uses(script, "/p") == uses(f"{script}\n", "/p")
