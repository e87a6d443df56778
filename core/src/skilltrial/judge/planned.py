"""Whether an archive holds what its own suite asks for: digests show a change, and nobody signs them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from skilltrial.archive import layout
from skilltrial.archive.reading import SealedArchive
from skilltrial.archive.trees import sha256
from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.part import canonical
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind


def refuse_other_plan(archive: SealedArchive) -> None:
    """Raise ArchiveRefused where the archived suite is not the planned one, or the plan asks for less than it.

    `archived_suite_mismatch`: a case was added, taken away, doubled or changed after the run was planned.
    `incomplete_plan`: trials of the suite are neither planned nor skipped, and the plan does not say so, or a trial
    is planned twice.
    """
    _ = archive.suite, archive.plan  # refused where they can't be read at all
    for code, faults in (("archived_suite_mismatch", _cases(archive)), ("incomplete_plan", _trials(archive))):
        if told := "; ".join(faults):
            raise ArchiveRefused(f"{code}: {archive.root}: {told}")


def _cases(archive: SealedArchive) -> Iterator[str]:
    # As it was written, not as this release reads it: a later key of a case must not change an earlier digest.
    found = json.loads(archive.file(layout.SUITE))["cases"]
    planned = archive.plan.cases
    seen = Counter(case["id"] for case in found)
    yield from (f"case {id} comes twice" for id, count in seen.items() if count > 1)
    yield from (f"case {id} was never planned" for id in seen if id not in planned)
    yield from (f"case {id} is gone" for id in planned if id not in seen)
    for case in found:
        if planned.get(case["id"], digest := sha256(canonical(case))) != digest:
            yield f"case {case['id']} is not the one that was planned"


def _trials(archive: SealedArchive) -> Iterator[str]:
    plan, suite = archive.plan, archive.suite
    yield from (f"{key} is planned twice" for key, count in Counter(plan.trials).items() if count > 1)
    if plan.mode != "run" or plan.narrowed or plan.host.evidence_kind is EvidenceKind.IMPORTED:
        return  # a rehearsal plays scripts, an import holds what there was; what is narrowed says so
    keys = {*plan.trials, *(skip.key for skip in plan.skips)}
    for case in suite.cases:
        for arm in suite.arms:
            for n in range(1, plan.attempts + 1):
                key = TrialKey(case=case.id, arm=arm.id, label=str(n))
                if key not in keys:
                    yield f"{key} is not planned"
