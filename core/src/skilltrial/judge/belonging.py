"""Whether a trial's records are those of this trial, and whole: its prompts, its programs, its arm's skills."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.model.capabilities import Sees
from skilltrial.model.evidence import Files
from skilltrial.model.notes import (
    Exited,
    Interrupted,
    LimitHit,
    Note,
    PluginPlaced,
    SkillPlaced,
    Spawned,
    TurnSent,
)
from skilltrial.model.plan import SkillIdentity
from skilltrial.model.records import Record
from skilltrial.model.suite import Case
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind, Owner

from .discovery import Doubt, Installed
from .noted import Noted
from .purity import Canaries
from .views import TrialView


@dataclass(frozen=True, slots=True)
class Expected:
    """What the plan says of a trial's arm and case."""

    case: Case
    skills: Mapping[str, SkillIdentity]
    """The arm's skills by the name under which they are installed."""
    kind: EvidenceKind
    sees: frozenset[Sees]
    fixtures: tuple[str, ...]
    """Names of the suite's fixtures."""
    canaries: Canaries
    plugin: Installed | None = None
    """The arm's plugin; None where the program was given none to install."""


def foreign(key: TrialKey, trial: TrialView, told: Noted, expected: Expected) -> Doubt | None:
    """Why the records can't be taken for this trial's; None where nothing speaks against it."""
    noted = told.notes
    if trial.facts.key != key:
        return "evidence_of_another_trial", Owner.OPERATOR
    if not all(map(_numbered, (told.records, *trial.fixture_records().values()))):
        return "record_lost", Owner.OPERATOR
    if not _as_planned(noted, expected.case):
        return "prompt_not_as_planned", Owner.OPERATOR
    if expected.kind is EvidenceKind.IMPORTED:
        return None  # nothing ran here, so nothing was started or placed
    if not _ended(noted):
        return "program_without_end", Owner.OPERATOR
    return _laid(noted, trial, expected)


def _laid(noted: Sequence[Note], trial: TrialView, expected: Expected) -> Doubt | None:
    """Why what lay in the place is not what was planned."""
    if not _placed(noted, expected.skills):
        return "skill_not_placed", Owner.OPERATOR
    if not _plugged(noted, expected.plugin.sha256 if expected.plugin is not None else None):
        return "plugin_not_placed", Owner.OPERATOR
    if trial.facts.listing_complete and not _lies_there(noted, trial.files()):
        return "skill_not_placed", Owner.OPERATOR
    return None


def _numbered(records: Iterable[Record]) -> bool:
    """Whether no number is missing or comes twice."""
    return all(record.seq == at for at, record in enumerate(records, 1))


def _as_planned(noted: Iterable[Note], case: Case) -> bool:
    """Whether each prompt of the case was sent once, in its turn."""
    sent = [(note.turn, note.prompt_sha256) for note in noted if isinstance(note, TurnSent)]
    return sent == [(turn, _digest(prompt)) for turn, prompt in enumerate(case.turns, 1)]


def _digest(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()


def _ended(noted: Iterable[Note]) -> bool:
    """Whether each program that was started came to an end that was noted, and none ended that was not started."""
    count = Counter(type(note) for note in noted)
    return count[Spawned] == count[Exited] + count[LimitHit] + count[Interrupted]


def _placed(noted: Iterable[Note], skills: Mapping[str, SkillIdentity]) -> bool:
    """Whether what was placed is what the arm has: no skill more, none less, and each with its content."""
    placed = sorted((note.skill, note.sha256, note.body_sha256) for note in noted if isinstance(note, SkillPlaced))
    return placed == sorted((name, one.sha256, one.body_sha256) for name, one in skills.items())


def _lies_there(noted: Sequence[Note], files: Files) -> bool:
    """Whether the project, or the plugin, held the body of each skill before the first prompt."""
    there = {path: entry.sha256 for path, entry in files.before.items()}
    for note in noted:
        if isinstance(note, PluginPlaced):
            there |= {f"{note.path}/{path}": digest for path, digest in note.files.items()}
    bodies = ((f"{note.path}/SKILL.md", note.body_sha256) for note in noted if isinstance(note, SkillPlaced))
    return all(there.get(path) == digest for path, digest in bodies)


def _plugged(noted: Iterable[Note], plugin: str | None) -> bool:
    """Whether the plugin that lay there is the arm's, and none where there is to be none."""
    return [note.sha256 for note in noted if isinstance(note, PluginPlaced)] == ([plugin] if plugin else [])
