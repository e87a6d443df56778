"""A run that grows while it goes on: a case that fails its first attempt is run again, as the gate says.

Recording and judging do not know each other; this joins them, as `rehearsal` does. Nothing of it is believed later:
the judge finds out from the sealed archive alone which trials the rule asks for, and whether they are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skilltrial.archive.running import RunningArchive
from skilltrial.judge.gate import FIRST, repeats
from skilltrial.judge.grading import judge_some
from skilltrial.model.plan import Plan
from skilltrial.model.trial import TrialKey
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.normalizers import Normalizers


@dataclass(frozen=True)
class MajorityRepeats:
    """What a `majority_of` gate adds. Any other gate adds nothing."""

    discovery: Discovery

    def after(self, root: Path, plan: Plan) -> tuple[TrialKey, ...]:
        """The repeats of first attempts that are sealed and failed, without those that are planned already."""
        archive = RunningArchive(root, plan)
        gate = archive.suite.gate
        if gate.majority_of is None or plan.mode != "run":
            return ()
        planned = set(plan.trials)
        asked = {key.case for key in plan.repeats}
        firsts = [key for key in plan.trials if key.arm == gate.arm and key.label == FIRST and key.case not in asked]
        judged = judge_some(archive, firsts, Graders(self.discovery), Normalizers(self.discovery))
        return tuple(key for key in repeats(gate, judged) if key not in planned)
