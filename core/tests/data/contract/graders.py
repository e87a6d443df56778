"""A good grader, and a broken one for each contract test."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from matrix import broken
from pydantic import ConfigDict

from skilltrial.api import (
    CheckOptions,
    CheckResult,
    Ending,
    Evidence,
    Files,
    HostIdentity,
    Sees,
    ToolRequested,
    TrialKey,
)
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject


class Called(CheckOptions):
    subject = "called"

    called: str

    def sentence(self) -> str:
        return f"{self.called} is called"


class AcmeGrader:
    """Answers whether a tool was called."""

    def check_models(self):
        return [Called]

    def check_needs(self, check):
        return frozenset({Sees.TOOL_CALLS})

    def grade(self, check, evidence):
        if Sees.TOOL_CALLS not in evidence.sees:
            return CheckResult.unverified("not_shown")
        called = any(event.tool == check.called for event in evidence.of(ToolRequested))
        return CheckResult.of(called, "not_called")


def evidence(*tools, sees=frozenset(Sees)):
    return Evidence(
        key=TrialKey(case="c", arm="a", label="1"),
        identity=HostIdentity(name="acme", records="acme"),
        sees=sees,
        ending=Ending.COMPLETED,
        events=tuple(ToolRequested(seq=1, turn=1, call="1", tool=tool) for tool in tools),
        files=Files({}, {}, ()),
        answers={1: "done"},
    )


EXAMPLE = CheckExample({"called": "save"}, evidence("save"), evidence("load"), evidence(sees=frozenset()))


def subject_of(part, *examples) -> GraderSubject:
    return GraderSubject(part, examples or (EXAMPLE,))


class TestGood(GraderContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeGrader())


def grader(test, part, *examples):
    broken(GraderContract, test, lambda: subject_of(part(), *examples), globals())


class NoNeeds:
    """Broken."""

    check_models = AcmeGrader.check_models
    grade = AcmeGrader.grade


class Never(CheckOptions):
    never: str

    def sentence(self):
        return f"{self.never} is never called"


class TwoModels(AcmeGrader):
    """Broken."""

    def check_models(self):
        return [Called, Never]


class Open(Called):
    model_config = ConfigDict(extra="ignore")


class Untold(Called):
    def sentence(self):
        return f"{self.called}\nis called"


class Elsewhere(Called):
    def assets(self):
        return ("golden.txt",)


class Nothing(Called):
    subject = "tool"


def of_model(model):
    class Broken(AcmeGrader):
        """Broken."""

        def check_models(self):
            return [model]

    return Broken


class AlwaysFails(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        return CheckResult.failed("not_called")


class AlwaysPasses(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        return CheckResult.passed()


class Guesses(AcmeGrader):
    """Broken."""

    def check_needs(self, check):
        return frozenset()

    def grade(self, check, evidence):
        return super().grade(check, replace(evidence, sees=frozenset(Sees)))


class NeedsMore(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        if Sees.TOOL_RESULTS not in evidence.sees:
            return CheckResult.passed()
        return super().grade(check, evidence)


class Talks(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        result = super().grade(check, evidence)
        return replace(result, reason=f"The answer was {evidence.answers.get(1)}")


class Reads(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        Path(__file__).read_bytes()
        return super().grade(check, evidence)


class Draws(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        return replace(super().grade(check, evidence), seen=str(random.random()))


class Breaks(AcmeGrader):
    """Broken."""

    def grade(self, check, evidence):
        evidence.answers[1]
        return super().grade(check, evidence)


grader("test_fits_its_hook_spec", NoNeeds)
grader("test_every_kind_of_check_has_an_example", TwoModels)
grader("test_unknown_options_are_refused", of_model(Open))
grader("test_a_check_is_a_sentence", of_model(Untold))
grader("test_its_files_come_from_its_options", of_model(Elsewhere))
grader("test_a_subject_is_a_field", of_model(Nothing))
grader("test_passes_where_it_holds", AlwaysFails)
grader("test_fails_where_it_does_not", AlwaysPasses)
grader("test_the_undecided_is_unverified", Guesses)
grader("test_the_undecided_is_unverified", AcmeGrader, replace(EXAMPLE, unseen=None))
grader("test_its_needs_decide_it", NeedsMore)
grader("test_a_reason_is_a_word", Talks)
grader("test_is_pure", Reads)
grader("test_is_pure", Draws)
grader("test_is_total", Breaks)
