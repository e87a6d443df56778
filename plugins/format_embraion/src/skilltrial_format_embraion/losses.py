"""What becomes of a suite's meaning: which rules are kept, which mean something else, which have no counterpart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from skilltrial.api import Losses

from .checks import KINDS, RULES, changes, ignored
from .sources import never_installed
from .written import WrittenSuite

_RUN = (
    "a session that does not end well makes its trial incomplete and the exit code 3; there it was a failed one and 1",
    "a baseline or previous session that does not end well makes the run incomplete; there only the candidate decided",
    "a host's fault is tried again (`--retries 0` turns that off); there every session had one try",
    "the order of the sessions is drawn and recorded; there it was fixed",
    "changes in __pycache__/, .git/, node_modules/, .venv/ and in the agent's own state do not count; there they did",
    "each session has a home folder of its own; there it had the user's",
    "executable bits and empty folders of fixtures and skills are kept; there both were lost",
    "links, more than 200 files or 2000000 bytes in the project afterwards are listed; there they voided the grading",
    "only named variables reach the agent (`--pass-env`); there it had the whole environment",
)
"""What differs in every run, whatever the suite says."""


def losses(suite: WrittenSuite, folder: Path, skills: Path) -> Losses:
    """What is converted, changed and dropped; fixtures lie below `folder`, the sources of skills below `skills`."""
    return Losses(
        converted=tuple(_converted(suite)),
        changed=(*_changed(suite, folder), *_RUN),
        dropped=tuple(_dropped(suite, skills)),
    )


def _converted(suite: WrittenSuite) -> Iterator[str]:
    third = " and `previous` became `previous`" if suite.skills[0].previous else ""
    yield f"the variants `baseline` and `candidate` became the arms `without_skill` and `with_skill`{third}"
    yield "the candidate decides: the gate's arm is `with_skill`, and every trial of it must pass"
    yield f"{len(suite.cases)} cases with their prompts, polarities and fixtures, untouched"
    counts: Counter[str] = Counter(check.type for case in suite.cases for check in case.checks)
    for kind, asked_by in KINDS.items():
        if counts[kind]:
            yield f"{counts[kind]} of `{kind}` became checks of the grader `files` with {asked_by}"
    yield "standard output and standard error may each have 2000000 bytes"


def _changed(suite: WrittenSuite, folder: Path) -> Iterator[str]:
    kinds = {check.type for case in suite.cases for check in case.checks}
    for kind, rule in RULES.items():
        if kind in kinds:
            yield f"`{kind}`: {rule}"
    for case in suite.cases:
        for number, check in enumerate(case.checks):
            for told in changes(check, folder / case.fixture):
                yield f"case {case.id}, check {number} (`{check.type}`): {told}"
        if looked_at := ignored(case)[1]:
            yield f"case {case.id}: {', '.join(looked_at)} is not ignored, since a check looks there"


def _dropped(suite: WrittenSuite, skills: Path) -> Iterator[str]:
    for skill in suite.skills:
        for path in (skill.candidate, skill.previous):
            if path is not None and never_installed(skills / path):
                yield f"skill {skill.id}: `evals/` and suite files in its folder are not installed"
                break
