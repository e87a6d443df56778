"""What it all amounted to. A report holds no prompt, answer, path or source text: it may be shown to anybody.

Every number has its n beside it. What was not seen is null, never zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from .capabilities import Can, Sees
from .errors import Exit
from .events import Step
from .packaged import PluginIdentity
from .part import Part, Sha256, Slug, canonical_pieces
from .plan import PartIdentity, SkillIdentity
from .trial import TrialKey
from .words import Cause, Ending, EvidenceKind, Outcome, Owner, VerdictKind

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A reason, of a closed set of the part that gave it. Never a sentence."""
Count = Annotated[int, Field(ge=0)]
Polarity = Literal["positive", "negative"]


UNNAMED = "unnamed"
"""Stands for a name or a reason that is none."""


def word(text: str) -> str:
    """`text` where it is a word, else `unnamed`: what a part says must not carry text of a trial into a report."""
    return text if _WORD.fullmatch(text) else UNNAMED


class Verdict(Part):
    """Of a trial. All but `passed` have a reason and an owner; `check` is the check that decided, where one did."""

    kind: VerdictKind
    reason: Word | None = None
    owner: Owner | None = None
    check: Slug | None = None


class CheckReport(Part):
    """The answer to one check. An advisory one takes no part in the verdict."""

    id: Slug
    grader: Slug
    outcome: Outcome
    reason: Word
    owner: Owner | None = None
    advisory: bool = False


class TriggerReport(Part):
    """What is known of one skill in one trial. `present` says whether the arm has it.

    `evidence` is `read-observed`, or `unverified` for `reason`; `reached` is how far it came, `steps` all that was
    seen of it. Outside the verdict.
    """

    skill: Slug
    present: bool
    evidence: Literal["read-observed", "unverified"]
    reason: Word | None = None
    reached: Step | None = None
    steps: tuple[Step, ...] = ()


class UsageReport(Part):
    """Tokens and cost (US dollars) of a whole trial; null where any turn's count is unknown.

    `accounting` names how this host counts; counts of different words are never added up.
    """

    accounting: str | None = None
    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    reasoning: Count | None = None
    cost: str | None = None


class Ran(Part):
    """What a trial really ran with: alike in all arms, since they differ in nothing but skills.

    Digests of the programs' arguments, of what the host laid into the home, of the project without the arm's skills,
    of the plugin without them, and of the fixtures' lists; the names of environment variables. Paths of the place,
    ports and ids of sessions are taken out before. Null where it was not recorded.
    """

    argv: Sha256 | None = None
    environment: tuple[str, ...] | None = None
    home: Sha256 | None = None
    project: Sha256 | None = None
    plugin: Sha256 | None = None
    tools: Sha256 | None = None


class TrialReport(Part):
    """One trial: planned, or skipped. `ending` is null where it left no seal."""

    key: TrialKey
    polarity: Polarity
    verdict: Verdict
    ending: Ending | None = None
    cause: Cause | None = None
    exit_codes: tuple[int, ...] = ()
    checks: tuple[CheckReport, ...] = ()
    """Empty where the ending leaves nothing to ask."""
    trigger: tuple[TriggerReport, ...] = ()
    tool_calls: Count | None = None
    usage: UsageReport | None = None
    refused_calls: Count | None = None
    """Calls that somebody did not allow; null where the host does not show it."""
    refused_asked: Count | None = None
    """Of these, calls of tools that a skill of the arm asks for, and of the scripts that it brings."""
    usage_of_earlier_tries: UsageReport | None = None
    """What tries that showed nothing cost; null where there was none, or a count is unknown."""
    reused_days: float | None = None
    """How old the trial was, in days, when it was taken over from another archive; null where it was run here."""
    models: tuple[str, ...] = ()
    """Models that were seen to answer; empty where the host does not show them."""
    ran: Ran | None = None
    setup_seconds: float | None = None
    agent_seconds: float | None = None
    tries: Count | None = None
    """How often the trial was started until it was sealed."""
    model_retries: Count | None = None
    """How often the host was seen to ask its model again."""
    redactions: Count | None = None
    unrecognized: Count | None = None
    truncated: Count | None = None


PairOutcome = Literal["improved", "regressed", "tied-pass", "tied-fail", "unavailable"]


class Pair(Part):
    """The gate's arm against another arm, on one case and attempt."""

    case: Slug
    label: str
    reference: Slug
    outcome: PairOutcome
    differs: tuple[Word, ...] = ()
    """In what the two ran differently beside the skills, in words; such a pair shows nothing."""


class PairSummary(Part):
    """The pairs of one reference arm, counted."""

    reference: Slug
    n: Count
    improved: Count
    regressed: Count
    tied_pass: Count
    tied_fail: Count
    unavailable: Count


class Counts(Part):
    """The trials of an arm (of one case, or null for all; of one polarity, or null for both), by verdict.

    `n` is the sum of the verdicts; of these `planned` were to run (the rest is skipped) and `sealed` did.
    """

    arm: Slug
    case: Slug | None = None
    polarity: Polarity | None = None
    n: Count
    planned: Count
    sealed: Count
    passed: Count
    failed: Count
    unverified: Count
    incomplete: Count
    skipped: Count


class CaseDecision(Part):
    """A case that was repeated because it failed: its trials in the gate's arm, and the one with which it was decided.

    `decided_by` is null where nothing is decided.
    """

    case: Slug
    passed: Count
    failed: Count
    undecided: Count
    decision: Literal["passed", "failed", "incomplete"]
    decided_by: TrialKey | None = None


class GateReport(Part):
    """The decision, with the exit code it leads to, why, and the trials that decided it.

    In a rehearsal `arm` is null: every promise takes part. `rule` is the gate's as `--gate` takes it.
    """

    arm: Slug | None
    decision: Literal["passed", "failed", "incomplete"]
    exit: Literal[0, 1, 3]
    reasons: tuple[Word, ...] = ()
    deciding: tuple[TrialKey, ...] = ()
    rule: str = "all"
    repeated: tuple[CaseDecision, ...] = ()
    """Of `majority_of`: the cases whose first trial failed."""

    @property
    def exit_code(self) -> Exit:
        """The exit code, as one."""
        return Exit(self.exit)


class PromiseReport(Part):
    """One rehearsal in one arm. `promised` is a verdict, or `not_passed` of an agent that must not pass.

    `why` says what was wrong where it was not kept: `verdict`, `other_check_failed`, `promised_check_held`, or the
    reason for which the trial shows nothing.
    """

    case: Slug
    rehearsal: Slug
    arm: Slug
    promised: VerdictKind | Literal["not_passed"]
    got: VerdictKind
    kept: Literal["yes", "no", "not_possible"]
    why: Word | None = None


class CaseFault(Part):
    """A case that shows nothing: no script passes it (`cannot_pass`), or an idle agent does (`cannot_fail`)."""

    case: Slug
    fault: Literal["cannot_pass", "cannot_fail"]
    agents: tuple[Slug, ...] = ()
    """The built-in agents that passed."""


class RehearsalReport(Part):
    """The promises of a suite, kept and broken."""

    promises: tuple[PromiseReport, ...]
    faults: tuple[CaseFault, ...] = ()
    unscripted: tuple[Slug, ...] = ()
    """Cases without a script: nothing shows that they can pass, or fail for the right reason."""


class Headline(Part):
    """What the run says about the skill, in one of five ways (`judge.headline` holds the rule).

    It compares the gate's arm with `reference` on the same cases and attempts: `better`, `worse`, `alike` and
    `unavailable` are pairs. `chance` is how often a difference as large comes where the skill does nothing, from "0" to
    "1"; null where nothing was compared. `cant_tell` has a reason, `proves_nothing` a reason and an owner.
    """

    says: Literal["helps", "hurts", "no_difference_seen", "cant_tell", "proves_nothing"]
    reason: Word | None = None
    owner: Owner | None = None
    reference: Slug | None = None
    better: Count = 0
    worse: Count = 0
    alike: Count = 0
    unavailable: Count = 0
    chance: str | None = None
    attempts_needed: Count | None = None
    """So many attempts could tell, were every trial to come out one way; null where the number is no obstacle."""


class HostReport(Part):
    """The program that ran, as it described itself before the first session."""

    name: Slug
    version: str | None = None
    program_sha256: Sha256 | None = None
    can: tuple[Can, ...] = ()
    sees: tuple[Sees, ...] = ()
    records: str
    model: str | None = None
    effort: str | None = None
    accounting: str | None = None


class Digests(Part):
    """What was asked, by digest. Cases are digests of their long form, workspaces and skills of their folders."""

    suite: Sha256
    cases: dict[Slug, Sha256]
    workspaces: dict[Slug, Sha256]
    skills: tuple[SkillIdentity, ...]


class Report(Part):
    """The whole report. `archive` is the digest of the manifest whose archive was judged."""

    schema_version: Literal[1] = 1
    mode: Literal["run", "rehearse"]
    evidence_kind: EvidenceKind
    suite: Slug
    run: str
    archive: Sha256
    gate: GateReport
    limitations: tuple[str, ...]
    host: HostReport
    scripted_model: str | None
    """The part that was the model; null in a live run."""
    seed: Count
    attempts: Count
    narrowed: bool
    digests: Digests
    plugin: PluginIdentity | None = None
    """The plugin that the suite brings, and which way was taken; null where it brings none."""
    counts: tuple[Counts, ...]
    pairs: tuple[Pair, ...] = ()
    pair_summary: tuple[PairSummary, ...] = ()
    headline: Headline | None = None
    """Null in a rehearsal."""
    rehearsal: RehearsalReport | None = None
    trials: tuple[TrialReport, ...]
    judge: tuple[PartIdentity, ...]
    """The parts that judged: the core, the normalizer, the graders."""

    def write(self) -> bytes:
        """See Part."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """What `write` gives, trial by trial: the values of all trials would take as much again as the report."""
        values = self.model_dump(mode="json", exclude={"trials"})
        return canonical_pieces({**values, "trials": (trial.model_dump(mode="json") for trial in self.trials)})


def report_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a report."""
    schema = Report.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "skilltrial report", **schema}
