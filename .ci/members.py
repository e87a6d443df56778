"""Say which members the workspace has. A member is a folder with a pyproject.toml at one of `PLACES`."""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("core", "host_*", "grader_*", "plugins/*")
CORE = "core"

# What concerns one member lies in its folder. These few places concern only the reader or the tests of the whole.
OF_NO_MEMBER = ("tests/", "docs/", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".gitignore")


@dataclass(frozen=True)
class Member:
    """A folder of the workspace that is built, installed and tested by itself."""

    folder: str
    distribution: str
    dependencies: tuple[str, ...]
    test_dependencies: tuple[str, ...]
    build_dependencies: tuple[str, ...]
    entry_points: dict[str, dict[str, str]]

    @property
    def package(self) -> str:
        """The name that Python code imports."""
        return self.distribution.replace("-", "_")

    @property
    def needs(self) -> frozenset[str]:
        """The names of the distributions that it declares, in their normal spelling."""
        return frozenset(name_of(requirement) for requirement in self.dependencies)


def name_of(requirement: str) -> str:
    """Return the distribution that a requirement such as `ruamel.yaml>=0.18` names, normalized."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    if match is None:
        raise ValueError(f"not a requirement: {requirement!r}")
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def members(root: Path = ROOT) -> list[Member]:
    """Return all members, the core first, then by folder."""
    found = [path.parent for place in PLACES for path in sorted(root.glob(f"{place}/pyproject.toml"))]
    return [read(root, folder) for folder in found]


def read(root: Path, folder: Path) -> Member:
    """Return the member in `folder`, as its pyproject.toml declares it."""
    declared = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    extras = project.get("optional-dependencies", {}).values()
    return Member(
        folder=folder.relative_to(root).as_posix(),
        distribution=project["name"],
        dependencies=(*project.get("dependencies", ()), *(line for extra in extras for line in extra)),
        test_dependencies=tuple(declared.get("dependency-groups", {}).get("test", ())),
        build_dependencies=tuple(declared["build-system"]["requires"]),
        entry_points=project.get("entry-points", {}),
    )


def touched(everyone: Sequence[Member], changed_files: Sequence[str]) -> list[Member]:
    """Return the members that a change of these files may break: their own, and whoever depends on them."""
    reached = set()
    for file in changed_files:
        owner = next((member for member in everyone if file.startswith(f"{member.folder}/")), None)
        if owner is not None:
            reached.add(owner.distribution)
        elif not file.startswith(OF_NO_MEMBER):
            # The lock, the workflow, the build: nobody can say whom it spares.
            return list(everyone)
    if any(member.folder == CORE and member.distribution in reached for member in everyone):
        return list(everyone)
    while more := {m.distribution for m in everyone if m.needs & reached} - reached:
        reached |= more
    return [member for member in everyone if member.distribution in reached]


def changed_since(base: str, root: Path = ROOT) -> list[str]:
    """Return the files that differ from where this branch left `base`, also uncommitted and new ones."""
    diff = ["git", "diff", "--name-only", "--no-renames", "-z", "--merge-base", base]
    new = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    return [name for command in (diff, new) for name in _printed(command, root).split("\0") if name]


def _printed(command: Sequence[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the folders of the members, one a line or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="as a JSON list, for the matrix of a workflow")
    parser.add_argument("--changed", metavar="BASE", help="only what this revision lacks, and its dependents")
    options = parser.parse_args(arguments)
    chosen = members()
    if options.changed:
        try:
            chosen = touched(chosen, changed_since(options.changed))
        except subprocess.CalledProcessError as failure:
            print(f"git cannot compare with {options.changed!r}: {failure.stderr.strip()}", file=sys.stderr)
            return 2
    folders = [member.folder for member in chosen]
    print(json.dumps(folders) if options.json else "\n".join(folders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
