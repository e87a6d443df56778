"""Keep the README's table of hosts what the hosts say of themselves: what each can, and what it shows."""

import difflib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from members import ROOT
from skilltrial.model.trial import HostIdentity
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import HostFacade
from skilltrial.plugins.kinds import HOST

BEGIN, END = "<!-- hosts: made by .ci/generated -->\n", "<!-- end of hosts -->\n"
ROWS: tuple[tuple[str, str, Mapping[str, object]], ...] = (
    ("Codex CLI", "codex", {}),
    ("Claude Code", "claude", {}),
    ("ZCode (not checked against the real program)", "zcode", {}),
    ("opencode", "portable", {"profile": "opencode"}),
    ("pi", "portable", {"profile": "pi"}),
    ("any that speaks ACP", "acp", {"command": ("true",), "endpoint_env": {"X": "x"}}),
    ("any command", "portable", {"command": ("true",), "resume": ("x",)}),
    ("any command that prints our events", "portable", {"command": ("true",), "resume": ("x",), "records": "events"}),
)
"""What people look for, the host that drives it, and the options with which it can most."""


def identities() -> Iterator[tuple[str, str, HostIdentity]]:
    """Each row's title, how it is asked for, and what the host says. No program needs to be installed."""
    discovery = Discovery()
    with tempfile.TemporaryDirectory() as folder:
        stand_in = Path(folder, "program")
        stand_in.write_text("#!/bin/sh\necho 0.0.0\n", encoding="utf-8")
        stand_in.chmod(0o755)
        for title, name, options in ROWS:
            own = {"binary": str(stand_in)} if name in {"codex", "claude", "zcode"} else {}
            own |= {"table": str(stand_in)} if name == "zcode" else {}
            host = bind(HostFacade, name, discovery.build(HOST, name, {**options, **own}))
            profile = options.get("profile")
            flag = f"--host {name}" + (
                f" --profile {profile}" if profile else " -- CMD" if "command" in options else ""
            )
            yield title, flag, host.describe_host()


def table() -> str:
    """The table, in Markdown."""
    lines = ["| agent | flag | can | shows |", "|---|---|---|---|"]
    for title, flag, identity in identities():
        can, sees = (
            ", ".join(one.replace("_", " ") for one in sorted(names)) for names in (identity.can, identity.sees)
        )
        lines.append(f"| {title} | `{flag}` | {can or '-'} | {sees or 'files and exit codes only'} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Compare, or write; say what differs."""
    file = ROOT / "README.md"
    before = file.read_text(encoding="utf-8")
    after, count = re.subn(f"(?s){BEGIN}.*?{END}", lambda _: f"{BEGIN}{table()}{END}", before)
    if count != 1:
        raise SystemExit("README.md has no place for the table of hosts")
    if "--write" in arguments:
        file.write_text(after, encoding="utf-8")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(before.splitlines(True), after.splitlines(True), "README.md", "as it should be")
    )
    return int(before != after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
