"""Commands are read the same however they are read: by a quick way where they are plain, by their syntax else."""

from __future__ import annotations

import shlex

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skilltrial.shellwords import plain_commands
from skilltrial_host_codex.shell import uses
from skilltrial_host_codex.thread import command_of

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


@given(
    st.sampled_from(["/bin/bash", "zsh", "'ba'sh", "b a"]),
    st.sampled_from(["-lc", "-c", "-l", "'-c'", " -c "]),
    st.text("ab /.\"'\\\n\t;&$", max_size=12) | st.text("ab '", max_size=6).map(shlex.quote),
)
@settings(max_examples=400)
def test_the_script_of_a_shell_is_what_shlex_says(shell: str, option: str, told: str) -> None:
    command = f"{shell} {option} {told}"
    try:
        words = shlex.split(command)
    except ValueError:
        wanted = command
    else:
        wanted = words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else shlex.join(words)

    assert command_of({"command": command}) == wanted
