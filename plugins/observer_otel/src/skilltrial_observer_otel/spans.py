"""A run as spans, by the semantic conventions for generative AI: names, digests, counts and times, nothing else.

Source: OpenTelemetry semantic conventions, `gen_ai.*` (agent spans). What they have no word for is `skilltrial.*`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from skilltrial.api import Ending, Observer, RunOutline, TrialKey, TrialTold

Attributes = Mapping[str, str | int | float | bool]
_NAME = "skilltrial-observer-otel"


@contextmanager
def observed(run: RunOutline, processor: SpanProcessor) -> Iterator[Observer]:
    """An observer whose spans go to `processor`. Its provider is its own: no global one is set or read."""
    provider = TracerProvider(
        resource=Resource({"service.name": "skilltrial", "service.version": version("skilltrial")})
    )
    provider.add_span_processor(processor)
    tracer = provider.get_tracer(_NAME, version(_NAME))
    span = tracer.start_span("skilltrial.run", kind=SpanKind.INTERNAL, attributes=_of_run(run))
    observer = Spans(run, tracer, set_span_in_context(span, Context()))
    try:
        yield observer
    finally:
        observer.end_all()
        span.set_attribute("skilltrial.trials.sealed", observer.sealed)
        span.end()
        provider.shutdown()


class Spans(Observer):
    """Trials and turns as spans below the run's."""

    def __init__(self, run: RunOutline, tracer: Tracer, parent: Context) -> None:
        self.sealed = 0
        self._run = run
        self._tracer = tracer
        self._parent = parent
        self._trials: dict[TrialKey, tuple[Span, Context]] = {}
        self._turns: dict[TrialKey, Span] = {}

    def trial_started(self, key: TrialKey) -> None:
        """See Observer."""
        agent = self._run.host.name
        span = self._tracer.start_span(
            f"invoke_agent {agent}",
            context=self._parent,
            kind=SpanKind.INTERNAL,
            attributes={**_of_agent(self._run), **_of_trial(key)},
        )
        self._trials[key] = (span, set_span_in_context(span, self._parent))

    def turn_started(self, key: TrialKey, turn: int) -> None:
        """See Observer."""
        if key in self._trials:
            _, context = self._trials[key]
            self._turns[key] = self._tracer.start_span(
                "skilltrial.turn", context=context, attributes={"skilltrial.turn": turn}
            )

    def turn_ended(self, key: TrialKey, turn: int) -> None:
        """See Observer."""
        if (span := self._turns.pop(key, None)) is not None:
            span.end()

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """See Observer."""
        self.sealed += 1
        if key not in self._trials:
            return
        span, _ = self._trials.pop(key)
        span.set_attributes(_of_end(told))
        if told.ending is not Ending.COMPLETED:
            span.set_attribute("error.type", str(told.cause or told.ending))
            span.set_status(Status(StatusCode.ERROR, str(told.ending)))
        span.end()

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """See Observer. Each of them gets its span when it starts."""

    def end_all(self) -> None:
        """End what was begun and never sealed: trials that were interrupted."""
        for span in self._turns.values():
            span.end()
        for span, _ in self._trials.values():
            span.set_attribute("skilltrial.interrupted", value=True)
            span.end()


def _of_run(run: RunOutline) -> Attributes:
    return {
        "skilltrial.run.id": run.id,
        "skilltrial.suite.id": run.suite,
        "skilltrial.suite.sha256": run.suite_sha256,
        "skilltrial.trials": run.trials,
        "skilltrial.scripted": run.scripted,
    }


def _of_agent(run: RunOutline) -> Attributes:
    host = run.host
    told = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": host.name,
        "gen_ai.agent.version": host.version,
        "gen_ai.request.model": host.model,
        "skilltrial.host.program_sha256": host.program_sha256,
    }
    return {name: value for name, value in told.items() if value is not None}


def _of_trial(key: TrialKey) -> Attributes:
    return {"skilltrial.case": key.case, "skilltrial.arm": key.arm, "skilltrial.label": key.label}


def _of_end(told: TrialTold) -> Attributes:
    known = {
        "skilltrial.ending": str(told.ending),
        "skilltrial.owner": None if told.owner is None else str(told.owner),
        "gen_ai.usage.input_tokens": told.input,
        "gen_ai.usage.output_tokens": told.output,
        "skilltrial.cost_usd": None if told.cost is None else float(told.cost),
    }
    return {name: value for name, value in known.items() if value is not None}
