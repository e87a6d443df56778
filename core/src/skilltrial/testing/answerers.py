"""The contract of answerers: give the answerer, a state in which trials begin, and a call that it can decide."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from pydantic import JsonValue

from skilltrial.model.answering import Heard, ToolAnswer
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import AnswererFacade
from skilltrial.plugins.kinds import ANSWERER

from .contracts import Contract, demand, documented, watched

CANARY = "kit-canary-text-0f7c"
_DEEP: JsonValue = json.loads("[" * 60 + "]" * 60)
_ANY: tuple[JsonValue, ...] = (None, True, 0, -1.5, "", "\ud800 x" * 300, [], {}, _DEEP)


@dataclass(frozen=True)
class AnswererSubject:
    """An answerer. `state` is sound and ready; in `unready`, sound too, a trial may not begin. `tool` with `arguments`
    is a call that can be decided, with `undecided` one that can't.
    """

    part: object
    state: Mapping[str, JsonValue]
    unready: Mapping[str, JsonValue]
    tool: str
    arguments: Mapping[str, JsonValue]
    undecided: Mapping[str, JsonValue]
    wrong_state: Mapping[str, JsonValue] = field(default_factory=lambda: {"kit_unknown_key": CANARY})


class AnswererContract(Contract):
    """What every answerer must do. Give `subject`, an AnswererSubject."""

    kind = ANSWERER

    @pytest.fixture
    def answerer(self, subject: AnswererSubject) -> AnswererFacade:
        """The answerer, held to its hook spec."""
        return bind(AnswererFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: AnswererSubject) -> None:
        """Every hook is there, and nothing public beside them; the class says what it is."""
        bind(AnswererFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_good_states_have_no_fault(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """Neither has one in which a trial may not begin: that is no fault of the suite's file."""
        for state in (subject.state, subject.unready):
            with watched() as acts:
                faults = answerer.check_state(state)
            demand(not faults, f"a good state has faults: {faults}")
            demand(not acts, f"check_state is pure; it did: {', '.join(acts[:3])}")

    def test_a_wrong_state_is_a_fault_without_its_text(
        self, subject: AnswererSubject, answerer: AnswererFacade
    ) -> None:
        """A sentence each, before anything starts."""
        faults = answerer.check_state(subject.wrong_state)
        demand(faults, "a wrong state was taken without a word")
        demand(all("\n" not in fault for fault in faults), "a fault is one sentence, on one line")
        demand(not any(CANARY in fault for fault in faults), "a fault tells a value of the state")

    def test_says_whether_a_trial_may_begin(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """And why not, in a word; asked twice it says the same."""
        ready, unready = answerer.check_ready(subject.state), answerer.check_ready(subject.unready)
        demand(ready.holds, f"a trial that is ready may not begin: {ready.why}")
        demand(not unready.holds, "a trial that is not ready may begin")
        demand(unready.why.isidentifier(), f"why a trial may not begin is a word for the report, not {unready.why!r}")
        demand(answerer.check_ready(subject.unready) == unready, "one state was found ready in two ways")

    def test_questions_are_the_same_each_time(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """Of one state; asked of it, nothing is touched. An answerer without questions answers played servers only."""
        first = answerer.list_questions(subject.state)
        with watched() as acts:
            second = answerer.list_questions(subject.state)
        demand(first == second, "one state led to other questions")
        demand(not acts, f"list_questions is pure; it did: {', '.join(acts[:3])}")
        json.dumps([[one.tool, dict(one.arguments)] for one in first])

    def test_an_answer_that_tells_nothing_is_no_readiness(
        self, subject: AnswererSubject, answerer: AnswererFacade
    ) -> None:
        """Whatever a real server says to the questions: it is judged, and an error is never taken for a yes."""
        asked = answerer.list_questions(subject.state)
        for value in _ANY:
            for is_error in (False, True):
                heard = [Heard(one, value, is_error) for one in asked]
                try:
                    ready = answerer.check_ready(subject.state, heard)
                except Exception as error:
                    raise AssertionError(f"an answer led to {type(error).__name__}: {error}") from error
                demand(not (asked and is_error and ready.holds), "a trial may begin though the server did not answer")
                demand(ready.why.isidentifier(), f"why a trial may not begin is a word, not {ready.why!r}")

    def test_any_answer_of_a_real_server_is_remarked_on(
        self, subject: AnswererSubject, answerer: AnswererFacade
    ) -> None:
        """Total and pure: whatever was asked and came back."""
        for value in _ANY:
            for arguments in (subject.arguments, {"kit": value}, {}):
                for is_error in (False, True):
                    given = (subject.tool, arguments, value, is_error, subject.state)
                    try:
                        answerer.remark(*given)
                    except Exception as error:
                        raise AssertionError(f"an answer led to {type(error).__name__}: {error}") from error
        with watched() as acts:
            remarks = answerer.remark(subject.tool, subject.arguments, None, True, subject.state)
        json.dumps([remarks.marks, [*remarks.left]])
        demand(not acts, f"remark is pure; it did: {', '.join(acts[:3])}")

    def test_the_same_call_gets_the_same_answer(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """Pure: nothing is kept between calls, nothing is touched, and the state that came in is left as it was."""
        before = copy.deepcopy(dict(subject.state))
        first = _answered(answerer, subject, subject.arguments)
        with watched() as acts:
            second = _answered(answerer, subject, subject.arguments)
        demand(first == second, "one call in one state was answered in two ways")
        demand(first.scripted, "a call that can be decided is marked as not scripted")
        demand(not acts, f"answer_call is pure; it did: {', '.join(acts[:3])}")
        demand(dict(subject.state) == before, "the state that a call came with was changed in place")

    def test_what_a_call_leaves_is_a_state(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """It is put on record, and the next call comes with it."""
        answer = _answered(answerer, subject, subject.arguments)
        try:
            after = json.loads(json.dumps([answer.result, answer.marks, dict(answer.state)]))[2]
        except (TypeError, ValueError) as error:
            raise AssertionError("result, marks and state are JSON values") from error
        faults = answerer.check_state(after)
        demand(not faults, f"what a call leaves is no state: {faults}")

    def test_what_it_cannot_tell_is_marked(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """`scripted` is False, and nothing has changed: the trial is then incomplete, never failed."""
        answer = _answered(answerer, subject, subject.undecided)
        demand(not answer.scripted, "a call that nobody can decide was answered as if it could be")
        demand(dict(answer.state) == dict(subject.state), "a call that nobody can decide changed the state")

    def test_any_arguments_are_answered(self, subject: AnswererSubject, answerer: AnswererFacade) -> None:
        """Total: whatever a model sends, and of any tool."""
        for value in _ANY:
            for arguments in ({}, {"kit": value}, dict.fromkeys(subject.arguments, value)):
                _answered(answerer, subject, arguments)
        answerer.answer_call("kit_unknown_tool", {}, subject.state)


def _answered(answerer: AnswererFacade, subject: AnswererSubject, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
    try:
        return answerer.answer_call(subject.tool, arguments, subject.state)
    except Exception as error:
        raise AssertionError(f"a call was answered with {type(error).__name__}: {error}") from error
