"""What all trials of a run share."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.archive.redaction import Redactor
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.suite import Suite
from skilltrial.model.trial import ModelRun, Script, TrialKey
from skilltrial.plugins.facades import HostFacade

from .endings import EndReader
from .preparing import PreparedSkill, Project
from .stopping import Conduct
from .supervisor import Supervisor


@dataclass(frozen=True)
class Bench:
    """What all trials of a run share."""

    suite: Suite
    host: HostFacade
    ends: EndReader
    conduct: Conduct
    archive: ArchiveWriter
    supervisor: Supervisor
    redactor: Redactor
    projects: Mapping[tuple[str, str], Project]
    skills: Mapping[str, PreparedSkill]
    passed: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Environment variables that were passed through, with their values."""
    ignore: tuple[str, ...] = ()
    """The host's own state files."""
    ambient: tuple[str, ...] = ()
    models: ModelRun | None = None
    scripts: Mapping[TrialKey, Script] = field(default_factory=dict)
    allow_commands: bool = False
    base: Path | None = None
    gate: threading.Lock = field(default_factory=threading.Lock)
    """File work goes through here, one trial at a time: concurrent small writes cost more CPU than they save time."""
