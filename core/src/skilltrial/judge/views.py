"""What judging wants to see of an archive, and whom it asks. `archive.reading` fits; tests bring their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from skilltrial.model.evidence import CommandResult, Files
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.records import Record
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey
from skilltrial.plugins.facades import GraderFacade, NormalizerFacade


class FactsView(Protocol):
    """What the runner wrote of one trial. Durations are seconds."""

    @property
    def setup_seconds(self) -> float:
        """How long the place took to prepare."""

    @property
    def agent_seconds(self) -> float:
        """How long the program had."""

    @property
    def tries(self) -> int:
        """How often the trial was started until it was sealed."""

    @property
    def redactions(self) -> int:
        """How many credential values were replaced in what is kept."""


class TrialView(Protocol):
    """One sealed trial. Every method reads when it is called."""

    @property
    def facts(self) -> FactsView:
        """What the runner wrote."""

    def records(self) -> Sequence[Record]:
        """The host's records."""

    def model_records(self) -> Sequence[Record]:
        """The model endpoint's records; none in a live run."""

    def files(self) -> Files:
        """The project before and after."""

    def after(self) -> tuple[CommandResult, ...]:
        """Results of the case's `after` commands."""


class ArchiveView(Protocol):
    """A sealed archive whose bytes were verified."""

    @property
    def manifest_sha256(self) -> str:
        """Digest of the manifest."""

    @property
    def plan(self) -> Plan:
        """What was to be executed."""

    @property
    def suite(self) -> Suite:
        """What was asked, in its long form."""

    @property
    def parts(self) -> tuple[PartIdentity, ...]:
        """The parts that were recorded."""

    def trial(self, key: TrialKey) -> TrialView | None:
        """The sealed trial, or None where there is no seal."""

    def asset(self, path: str) -> bytes:
        """A suite file that a check names."""


class GraderSource(Protocol):
    """Where graders are found."""

    def find(self, name: str) -> GraderFacade:
        """The bound grader. Raises InvalidRequest where there is none."""


class NormalizerSource(Protocol):
    """Where normalizers are found."""

    def find(self, name: str) -> NormalizerFacade:
        """The bound normalizer. Raises InvalidRequest where there is none."""
