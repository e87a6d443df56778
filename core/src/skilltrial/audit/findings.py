"""What an audit found. Holds no prompt, answer or source text: names of tools, arguments and lines only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skilltrial.model.errors import Exit
from skilltrial.model.part import Part, Sha256, Slug
from skilltrial.model.trial import TrialKey

Count = Annotated[int, Field(ge=0)]


class Row(Part):
    """A kind of change, counted. `tried` is the sum of the five after it.

    `equivalent` still passed, as declared; `disturbed` were declared so and did not; `not_tested` were refused as
    archives, or broke the judge (`broke`).
    """

    kind: Slug
    says: str
    tried: Count
    caught: Count
    equivalent: Count
    survived: Count
    disturbed: Count
    not_tested: Count


class Finding(Part):
    """A mutant that is not as it should be. `why` is its verdict's reason, what was declared, or what was refused."""

    trial: TrialKey
    kind: Slug
    mutant: str
    why: str


class AuditReport(Part):
    """A whole audit. `archive` is the digest of the manifest of the archive that was audited."""

    schema_version: Literal[1] = 1
    archive: Sha256
    suite: Slug
    trials: tuple[TrialKey, ...]
    rows: tuple[Row, ...]
    survivors: tuple[Finding, ...] = ()
    disturbed: tuple[Finding, ...] = ()
    """Declared as equivalent, and not passed all the same."""
    not_tested: tuple[Finding, ...] = ()
    decision: Literal["passed", "failed", "incomplete"]
    reasons: tuple[str, ...]

    @property
    def exit_code(self) -> Exit:
        """0 nothing survived, 1 something did, 3 too little was tested."""
        return {"passed": Exit.PASSED, "failed": Exit.FAILED, "incomplete": Exit.INCOMPLETE}[self.decision]
