"""What a shell command says; a front for hosts, which read what an agent ran, and decide on what it may run.

Most commands of agents are a few plain words. They need no syntax tree, which costs some twenty times as much.
"""

from __future__ import annotations

import re
import shlex

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


# What a shell puts in the place of a glob or of `$NAME` is an argument, never a command; what is a command's output is
# not matched.
_NAMED = r"\$[A-Za-z_][A-Za-z0-9_]*+"
_QUOTED = rf"""'[^'\0]*+'|"(?:[^"$`\\\0]|\\[^\0]|{_NAMED}|\$(?=[ 0-9.,"]))*+\""""
_PIECE = rf"(?:[A-Za-z0-9_./,:@%+*?-]|{_QUOTED}|{_NAMED})"
_NOWHERE = r"(?:[12&]?>>? *+/dev/null|[12]?>&[12])(?![^\s;|&])"
_STARTED = re.compile(
    rf"(?P<gap>[ \t]++|{_NOWHERE})|(?P<word>{_PIECE}(?:{_PIECE}|[=~^#{{}}])*+)|(?P<end>&&|\|\||[;|\n])"
)
_PROGRAM = re.compile(r"[A-Za-z0-9_./:@%+-]++")
_SHELL = re.compile(r"(?:(?:/usr)?/bin/)?(?:ba|z|da)?sh")
_STANDS = re.compile(r"[$\\]")
_LONGEST_STARTED = 20_000
_DEEPEST = 3


def started_commands(script: str) -> list[list[str]] | None:
    """The words of each command that a script may start, in order; to decide on a permission by.

    Commands end at `;`, `&&`, `||`, `|` or a newline; the script of a `sh -c` counts as if it stood there. None where
    more may be started or written than these words say: a substitution, an assignment, a redirection (but to
    /dev/null), a word of the shell's own, anything that is not known here. Globs and `$NAME` are left as written.
    """
    return _started(script, _DEEPEST)


def _started(script: str, deepest: int) -> list[list[str]] | None:
    commands = _written(script) if deepest else None
    started: list[list[str]] = []
    for written in commands or ():
        if not _PROGRAM.fullmatch(written[0]) or written[0] in _RESERVED:
            return None
        words = [shlex.split(word)[0] for word in written]
        if not (_SHELL.fullmatch(words[0]) and len(words) == 3 and words[1] in {"-c", "-lc"}):
            started.append(words)
            continue
        inner = _started(words[2], deepest - 1) if _is_as_written(written[2]) else None
        if inner is None:
            return None
        started.extend(inner)
    return started or None


def _written(script: str) -> list[list[str]] | None:
    """The words of each command as they are written; None where a part of the script is none that is known."""
    commands: list[list[str]] = [[]]
    at, end = 0, len(script)
    while at < end:
        found = _STARTED.match(script, at) if end <= _LONGEST_STARTED else None
        if found is None:
            return None
        at = found.end()
        if found["end"]:
            commands.append([])
        elif found["word"]:
            commands[-1].append(found["word"])
    return [words for words in commands if words]


def _is_as_written(word: str) -> bool:
    """Whether nothing in a word stands for something else, so that it is the text that a shell is given."""
    return all(piece[0] == "'" or not _STANDS.search(piece) for piece in re.findall(_PIECE, word))
