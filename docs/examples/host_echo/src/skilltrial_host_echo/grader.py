"""A grader, so that a run works where nothing else is installed: `{said: hello}`."""

from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, Evidence, Sees


class Said(CheckOptions):
    """A text that the last answer must hold."""

    subject = "text"

    text: str

    def sentence(self) -> str:
        return f"the answer holds {self.text!r}"


@dataclass(frozen=True)
class SaidGrader:
    """Answers whether the last answer holds a text."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        return (Said,)

    def check_needs(self, check: Said) -> frozenset[Sees]:
        return frozenset({Sees.ANSWERS})

    def grade(self, check: Said, evidence: Evidence) -> CheckResult:
        if evidence.turns not in evidence.answers:
            return CheckResult.unverified("no_answer")
        return CheckResult.of(check.text in evidence.answers[evidence.turns], "text_missing", expected=check.text)
