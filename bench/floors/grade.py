"""The floor of judging: check the SHA-256 of everything in an archive, and parse the records of each trial.

    python grade.py ARCHIVE

Judges nothing; knows only what a seal looks like.
"""

import hashlib
import json
import sys
from pathlib import Path


def checked(path: Path, digest: str) -> bytes:
    """The bytes of a file, whose digest was checked."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"changed: {path}")
    return data


def main(root: Path) -> int:
    """Read the whole archive; return how many records there are."""
    records = 0
    manifest = json.loads((root / "manifest.json").read_bytes())
    for name, digest in manifest["files"].items():
        checked(root / name, digest)
    for trial, digest in manifest["trials"].items():
        seal = json.loads(checked(root / trial / "seal.json", digest))
        for name, one in seal["files"].items():
            data = checked(root / trial / name, one)
            if name == "host.jsonl":
                records += len([json.loads(line) for line in data.splitlines()])
    return records


if __name__ == "__main__":
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
