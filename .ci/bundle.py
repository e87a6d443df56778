"""Keep the bundle's dependencies what they are meant to be: every other member of the workspace."""

import difflib
import re
import sys
from collections.abc import Sequence

from members import CORE, ROOT, Member, members


def bundle(everyone: Sequence[Member]) -> Member:
    """Return the member that has no part of its own: no entry point of ours, and not the core."""
    (found,) = (one for one in everyone if one.folder != CORE and not one.entry_points)
    return found


def wanted(text: str, everyone: Sequence[Member]) -> str:
    """Return the bundle's pyproject.toml with its dependencies written anew."""
    names = sorted(one.distribution for one in everyone if one.entry_points or one.folder == CORE)
    lines = "".join(f'    "{name}>=0.1,<1",\n' for name in names)
    made, count = re.subn(r"(?ms)^dependencies = \[\n.*?^\]", f"dependencies = [\n{lines}]", text)
    if count != 1:
        raise SystemExit("the bundle's pyproject.toml has no list of dependencies")
    return made


def main(arguments: Sequence[str]) -> int:
    """Compare, or write; say what differs."""
    everyone = members()
    file = ROOT / bundle(everyone).folder / "pyproject.toml"
    before = file.read_text(encoding="utf-8")
    after = wanted(before, everyone)
    if "--write" in arguments:
        file.write_text(after, encoding="utf-8")
        return 0
    name = file.relative_to(ROOT).as_posix()
    sys.stdout.writelines(
        difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, "as it should be")
    )
    return int(before != after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
