"""What a shell command reads and runs, from its syntax tree (tree-sitter), not from its looks.

`uses(script, cwd)` never runs anything and never fails: what it can't follow makes `understood` False.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import basename, join, normpath

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from .words import Word, literal

_LANGUAGE = Language(tree_sitter_bash.language())
_DEEPEST = 40
_LONGEST = 100_000

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
_INTERPRETERS = frozenset({"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "pwsh", "Rscript"})
_WRAPPERS = frozenset({"command", "builtin", "exec", "nohup", "time", "sudo", "nice", "env", "stdbuf"})
_LOOPS = frozenset({"for_statement", "while_statement", "case_statement", "c_style_for_statement"})
_OPAQUE = frozenset({"eval", "xargs", "find", "parallel", "ssh", "docker"})
_EVERYTHING = frozenset({"cat", "less", "more", "bat", "batcat"})
_TAKING = {"head": "nc", "tail": "nc", "nl": "bdfhilnsvw", "sed": "efl", "awk": "Fvfi", "gawk": "Fvfi", "mawk": "Fvfi"}
"""Readers that may show a part only, with their short options that take a value."""


@dataclass(frozen=True, slots=True)
class Read:
    """A file whose content the command prints. `whole`: all of it, unchanged, and nothing else."""

    path: str
    glob: bool = False
    whole: bool = False


@dataclass(slots=True)
class Uses:
    """What a command prints and starts. Paths are absolute, or relative to the project where `cwd` was."""

    reads: list[Read] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    commands: int = 0
    understood: bool = True


def uses(script: str, cwd: str) -> Uses:
    """Follow `script` as a POSIX shell in `cwd` would."""
    found = Uses()
    _Walk(found).script(script, cwd, shown=True, depth=0)
    if found.commands > 1:
        found.reads = [Read(read.path, read.glob) for read in found.reads]
    return found


class _Walk:
    """One walk over a syntax tree; `cwd` is None where a `cd` could not be followed."""

    def __init__(self, found: Uses) -> None:
        self.found = found

    def script(self, script: str, cwd: str | None, *, shown: bool, depth: int) -> None:
        if depth > _DEEPEST or len(script) > _LONGEST:
            self.found.understood = False
            return
        tree = Parser(_LANGUAGE).parse(script.encode("utf-8", "surrogatepass"))
        self.node(tree.root_node, cwd, shown, depth)

    def node(self, node: Node, cwd: str | None, shown: bool, depth: int) -> str | None:
        """Follow `node`; return the working directory after it."""
        if depth > _DEEPEST or node.type == "ERROR" or node.is_missing:
            self.found.understood = False
            return cwd
        match node.type:
            case "command":
                return self.command(node, cwd, shown, stdin=None, depth=depth)
            case "redirected_statement":
                return self.redirected(node, cwd, shown, depth)
            case "pipeline":
                self.pipeline(node, cwd, shown, depth)
            case "subshell":
                self.all(node, cwd, shown, depth)
            case "command_substitution" | "process_substitution" | "function_definition":
                self.found.understood = False
            case "variable_assignment" | "test_command" | "declaration_command" | "comment":
                pass
            case kind:
                if kind in _LOOPS:
                    self.found.understood = False
                return self.all(node, cwd, shown, depth)
        return cwd

    def all(self, node: Node, cwd: str | None, shown: bool, depth: int) -> str | None:
        for child in node.named_children:
            cwd = self.node(child, cwd, shown, depth + 1)
        return cwd

    def pipeline(self, node: Node, cwd: str | None, shown: bool, depth: int) -> None:
        stages = [child for child in node.named_children if child.type != "comment"]
        for place, stage in enumerate(stages):
            later = stages[place + 1 :]
            self.node(stage, cwd, shown and all(_passes_on(each, cwd) for each in later), depth + 1)

    def redirected(self, node: Node, cwd: str | None, shown: bool, depth: int) -> str | None:
        body, stdin = None, None
        for child in node.named_children:
            if child.type in {"file_redirect", "heredoc_redirect", "herestring_redirect"}:
                for redirect in [child, *child.named_children]:
                    if redirect.type == "pipeline":  # `cat <<E | sh`: the text is a script that is not followed
                        self.found.understood = False
                    operator, target = _redirect(redirect, cwd)
                    if operator == "out":
                        shown = False
                    elif operator == "in":
                        stdin = target
            elif body is None:
                body = child
        if body is None:
            return cwd
        if body.type == "command":
            return self.command(body, cwd, shown, stdin, depth)
        return self.node(body, cwd, shown, depth + 1)

    def command(self, node: Node, cwd: str | None, shown: bool, stdin: Word | None, depth: int) -> str | None:
        words = _words(node, cwd)
        if any(word is None for word in words):
            self.found.understood = False
        words = _unwrapped(words)
        if not words or words[0] is None:
            return cwd
        name = basename(words[0].text)
        if name in {"cd", "pushd"}:
            return _moved(cwd, words[1:])
        self.found.commands += 1
        if name in _SHELLS and self.inner(words, cwd, shown, depth):
            return cwd
        self.started(name, words, cwd)
        if shown:
            self.printed(name, words, cwd, stdin)
        return cwd

    def inner(self, words: list[Word | None], cwd: str | None, shown: bool, depth: int) -> bool:
        """Follow `bash -lc SCRIPT`; False where the shell is started otherwise."""
        for place, word in enumerate(words[1:], 1):
            if word is None or not word.text.startswith("-"):
                return False
            if "c" in word.text and not word.text.startswith("--"):
                script = words[place + 1] if place + 1 < len(words) else None
                self.found.commands -= 1
                if script is None:
                    self.found.understood = False
                else:
                    self.script(script.text, cwd, shown=shown, depth=depth + 1)
                return True
        return False

    def started(self, name: str, words: list[Word | None], cwd: str | None) -> None:
        program = words[0]
        if name in _OPAQUE:
            self.found.understood = False
        elif name in _SHELLS | _INTERPRETERS or name in {".", "source"}:
            script = next((word for word in words[1:] if word is None or not word.text.startswith("-")), None)
            flags = [word.text for word in words[1:] if word is not None and word.text.startswith("-")]
            if any(flag in {"-c", "-e", "-m", "-", "--eval", "-p"} for flag in flags) or script is None:
                self.found.understood = False
            else:
                self.run(script.text, cwd)
        elif program is not None and "/" in program.text:
            self.run(program.text, cwd)

    def run(self, path: str, cwd: str | None) -> None:
        resolved = _resolved(path, cwd)
        if resolved is not None:
            self.found.runs.append(resolved)

    def printed(self, name: str, words: list[Word | None], cwd: str | None, stdin: Word | None) -> None:
        files = _files(name, words[1:])
        if files is None:
            return
        for file in files or ([stdin] if stdin is not None else []):
            path = _resolved(file.text, cwd)
            if path is not None:
                whole = name in _EVERYTHING and len(words) <= 2 and not file.glob
                self.found.reads.append(Read(path, file.glob, whole))


def _words(node: Node, cwd: str | None) -> list[Word | None]:
    return [
        literal(child, cwd)
        for child in node.named_children
        if child.type not in {"variable_assignment", "file_redirect", "herestring_redirect", "comment"}
    ]


def _unwrapped(words: list[Word | None]) -> list[Word | None]:
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


def _moved(cwd: str | None, arguments: list[Word | None]) -> str | None:
    operands = [word for word in arguments if word is None or word.text not in {"--", "-P", "-L"}]
    if len(operands) != 1 or operands[0] is None or operands[0].text == "-" or operands[0].glob:
        return None
    return _resolved(operands[0].text, cwd)


def _resolved(path: str, cwd: str | None) -> str | None:
    if path.startswith("/"):
        return normpath(path)
    return None if cwd is None or path.startswith("~") else normpath(join(cwd, path))


def _files(name: str, arguments: list[Word | None]) -> list[Word] | None:
    """The files whose content a reader prints; None where the command is no reader, or edits."""
    if name not in _EVERYTHING and name not in _TAKING:
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


def _passes_on(stage: Node, cwd: str | None) -> bool:
    """A later stage of a pipe that prints what it gets."""
    if stage.type != "command":
        return False
    words = _unwrapped(_words(stage, cwd))
    return bool(words) and words[0] is not None and _files(basename(words[0].text), words[1:]) == []


def _redirect(node: Node, cwd: str | None) -> tuple[str, Word | None]:
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
