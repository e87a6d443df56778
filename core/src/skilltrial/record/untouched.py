"""What the checks of a case say where nothing was done: a case that holds then can't fail."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skilltrial.archive.trees import Tree
from skilltrial.model.capabilities import Sees
from skilltrial.model.errors import InvalidRequest, SkilltrialError
from skilltrial.model.evidence import Evidence, Files
from skilltrial.model.suite import Case
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending, Outcome

from .gathering import Gatherer
from .loading import Loaded
from .suitefile.checking import GraderDirectory

WORD = "Done."
"""All that an agent says that does nothing."""


def can_not_fail(loaded: Loaded, case: Case, graders: GraderDirectory) -> bool:
    """Whether an agent that does nothing passes `case` in the gate's arm. False where that can't be told."""
    arm = loaded.suite.gate.arm
    asked = [check for check in case.checks if not check.advisory and (check.arms is None or arm in check.arms)]
    if not asked:
        return False
    try:
        tree = Gatherer(loaded.suite, loaded.root, loaded.path, loaded.skills_root).workspace(case.workspace)
    except SkilltrialError:
        return False
    return all(_holds(loaded, case, check.id, check.grader, graders, tree) for check in asked)


def _holds(loaded: Loaded, case: Case, check: str, grader: str, graders: GraderDirectory, tree: Tree) -> bool:
    options = loaded.checks[case.id, check]
    evidence = _idle(loaded, case, tree, _assets(loaded.root, options.assets()))
    try:
        return graders.find(grader).grade(options, evidence).outcome is Outcome.PASSED
    except (InvalidRequest, OSError, ValueError, KeyError, TypeError):
        return False


def _assets(root: Path, paths: tuple[str, ...]) -> Mapping[str, bytes]:
    return {path: (root / path).read_bytes() for path in paths if (root / path).is_file()}


def _idle(loaded: Loaded, case: Case, tree: Tree, assets: Mapping[str, bytes]) -> Evidence:
    """The evidence of a session that went to its end and did nothing, on a host that shows everything."""
    return Evidence(
        key=TrialKey(case=case.id, arm=loaded.suite.gate.arm, label="null"),
        identity=HostIdentity(name="null", sees=frozenset(Sees), records="none"),
        sees=frozenset(Sees),
        ending=Ending.COMPLETED,
        events=(),
        files=Files(before=tree.by_path, after=tree.by_path, changes=(), contents=tree.contents),
        answers=dict.fromkeys(range(1, len(case.turns) + 1), WORD),
        turns=len(case.turns),
        assets=assets,
    )
