"""A trial's evidence from its calls as two witnesses tell them, and the grader as the core binds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from skilltrial.api import (
    ABSENT,
    CheckOptions,
    CheckResult,
    Ending,
    Event,
    Evidence,
    Files,
    HostIdentity,
    JoinedCall,
    Sees,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TrialKey,
    WireCall,
)
from skilltrial.testing import GraderFacade, bind, choose
from skilltrial_grader_calls.grader import CallsGrader

ALL = frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.SKILL_READS})


@dataclass(frozen=True)
class Did:
    """One call. `by` says who saw it; a call of the server None is one of the program's own tools."""

    tool: str
    arguments: Any = None
    result: Any = None
    is_error: bool = False
    server: str | None = "memory"
    by: Literal["both", "host", "wire"] = "both"
    rejected: Any = None
    at: float | None = None
    turn: int = 1


def evidence_of(
    *calls: Did, sees: frozenset[Sees] = ALL, names: Any = None, events: Sequence[Event] = (), turns: int = 1
) -> Evidence:
    joined: list[JoinedCall] = []
    said: list[Event] = []
    for n, did in enumerate(calls, 1):
        asked, came, wire = None, None, None
        arguments = {} if did.arguments is None else did.arguments
        if did.by != "wire":
            id = f"call-{n}"
            asked = ToolRequested(seq=2 * n, turn=did.turn, call=id, tool=did.tool, server=did.server, input=arguments)
            said.append(asked)
            if did.rejected:
                said.append(ToolRejected(seq=2 * n + 1, turn=did.turn, call=id, reason=did.rejected))
            elif did.result is not None or did.is_error:
                came = ToolResult(seq=2 * n + 1, turn=did.turn, call=id, content=did.result, is_error=did.is_error)
                said.append(came)
        if did.by != "host" and did.server is not None and not did.rejected and arguments is not ABSENT:
            at = float(n) if did.at is None else did.at
            wire = WireCall(did.server, did.turn, n, did.tool, arguments, did.result, did.is_error, at)
        joined.append(JoinedCall(asked, came, wire))
    return Evidence(
        key=TrialKey(case="case", arm="with_skill", label="1"),
        identity=HostIdentity(name="portable", records="portable"),
        sees=sees,
        ending=Ending.COMPLETED,
        events=(*said, *events),
        files=Files(before={}, after={}, changes=()),
        wire=tuple(call.wire for call in joined if call.wire is not None),
        calls=tuple(joined),
        names=names or {},
        turns=turns,
    )


@pytest.fixture(scope="session")
def did() -> type[Did]:
    return Did


@pytest.fixture(scope="session")
def saw() -> Callable[..., Evidence]:
    return evidence_of


@pytest.fixture(scope="session")
def grader() -> GraderFacade:
    return bind(GraderFacade, "calls", CallsGrader())


@pytest.fixture(scope="session")
def read(grader: GraderFacade) -> Callable[..., CheckOptions]:
    """Read the options of a check as a suite writes them, by the model that the core would choose."""

    def reader(**options: Any) -> CheckOptions:
        return choose(grader.check_models(), options).model_validate_json(json.dumps(options))

    return reader


@pytest.fixture(scope="session")
def judge(grader: GraderFacade, read: Callable[..., CheckOptions]) -> Callable[..., str]:
    """Outcome and reason of a check on evidence, as one word: `passed`, `failed:call_missing`."""

    def answer(evidence: Evidence, **options: Any) -> str:
        check = read(**options)
        if not grader.check_needs(check) <= evidence.sees:
            return "unverified:not_observable"
        result: CheckResult = grader.grade(check, evidence)
        assert grader.grade(check, evidence) == result
        return result.outcome.value if result.outcome.value == "passed" else f"{result.outcome.value}:{result.reason}"

    return answer
