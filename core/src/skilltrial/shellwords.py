"""What a plain shell command says; a front for hosts, which read what an agent ran.

Most commands of agents are a few plain words. They need no syntax tree, which costs some twenty times as much.
"""

from __future__ import annotations

import re

# Without brackets, globs, variables, assignments, redirections; no word is pieced together.
_PLAIN = r"(?:[A-Za-z0-9_./,-]++|'[^'\n]*+')"
_COMMANDS = re.compile(rf"{_PLAIN}(?: ++{_PLAIN})*+(?: *+(?:;|&&) *+{_PLAIN}(?: ++{_PLAIN})*+)*+")
_TOKEN = re.compile(rf"{_PLAIN}|;|&&")
_LONGEST = 2_000
_RESERVED = frozenset(
    {
        *("if", "then", "elif", "else", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in"),
        *("function", "time", "coproc", "declare", "typeset", "export", "readonly", "local", "unset", "unsetenv"),
    }
)
"""Words with which no simple command begins."""


def plain_commands(script: str) -> list[list[str]] | None:
    """The words of each command of a script that is nothing but plain words between `;` and `&&`.

    They mean the same whatever the environment holds, and quotes are taken away. None for any other script, and where a
    word may be the shell's own.
    """
    if len(script) > _LONGEST or not _COMMANDS.fullmatch(script):
        return None
    found: list[list[str]] = [[]]
    for token in _TOKEN.findall(script):
        if token in {";", "&&"}:
            found.append([])
        elif token[0] == "'":
            found[-1].append(token[1:-1])
        elif token in _RESERVED and not found[-1]:
            return None
        else:
            found[-1].append(token)
    return found
