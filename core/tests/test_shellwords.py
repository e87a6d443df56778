"""Plain commands are read as a shell reads them; whatever is more than plain words is left to who has a syntax tree."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.shellwords import plain_commands, started_commands

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


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("git status", [["git", "status"]]),
        ("git status; rm -rf x", [["git", "status"], ["rm", "-rf", "x"]]),
        ("git a && b || c | d\n\te;", [["git", "a"], ["b"], ["c"], ["d"], ["e"]]),
        (
            'git commit -m "it\'s $5, \\"so\\"" --t=\'a b\'',
            [["git", "commit", "-m", 'it\'s $5, "so"', "--t=a b"]],
        ),
        ("git add *.py HEAD~1 x^ a{b,c} $X", [["git", "add", "*.py", "HEAD~1", "x^", "a{b,c}", "$X"]]),
        ("git x 2>&1 >/dev/null | gh 2> /dev/null", [["git", "x"], ["gh"]]),
        ("sh -c 'git x; rm y' && ls", [["git", "x"], ["rm", "y"], ["ls"]]),
        ("/bin/bash -lc \"zsh -c 'git x | rm'\"", [["git", "x"], ["rm"]]),
        ("/tmp/git x", [["/tmp/git", "x"]]),
        ("env git x", [["env", "git", "x"]]),
        ("git | sh", [["git"], ["sh"]]),
        ("bash x.sh -c git", [["bash", "x.sh", "-c", "git"]]),
    ],
)
def test_every_command_that_a_script_starts_is_told(script: str, commands: list[list[str]]) -> None:
    assert started_commands(script) == commands


@pytest.mark.parametrize(
    "script",
    [
        *("", "  ", "A=1 git", "git $(x)", "git `x`", 'git "$(x)"', 'git "`x`"', "git ${x}", "git $[x]", "git <(x)"),
        *("git > x", "git >> x", "git < x", "git >/dev/null/../x", "git 2>&1x", "git <<E\nx\nE", "git &", "git & rm"),
        *("(git)", "{ git; }", "! git", "if git", "git() { rm; }", "time git", "export PATH=x", "$GIT x", "'git' x"),
        *("g*t x", "git \\; rm", "git a\\\n rm", "git\rrm", "git 'x", 'git "x', "git #x", "git $'x'", "git |& rm"),
        *('sh -c "git $X"', "sh -c $X", "sh -c *", 'sh -c "git \\"\\`rm x\\`\\""', 'sh -c "git \\"\\$(rm x)\\""'),
        *("sh -c 'git > x'", "sh -c 'A=1 git'", "git " + "x" * 30_000, "git 'a\0b'", "[ -f x ] && git", "git =x"),
    ],
)
def test_a_script_that_may_do_more_than_its_words_say_is_none_to_allow(script: str) -> None:
    assert started_commands(script) is None


def test_shells_in_shells_have_an_end() -> None:
    script = "git x"
    for _ in range(9):
        script = f"sh -c {shlex.quote(script)}"

    assert started_commands(script) is None


HEADS = st.sampled_from(
    [
        *(
            "aa",
            "aa",
            "aa",
            "bb",
            "/tmp/aa",
            "X=1 bb",
            "if bb",
            "then cc",
            "fi",
            "! aa",
            "time bb",
            "{ bb",
            "f() { bb; }",
        ),
        *(
            "sh -c 'aa; bb'",
            'sh -c "aa \\"\\`bb\\`\\""',
            "sh -c 'aa'\"\\$(bb)\"",
            "sh -c $X",
            "sh -c \"aa '$X'\"",
            "eval 'bb'",
        ),
    ]
)
PARTS = st.sampled_from(
    [
        *("x", "1", "-", "=", "~", "#", "*", "{", "}", "a{b,c}", "'x y'", "'`bb`'", '"x y"', '"$X"', "$X", '"$5 "'),
        *(
            "`bb`",
            '"`bb`"',
            "$(bb)",
            '"$(bb)"',
            "${X:-`bb`}",
            '"\\`bb\\`"',
            "\\",
            "\\;",
            "\\\n",
            '"\\"',
            "'",
            '"',
            "<(bb)",
        ),
        *(" >y", " 2>&1", " >/dev/null", " >&y", "2>y", "&", " & bb", "|& bb", "(bb)", " <<x", "\r", ";;"),
    ]
)
COMMANDS = st.tuples(HEADS, st.lists(PARTS, max_size=3).map("".join)).map(" ".join)
SCRIPTS = st.tuples(
    COMMANDS, st.lists(st.tuples(st.sampled_from([";", "|", "&&", "||", "\n"]), COMMANDS), max_size=2)
).map(lambda made: made[0] + "".join(between + command for between, command in made[1]))


@pytest.mark.skipif(shutil.which("bash") is None, reason="the shell `bash` is not here to ask")
@settings(max_examples=400, deadline=None)
@given(script=SCRIPTS)
def test_a_real_shell_starts_and_writes_nothing_that_was_not_told(
    script: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    told = started_commands(script)
    if told is None:
        return
    bash = shutil.which("bash") or ""
    folder = tmp_path_factory.mktemp("shell")
    here, log = folder / "here", folder / "log"
    for name in ("here", "bin"):
        (folder / name).mkdir()
    for name in ("aa", "bb", "cc"):
        double = folder / "bin" / name
        double.write_text(f'#!{bash}\necho {name} >> "{log}"\n', "utf-8")
        double.chmod(0o755)
    (folder / "bin" / "sh").symlink_to(bash)

    env = {"PATH": str(folder / "bin"), "X": "`bb`"}
    subprocess.run([bash, "-c", script], cwd=here, env=env, capture_output=True, check=False, input=b"", timeout=60)

    started = set(log.read_text("utf-8").split()) if log.exists() else set()
    names = {Path(words[0]).name for words in told}
    # Who allows these two allows whatever they are given.
    assert started <= names or not names.isdisjoint({"sh", "eval"})
    assert not list(here.iterdir())
