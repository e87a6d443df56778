"""Which trials will run, in which order, and which are skipped with what reason."""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.archive.trees import sha256
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.part import canonical
from skilltrial.model.plan import Plan, SkillIdentity, Skip
from skilltrial.model.suite import Arm, Case, Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import BUILT_IN_AGENTS


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a suite is wanted. Empty means all; `attempts` None means what the suite says.

    `rehearsals` are ids of scripts, built-in agents among them.
    """

    cases: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    attempts: int | None = None
    seed: int = 0
    jobs: int = 4
    rehearsals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digests:
    """Digests of what the trials are made from."""

    suite: str
    workspaces: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[SkillIdentity, ...] = ()


FixtureNeeds = Sequence[frozenset[Can]]
"""For each fixture of the suite what a host must be able to do: one of these."""


def plan_run(
    suite: Suite,
    identity: HostIdentity,
    selection: Selection,
    digests: Digests,
    run: str,
    needs: FixtureNeeds = (),
) -> Plan:
    """Plan live trials: cases × arms × attempts. Raises InvalidRequest for unknown names."""
    cases, arms = _selected(suite, selection)
    attempts = selection.attempts or suite.attempts
    if suite.gate.majority_of is not None and attempts != 1:
        raise InvalidRequest(
            f"the gate {suite.gate.rule} repeats a case that fails by itself and wants one attempt, not {attempts}: "
            "say --attempts 1, or another --gate"
        )
    labels = {case.id: {arm.id: [str(n + 1) for n in range(attempts)] for arm in arms} for case in cases}
    return _plan(suite, identity, selection, digests, run, "run", cases, arms, labels, needs)


def plan_rehearsal(  # noqa: PLR0913, PLR0917 - what a plan is made of
    suite: Suite,
    identity: HostIdentity,
    selection: Selection,
    digests: Digests,
    run: str,
    model: str,
    needs: FixtureNeeds = (),
) -> Plan:
    """Plan rehearsals: every script of a case, and the built-in agents, in each arm they apply to.

    Raises InvalidRequest for unknown names, and where nothing of what was asked for is left.
    """
    cases, arms = _selected(suite, selection)
    wanted = selection.rehearsals
    known = dict.fromkeys((*(one.id for case in cases for one in case.rehearsals), *BUILT_IN_AGENTS))
    _refuse_unknown("rehearsal", wanted, known)
    labels = {
        case.id: {
            arm.id: [
                label
                for label in (
                    *(one.id for one in case.rehearsals if one.expected(arm.id) is not None),
                    *BUILT_IN_AGENTS,
                )
                if not wanted or label in wanted
            ]
            for arm in arms
        }
        for case in cases
    }
    if wanted and not any(row for by_arm in labels.values() for row in by_arm.values()):
        raise InvalidRequest(f"no arm that was asked for plays {' or '.join(map(repr, wanted))}")
    plan = _plan(suite, identity, selection, digests, run, "rehearse", cases, arms, labels, needs)
    return plan.model_copy(update={"model": model, "narrowed": plan.narrowed or bool(wanted)})


def _plan(  # noqa: PLR0913, PLR0917 - private, one caller a mode
    suite: Suite,
    identity: HostIdentity,
    selection: Selection,
    digests: Digests,
    run: str,
    mode: Literal["run", "rehearse"],
    cases: Sequence[Case],
    arms: Sequence[Arm],
    labels: Mapping[str, Mapping[str, Sequence[str]]],
    needs: FixtureNeeds,
) -> Plan:
    skips = {case.id: skip_reason(case, identity, needs) for case in cases}
    runnable = [case for case in cases if skips[case.id] is None]
    return Plan(
        run=run,
        mode=mode,
        suite=suite.id,
        suite_sha256=digests.suite,
        cases={case.id: sha256(canonical(case.model_dump(mode="json"))) for case in suite.cases},
        workspaces=dict(digests.workspaces),
        skills=digests.skills,
        arms=tuple(arm.id for arm in arms),
        host=identity,
        seed=selection.seed,
        jobs=selection.jobs,
        attempts=selection.attempts or suite.attempts,
        trials=tuple(order(runnable, arms, labels, selection.seed)),
        skips=tuple(
            Skip(key=TrialKey(case=case.id, arm=arm.id, label=label), reason=reason)
            for case in cases
            if (reason := skips[case.id]) is not None
            for arm in arms
            for label in labels[case.id][arm.id]
        ),
        narrowed=len(cases) < len(suite.cases) or len(arms) < len(suite.arms),
    )


def order(
    cases: Sequence[Case], arms: Sequence[Arm], labels: Mapping[str, Mapping[str, Sequence[str]]], seed: int
) -> Iterable[TrialKey]:
    """Interleave, by the seed: rounds of one label a case and arm, arms of a case next to each other.

    So what drifts during a run (a provider's load, a cache) meets all arms alike. `stage: last` comes last.
    """
    chance = random.Random(seed)  # noqa: S311 - an order, not a secret
    for stage in ("any", "last"):
        rounds = max((len(row) for by_arm in labels.values() for row in by_arm.values()), default=0)
        for at in range(rounds):
            staged = [case for case in cases if case.stage == stage]
            chance.shuffle(staged)
            for case in staged:
                present = [arm for arm in arms if at < len(labels[case.id][arm.id])]
                chance.shuffle(present)
                for arm in present:
                    yield TrialKey(case=case.id, arm=arm.id, label=labels[case.id][arm.id][at])


def skip_reason(case: Case, identity: HostIdentity, fixtures: FixtureNeeds = ()) -> str | None:
    """Why a host can't run a case, as a word; None where it can."""
    for wanted in fixtures:
        if wanted and not wanted & identity.can:
            return f"needs_{min(wanted)}"
    needs: list[Can] = list(case.needs)
    if len(case.turns) > 1:
        needs.append(Can.MULTI_TURN)
    lacking = sorted({need.value for need in needs if need not in identity.can})
    return f"needs_{lacking[0]}" if lacking else None


def _selected(suite: Suite, selection: Selection) -> tuple[list[Case], list[Arm]]:
    known_cases = {case.id: case for case in suite.cases}
    known_arms = {arm.id: arm for arm in suite.arms}
    _refuse_unknown("case", selection.cases, known_cases)
    _refuse_unknown("arm", selection.arms, known_arms)
    cases = [case for id, case in known_cases.items() if not selection.cases or id in selection.cases]
    arms = [arm for id, arm in known_arms.items() if not selection.arms or id in selection.arms]
    return cases, arms


def _refuse_unknown(kind: str, asked: Iterable[str], known: Mapping[str, object]) -> None:
    for name in asked:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has: {', '.join(known)}"
            raise InvalidRequest(f"the suite has no {kind} {name!r}; {hint}")
