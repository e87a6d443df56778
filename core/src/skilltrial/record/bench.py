"""What all trials of a run share."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from skilltrial.archive.redaction import Redactor
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.observing import Observer
from skilltrial.model.suite import Suite
from skilltrial.model.trial import FixtureRun, ModelRun, Script, TrialKey
from skilltrial.plugins.facades import HostFacade

from .endings import EndReader
from .ignoring import Ignore
from .preparing import PreparedSkill, Project
from .programs.leftbehind import Register
from .programs.supervisor import Supervisor
from .stopping import Conduct


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
    places: Register = field(default_factory=lambda: Register(None))
    """Where places are noted, so that they are found if this process is killed."""
    fixtures: Mapping[str, FixtureRun] = field(default_factory=dict)
    models: ModelRun | None = None
    scripts: Mapping[TrialKey, Script] = field(default_factory=dict)
    allow_commands: bool = False
    observer: Observer = field(default_factory=Observer)
    base: Path | None = None
    gate: threading.Lock = field(default_factory=threading.Lock)
    """File work goes through here, one trial at a time: concurrent small writes cost more CPU than they save time."""

    @cached_property
    def ignoring(self) -> Mapping[tuple[str, str], Ignore]:
        """What is left out of the listings of a case in an arm."""
        return {
            (case, arm): Ignore((*self.suite.case(case).ignore, *self.ignore), kept=project.skills.values())
            for (case, arm), project in self.projects.items()
        }
