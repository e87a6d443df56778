"""How far a skill came, as a ladder: installed, offered, requested, read, script run; and whether a load failed.

A rung is *observed*, *not observed* where the records of that way of loading are complete, else it is unverified.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from skilltrial.api import CheckOptions, CheckResult, Event, Evidence, Offered, Sees, SkillStep, Step
from skilltrial.checks.wording import cut

from .attempts import hides_calls
from .describing import Name
from .reasons import Reason, failed, unverified

Rung = Literal["installed", "offered", "requested", "read", "script_run", "errored"]

_NEEDS: dict[Rung, Sees] = {
    "offered": Sees.SKILL_OFFERS,
    "requested": Sees.SKILL_READS,
    "read": Sees.SKILL_READS,
    "script_run": Sees.SKILL_READS,
    "errored": Sees.SKILL_READS,
}
"""What a program must show, all of it, for a rung that was not seen to be one that was not reached."""


class State(StrEnum):
    """What is known of a rung."""

    OBSERVED = "observed"
    NOT_OBSERVED = "not_observed"
    UNVERIFIED = "unverified"


class LadderCheck(CheckOptions):
    """A skill reached a rung of the ladder, or did not."""

    skill_step: Rung
    skill: Name
    reached: bool = True

    def sentence(self) -> str:
        """See CheckOptions."""
        step = "a script of it run" if self.skill_step == "script_run" else self.skill_step
        return f"the skill {cut(self.skill)} is {'' if self.reached else 'not '}{step}"


def step_is_as_said(check: LadderCheck, evidence: Evidence) -> CheckResult:
    """Answer a LadderCheck."""
    state = ladder(evidence, check.skill)[check.skill_step]
    if state is State.UNVERIFIED:
        raise unverified(Reason.STEP_NOT_SHOWN)
    if (state is State.OBSERVED) is not check.reached:
        raise failed(Reason.STEP_NOT_REACHED if check.reached else Reason.STEP_REACHED)
    return CheckResult.passed()


def ladder(evidence: Evidence, skill: str) -> dict[Rung, State]:
    """What is known of each rung of a skill. What lies in the project was listed, and hides from nobody."""
    seen = set(_seen(evidence.events, skill))
    # Whoever ran a script of it or read it had asked for it; whoever asked had been offered it, or knew its path.
    if seen & {"read", "script_run"}:
        seen.add("requested")
    whole = not any(hides_calls(event) or _hides_reads(event) for event in evidence.events)
    states: dict[Rung, State] = {
        "installed": State.OBSERVED
        if any(path.endswith(f"/{skill}/SKILL.md") for path in evidence.files.before)
        else State.NOT_OBSERVED
        if evidence.files.complete
        else State.UNVERIFIED
    }
    for rung, needed in _NEEDS.items():
        if rung in seen:
            states[rung] = State.OBSERVED
        else:
            states[rung] = State.NOT_OBSERVED if whole and needed in evidence.sees else State.UNVERIFIED
    # Asked for, and neither read nor failed: whether the body came is then not told.
    if "requested" in seen and not seen & {"read", "script_run", "errored"}:
        states["read"] = states["errored"] = State.UNVERIFIED
    return states


def _seen(events: Iterable[Event], skill: str) -> list[Rung]:
    rungs: dict[Step, Rung] = {
        Step.OFFERED: "offered",
        Step.REQUESTED: "requested",
        Step.ERRORED: "errored",
        Step.READ: "read",
        Step.SCRIPT_RUN: "script_run",
    }
    found: list[Rung] = []
    for event in events:
        if isinstance(event, SkillStep) and event.skill == skill and event.step in rungs:
            found.append(rungs[event.step])
        elif isinstance(event, Offered) and skill in (event.skills or ()):
            found.append("offered")
    return found


def _hides_reads(event: Event) -> bool:
    return getattr(event, "why", None) == "shell_command"
