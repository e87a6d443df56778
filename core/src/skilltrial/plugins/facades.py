"""Typed fronts of bound plugins: arguments by name to pluggy, results of the wrong kind refused.

pluggy's relay returns anything and gives None where nothing answered; after a facade neither can happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import JsonValue

from skilltrial.model.answering import Heard, Question, Readiness, Remarks, ToolAnswer
from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import PluginMismatch
from skilltrial.model.events import Event
from skilltrial.model.evidence import CheckResult, Evidence
from skilltrial.model.foreign import ForeignRun, ForeignSuite, RunInputs
from skilltrial.model.observing import Observer, RunOutline
from skilltrial.model.records import Record
from skilltrial.model.report import Report
from skilltrial.model.suite import Act
from skilltrial.model.trial import (
    FixtureIdentity,
    FixtureRun,
    HostIdentity,
    Lending,
    ModelEndpoint,
    ModelRun,
    Offer,
    Place,
    Probe,
    Recorder,
    RunInfo,
    Session,
    Skill,
    ToolCall,
    ToolOffer,
    Trial,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Facade:
    """What all facades have: the part's kind and name, and pluggy's relay to its hooks."""

    kind: str
    name: str
    relay: Any

    def _kept(self, hook: str, value: object, wanted: type[T]) -> T:
        if not isinstance(value, wanted):
            raise self._wrong(hook, value, wanted.__name__)
        return value

    def _all(self, hook: str, value: object, wanted: type[T]) -> tuple[T, ...]:
        found = tuple(self._several(hook, value, wanted))
        for item in found:
            if not isinstance(item, wanted):
                raise self._wrong(hook, item, f"a sequence of {wanted.__name__}")
        return found

    def _each(self, hook: str, value: object, wanted: type[T]) -> Iterator[T]:
        for item in self._several(hook, value, wanted):
            if not isinstance(item, wanted):
                raise self._wrong(hook, item, f"a sequence of {wanted.__name__}")
            yield item

    def _several(self, hook: str, value: object, wanted: type[T]) -> Iterable[T]:
        """`value`, which is to hold what is `wanted`."""
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise self._wrong(hook, value, f"a sequence of {wanted.__name__}")
        return value

    def _set(self, hook: str, value: object, wanted: type[T]) -> frozenset[T]:
        return frozenset(self._all(hook, self._kept(hook, value, frozenset), wanted))

    def _context(self, hook: str, value: object) -> AbstractContextManager[Any]:
        if not isinstance(value, AbstractContextManager):
            raise self._wrong(hook, value, "a context manager")
        return value

    def _wrong(self, hook: str, value: object, wanted: str) -> PluginMismatch:
        return PluginMismatch(
            f"{self.kind} {self.name!r}: hook {hook} returned {type(value).__name__}; it must return {wanted}"
        )


class HostFacade(Facade):
    """A bound host."""

    def describe_host(self) -> HostIdentity:
        """See HostSpec."""
        return self._kept("describe_host", self.relay.describe_host(), HostIdentity)

    def probe_host(self) -> Probe:
        """See HostSpec."""
        return self._kept("probe_host", self.relay.probe_host(), Probe)

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec."""
        return self._kept("lend_host", self.relay.lend_host(passed=passed, seconds=seconds), Lending)

    def place_skill(self, skill: Skill, place: Place) -> Path:
        """See HostSpec. Refuses a folder outside the project or of another name."""
        folder = self._kept("place_skill", self.relay.place_skill(skill=skill, place=place), Path)
        if folder.name != skill.id or place.project not in folder.parents or ".." in folder.parts:
            raise PluginMismatch(
                f"host {self.name!r}: hook place_skill must return a folder below the project whose last name is "
                "the skill's id"
            )
        return folder

    def open_session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> AbstractContextManager[Session]:
        """See HostSpec."""
        return self._context(
            "open_session",
            self.relay.open_session(trial=trial, place=place, offers=offers, model=model, recorder=recorder),
        )


class AnswererFacade(Facade):
    """A bound answerer."""

    def check_state(self, state: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """See AnswererSpec."""
        return self._all("check_state", self.relay.check_state(state=state), str)

    def check_ready(self, state: Mapping[str, JsonValue], heard: Sequence[Heard] | None = None) -> Readiness:
        """See AnswererSpec."""
        return self._kept("check_ready", self.relay.check_ready(state=state, heard=heard), Readiness)

    def list_questions(self, state: Mapping[str, JsonValue]) -> tuple[Question, ...]:
        """See AnswererSpec."""
        return self._all("list_questions", self.relay.list_questions(state=state), Question)

    def remark(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        is_error: bool,
        state: Mapping[str, JsonValue],
    ) -> Remarks:
        """See AnswererSpec."""
        said = self.relay.remark(tool=tool, arguments=arguments, result=result, is_error=is_error, state=state)
        return self._kept("remark", said, Remarks)

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """See AnswererSpec."""
        answer = self.relay.answer_call(tool=tool, arguments=arguments, state=state)
        return self._kept("answer_call", answer, ToolAnswer)


@dataclass(frozen=True, slots=True)
class FixtureFacade(Facade):
    """A bound fixture, with the answerer that the suite's entry names."""

    answerer: AnswererFacade | None = None

    @property
    def takes_answerer(self) -> bool:
        """Whether the fixture can be given an answerer."""
        return all("answerer" in one.argnames for one in self.relay.open_fixtures.get_hookimpls())

    def fixture_assets(self) -> tuple[str, ...]:
        """See FixtureSpec."""
        return self._all("fixture_assets", self.relay.fixture_assets(), str)

    def fixture_needs(self) -> frozenset[Can]:
        """See FixtureSpec."""
        return self._set("fixture_needs", self.relay.fixture_needs(), Can)

    def check_fixture(self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """See FixtureSpec."""
        return self._all(
            "check_fixture", self.relay.check_fixture(assets=assets, options=options, answerer=self.answerer), str
        )

    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """See FixtureSpec."""
        return self._kept("describe_fixture", self.relay.describe_fixture(assets=assets), FixtureIdentity)

    def open_fixtures(self, run: RunInfo, assets: Mapping[str, bytes]) -> AbstractContextManager[FixtureRun]:
        """See FixtureSpec."""
        return self._context("open_fixtures", self.relay.open_fixtures(run=run, assets=assets, answerer=self.answerer))


class ModelFacade(Facade):
    """A bound model."""

    def open_models(self, run: RunInfo, dialect: DialectFacade) -> AbstractContextManager[ModelRun]:
        """See ModelSpec."""
        return self._context("open_models", self.relay.open_models(run=run, dialect=dialect))


class DialectFacade(Facade):
    """A bound dialect."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        return self._kept("spell", self.relay.spell(act=act, tools=tools), ToolCall)


class NormalizerFacade(Facade):
    """A bound normalizer."""

    def normalize(self, records: Sequence[Record]) -> tuple[Event, ...]:
        """See NormalizerSpec. The whole trajectory at once; `told` gives it event by event."""
        return self._all("normalize", self.relay.normalize(records=records), Event)


def told(front: NormalizerFacade, records: Sequence[Record]) -> Iterator[Event]:
    """What a normalizer makes of `records`, event by event as it gives them. Raises PluginMismatch."""
    return front._each("normalize", front.relay.normalize(records=records), Event)


class GraderFacade(Facade):
    """A bound grader."""

    def check_models(self) -> tuple[type[CheckOptions], ...]:
        """See GraderSpec."""
        models = self._all("check_models", self.relay.check_models(), type)
        for model in models:
            if not issubclass(model, CheckOptions):
                raise self._wrong("check_models", model, "subclasses of CheckOptions")
        return models

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec."""
        return self._set("check_needs", self.relay.check_needs(check=check), Sees)

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        return self._kept("grade", self.relay.grade(check=check, evidence=evidence), CheckResult)


class FormatFacade(Facade):
    """A bound suite format."""

    def read_suite(self, path: Path, document: JsonValue) -> ForeignSuite:
        """See FormatSpec."""
        return self._kept("read_suite", self.relay.read_suite(path=path, document=document), ForeignSuite)


class TranscriptFacade(Facade):
    """A bound transcript reader."""

    def read_transcript(self, data: bytes) -> ForeignRun:
        """See TranscriptSpec."""
        return self._kept("read_transcript", self.relay.read_transcript(data=data), ForeignRun)


class ObserverFacade(Facade):
    """A bound observer."""

    def open_observer(self, run: RunOutline) -> AbstractContextManager[Observer]:
        """See ObserverSpec."""
        return self._context("open_observer", self.relay.open_observer(run=run))


class RendererFacade(Facade):
    """A bound renderer."""

    def render_report(self, report: Report, inputs: RunInputs) -> bytes:
        """See RendererSpec."""
        return self._kept("render_report", self.relay.render_report(report=report, inputs=inputs), bytes)
