"""The contract of graders: give the grader, and for each kind of check an example that passes and one that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from pydantic import JsonValue, ValidationError

from skilltrial.model.checks import CheckOptions
from skilltrial.model.evidence import CheckResult, Evidence
from skilltrial.model.words import Ending, Outcome
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import GraderFacade
from skilltrial.plugins.graders import choose
from skilltrial.plugins.kinds import GRADER

from .contracts import Contract, demand, documented, watched

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class CheckExample:
    """The options of one check as a suite writes them, evidence on which it holds, and evidence on which it fails."""

    options: Mapping[str, JsonValue]
    passes: Evidence
    fails: Evidence
    unseen: Evidence | None = None
    """Evidence that does not decide it; None where files always do."""


@dataclass(frozen=True)
class GraderSubject:
    """A grader, and examples: at least one for each of its option models."""

    part: object
    examples: Sequence[CheckExample]


@dataclass(frozen=True)
class _Case:
    check: CheckOptions
    example: CheckExample


class GraderContract(Contract):
    """What every grader must do. Give `subject`, a GraderSubject."""

    kind = GRADER

    @pytest.fixture
    def grader(self, subject: GraderSubject) -> GraderFacade:
        """The grader, held to its hook spec."""
        return bind(GraderFacade, "subject", subject.part)

    @pytest.fixture
    def cases(self, subject: GraderSubject, grader: GraderFacade) -> list[_Case]:
        """The examples, read as the core reads them."""
        demand(subject.examples, "give examples")
        return [_Case(_read(grader, one.options), one) for one in subject.examples]

    def test_fits_its_hook_spec(self, subject: GraderSubject) -> None:
        """Three hooks with plain parameters; the class says what it answers."""
        bind(GraderFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_every_kind_of_check_has_an_example(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """Each option model is the one by which some example is read."""
        for model in grader.check_models():
            demand(
                any(type(case.check) is model for case in cases),
                f"no example is read by {model.__name__}; the keys of two models may be too much alike",
            )

    def test_unknown_options_are_refused(self, cases: list[_Case]) -> None:
        """A misspelt key is an error, not a check that asks for less."""
        for case in cases:
            told = {**case.example.options, "kit_unknown_key": 1}
            try:
                type(case.check).model_validate_json(json.dumps(told))
            except ValidationError:
                continue
            demand(False, f"{type(case.check).__name__} takes the unknown option `kit_unknown_key`")

    def test_a_check_is_a_sentence(self, cases: list[_Case]) -> None:
        """`sentence()` says on one line what the check demands, for people."""
        for case in cases:
            sentence = case.check.sentence()
            demand(sentence.strip() and "\n" not in sentence, f"{type(case.check).__name__} has no one-line sentence")

    def test_its_files_come_from_its_options(self, cases: list[_Case]) -> None:
        """`paths()` and `assets()` are texts of the options: what a check names, the core can hold to the rules."""
        for case in cases:
            told = json.dumps(case.example.options, ensure_ascii=False)
            for path in (*case.check.paths(), *case.check.assets()):
                demand(json.dumps(path, ensure_ascii=False)[1:-1] in told, f"{path!r} is not in the check's options")

    def test_a_subject_is_a_field(self, grader: GraderFacade) -> None:
        """The short form puts its value into the field named by `subject`."""
        for model in grader.check_models():
            fields = {field.alias or name for name, field in model.model_fields.items()}
            demand(model.subject is None or model.subject in fields, f"{model.__name__}: its subject is no field")

    def test_passes_where_it_holds(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """The good evidence passes."""
        for case in cases:
            result = grader.grade(case.check, case.example.passes)
            demand(result.outcome is Outcome.PASSED, f"{case.example.options} must pass; it is {result}")

    def test_fails_where_it_does_not(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """The bad evidence fails, with an owner."""
        for case in cases:
            result = grader.grade(case.check, case.example.fails)
            demand(result.outcome is Outcome.FAILED, f"{case.example.options} must fail; it is {result}")
            demand(result.owner is not None, "a failed check needs an owner; use CheckResult.failed")

    def test_the_undecided_is_unverified(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """Evidence that does not decide the check is `unverified`, never passed or failed."""
        for case in cases:
            if case.example.unseen is not None:
                result = _asked(grader, case.check, case.example.unseen)
                demand(
                    result.outcome is Outcome.UNVERIFIED and result.owner is not None,
                    f"{case.example.options} can't be decided here; it is {result}",
                )
            demand(
                case.example.unseen is not None or not grader.check_needs(case.check),
                f"{case.example.options} needs what a host must show: give evidence that lacks it (`unseen`)",
            )

    def test_its_needs_decide_it(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """With no more claimed than `check_needs` names, the outcome is the same, or unverified: never turned round."""
        for case in cases:
            needs = grader.check_needs(case.check)
            for evidence in (case.example.passes, case.example.fails):
                whole = grader.grade(case.check, evidence).outcome
                least = grader.grade(case.check, replace(evidence, sees=needs)).outcome
                demand(
                    least in (whole, Outcome.UNVERIFIED),
                    f"{case.example.options}: with only {sorted(needs)} claimed it is {least}, with all {whole}; what "
                    "is not claimed decides nothing",
                )

    def test_a_reason_is_a_word(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """Reasons go into reports, which hold no text of a trial: words of a closed set."""
        for case in cases:
            for result in _results(grader, case):
                demand(
                    _WORD.fullmatch(result.reason),
                    f"{result.reason!r} is no word; a reason is of a closed set, like `text_missing`",
                )

    def test_is_pure(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """The same evidence gives the same answer; no file, program or socket is touched, no evidence changed."""
        for case in cases:
            before = repr(case.example)
            first = _results(grader, case)
            with watched() as acts:
                second = _results(grader, case)
            demand(first == second, f"{case.example.options} was answered in two ways")
            demand(not acts, f"grade is pure; it did: {', '.join(acts[:3])}")
            demand(repr(case.example) == before, "grade changed the evidence")

    def test_is_total(self, grader: GraderFacade, cases: list[_Case]) -> None:
        """Evidence of a session that showed nothing, or was cut, gives an answer, not an exception."""
        for case in cases:
            full = case.example.passes
            bare = replace(full, events=(), answers={}, wire=(), calls=(), after=(), sees=frozenset())
            gone = replace(full, files=replace(full.files, contents={}, complete=False))
            hidden = replace(full, files=replace(full.files, redacted=frozenset(full.files.after)))
            for evidence in (bare, gone, hidden, replace(full, ending=Ending.HOST_FAILED), replace(full, turns=7)):
                try:
                    grader.grade(case.check, evidence)
                except Exception as error:
                    raise AssertionError(
                        f"{case.example.options} raised {type(error).__name__}: {error}; grade is total"
                    ) from error


def _asked(grader: GraderFacade, check: CheckOptions, evidence: Evidence) -> CheckResult:
    """The answer as the core gets it: what a check needs and the host does not show is unverified without asking."""
    if not grader.check_needs(check) <= evidence.sees:
        return CheckResult.unverified("not_observable")
    return grader.grade(check, evidence)


def _read(grader: GraderFacade, options: Mapping[str, JsonValue]) -> CheckOptions:
    model = choose(grader.check_models(), options)
    try:
        return model.model_validate_json(json.dumps(options))
    except ValidationError as error:
        raise AssertionError(f"the example {options} does not fit {model.__name__}: {error}") from error


def _results(grader: GraderFacade, case: _Case) -> list[CheckResult]:
    asked = (case.example.passes, case.example.fails, case.example.unseen)
    return [grader.grade(case.check, evidence) for evidence in asked if evidence is not None]
