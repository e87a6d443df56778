"""Read all imports of the workspace and say which of them the plan of the house (docs/design.md) forbids."""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from members import CORE, ROOT, Member, members, name_of

CORE_PACKAGE = "skilltrial"
LINES_AT_MOST = 400

# What each part of the core may import, besides itself: the line of data, read downwards. `record` and `judge`
# meet only in the archive; `api` and `process` are fronts for plugin authors; `testing` stands on top of it all.
BELOW_RECORD = frozenset({"archive", "schemas", "plugins", "model"})
LAYERS: Mapping[str, frozenset[str]] = {
    "__init__": frozenset(),
    "model": frozenset(),
    "plugins": frozenset({"model"}),
    "schemas": frozenset({"plugins", "model"}),
    "archive": frozenset({"plugins", "model"}),
    "judge": BELOW_RECORD,
    "record": BELOW_RECORD,
    "audit": BELOW_RECORD | {"judge"},
    "rehearsal": BELOW_RECORD | {"record", "judge"},
    "repeating": BELOW_RECORD | {"record", "judge"},
    "doctor": BELOW_RECORD | {"record", "judge", "rehearsal"},
    "starting": BELOW_RECORD | {"record", "judge"},
    "cli": BELOW_RECORD | {"record", "judge", "audit", "rehearsal", "repeating", "doctor", "starting"},
    "__main__": frozenset({"cli"}),
    "api": frozenset({"plugins", "model"}),
    "checks": frozenset({"model"}),
    "replies": frozenset({"model"}),
    "process": frozenset({"record", "model"}),
    "causes": frozenset({"model"}),
    "shellwords": frozenset(),
    "testing": BELOW_RECORD
    | {"record", "judge", "audit", "rehearsal", "repeating", "doctor", "starting", "cli", "api", "process"},
}
FOR_PLUGINS = ("skilltrial.api",)
FOR_HOSTS = ("skilltrial.causes", "skilltrial.process", "skilltrial.shellwords")
FOR_GRADERS = ("skilltrial.checks",)
FOR_FIXTURES = ("skilltrial.replies",)
FOR_TESTS = ("skilltrial.testing",)


@dataclass(frozen=True, order=True)
class Violation:
    """A line that the plan forbids."""

    file: str
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.says}"


@dataclass(frozen=True)
class Module:
    """A Python file of a member: its dotted name, or none where it is a test."""

    path: Path
    name: str | None
    tree: ast.Module

    @property
    def imports(self) -> Iterator[tuple[int, str]]:
        """Each import with its line, wherever in the file it stands, also under TYPE_CHECKING and in functions."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Import(names=names):
                    yield from ((node.lineno, alias.name) for alias in names)
                case ast.ImportFrom(names=names):
                    # `from skilltrial import cli` means the module; of deeper names the beginning is what counts.
                    base = self._absolute(node)
                    yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
                case ast.Call(
                    func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
                    args=[ast.Constant(value=str(name)), *_],
                ):
                    yield node.lineno, name

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        if self.name is None:
            return "a relative import"
        package = self.name.split(".") if self.path.name == "__init__.py" else self.name.split(".")[:-1]
        return ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])


def violations(root: Path = ROOT) -> list[Violation]:
    """Return everything in the tree that the plan forbids, in the order of files and lines."""
    owners = packages_distributions()
    found: set[Violation] = set()
    for member in members(root):
        modules: list[Module] = []
        for path, name in sources(root, member):
            try:
                module = Module(path, name, ast.parse(path.read_text(encoding="utf-8")))
            except SyntaxError as fault:
                file = path.relative_to(root).as_posix()
                found.add(Violation(file, fault.lineno or 1, f"cannot be read: {fault.msg}"))
                continue
            modules.append(module)
            found.update(_of_shape(root, module))
            found.update(_of_imports(root, member, module, owners))
        found.update(_circles(root, member, modules))
        found.update(_without_init(root, member))
    return sorted(found)


def sources(root: Path, member: Member) -> Iterator[tuple[Path, str | None]]:
    """Yield the modules of a member with their dotted names, and its tests with none. A suite's data is neither."""
    base = root / member.folder
    for path in sorted((base / "src").rglob("*.py")):
        if _is_module(base / "src", path):
            parts = path.relative_to(base / "src").with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield path, name
    for path in sorted((base / "tests").rglob("*.py")):
        if "data" not in path.relative_to(base).parts:
            yield path, None


def _is_module(src: Path, path: Path) -> bool:
    return all((folder / "__init__.py").is_file() for folder in path.parents if src in folder.parents)


def _without_init(root: Path, member: Member) -> Iterator[Violation]:
    if "skilltrial.suites.v1" in member.entry_points:
        return  # its workspaces hold code that is copied, never imported
    src = root / member.folder / "src"
    for path in sorted(src.rglob("*.py")):
        if not _is_module(src, path):
            file = path.relative_to(root).as_posix()
            yield Violation(file, 1, "lies in a folder without __init__.py; there are no namespace packages here")


def _of_shape(root: Path, module: Module) -> Iterator[Violation]:
    file = module.path.relative_to(root).as_posix()
    if module.name is not None and not ast.get_docstring(module.tree):
        yield Violation(file, 1, "has no docstring that says what the module is for")
    lines = len(module.path.read_text(encoding="utf-8").splitlines())
    if lines > LINES_AT_MOST:
        yield Violation(file, lines, f"has {lines} lines; {LINES_AT_MOST} is the stop: make two modules of it")


def _circles(root: Path, member: Member, modules: list[Module]) -> Iterator[Violation]:
    """Each import that leads back to where it stands, also one for types alone or in a function.

    What points up in the core is refused for that, and makes no circle of what points down.
    """
    known = {module.name: module for module in modules if module.name is not None}
    imports = {
        name: [one for one in _inner(module, known) if _down(member, name, one[1])] for name, module in known.items()
    }
    reached = {name: _reached(name, imports) for name in known}
    for name, module in known.items():
        file = module.path.relative_to(root).as_posix()
        for line, target in imports[name]:
            if name in reached[target]:
                yield Violation(file, line, f"imports {target}, which leads back here; what both need goes below them")


def _down(member: Member, importer: str, target: str) -> bool:
    return member.folder != CORE or _between_layers(importer, target) is None


def _inner(module: Module, known: Mapping[str, Module]) -> Iterator[tuple[int, str]]:
    """The imports of modules of the same member. A package is no part of what lies in it."""
    for line, target in module.imports:
        name = target
        while name and name not in known:
            name = name.rpartition(".")[0]
        if name and name != module.name and not f"{module.name}.".startswith(f"{name}."):
            yield line, name


def _reached(start: str, imports: Mapping[str, list[tuple[int, str]]]) -> set[str]:
    """The modules that are imported by `start`, or by one that it imports, and so on."""
    found: set[str] = set()
    ways = [start]
    while ways:
        further = {target for _, target in imports[ways.pop()]} - found
        found |= further
        ways += further
    return found


def _of_imports(root: Path, member: Member, module: Module, owners: Mapping[str, list[str]]) -> Iterator[Violation]:
    file = module.path.relative_to(root).as_posix()
    for line, target in module.imports:
        says = _forbidden(member, module, target, owners)
        if says is not None:
            yield Violation(file, line, says)


def _forbidden(member: Member, module: Module, target: str, owners: Mapping[str, list[str]]) -> str | None:
    """Return why `module` may not import `target`, or None where it may."""
    top = target.partition(".")[0]
    if not top or top in sys.stdlib_module_names:  # no top: import_module(".sibling")
        return None
    if top == CORE_PACKAGE:
        return _from_core(member, module, target)
    if top == member.package:
        return None
    if top.startswith(f"{CORE_PACKAGE}_"):
        return f"imports {top}: parts meet only in the core, none imports another"
    declared = member.needs | (set(map(name_of, member.test_dependencies)) if module.name is None else set())
    if declared.isdisjoint(map(name_of, owners.get(top, [top]))):
        return f"imports {top}, which {member.folder}/pyproject.toml does not declare"
    return None


def _from_core(member: Member, module: Module, target: str) -> str | None:
    if member.folder == CORE:
        return None if module.name is None else _between_layers(module.name, target)
    fronts = (
        FOR_PLUGINS
        + (FOR_HOSTS if "skilltrial.hosts.v1" in member.entry_points else ())
        + (FOR_GRADERS if "skilltrial.graders.v1" in member.entry_points else ())
        + (FOR_FIXTURES if "skilltrial.fixtures.v1" in member.entry_points else ())
        + (FOR_TESTS if module.name is None else ())
    )
    if any(f"{target}.".startswith(f"{front}.") for front in fronts):
        return None
    return f"imports {target}; of the core it may import {' and '.join(fronts)}"


def _between_layers(importer: str, target: str) -> str | None:
    here, there = _layer(importer), _layer(target)
    if here not in LAYERS:
        return f"{importer} belongs to no layer; docs/design.md and .ci/architecture.py name them"
    if there in {here, "__init__"} or there in LAYERS[here]:
        return None
    if there not in LAYERS:
        return f"imports {target}, which belongs to no layer"
    return f"{here} imports {there} ({target}); it may import {', '.join(sorted(LAYERS[here])) or 'nothing above it'}"


def _layer(name: str) -> str:
    """Return the part of the core that a dotted name lies in; a bare `skilltrial` or its version is `__init__`."""
    rest = name.split(".")[1:]
    return rest[0] if rest and rest[0] != "__version__" else "__init__"


if __name__ == "__main__":
    broken = violations()
    print("\n".join(map(str, broken)) or "every import points down")
    sys.exit(bool(broken))
