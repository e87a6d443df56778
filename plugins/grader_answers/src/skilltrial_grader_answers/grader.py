"""The answers grader: which question is answered where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, Evidence, Sees

from . import text, values
from .reasons import Settled

_ANSWERS: dict[type[CheckOptions], Callable[..., CheckResult]] = {
    text.TextCheck: text.text_holds,
    values.ListCheck: values.list_holds,
    values.JsonValueCheck: values.value_holds,
    values.JsonSchemaCheck: values.schema_holds,
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class AnswersGrader:
    """Answers what an agent said last. An answer is what was said, never proof that something was done."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return tuple(_ANSWERS)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec."""
        return frozenset({Sees.ANSWERS})

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        try:
            return _ANSWERS[type(check)](check, evidence)
        except Settled as settled:
            return settled.result
