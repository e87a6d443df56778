"""Write docs/reference from the code's own docstrings: hooks, events, capabilities, errors, exit codes, commands."""

import argparse
import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import click

from members import ROOT
from skilltrial.cli.commands import COMMANDS, cli
from skilltrial.model import capabilities, errors, events
from skilltrial.plugins import hookspecs
from skilltrial.plugins.binding import public_methods
from skilltrial.plugins.kinds import COMMAND, KINDS, SUITE

TARGET = ROOT / "docs" / "reference"
TEMPLATES = ROOT / "core" / "src" / "skilltrial" / "templates"
DOUBLES = ROOT / "core" / "tests" / "data" / "contract"
MADE = ("host", "fixture", "normalizer", "grader")
"""Kinds whose example is the template of `skilltrial new`."""
SAYS = re.compile(r"^(Called|Must|Must not)\b", re.M)


@dataclass(frozen=True)
class Entry:
    """One thing that is documented: its heading, its text, and what it is shown with."""

    name: str
    text: str
    more: str = ""


def pages() -> dict[str, str]:
    """Every page by its file name."""
    told = {
        "hooks.md": _page("Hooks", _HOOKS, _kinds()),
        "events.md": _page("Events", "The trajectory of a trial: made by normalizers, read by graders.", every_event()),
        "capabilities.md": _page("Capabilities", _CAPABILITIES, every_capability()),
        "errors.md": _page("Errors", "The tree of errors, and the exit code that each leads to.", every_error()),
        "exit-codes.md": _page("Exit codes", "Of every command.", every_exit_code()),
        "commands.md": _page("Commands", "What `skilltrial COMMAND --help` says.", every_command()),
    }
    listed = "\n".join(f"* [{text.partition(chr(10))[0].removeprefix('# ')}]({name})" for name, text in told.items())
    return {"README.md": f"# Reference\n\n{_MADE}\n\n{listed}\n", **told}


_MADE = "Made from the code's own docstrings by `.ci/generated --write`; a test holds it to them."
_HOOKS = (
    "A part is a class: its fields are its options, its public methods are the hooks of its kind. An implementation "
    "may leave out parameters that it does not need. `skilltrial.testing` holds a part to what stands here."
)
_CAPABILITIES = "What a host accepts (`Can`) and what it shows (`Sees`). The contract holds a host to both, both ways."


def every_hook() -> list[Entry]:
    """The hooks of all kinds, as `kind.hook`."""
    found = []
    for kind, spec in specs().items():
        for hook in _in_order(spec):
            function = getattr(spec, hook)
            signature = inspect.signature(function)
            plain = signature.replace(parameters=list(signature.parameters.values())[1:])  # self has no type
            text = inspect.getdoc(function) or ""
            found.append(Entry(f"{kind}.{hook}", text, f"```python\ndef {hook}{_written(plain)}\n```"))
    return found


def specs() -> dict[str, type]:
    """The hook spec of each kind that has one."""
    named = {kind.name: f"{kind.name.capitalize()}Spec" for kind in KINDS if kind not in (SUITE, COMMAND)}
    return {kind: getattr(hookspecs, spec) for kind, spec in named.items()}


def every_event() -> list[Entry]:
    """The events with their fields."""
    base = {field.name for field in fields(events.Event)}
    found = [Entry("Event", inspect.getdoc(events.Event) or "", _fields(events.Event))]
    for event in events.EVENTS:
        own = [field for field in fields(event) if field.name not in base]
        found.append(Entry(event.__name__, inspect.getdoc(event) or "", _rows((f.name, str(f.type)) for f in own)))
    return found


def every_capability() -> list[Entry]:
    """The members of Can and of Sees."""
    return [
        Entry(f"{kind.__name__}.{member.name}", _said_of(kind, member.name))
        for kind in (capabilities.Can, capabilities.Sees)
        for member in kind
    ]


def every_error() -> list[Entry]:
    """The tree of errors."""
    found = []
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == errors.__name__:
            code = getattr(value, "exit", None)
            above = value.__mro__[1].__name__
            ends = f"A kind of `{above}`." + (f" Exit code {int(code)}." if code is not None else "")
            found.append(Entry(name, inspect.getdoc(value) or "", ends))
    return found


def every_exit_code() -> list[Entry]:
    """The exit codes, and what each means."""
    found = [Entry(str(int(code)), _said_of(errors.Exit, code.name)) for code in errors.Exit]
    from skilltrial.cli import main

    return [*found, Entry(str(main.NO_READER), _said_of(main, "NO_READER"))]


def every_command() -> list[Entry]:
    """The commands with their arguments and options."""
    found = []
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        if command is None:
            raise LookupError(name)
        context = click.Context(command, info_name=f"skilltrial {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        shown = f"    skilltrial {name} {usage}\n\n{_rows(_options(command, context))}"
        found.append(Entry(name, _plain(command.help or ""), shown))
    return found


def undocumented() -> list[str]:
    """What has no text, and hooks that do not say when they are called and what they must do."""
    every = (every_event, every_capability, every_error, every_exit_code, every_command)
    silent = [entry.name for collect in every for entry in collect() if not entry.text.strip()]
    for hook in every_hook():
        told = set(SAYS.findall(hook.text))
        silent += [f"{hook.name}: {word}" for word in ("Called", "Must") if not told & {word, f"{word} not"}]
    return silent


def _kinds() -> list[Entry]:
    found = []
    for kind, spec in specs().items():
        hooks = [hook for hook in every_hook() if hook.name.startswith(f"{kind}.")]
        told = "\n\n".join(f"### {hook.name}\n\n{hook.more}\n\n{hook.text}" for hook in hooks)
        group = f"Entry points: `skilltrial.{kind}s.v1`."
        found.append(
            Entry(
                kind, f"{inspect.getdoc(spec) or ''}\n\n{group}\n\n{told}", f"### Example: {kind}\n\n{_example(kind)}"
            )
        )
    return found


def _in_order(spec: type) -> list[str]:
    return [name for name in vars(spec) if name in public_methods(spec)]


def _example(kind: str) -> str:
    if kind in MADE:
        (file,) = (TEMPLATES / kind).glob(f"src/*/{kind}.py.txt")
        source = file.read_text(encoding="utf-8")
        for mark, word in (("@name@", "acme"), ("@module@", "acme"), ("@Class@", "Acme")):
            source = source.replace(mark, word)
    else:
        tree = (DOUBLES / f"{kind}s.py").read_text(encoding="utf-8")
        shown = (f"Acme{kind.capitalize()}", "Trial", "Running", "Counter")
        wanted = [node for node in ast.parse(tree).body if isinstance(node, ast.ClassDef) and node.name in shown]
        source = "\n\n\n".join(_segment(tree, node) for node in wanted) + "\n"
    return f"```python\n{source}```"


def _segment(source: str, node: ast.ClassDef) -> str:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def _written(signature: inspect.Signature) -> str:
    text = str(signature).replace("'", "").replace("(", "(self, ", 1).replace("(self, )", "(self)")
    if len(text) < 90:
        return f"{text}: ..."
    inside, _, back = text[1:].rpartition(") -> ")
    parts = re.split(r", (?=[a-z_]+: )", inside)
    return "(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {back}: ..."


def _fields(owner: type) -> str:
    return _rows((field.name, str(field.type)) for field in fields(owner)) if is_dataclass(owner) else ""


def _rows(rows: Iterator[tuple[str, str]] | Any) -> str:
    return "\n".join(f"* `{name}`: {_code(text)}" if text else f"* `{name}`" for name, text in rows)


def _code(text: str) -> str:
    return text if " " in text and "|" not in text and "[" not in text[:10] else f"`{text}`"


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            yield record[0], " ".join(record[1].split())


def _plain(text: str) -> str:
    return inspect.cleandoc(text).replace("\b\n", "").strip()


def _said_of(owner: Any, name: str) -> str:
    """The text below a member of an enum, or a constant of a module."""
    body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    inside = body[0].body if isinstance(owner, type) and isinstance(body[0], ast.ClassDef) else body
    for at, node in enumerate(inside[:-1]):
        targets = node.targets if isinstance(node, ast.Assign) else []
        after = inside[at + 1]
        if any(isinstance(one, ast.Name) and one.id == name for one in targets) and isinstance(after, ast.Expr):
            value = after.value
            return str(value.value) if isinstance(value, ast.Constant) else ""
    return ""


def _page(title: str, about: str, entries: Sequence[Entry]) -> str:
    parts = [f"# {title}", about, *(f"## {entry.name}\n\n{entry.text}\n\n{entry.more}".rstrip() for entry in entries)]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the pages with what is made of the present code; `--write` brings them up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="bring them up to date")
    write = parser.parse_args(arguments).write
    made = pages()
    there = {path.name for path in TARGET.glob("*.md")}
    behind = [name for name, text in made.items() if name not in there or (TARGET / name).read_text("utf-8") != text]
    if write:
        TARGET.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (TARGET / name).write_text(text, encoding="utf-8")
        for name in there - made.keys():
            (TARGET / name).unlink()
        return 0
    for name in sorted({*behind, *(there - made.keys())}):
        print(f"docs/reference/{name} is not what the code says: say .ci/generated --write", file=sys.stderr)
    return 1 if behind or there - made.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
