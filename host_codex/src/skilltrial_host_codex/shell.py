"""What a shell command reads and runs, from its syntax tree (tree-sitter), not from its looks.

`uses(script, cwd)` never runs anything and never fails: what it can't follow makes `understood` False.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import basename
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from skilltrial.shellwords import plain_commands

from .readers import EVERYTHING, files_of, moved, passes_on, redirect_of, resolved, unwrapped, words_of
from .words import Word

_LANGUAGE = Language(tree_sitter_bash.language())
_DEEPEST = 40
_LONGEST = 100_000

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
_INTERPRETERS = frozenset({"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "pwsh", "Rscript"})
_LOOPS = frozenset({"for_statement", "while_statement", "case_statement", "c_style_for_statement"})
_OPAQUE = frozenset({"eval", "xargs", "find", "parallel", "ssh", "docker"})


class Read(NamedTuple):
    """A file whose content the command prints. `whole`: all of it, unchanged, and nothing but whole files."""

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
    printers: int = 0
    """Commands that print whole files."""


def uses(script: str, cwd: str) -> Uses:
    """Follow `script` as a POSIX shell in `cwd` would."""
    found = Uses()
    _Walk(found).script(script, cwd, shown=True, depth=0)
    if found.commands > max(found.printers, 1):
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
        commands = plain_commands(script)
        if commands is not None:
            for words in commands:
                cwd = self.words([Word(text) for text in words], cwd, shown, None, depth)
            return
        tree = Parser(_LANGUAGE).parse(script.encode("utf-8", "surrogatepass"))
        self.node(tree.root_node, cwd, shown, depth)

    def node(self, node: Node, cwd: str | None, shown: bool, depth: int) -> str | None:
        """Follow `node`; return the working directory after it."""
        kind = node.type
        if depth > _DEEPEST or kind == "ERROR" or node.is_missing:
            self.found.understood = False
            return cwd
        match kind:
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
            case _:
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
            self.node(stage, cwd, shown and all(passes_on(each, cwd) for each in later), depth + 1)

    def redirected(self, node: Node, cwd: str | None, shown: bool, depth: int) -> str | None:
        body, stdin = None, None
        for child in node.named_children:
            if child.type in {"file_redirect", "heredoc_redirect", "herestring_redirect"}:
                for redirect in [child, *child.named_children]:
                    if redirect.type == "pipeline":  # `cat <<E | sh`: the text is a script that is not followed
                        self.found.understood = False
                    operator, target = redirect_of(redirect, cwd)
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
        return self.words(words_of(node, cwd), cwd, shown, stdin, depth)

    def words(
        self, words: list[Word | None], cwd: str | None, shown: bool, stdin: Word | None, depth: int
    ) -> str | None:
        """Follow the command of these words; return the working directory after it."""
        if None in words:
            self.found.understood = False
        words = unwrapped(words)
        if not words or words[0] is None:
            return cwd
        name = basename(words[0].text)
        if name in {"cd", "pushd"}:
            return moved(cwd, words[1:])
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
        if (found := resolved(path, cwd)) is not None:
            self.found.runs.append(found)

    def printed(self, name: str, words: list[Word | None], cwd: str | None, stdin: Word | None) -> None:
        files = files_of(name, words[1:])
        if files is None:
            return
        whole = name in EVERYTHING and len(words) <= 2
        self.found.printers += whole
        for file in files or ([stdin] if stdin is not None else []):
            path = resolved(file.text, cwd)
            if path is not None:
                self.found.reads.append(Read(path, file.glob, whole))
