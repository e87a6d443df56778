"""Write the hidden metadata of skills that have some: `.NAME-guidance.json` maps each other file to its SHA-256.

Line ends are counted as LF, as `skilltrial pin` counts them. `--write` brings the files up to date; without it, what is
behind is named, and the exit code is 1.
"""

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def metadata(folder: Path, own: str) -> str:
    """What the metadata file `own` of a skill's folder must hold."""
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != own
    }
    return json.dumps(files, indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Compare, or write."""
    behind = 0
    for path in sorted(ROOT.glob("plugins/*/src/*/skills/*/.*-guidance.json")):
        wanted = metadata(path.parent, path.name)
        if path.read_text("utf-8") == wanted:
            continue
        if "--write" in sys.argv:
            path.write_text(wanted, "utf-8")
        else:
            print(f"{path.relative_to(ROOT)} is behind the skill")
            behind = 1
    return behind


if __name__ == "__main__":
    sys.exit(main())
