"""The grader's checks: a case's whole route, or one rule of it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from skilltrial.api import CheckOptions

from .normalizer import SERVER
from .rules import RULES

ProfileName = Literal["strict", "original"]


class RouteCheck(CheckOptions):
    """The session took the route that a case of `package-discovery-routing` expects."""

    subject: ClassVar[str | None] = "case"

    case: str | None = None
    """The case of the routing evaluation; the suite's own case where it has the same id."""
    profile: ProfileName = "strict"
    server: str = SERVER
    """The suite's fixture that is Kody, or plays it."""
    exact: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Names of the saved entries that do the whole job, where a real account answers; a played one marks them."""

    def sentence(self) -> str:
        """What the check demands."""
        how = "" if self.profile == "strict" else ", by the words in its code"
        return f"the route of {self.case} is taken{how}" if self.case else f"the route of the case is taken{how}"


class RuleCheck(CheckOptions):
    """The session kept one rule of the evaluation."""

    subject: ClassVar[str | None] = "rule"

    rule: str
    """`R1` to `R22`, or a rule of the strict profile: `code`, `unclear`, `schedule`, `execution` ..."""
    case: str | None = None
    profile: ProfileName = "strict"
    server: str = SERVER
    exact: Annotated[tuple[str, ...], Field(strict=False)] = ()

    @field_validator("rule")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in RULES:
            raise ValueError(f"there is no such rule; there are {', '.join(RULES)}")
        return value

    def sentence(self) -> str:
        """What the check demands."""
        return f"{self.rule}: {RULES[self.rule]}"
