"""What a recorded command answers, and what it leaves open."""

from __future__ import annotations

import pytest

from skilltrial.api import CommandResult, Ending, Evidence, Files, HostIdentity, Outcome, Owner, TrialKey
from skilltrial.testing import GraderFacade, bind
from skilltrial_grader_command.grader import CommandCheck, CommandsGrader


def evidence(*done: CommandResult) -> Evidence:
    return Evidence(
        key=TrialKey(case="case", arm="with_skill", label="1"),
        identity=HostIdentity(name="portable", records="portable"),
        sees=frozenset(),
        ending=Ending.COMPLETED,
        events=(),
        files=Files(before={}, after={}, changes=()),
        after=done,
    )


def ran(code: int | None = 0, stdout: str = "", stderr: str = "", command: str = "npm test") -> CommandResult:
    return CommandResult(command, code, stdout, stderr)


@pytest.fixture(scope="session")
def grader() -> GraderFacade:
    return bind(GraderFacade, "command", CommandsGrader())


@pytest.mark.parametrize(
    ("options", "done", "outcome", "reason"),
    [
        ({}, ran(0), "passed", "holds"),
        ({}, ran(1), "failed", "exit_code_differs"),
        ({}, ran(-9), "failed", "exit_code_differs"),
        ({"exits": 3}, ran(3), "passed", "holds"),
        ({"exits": 3}, ran(0), "failed", "exit_code_differs"),
        ({"prints": "12 passing"}, ran(0, "ok\n12 passing"), "passed", "holds"),
        ({"prints": "12 passing"}, ran(0, "", "12 passing"), "passed", "holds"),
        ({"prints": "12 passing"}, ran(0, "11 passing"), "failed", "text_missing"),
        ({"prints": "12 passing"}, ran(1, "12 passing"), "failed", "exit_code_differs"),
        ({"prints_not": "skipped"}, ran(0, "1 skipped"), "failed", "text_present"),
        ({"prints_not": "skipped"}, ran(0, "all"), "passed", "holds"),
        ({}, ran(None), "unverified", "command_ended_by_limit"),
        ({"prints": "x"}, ran(0, "[redacted KEY]"), "unverified", "output_redacted"),
        ({}, ran(0, "[redacted KEY]"), "passed", "holds"),
        ({}, ran(0, command="npm run lint"), "unverified", "command_not_run"),
    ],
)
def test_a_recorded_command_answers(
    grader: GraderFacade, options: dict[str, object], done: CommandResult, outcome: str, reason: str
) -> None:
    check = CommandCheck.model_validate({"command": "npm test", **options})

    found = grader.grade(check, evidence(done))

    assert (found.outcome, found.reason) == (Outcome(outcome), reason)
    if found.outcome is Outcome.UNVERIFIED:
        assert found.owner is Owner.OPERATOR


def test_the_last_of_two_equal_commands_counts(grader: GraderFacade) -> None:
    check = CommandCheck(command="npm test")

    assert grader.grade(check, evidence(ran(1), ran(0))).outcome is Outcome.PASSED
    assert grader.grade(check, evidence(ran(0), ran(1))).outcome is Outcome.FAILED


def test_a_reader_sees_the_end_of_the_output(grader: GraderFacade) -> None:
    found = grader.grade(CommandCheck(command="npm test"), evidence(ran(1, "x" * 5000 + "12 failing")))

    assert found.seen.startswith("exit 1: ")
    assert found.seen.endswith("12 failing")
    assert len(found.seen) < 500


def test_a_check_says_what_it_demands() -> None:
    assert CommandCheck(command="npm test").sentence() == "`npm test` passes"
    assert CommandCheck(command="npm test").commands() == ("npm test",)
    told = CommandCheck(command="make", exits=2, prints="a", prints_not="b").sentence()
    assert told == "`make` ends with 2, prints a, does not print b"
