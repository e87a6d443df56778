"""EmbrAIon's own digests. They are not injective, so skilltrial uses others; here they make reports comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from pydantic import JsonValue


def folder_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over path, NUL, content, NUL of each file, in the order of the paths' steps."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.split("/")):
        digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + files[path] + b"\0")
    return digest.hexdigest()


def case_digest(case: JsonValue, fixture: str) -> str:
    """SHA-256 of the case as written and the digest of its fixture."""
    text = json.dumps({"case": case, "fixture": fixture}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
