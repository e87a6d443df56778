"""Where things lie in an archive."""

from __future__ import annotations

SCHEMA_VERSION = 1

MANIFEST = "manifest.json"
PLAN = "plan.json"
JOURNAL = "journal.jsonl"
REQUEST = "request.json"
"""Host, options and names of passed variables: what a resumed run needs. Never a value of a variable."""
PARTS = "parts.json"
PROVENANCE = "provenance.json"
REPORT = "report.json"
LOCK = ".lock"
NOTES = "notes.jsonl"
"""Remarks of reviewers: beside the sealed files, under no digest."""

LEFT = "left.jsonl"
"""What trials that were never sealed left on real servers, a line each."""

INPUTS = "inputs"
SUITE_SOURCE = "inputs/suite.source"
"""The suite file's bytes as written."""
SUITE = "inputs/suite.json"
"""The suite's long form."""
WORKSPACES = "inputs/workspaces"
SKILLS = "inputs/skills"
PLUGIN = "inputs/plugin.json"
"""The listing of the suite's plugin as it lay there, whichever way was taken."""
ASSETS = "inputs/assets.json"
"""Suite files that checks name: path beside the suite → digest of a blob."""
BLOBS = "inputs/blobs"
CONVERSION = "inputs/conversion.json"
"""Of a suite that was written for another tool: the format that read it, and what was converted, changed, dropped."""
PINS = "inputs/skilltrial.lock"
"""The pins of the suite's skills, as they were written when the run began."""
PART_SOURCES = "inputs/parts"
"""The source of every part that judges."""

TRIALS = "trials"
UNSEALED = "unsealed"
"""Trials that are running; what lies here after a crash is run again."""

EARLIER = "earlier"
"""Sealed trials that are being run anew."""

SEAL = "seal.json"
FACTS = "trial.json"
HOST_RECORDS = "host.jsonl"
MODEL_RECORDS = "model.jsonl"
FIXTURE_RECORDS = "fixture-"
"""Followed by the fixture's name and `.jsonl`."""
ANSWERS = "answers.json"
FILES = "files.json"
COMMANDS = "commands.json"
CHANGED = "changed"
TRIES = "tries"
"""Earlier tries of a trial, each a folder like a trial's own."""


def derived(name: str) -> bool:
    """Whether a file at the archive's root is not sealed itself: made from the sealed ones (reports), a lock, remarks.

    What a writer that was killed left of a report is one too: it must not make the evidence look changed.
    """
    report = name[1:].removesuffix(".new") if name.startswith(".") and name.endswith(".new") else name
    return name in (LOCK, NOTES) or (report.startswith("report") and report.endswith(".json"))


def workspace_listing(case: str) -> str:
    """The listing of a case's workspace."""
    return f"{WORKSPACES}/{case}.json"


def skill_listing(skill: str) -> str:
    """The listing of a skill, `id` or `id@previous`."""
    return f"{SKILLS}/{skill}.json"


def blob(sha256: str) -> str:
    """Where the bytes with this digest lie."""
    return f"{BLOBS}/{sha256}"


def fixture_records(fixture: str) -> str:
    """The records of a fixture in a trial's folder."""
    return f"{FIXTURE_RECORDS}{fixture}.jsonl"
