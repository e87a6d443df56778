"""The files grader: which question is answered where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, Evidence, Sees

from . import changes, diffs, fields, globs, presence, text
from .reasons import Settled

_ANSWERS: dict[type[CheckOptions], Callable[..., CheckResult]] = {
    text.TextCheck: text.text_holds,
    presence.ExistsCheck: presence.existence_holds,
    changes.UnchangedCheck: changes.unchanged_holds,
    changes.ChangedWithinCheck: changes.changes_within_hold,
    changes.NothingChangedCheck: changes.nothing_changed_holds,
    text.GoldenCheck: text.golden_holds,
    fields.JsonValueCheck: fields.value_holds,
    fields.JsonPresentCheck: fields.presence_holds,
    fields.JsonSchemaCheck: fields.schema_holds,
    globs.GlobCheck: globs.count_holds,
    diffs.DiffLinesCheck: diffs.diff_holds,
    presence.ExecutableCheck: presence.execution_holds,
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class FilesGrader:
    """Answers what a trial did to the project's files. They are always looked at, so it needs nothing of a host."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return tuple(_ANSWERS)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec."""
        return frozenset()

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        try:
            return _ANSWERS[type(check)](check, evidence)
        except Settled as settled:
            return settled.result
