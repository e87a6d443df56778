"""A foreign transcript in, a sealed archive out: what others recorded is kept as it came, one trial a case.

Nothing ran here: there is no workspace, no skill and no host, and the archive's evidence is of the kind `imported`.
"""

from __future__ import annotations

import json
import platform
import secrets
from datetime import UTC, datetime
from hashlib import sha256 as _sha256
from pathlib import Path

from pydantic import ValidationError

from skilltrial import __version__
from skilltrial.archive import layout
from skilltrial.archive.lock import locked
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import sha256
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.foreign import ForeignRun, ForeignTrial
from skilltrial.model.notes import TurnSent
from skilltrial.model.part import canonical
from skilltrial.model.plan import Plan, Skip
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import TranscriptFacade
from skilltrial.plugins.judging import core_sources, judging_parts
from skilltrial.plugins.kinds import GRADER, NORMALIZER, TRANSCRIPT

IMPORTED = "The trials were recorded by others and imported; only what their transcript says is known of them."
"""What a report of such an archive says first of its limits."""


def take_in(data: bytes, reader: str, out: Path, discovery: Discovery) -> Path:
    """Make the archive `out` of a transcript, read by the installed part `reader`; return where it lies.

    Raises InvalidRequest with every fault of the transcript (nothing is written then), SourceUnusable, RunIncomplete.
    """
    run = bind(TranscriptFacade, reader, discovery.build(TRANSCRIPT, reader)).read_transcript(data)
    suite = _suite(reader, run)
    plan = _plan(run, suite, data)
    judges = judging_parts(discovery, suite, run.host.records)
    parts = (*judges, discovery.identify(TRANSCRIPT, reader))
    facts = _provenance(plan)
    with ArchiveWriter.begin(out) as archive:
        archive.write_request(suite, data, plan, parts, {})
        for name, path in _sources(suite, run, discovery).items():
            archive.write(f"{layout.PART_SOURCES}/{name}", path.read_bytes())
        archive.write_provenance(facts)
    with locked(out):
        planned = {key.case: key for key in plan.trials}
        for trial in run.trials:
            if trial.skipped is None:
                _seal(archive, planned[trial.case], suite, run, trial)
        archive.write_provenance(facts.model_copy(update={"ended": datetime.now(UTC)}))
        archive.seal()
    return out


def _suite(reader: str, run: ForeignRun) -> Suite:
    """The suite, held to what an import needs. What does not hold is a fault of the reader."""
    try:
        suite = Suite.model_validate_json(json.dumps(run.suite))
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
        raise InvalidRequest(f"transcript {reader!r}: the suite that it makes does not hold at {place}") from None
    cases = [trial.case for trial in run.trials]
    known = {case.id for case in suite.cases}
    if run.host.evidence_kind is not EvidenceKind.IMPORTED or len(suite.arms) != 1 or suite.attempts != 1:
        raise InvalidRequest(f"transcript {reader!r}: an import has one arm, one attempt and evidence `imported`")
    if len(set(cases)) < len(cases) or not known.issuperset(cases):
        raise InvalidRequest(f"transcript {reader!r}: its trials are not one for each of some of its cases")
    return suite


def _plan(run: ForeignRun, suite: Suite, data: bytes) -> Plan:
    arm = suite.arms[0].id
    keys = {case.id: TrialKey(case=case.id, arm=arm, label="1") for case in suite.cases}
    skips = {trial.case: trial.skipped for trial in run.trials if trial.skipped is not None}
    return Plan(
        run=secrets.token_hex(8),
        mode="run",
        suite=suite.id,
        suite_sha256=sha256(data),
        cases={case.id: sha256(canonical(case.model_dump(mode="json"))) for case in suite.cases},
        workspaces={},
        skills=(),
        arms=(arm,),
        host=run.host,
        seed=0,
        jobs=1,
        attempts=1,
        trials=tuple(key for case, key in keys.items() if case not in skips),
        skips=tuple(Skip(key=keys[case], reason=reason) for case, reason in skips.items()),
    )


def _provenance(plan: Plan) -> Provenance:
    return Provenance(
        started=datetime.now(UTC),
        skilltrial=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        seed=plan.seed,
        jobs=plan.jobs,
        losses=(IMPORTED,),
    )


def _sources(suite: Suite, run: ForeignRun, discovery: Discovery) -> dict[str, Path]:
    found = {**core_sources(), **discovery.sources(NORMALIZER, run.host.records)}
    for name in {check.grader for case in suite.cases for check in case.checks}:
        found |= discovery.sources(GRADER, name)
    return found


def _seal(archive: ArchiveWriter, key: TrialKey, suite: Suite, run: ForeignRun, trial: ForeignTrial) -> None:
    """Keep one trial. Its prompts count as sent: whoever recorded it says that the case was run."""
    writer = archive.open_trial(key, Redactor({}))
    for turn, prompt in enumerate(suite.case(trial.case).turns, 1):
        writer.host.turn = turn
        writer.host.note(TurnSent(turn=turn, prompt_sha256=_sha256(prompt.encode()).hexdigest()))
    for line in trial.lines:
        writer.host.record(Source.SESSION_LOG, line)
    writer.write_json(layout.FILES, {"before": [], "after": [], "gone": [], "changes": []})
    writer.write_json(layout.ANSWERS, [])
    writer.seal(TrialFacts(key=key, started=run.began, setup_seconds=0, agent_seconds=0, closing_seconds=0))
