"""Which files a shell script shows and which it starts: what matters for skills, found without running anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import basename
from typing import NamedTuple

from .commands import Script, Simple, follow, resolved
from .words import Word

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
_INTERPRETERS = frozenset({"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "pwsh", "Rscript", "uv"})
_WRAPPERS = frozenset({"command", "builtin", "exec", "nohup", "time", "sudo", "nice", "env", "stdbuf", "timeout"})
_OPAQUE = frozenset({"eval", "xargs", "find", "parallel", "ssh", "docker"})
_READERS = {
    "cat": "", "tac": "", "less": "", "more": "", "bat": "", "batcat": "", "nl": "bdfhilnsvw", "head": "nc",
    "tail": "nc", "sed": "efl", "awk": "Fvf", "gawk": "Fvf", "mawk": "Fvf",
}  # fmt: skip
"""Programs that print a file or the first lines of it, with their short options that take a value."""
_PROGRAMMED = frozenset({"sed", "awk", "gawk", "mawk"})
"""Readers whose first operand is a program, unless an option brings it."""
_CHANGERS = frozenset({"tee", "cp", "mv", "rm", "ln", "install", "truncate", "patch", "touch", "rsync", "unlink"})
_NESTED = 5


class Path(NamedTuple):
    """An absolute path; with `pattern`, one that the shell would expand."""

    text: str
    pattern: bool = False


@dataclass
class Uses:
    """`cwd` is the shell's working folder afterwards, None where it is not known."""

    cwd: str | None
    reads: list[Path] = field(default_factory=list)
    runs: list[Path] = field(default_factory=list)
    writes: list[Path] = field(default_factory=list)
    """Files that may be other ones afterwards."""
    commands: int = 0
    understood: bool = True


def uses(text: str, cwd: str | None) -> Uses:
    """What the script `text` shows and starts in a shell whose working folder is `cwd`."""
    script = follow(text, cwd)
    found = Uses(script.cwd)
    _collect(script, found, 0)
    return found


def _collect(script: Script, found: Uses, nested: int) -> None:
    found.understood = found.understood and script.understood
    for target, cwd in script.written:
        _add(found.writes, target, cwd, found)
    for simple in script.simple:
        words = _unwrapped(simple.words)
        if not words or words[0] is None:
            found.understood = False
            continue
        found.understood = found.understood and None not in words
        name = basename(words[0].text)
        inner = _script_of(words) if name in _SHELLS else None
        if inner is not None and nested < _NESTED:
            _collect(_within(inner, simple), found, nested + 1)
            continue
        found.commands += 1
        if name in _CHANGERS or (name in _PROGRAMMED and _files(name, words[1:]) is None):
            for each in words[1:]:
                if each is not None and not each.text.startswith("-"):
                    _add(found.writes, each, simple.cwd, found)
        _started(name, words, simple, found)
        if simple.shown and all(_passes_on(each) for each in simple.filters):
            _shown(name, words, simple, found)


def _within(inner: str, outer: Simple) -> Script:
    """The script of `bash -c`, with its output going where the shell's goes."""
    script = follow(inner, outer.cwd)
    script.simple = [
        Simple(each.words, each.cwd, each.stdin, each.shown and outer.shown, each.filters + outer.filters)
        for each in script.simple
    ]
    return script


def _started(name: str, words: tuple[Word | None, ...], simple: Simple, found: Uses) -> None:
    if name in _OPAQUE:
        found.understood = False
    elif name in _SHELLS | _INTERPRETERS | {".", "source"}:
        flags = {each.text for each in words[1:] if each is not None and each.text.startswith("-")}
        file = next((each for each in words[1:] if each is None or not each.text.startswith("-")), None)
        if file is None or flags & {"-c", "-e", "-m", "-", "--eval"}:
            found.understood = False
        else:
            _add(found.runs, file, simple.cwd, found)
    elif words[0] is not None and "/" in words[0].text:
        _add(found.runs, words[0], simple.cwd, found)


def _shown(name: str, words: tuple[Word | None, ...], simple: Simple, found: Uses) -> None:
    files = _files(name, words[1:])
    if files is None:
        return
    for file in files or ([simple.stdin] if simple.stdin is not None else []):
        _add(found.reads, file, simple.cwd, found)


def _add(paths: list[Path], file: Word, cwd: str | None, found: Uses) -> None:
    path = resolved(file.text, cwd)
    if path is None:
        found.understood = False
    else:
        paths.append(Path(path, file.pattern))


def _unwrapped(words: tuple[Word | None, ...]) -> tuple[Word | None, ...]:
    """The command behind `env A=1`, `timeout 5`, `sudo`."""
    while words and words[0] is not None and basename(words[0].text) in _WRAPPERS:
        name, words = basename(words[0].text), words[1:]
        while words and words[0] is not None and (words[0].text.startswith("-") or "=" in words[0].text):
            words = words[1:]
        if name == "timeout":
            words = words[1:]
    return words


def _script_of(words: tuple[Word | None, ...]) -> str | None:
    """SCRIPT of `bash -lc SCRIPT`; None where the shell is started otherwise."""
    for place, each in enumerate(words[1:], 1):
        if each is None or not each.text.startswith("-"):
            return None
        if "c" in each.text and not each.text.startswith("--"):
            script = words[place + 1] if place + 1 < len(words) else None
            return script.text if script is not None else None
    return None


def _files(name: str, arguments: tuple[Word | None, ...]) -> list[Word] | None:
    """The files that a reader prints, none for its standard input; None where the command is no reader, or edits."""
    if name not in _READERS:
        return None
    options, operands, value, ended = "", list[Word](), False, False
    for each in arguments:
        if each is None or value:
            value = False
        elif ended or each.text == "-" or not each.text.startswith("-"):
            operands.append(each)
        elif each.text == "--":
            ended = True
        elif each.text.startswith("--"):
            options += "i" if each.text.startswith("--in-place") else ""
        else:
            options += each.text[1:]
            value = each.text[-1] in _READERS[name]
    if name in _PROGRAMMED:
        if "i" in options:
            return None
        operands = operands if set(options) & set("ef") else operands[1:]
    return [each for each in operands if each.text != "-"]


def _passes_on(later: Simple) -> bool:
    """Whether a later stage of a pipe prints what it gets."""
    words = _unwrapped(later.words)
    return bool(words) and words[0] is not None and _files(basename(words[0].text), words[1:]) == []
