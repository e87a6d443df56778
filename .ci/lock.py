"""Write requirements.lock from what the workspace and its members declare; `--check` compares without a network."""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from members import ROOT, members, name_of

LOCK = ROOT / "requirements.lock"
HEADER = "# Every dependency, exact and hashed, for every platform. Written by `make lock`; do not edit.\n"
COMPILE = (
    *(sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", "3.11"),
    # Addresses of an index, paths of a machine, or how the file was made must not reach it.
    *("--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet", "--no-config"),
)


def declared() -> list[str]:
    """Return every requirement of the workspace that is not one of its own members."""
    everyone = members()
    own = {member.distribution for member in everyone}
    workspace = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = set(workspace["dependency-groups"]["dev"])
    for member in everyone:
        lines.update(member.dependencies, member.test_dependencies, member.build_dependencies)
    return sorted(line for line in lines if name_of(line) not in own)


def pins(lock: str) -> list[tuple[str, Version]]:
    """Return each distribution with its version; one may be there twice, for two kinds of machine."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, flags=re.MULTILINE)
    return [(name_of(name), Version(version)) for name, version in found]


def faults(requirements: Iterable[str], lock: str) -> list[str]:
    """Return a sentence for each requirement that the lock does not meet, and for what it must not contain."""
    pinned = pins(lock)
    found = []
    for requirement in map(Requirement, requirements):
        versions = [version for name, version in pinned if name == name_of(requirement.name)]
        if not versions:
            found.append(f"{requirement} is declared, and the lock has no {requirement.name}")
        found.extend(
            f"{requirement} is declared, and the lock has {requirement.name} {version}"
            for version in versions
            if not requirement.specifier.contains(version, prereleases=True)
        )
    found.extend(
        f"line {number} holds an address or an option: {line.strip()}"
        for number, line in enumerate(lock.splitlines(), 1)
        if "://" in line or re.match(r"\s*-(?!-hash=)", line)
    )
    return found


def write(options: Iterable[str]) -> None:
    """Resolve what is declared, keeping the versions of the present lock where they still fit."""
    before = LOCK.read_text(encoding="utf-8") if LOCK.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        resolved = Path(folder) / LOCK.name
        resolved.write_text(before, encoding="utf-8")
        command = [*COMPILE, *options, "--output-file", str(resolved)]
        subprocess.run(command, input="\n".join(declared()), text=True, check=True, stdout=subprocess.DEVNULL)
        after = HEADER + resolved.read_text(encoding="utf-8")
    if after != before:  # an untouched lock does not set up the environment again
        LOCK.write_text(after, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the lock, or say where it is behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the lock is behind")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    options = parser.parse_args(arguments)
    if not options.check:
        write(["--upgrade"] if options.upgrade else [])
    wrong = faults(declared(), LOCK.read_text(encoding="utf-8"))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
