"""A sealed archive, seen with other checks than those that it was run with.

What was executed is the archive's; only the questions are others. Such a judgement decides no gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skilltrial.model.facts import Provenance
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.suite import Case, Suite
from skilltrial.model.trial import TrialKey

from .views import ArchiveView, TrialView

LABEL = "Checks changed after the run: this judgement decides no gate."
"""How every such report begins."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """`archive` with the checks of `suite`, and with the suite files that these name."""

    archive: ArchiveView
    suite: Suite
    assets: Mapping[str, bytes]

    @property
    def manifest_sha256(self) -> str:
        """Digest of the manifest."""
        return self.archive.manifest_sha256

    @property
    def plan(self) -> Plan:
        """What was executed."""
        return self.archive.plan

    @property
    def parts(self) -> tuple[PartIdentity, ...]:
        """The parts that were recorded."""
        return self.archive.parts

    @property
    def provenance(self) -> Provenance:
        """Where, when and with what it happened."""
        return self.archive.provenance

    def skill_body(self, skill: str) -> str:
        """The text of a skill's SKILL.md as it was installed."""
        return self.archive.skill_body(skill)

    def trial(self, key: TrialKey) -> TrialView | None:
        """The sealed trial."""
        return self.archive.trial(key)


def with_checks(archived: Suite, edited: Suite) -> Suite:
    """The archived suite with the checks of the edited one, case by case."""
    checks = {case.id: case.checks for case in edited.cases}
    return archived.model_copy(
        update={"cases": tuple(case.model_copy(update={"checks": checks[case.id]}) for case in archived.cases)}
    )


def differences(archived: Suite, edited: Suite) -> Iterator[str]:
    """What beside checks the edited suite asks otherwise, each with its case: evidence of the one is none of the other.

    Folders and files are compared by whoever reads them.
    """
    for what, one, other in (
        ("the skills", _skills(archived), _skills(edited)),
        ("the arms", archived.arms, edited.arms),
        ("the limits", archived.limits, edited.limits),
        ("the permissions (`allow`)", archived.allow, edited.allow),
        ("the passed variables (`env`)", archived.env, edited.env),
        ("the fixtures", archived.fixtures, edited.fixtures),
    ):
        if one != other:
            yield f"{what} are others than those of the run"
    cases = {case.id: case for case in edited.cases}
    for case in archived.cases:
        if case.id not in cases:
            yield f"case {case.id!r} is not there any more"
        else:
            yield from _case(case, cases[case.id])


def _skills(suite: Suite) -> list[str]:
    return [skill.id for skill in suite.skills]


def _case(one: Case, other: Case) -> Iterator[str]:
    asked = ("turns", "polarity", "needs", "ignore", "stage", "setup", "after", "fixtures")
    words = {"turns": "prompt"}
    for name in asked:
        if getattr(one, name) != getattr(other, name):
            yield f"case {one.id!r}: its `{words.get(name, name)}` is another than that of the run"
