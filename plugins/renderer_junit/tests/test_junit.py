"""Each verdict in JUnit's few words: nothing that was not seen is green, and no control is red."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from skilltrial.api import Report, RunInputs, Suite
from skilltrial.testing import RendererFacade, bind
from skilltrial_renderer_junit.renderer import JunitRenderer

SHA = "0" * 64
INPUTS = RunInputs(
    source=b"",
    suite=Suite.model_validate_json(
        json.dumps(
            {
                "id": "greetings",
                "arms": [{"id": "without_skill"}, {"id": "with_skill"}],
                "gate": {"arm": "with_skill"},
                "cases": [{"id": "greet", "turns": ["x"], "checks": [{"id": "files-1", "grader": "files"}]}],
            }
        )
    ),
    workspaces={},
    skills={},
)


def trial(arm: str, kind: str, label: str = "1") -> dict[str, Any]:
    passed = kind == "passed"
    checks = [{"id": "files-1", "grader": "files", "outcome": kind, "reason": "text_missing"}]
    return {
        "key": {"case": "greet", "arm": arm, "label": label},
        "polarity": "positive",
        "verdict": {"kind": kind, "reason": None if passed else "text_missing", "owner": None if passed else "host"},
        "ending": "completed",
        "agent_seconds": 1.5,
        "checks": checks if kind in ("passed", "failed", "unverified") else [],
    }


def report(*trials: dict[str, Any], decision: str = "passed", deciding: tuple[dict[str, Any], ...] = ()) -> Report:
    value = {
        "mode": "run",
        "evidence_kind": "live-portable-subprocess",
        "suite": "greetings",
        "run": "1",
        "archive": SHA,
        "gate": {
            "arm": "with_skill",
            "decision": decision,
            "exit": {"passed": 0, "failed": 1, "incomplete": 3}[decision],
            "reasons": ["told"],
            "deciding": [one["key"] for one in deciding],
        },
        "limitations": [],
        "host": {"name": "portable", "records": "none"},
        "scripted_model": None,
        "seed": 1,
        "attempts": 1,
        "narrowed": False,
        "digests": {"suite": SHA, "cases": {"greet": SHA}, "workspaces": {"greet": SHA}, "skills": []},
        "counts": [],
        "trials": list(trials),
        "judge": [],
    }
    return Report.read(json.dumps(value))


@pytest.fixture
def written() -> Callable[[Report], dict[str, TestCase]]:
    """The tests of a report's XML by `classname/name`."""

    def read(told: Report) -> dict[str, TestCase]:
        data = bind(RendererFacade, "junit", JunitRenderer()).render_report(told, INPUTS)
        found = JUnitXml.fromstring(data)
        return {f"{case.classname}/{case.name}": case for suite in found for case in suite}

    return read


def results(case: TestCase) -> list[type]:
    return [type(one) for one in case.result]


@pytest.mark.parametrize(
    ("kind", "result"), [("passed", []), ("incomplete", [Error]), ("unverified", [Skipped]), ("skipped", [Skipped])]
)
def test_what_was_not_seen_is_never_a_passed_test(
    written: Callable[[Report], dict[str, TestCase]], kind: str, result: list[type]
) -> None:
    case = written(report(trial("with_skill", kind)))["greetings.with_skill/greet [1]"]

    assert results(case) == result
    if result:
        assert "text_missing" in case.result[0].message
    assert case.time == 1.5


def test_only_what_made_the_gate_fail_is_a_failure(written: Callable[[Report], dict[str, TestCase]]) -> None:
    own, control = trial("with_skill", "failed"), trial("without_skill", "failed")

    red = written(report(own, control, decision="failed", deciding=(own,)))
    green = written(report(own, control))

    assert results(red["greetings.with_skill/greet [1]"]) == [Failure]
    assert "files-1: text_missing" in red["greetings.with_skill/greet [1]"].result[0].message
    assert results(red["greetings.without_skill/greet [1]"]) == [Skipped]
    assert results(green["greetings.with_skill/greet [1]"]) == [Skipped]
    assert "outvoted" in green["greetings.with_skill/greet [1]"].result[0].message


@pytest.mark.parametrize(("decision", "result"), [("passed", []), ("failed", [Failure]), ("incomplete", [Error])])
def test_the_gate_is_a_test_of_its_own(
    written: Callable[[Report], dict[str, TestCase]], decision: str, result: list[type]
) -> None:
    tests = written(report(trial("with_skill", "passed"), decision=decision))

    assert results(tests["greetings.gate/gate with_skill all"]) == result


def test_the_counts_of_the_document_are_those_of_its_tests() -> None:
    told = report(trial("with_skill", "passed"), trial("with_skill", "incomplete", "2"), decision="incomplete")

    found = JUnitXml.fromstring(JunitRenderer().render_report(told, INPUTS))

    assert (found.tests, found.errors, found.failures, found.skipped) == (3, 2, 0, 0)
