"""A good answerer, and a broken one for each contract test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import Question, Readiness, Remarks, ToolAnswer
from skilltrial.testing.answerers import AnswererContract, AnswererSubject


class AcmeAnswerer:
    """Counts what is saved."""

    def check_state(self, state):
        return [f"there is no key {key[:3]}..." for key in state if key != "saved"]

    def check_ready(self, state, heard):
        saved = state["saved"] if heard is None else [one.result for one in heard] != [{"saved": 0}]
        return Readiness(False, "something_saved") if saved else Readiness(True)

    def list_questions(self, state):
        return [Question("count", {})]

    def remark(self, tool, arguments, result, is_error, state):
        return Remarks({"saves": tool == "save"}, ("a note",) if tool == "save" and not is_error else ())

    def answer_call(self, tool, arguments, state):
        if not isinstance(arguments.get("text"), str):
            return ToolAnswer("nothing to save", state, is_error=True)
        if arguments["text"] == "?":
            return ToolAnswer("nobody knows", state, is_error=True, scripted=False)
        return ToolAnswer({"saved": state["saved"] + 1}, {"saved": state["saved"] + 1}, marks={"text": "x"})


def subject_of(part):
    return AnswererSubject(part(), {"saved": 0}, {"saved": 1}, "save", {"text": "x"}, {"text": "?"})


class TestGood(AnswererContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeAnswerer)


def answerer(test, part):
    broken(AnswererContract, test, lambda: subject_of(part), globals())


class Undocumented:
    check_state = AcmeAnswerer.check_state
    check_ready = AcmeAnswerer.check_ready
    list_questions = AcmeAnswerer.list_questions
    remark = AcmeAnswerer.remark
    answer_call = AcmeAnswerer.answer_call


class RefusesUnready(AcmeAnswerer):
    """Broken."""

    def check_state(self, state):
        return super().check_state(state) or (["something is saved"] if state.get("saved") == 1 else [])


class TakesAll(AcmeAnswerer):
    """Broken."""

    def check_state(self, state):
        return []


class Quotes(AcmeAnswerer):
    """Broken."""

    def check_state(self, state):
        return [f"there is no key with {state[key]}" for key in state if key != "saved"]


class AlwaysReady(AcmeAnswerer):
    """Broken."""

    def check_ready(self, state, heard):
        return Readiness(True)


class Talks(AcmeAnswerer):
    """Broken."""

    def check_ready(self, state, heard):
        return replace(super().check_ready(state, heard), why="there is something saved already")


class Remembers(AcmeAnswerer):
    """Broken."""

    def __init__(self):
        self._calls = 0

    def answer_call(self, tool, arguments, state):
        self._calls += 1
        return replace(super().answer_call(tool, arguments, state), result=self._calls)


class Opens(AcmeAnswerer):
    """Broken."""

    def answer_call(self, tool, arguments, state):
        Path(__file__).read_bytes()
        return super().answer_call(tool, arguments, state)


class ChangesInPlace(AcmeAnswerer):
    """Broken."""

    def answer_call(self, tool, arguments, state):
        answer = super().answer_call(tool, arguments, state)
        state["seen"] = True
        return replace(answer, result="ok", state={"saved": 1})


class LeavesMore(AcmeAnswerer):
    """Broken."""

    def answer_call(self, tool, arguments, state):
        answer = super().answer_call(tool, arguments, state)
        return replace(answer, state={**answer.state, "more": 1})


class Guesses(AcmeAnswerer):
    """Broken."""

    def answer_call(self, tool, arguments, state):
        return replace(super().answer_call(tool, arguments, state), scripted=True)


class Raises(AcmeAnswerer):
    """Broken."""

    def answer_call(self, tool, arguments, state):
        return super().answer_call(tool, {"text": arguments["text"]}, state)


class AsksAnew(AcmeAnswerer):
    """Broken."""

    def __init__(self):
        self._asked = 0

    def list_questions(self, state):
        self._asked += 1
        return [Question("count", {"again": self._asked})]


class TakesErrors(AcmeAnswerer):
    """Broken."""

    def check_ready(self, state, heard):
        return Readiness(True) if heard else super().check_ready(state, heard)


class TrustsAnswers(AcmeAnswerer):
    """Broken."""

    def check_ready(self, state, heard):
        if heard is None:
            return super().check_ready(state, heard)
        return Readiness(not heard[0].result["saved"], "something_saved")


class RemarksOnObjects(AcmeAnswerer):
    """Broken."""

    def remark(self, tool, arguments, result, is_error, state):
        return Remarks({"count": result["saved"]})


class RemarksAloud(AcmeAnswerer):
    """Broken."""

    def remark(self, tool, arguments, result, is_error, state):
        Path(__file__).read_bytes()
        return Remarks()


answerer("test_fits_its_hook_spec", Undocumented)
answerer("test_good_states_have_no_fault", RefusesUnready)
answerer("test_a_wrong_state_is_a_fault_without_its_text", TakesAll)
answerer("test_a_wrong_state_is_a_fault_without_its_text", Quotes)
answerer("test_says_whether_a_trial_may_begin", AlwaysReady)
answerer("test_says_whether_a_trial_may_begin", Talks)
answerer("test_the_same_call_gets_the_same_answer", Remembers)
answerer("test_the_same_call_gets_the_same_answer", Opens)
answerer("test_the_same_call_gets_the_same_answer", ChangesInPlace)
answerer("test_what_a_call_leaves_is_a_state", LeavesMore)
answerer("test_what_it_cannot_tell_is_marked", Guesses)
answerer("test_any_arguments_are_answered", Raises)
answerer("test_questions_are_the_same_each_time", AsksAnew)
answerer("test_an_answer_that_tells_nothing_is_no_readiness", TakesErrors)
answerer("test_an_answer_that_tells_nothing_is_no_readiness", TrustsAnswers)
answerer("test_any_answer_of_a_real_server_is_remarked_on", RemarksOnObjects)
answerer("test_any_answer_of_a_real_server_is_remarked_on", RemarksAloud)
