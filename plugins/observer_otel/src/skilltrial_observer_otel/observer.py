"""The observer `otel`: sends spans to the endpoint that was named for this run, and to nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from skilltrial.api import Observer, RunOutline


def _endpoint(address: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise ValueError(
            "it must be the address of an OTLP receiver over HTTP, such as http://127.0.0.1:4318/v1/traces"
        )
    if "@" in address.split("/")[2]:
        raise ValueError("it must hold no credential; the receiver's are given by OTEL_EXPORTER_OTLP_HEADERS")
    return address


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class OtelObserver:
    """A span for the run, below it one for each trial, below that one for each turn."""

    endpoint: Annotated[str, AfterValidator(_endpoint)]
    """Where the spans go, such as `http://127.0.0.1:4318/v1/traces`."""
    seconds: Annotated[float, Field(gt=0, le=60)] = 5
    """How long the receiver may take to answer."""

    def open_observer(self, run: RunOutline) -> AbstractContextManager[Observer]:
        """See ObserverSpec."""
        return self._open(run)

    @contextmanager
    def _open(self, run: RunOutline) -> Iterator[Observer]:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from .spans import observed

        exporter = OTLPSpanExporter(endpoint=self.endpoint, timeout=self.seconds)
        with observed(run, BatchSpanProcessor(exporter, export_timeout_millis=self.seconds * 1000)) as observer:
            yield observer
