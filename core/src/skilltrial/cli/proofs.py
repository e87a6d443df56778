"""What became of contracts on this machine: kept by the digest of the sources that were held to them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from skilltrial.model.part import Part, Sha256
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.kinds import Kind

TEMPLATE = "TEMPLATE"


class Proof(Part):
    """One run of a part's contract. `on` says what it was held on, `program` which real program and version."""

    schema_version: Literal[1] = 1
    kind: str
    name: str
    source_sha256: Sha256
    kit: str
    """The version of skilltrial whose kit it was."""
    at: datetime
    passed: int
    failed: int
    waived: dict[str, str] = Field(default_factory=dict)
    """Test → the reason why it can't hold."""
    proved_on: str
    on: str
    program: str | None = None

    def sentence(self) -> str:
        """What it amounts to, for people."""
        if self.failed:
            return f"broken: {self.failed} of {self.failed + self.passed + len(self.waived)} tests fail"
        waived = f", {len(self.waived)} waived" if self.waived else ""
        program = f" ({self.program})" if self.program else ""
        return f"{self.passed} tests hold{waived}; proved on {self.on}{program}"


def folder() -> Path:
    """Where proofs are kept: below the user's state folder."""
    base = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    return Path(base) / "skilltrial" / "contracts"


def keep(proof: Proof) -> bool:
    """Keep the latest proof of a part; False where the state folder can't be written."""
    path = folder() / f"{proof.kind}-{proof.name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(proof.write())
        fresh.replace(path)
    except OSError:
        return False
    return True


def known(kind: Kind, name: str, discovery: Discovery) -> str:
    """What is known of an installed part's contract, in a sentence."""
    again = f"skilltrial contract {name}"
    try:
        proof = Proof.read((folder() / f"{kind}-{name}.json").read_bytes())
    except (OSError, ValidationError):
        return f"not run here; `{again}` runs it"
    if proof.source_sha256 != discovery.identify(kind, name).source_sha256:
        return f"not run on these sources; `{again}` runs it"
    return f"{proof.sentence()}, {proof.at:%Y-%m-%d}"


def now() -> datetime:
    """The time of a proof."""
    return datetime.now(UTC).replace(microsecond=0)
