"""What judging wants to see of an archive, and whom it asks. `archive.reading` fits; tests bring their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from skilltrial.model.checks import CheckOptions
from skilltrial.model.evidence import CommandResult, Files
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.records import Record
from skilltrial.model.suite import Check, Suite
from skilltrial.model.trial import TrialKey
from skilltrial.plugins.facades import GraderFacade, NormalizerFacade


class TrialView(Protocol):
    """One sealed trial. Every method reads when it is called."""

    @property
    def facts(self) -> TrialFacts:
        """What the runner wrote."""

    def records(self) -> Sequence[Record]:
        """The host's records."""

    def earlier_tries(self) -> Sequence[Sequence[Record]]:
        """The host's records of each earlier try of this trial, in order."""

    def fixture_records(self) -> Mapping[str, Sequence[Record]]:
        """What each fixture put on record, by its name in the suite."""

    def model_records(self) -> Sequence[Record]:
        """The model endpoint's records; none in a live run."""

    def answers(self) -> Sequence[str]:
        """What each turn returned to the runner."""

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

    @property
    def provenance(self) -> Provenance:
        """Where, when and with what it happened."""

    def trial(self, key: TrialKey) -> TrialView | None:
        """The sealed trial, or None where there is no seal."""

    def skill_body(self, skill: str) -> str:
        """The text of the SKILL.md of a skill (`id` or `id@previous`) as it was installed."""

    @property
    def assets(self) -> Mapping[str, bytes]:
        """Suite files that checks name: path beside the suite → bytes."""


class GraderSource(Protocol):
    """Where graders are found."""

    def find(self, name: str) -> GraderFacade:
        """The bound grader. Raises InvalidRequest where there is none."""

    def read_check(self, check: Check) -> CheckOptions:
        """The options of a check. Raises InvalidRequest where they do not fit its grader."""


class NormalizerSource(Protocol):
    """Where normalizers are found."""

    def find(self, name: str) -> NormalizerFacade:
        """The bound normalizer. Raises InvalidRequest where there is none."""
