"""What is sent of a run, seen by the SDK's in-memory exporter."""

import json
from decimal import Decimal
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from pydantic import ValidationError

from skilltrial.api import Cause, Ending, HostIdentity, Owner, RunOutline, TrialKey, TrialTold
from skilltrial_observer_otel.observer import OtelObserver
from skilltrial_observer_otel.spans import observed

HOST = HostIdentity(name="codex", version="1.2", records="codex", model="m-1", program_sha256="a" * 64)
RUN = RunOutline(id="run-1", suite="notes", suite_sha256="b" * 64, host=HOST, trials=2, scripted=False)
ONE = TrialKey(case="save", arm="with_skill", label="1")
TWO = TrialKey(case="save", arm="without_skill", label="1")
WORDS = {
    "gen_ai.operation.name",
    "gen_ai.agent.name",
    "gen_ai.agent.version",
    "gen_ai.request.model",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "error.type",
}


@pytest.fixture
def seen():
    """The finished spans of a run with two trials, one of which failed; and of one that was interrupted."""
    exporter = InMemorySpanExporter()
    with observed(RUN, SimpleSpanProcessor(exporter)) as observer:
        observer.trial_started(ONE)
        observer.trial_started(TWO)
        for turn in (1, 2):
            observer.turn_started(ONE, turn)
            observer.turn_ended(ONE, turn)
        observer.turn_started(TWO, 1)
        observer.trial_sealed(ONE, TrialTold(Ending.COMPLETED, None, None, 100, 20, Decimal("0.25"), Decimal("0.25")))
        observer.trial_sealed(TWO, TrialTold(Ending.HOST_FAILED, Cause.RATE_LIMIT, Owner.MODEL))
        observer.trial_started(TWO)
    return exporter.get_finished_spans()


def named(spans, name):
    return [span for span in spans if span.name == name]


def test_a_run_its_trials_and_their_turns_are_spans_below_each_other(seen):
    (run,) = named(seen, "skilltrial.run")
    trials = named(seen, "invoke_agent codex")
    turns = named(seen, "skilltrial.turn")

    assert len(trials) == 3
    assert {span.parent.span_id for span in trials} == {run.context.span_id}
    assert len(turns) == 3
    assert {span.parent.span_id for span in turns} <= {span.context.span_id for span in trials}
    assert all(span.end_time is not None for span in seen)
    assert run.attributes["skilltrial.trials.sealed"] == 2
    assert {span.context.trace_id for span in seen} == {run.context.trace_id}


def test_a_trial_is_told_by_the_conventions(seen):
    done, failed, cut = named(seen, "invoke_agent codex")

    assert done.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert (done.attributes["gen_ai.agent.name"], done.attributes["gen_ai.agent.version"]) == ("codex", "1.2")
    assert done.attributes["gen_ai.request.model"] == "m-1"
    assert done.attributes["gen_ai.usage.input_tokens"] == 100
    assert done.attributes["gen_ai.usage.output_tokens"] == 20
    assert done.attributes["skilltrial.cost_usd"] == 0.25
    assert done.status.status_code is StatusCode.UNSET
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes["error.type"] == "rate_limit"
    # What is not known is not told: it is no zero.
    assert "gen_ai.usage.input_tokens" not in failed.attributes
    assert cut.attributes["skilltrial.interrupted"] is True


def test_nothing_but_names_digests_and_counts_is_told(seen):
    for span in seen:
        assert {name for name in span.attributes if not name.startswith("skilltrial.")} <= WORDS
        assert all(isinstance(value, str | int | float | bool) for value in span.attributes.values())
        assert "/" not in json.dumps(dict(span.attributes))
        assert span.events == ()


@pytest.mark.parametrize("endpoint", ["127.0.0.1:4318", "ftp://x/y", "", "http://user:secret@host/v1/traces"])
def test_an_endpoint_that_is_none_is_refused(endpoint):
    with pytest.raises(ValidationError) as error:
        OtelObserver(endpoint=endpoint)

    assert "OTLP receiver" in str(error.value) or "no credential" in str(error.value)


def test_without_an_endpoint_nothing_is_sent():
    nothing: dict[str, Any] = {}

    with pytest.raises(ValidationError):
        OtelObserver(**nothing)
