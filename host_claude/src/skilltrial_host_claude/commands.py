"""Which simple commands a shell script holds, where each runs and whether its output is seen. From its syntax tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from skilltrial.shellwords import plain_commands

from .words import Word, source, word

_LANGUAGE = Language(tree_sitter_bash.language())
_SUBSTITUTED = re.compile(r"`|\$\(|<\(")
_DEEPEST = 60
_LONGEST = 200_000
_PASSIVE = frozenset({"variable_assignment", "test_command", "declaration_command", "comment", "heredoc_body"})
_INTO = frozenset({">", ">>", "&>", "&>>", ">|"})
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "herestring_redirect", "comment"})
_UNCERTAIN = frozenset(
    {"function_definition", "for_statement", "while_statement", "case_statement", "c_style_for_statement"}
)
"""What stands in these may run never, once or often."""


class Simple(NamedTuple):
    """One simple command. A word is None where only the running shell knows it; so is `cwd`."""

    words: tuple[Word | None, ...]
    cwd: str | None
    stdin: Word | None = None
    shown: bool = True
    """What it prints is part of the script's output."""
    filters: tuple[Simple, ...] = ()
    """The commands of its pipe through which its output goes first."""


@dataclass
class Script:
    """A script, followed. `cwd` is where it ends; `understood` is False where something could not be followed."""

    cwd: str | None
    simple: list[Simple] = field(default_factory=list)
    written: list[tuple[Word, str | None]] = field(default_factory=list)
    """Files into which output goes, each with the working folder there."""
    understood: bool = True


def follow(text: str, cwd: str | None) -> Script:
    """Read `text` as a shell that starts in the folder `cwd` would. Runs nothing, and never raises."""
    script = Script(cwd)
    if len(text) > _LONGEST:
        script.understood = False
        return script
    commands = None if _SUBSTITUTED.search(text) else plain_commands(text)
    if commands is not None:
        for words in commands:
            script.cwd = _followed(script, tuple(map(Word, words)), script.cwd, None, _Output())
        return script
    tree = Parser(_LANGUAGE).parse(text.encode("utf-8", "replace"))
    script.cwd = _Walk(script).node(tree.root_node, cwd, _Output(), 0)
    return script


def resolved(path: str, cwd: str | None) -> str | None:
    """The absolute path, links and homes left alone; None where it is not known."""
    if path.startswith("/"):
        return normpath(path)
    return None if cwd is None or path.startswith("~") else normpath(join(cwd, path))


class _Output(NamedTuple):
    """Where the output of a node goes."""

    shown: bool = True
    filters: tuple[Simple, ...] = ()


class _Walk:
    def __init__(self, script: Script) -> None:
        self.script = script

    def node(self, node: Node, cwd: str | None, to: _Output, depth: int) -> str | None:
        """Follow `node`; return the working folder after it."""
        kind = node.type
        if depth > _DEEPEST or kind == "ERROR" or node.is_missing:
            self.script.understood = False
            return cwd
        if kind in _PASSIVE:
            return self._substitutions(node, cwd)
        match kind:
            case "command":
                return self._command(node, cwd, None, to)
            case "redirected_statement":
                return self._redirected(node, cwd, to, depth)
            case "pipeline":
                return self._pipeline(node, cwd, to, depth)
            case "subshell":
                self._all(node, cwd, to, depth)
                return cwd
            case _:
                if kind in _UNCERTAIN:
                    self.script.understood = False
                return self._all(node, cwd, to, depth)

    def _all(self, node: Node, cwd: str | None, to: _Output, depth: int) -> str | None:
        for child in node.named_children:
            cwd = self.node(child, cwd, to, depth + 1)
        return cwd

    def _pipeline(self, node: Node, cwd: str | None, to: _Output, depth: int) -> str | None:
        stages = [child for child in node.named_children if child.type not in _PASSIVE]
        for place, stage in enumerate(stages):
            later = stages[place + 1 :]
            plain = all(each.type == "command" for each in later)
            filters = tuple(Simple(_words(each), cwd) for each in later) if plain else ()
            self.node(stage, cwd, _Output(to.shown and plain, filters + to.filters), depth + 1)
        return cwd

    def _redirected(self, node: Node, cwd: str | None, to: _Output, depth: int) -> str | None:
        body, stdin, shown = None, None, to.shown
        for child in node.named_children:
            if child.type == "file_redirect":
                shown, stdin = self._redirect(child, cwd, shown, stdin)
            elif child.type not in ("heredoc_redirect", "herestring_redirect") and body is None:
                body = child
        if body is None:
            return cwd
        to = _Output(shown, to.filters)
        if body.type == "command":
            return self._command(body, cwd, stdin, to)
        return self.node(body, cwd, to, depth + 1)

    def _command(self, node: Node, cwd: str | None, stdin: Word | None, to: _Output) -> str | None:
        parts = [(child.type, child) for child in node.named_children]
        words = tuple(word(child) for kind, child in parts if kind not in _NO_WORDS)
        self._substitutions(node, cwd)
        for kind, child in parts:
            if kind == "file_redirect":
                shown, stdin = self._redirect(child, cwd, to.shown, stdin)
                to = _Output(shown, to.filters)
        return _followed(self.script, words, cwd, stdin, to)

    def _redirect(self, node: Node, cwd: str | None, shown: bool, stdin: Word | None) -> tuple[bool, Word | None]:
        """Whether output is still shown, and where input comes from, after this redirection."""
        operator = next((child.type for child in node.children if child.type in _INTO | {"<"}), "")
        descriptor = next((source(child) for child in node.children if child.type == "file_descriptor"), None)
        target = word(node.named_children[-1]) if node.named_children else None
        if operator == "<":
            return shown, target
        if operator and target is not None:
            self.script.written.append((target, cwd))
        return shown and not (operator and descriptor in (None, "1")), stdin

    def _substitutions(self, node: Node, cwd: str | None) -> str | None:
        """What runs inside words prints where nobody can follow."""
        written = node.text or b""
        if b"$(" in written or b"`" in written or b"<(" in written:
            self.script.understood = False
        return cwd


def _followed(
    script: Script, words: tuple[Word | None, ...], cwd: str | None, stdin: Word | None, to: _Output
) -> str | None:
    """Follow the command of these words; return the working folder after it."""
    name = words[0].text if words and words[0] is not None else ""
    if name in {"cd", "pushd"}:
        return _moved(words[1:], cwd)
    if name == "popd":
        return None
    if words:
        script.simple.append(Simple(words, cwd, stdin, to.shown, to.filters))
    return cwd


def _words(node: Node) -> tuple[Word | None, ...]:
    return tuple(word(child) for child in node.named_children if child.type not in _NO_WORDS)


def _moved(arguments: tuple[Word | None, ...], cwd: str | None) -> str | None:
    operands = [each for each in arguments if each is None or each.text not in ("--", "-P", "-L")]
    if len(operands) != 1 or operands[0] is None or operands[0].pattern or operands[0].text == "-":
        return None
    return resolved(operands[0].text, cwd)
