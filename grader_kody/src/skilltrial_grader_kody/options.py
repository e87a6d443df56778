"""The grader's one kind of check."""

from __future__ import annotations

from typing import ClassVar, Literal

from skilltrial.api import CheckOptions


class RouteCheck(CheckOptions):
    """The session took the route that a case of `package-discovery-routing` expects."""

    subject: ClassVar[str | None] = "case"

    case: str
    profile: Literal["strict", "original"] = "strict"

    def sentence(self) -> str:
        """What the check demands."""
        how = "" if self.profile == "strict" else ", by the words in its code"
        return f"the route of {self.case} is taken{how}"
