"""Single commands: their words, where they go, and which files they print."""

from __future__ import annotations

from posixpath import basename, join, normpath

from tree_sitter import Node

from .words import Word, literal

_WRAPPERS = frozenset({"command", "builtin", "exec", "nohup", "time", "sudo", "nice", "env", "stdbuf"})
EVERYTHING = frozenset({"cat", "less", "more", "bat", "batcat"})
_TAKING = {"head": "nc", "tail": "nc", "nl": "bdfhilnsvw", "sed": "efl", "awk": "Fvfi", "gawk": "Fvfi", "mawk": "Fvfi"}
"""Readers that may show a part only, with their short options that take a value."""


def words_of(node: Node, cwd: str | None) -> list[Word | None]:
    """The words of a command, without assignments and redirections; None where only a shell could say."""
    return [
        literal(child, cwd)
        for child in node.named_children
        if child.type not in {"variable_assignment", "file_redirect", "herestring_redirect", "comment"}
    ]


def unwrapped(words: list[Word | None]) -> list[Word | None]:
    """The command behind `env A=1`, `timeout 5`, `sudo`."""
    while words and words[0] is not None:
        name = basename(words[0].text)
        if name not in _WRAPPERS and name != "timeout":
            break
        words = words[1:]
        while words and words[0] is not None and (words[0].text.startswith("-") or "=" in words[0].text):
            words = words[1:]
        if name == "timeout":
            words = words[1:]
    return words


def moved(cwd: str | None, arguments: list[Word | None]) -> str | None:
    """The working directory after `cd` with these arguments; None where it can't be told."""
    operands = [word for word in arguments if word is None or word.text not in {"--", "-P", "-L"}]
    if len(operands) != 1 or operands[0] is None or operands[0].text == "-" or operands[0].glob:
        return None
    return resolved(operands[0].text, cwd)


def resolved(path: str, cwd: str | None) -> str | None:
    """The path without `.` and `..`; None where it can't be told."""
    if path.startswith("/"):
        return normpath(path)
    return None if cwd is None or path.startswith("~") else normpath(join(cwd, path))


def files_of(name: str, arguments: list[Word | None]) -> list[Word] | None:
    """The files whose content a reader prints; None where the command is no reader, or edits."""
    if name not in EVERYTHING and name not in _TAKING:
        return None
    taking, options, operands = _TAKING.get(name, ""), "", list[Word]()
    skip = ended = False
    for word in arguments:
        if word is None or skip:
            skip = False
        elif ended or not word.text.startswith("-") or word.text == "-":
            operands.append(word)
        elif word.text == "--":
            ended = True
        elif word.text.startswith("--"):
            options += "i" if word.text.startswith("--in-place") else ""
        else:
            options += word.text[1:]
            skip = word.text[-1] in taking
    if "i" in options and name in {"sed", "awk", "gawk", "mawk"}:
        return None
    if name in {"sed", "awk", "gawk", "mawk"} and not set(options) & set("ef"):
        operands = operands[1:]
    return [word for word in operands if "=" not in word.text or name not in {"awk", "gawk", "mawk"}]


def passes_on(stage: Node, cwd: str | None) -> bool:
    """A later stage of a pipe that prints what it gets."""
    if stage.type != "command":
        return False
    words = unwrapped(words_of(stage, cwd))
    return bool(words) and words[0] is not None and files_of(basename(words[0].text), words[1:]) == []


def redirect_of(node: Node, cwd: str | None) -> tuple[str, Word | None]:
    """Whether a redirection takes standard output away (`out`), or gives standard input (`in`) and from which file."""
    if node.type != "file_redirect":
        return "", None
    parts = [(child.type, child) for child in node.children]
    operator = next((kind for kind, _ in parts if kind in {"<", ">", ">>", "&>", "&>>", ">|"}), "")
    descriptor = next((child.text for kind, child in parts if kind == "file_descriptor"), None)
    target = node.named_children[-1] if node.named_children else None
    if operator == "<":
        return "in", None if target is None else literal(target, cwd)
    if operator and descriptor in {None, b"1"}:
        return "out", None
    return "", None
