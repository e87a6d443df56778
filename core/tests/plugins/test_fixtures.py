"""Fixtures as a suite's entries ask for them, with the answerers that the entries name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from pydantic import JsonValue

from skilltrial.model.answering import Answerer, Question, Readiness, Remarks, ToolAnswer
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import FixtureUse
from skilltrial.model.trial import FixtureIdentity, RunInfo
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.fixtures import Fixtures


class Deaf:
    """A fixture that takes no answerer."""

    def fixture_assets(self) -> Sequence[str]:
        return ()

    def fixture_needs(self) -> frozenset[Can]:
        return frozenset()

    def check_fixture(self, assets: Mapping[str, bytes]) -> Sequence[str]:
        return ()

    def describe_fixture(self) -> FixtureIdentity:
        return FixtureIdentity()

    def open_fixtures(self, run: RunInfo) -> AbstractContextManager[Any]:
        return nullcontext()


class Listening(Deaf):
    """One that does."""

    def check_fixture(self, assets: Mapping[str, bytes], answerer: Answerer | None) -> Sequence[str]:  # type: ignore[override]
        return () if answerer is None else answerer.check_state({})

    def open_fixtures(self, run: RunInfo, answerer: Answerer | None) -> AbstractContextManager[Any]:  # type: ignore[override]
        return nullcontext(answerer)


class Strict:
    """An answerer that finds a fault in every state."""

    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        return ("nothing is right",)

    def check_ready(self, state: Mapping[str, JsonValue]) -> Readiness:
        return Readiness(True)

    def list_questions(self) -> Sequence[Question]:
        return ()

    def remark(self) -> Remarks:
        return Remarks()

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        return ToolAnswer(None, state)


@pytest.fixture
def fixtures(monkeypatch: pytest.MonkeyPatch) -> Fixtures:
    parts: dict[str, object] = {"deaf": Deaf(), "listening": Listening(), "strict": Strict()}
    monkeypatch.setattr(Discovery, "build", lambda self, kind, name, options=None: parts[name])
    return Fixtures(Discovery(()))


def test_a_fixture_gets_the_answerer_that_its_entry_names(fixtures: Fixtures) -> None:
    named = fixtures.make(FixtureUse(use="listening", answerer="strict"))

    assert named.check_fixture({}, {}) == ("nothing is right",)
    with named.open_fixtures(RunInfo("run"), {}) as served:
        same: object = served
        assert same is named.answerer
    assert fixtures.make(FixtureUse(use="listening")).check_fixture({}, {}) == ()


def test_a_fixture_that_takes_none_refuses_one_and_goes_on_without(fixtures: Fixtures) -> None:
    assert fixtures.make(FixtureUse(use="deaf")).check_fixture({}, {}) == ()
    with pytest.raises(InvalidRequest, match="takes no answerer; leave out `answerer: strict`"):
        fixtures.make(FixtureUse(use="deaf", answerer="strict"))
