"""The calls grader: which question is answered where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner, Sees
from skilltrial.checks.schemas import SchemaUnusable

from . import ladder, lists, single, skills, tools
from .reasons import Reason, Settled

_ANSWERS: dict[type[CheckOptions], Callable[..., CheckResult]] = {
    lists.ListCheck: lists.list_holds,
    single.CallCheck: single.call_holds,
    lists.RetryCheck: lists.no_retries,
    skills.SkillReadCheck: skills.skill_is_read,
    skills.SkillUnopenedCheck: skills.skill_is_unopened,
    skills.RejectionCheck: skills.none_is_rejected,
    ladder.LadderCheck: ladder.step_is_as_said,
    tools.UnknownToolCheck: tools.none_is_unknown,
    tools.DenialCheck: tools.none_is_denied,
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CallsGrader:
    """Answers what an agent called, from what its program showed and what the fixtures received."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return tuple(_ANSWERS)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec. A fixture is a witness of its own; what only it saw is weighed when the check is answered."""
        match check:
            case ladder.LadderCheck():
                return frozenset()
            case tools.DenialCheck():
                return frozenset({Sees.PERMISSIONS})
            case skills.SkillReadCheck() | skills.SkillUnopenedCheck():
                return frozenset({Sees.SKILL_READS})
            case lists.ListCheck(server=str()) | lists.RetryCheck(server=str()) | single.CallCheck(server=str()):
                return frozenset()
        return frozenset({Sees.TOOL_CALLS})

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        try:
            return _ANSWERS[type(check)](check, evidence)
        except Settled as settled:
            return settled.result
        except SchemaUnusable:
            return CheckResult.unverified(Reason.SCHEMA_UNUSABLE.value, owner=Owner.OPERATOR)
        except TimeoutError:
            return CheckResult.unverified(Reason.PATTERN_TOO_SLOW.value, owner=Owner.GRADER)
