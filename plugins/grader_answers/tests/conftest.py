"""A trial's evidence from its answers, and the grader as the core binds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from skilltrial.api import CheckOptions, CheckResult, Ending, Evidence, Files, HostIdentity, Sees, TrialKey
from skilltrial.testing import GraderFacade, bind, choose, fit
from skilltrial_grader_answers.grader import AnswersGrader


@pytest.fixture(scope="session")
def answered() -> Callable[..., Evidence]:
    """Make evidence: the answers of the turns in order, None where one was not seen."""

    def make(*answers: str | None, assets: Mapping[str, bytes] | None = None) -> Evidence:
        return Evidence(
            key=TrialKey(case="case", arm="with_skill", label="1"),
            identity=HostIdentity(name="portable", records="portable"),
            sees=frozenset({Sees.ANSWERS}),
            ending=Ending.COMPLETED,
            events=(),
            files=Files(before={}, after={}, changes=()),
            answers={turn: answer for turn, answer in enumerate(answers, 1) if answer is not None},
            turns=len(answers),
            assets=assets or {},
        )

    return make


@pytest.fixture(scope="session")
def grader() -> GraderFacade:
    return bind(GraderFacade, "answers", AnswersGrader())


@pytest.fixture(scope="session")
def read(grader: GraderFacade) -> Callable[..., CheckOptions]:
    """Read a check as a suite writes it, `{"answers": …}`, and as the core chooses the model."""

    def reader(written: Mapping[str, Any]) -> CheckOptions:
        rest = dict(written)
        value = rest.pop("answers")
        if isinstance(value, dict):
            options = {**value, **rest}
            model = choose(grader.check_models(), options)
        else:
            models = [model for model in grader.check_models() if model.subject]
            model = max(models, key=lambda one: fit(one, {str(one.subject): value, **rest}))
            options = {str(model.subject): value, **rest}
        return model.model_validate_json(json.dumps(options))

    return reader


@pytest.fixture(scope="session")
def judged(grader: GraderFacade, read: Callable[..., CheckOptions]) -> Callable[..., CheckResult]:
    """Ask a check, as a suite writes it, of evidence."""
    return lambda written, evidence: grader.grade(read(written), evidence)
