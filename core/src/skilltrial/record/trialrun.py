"""One trial: a fresh place, a session, a listing before and after, a seal. The stop that talks with the outside."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from skilltrial.archive import layout
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import as_json
from skilltrial.archive.writing import ArchiveWriter, TrialWriter
from skilltrial.model.errors import RunIncomplete, SessionStopped
from skilltrial.model.evidence import Entry
from skilltrial.model.facts import TrialFacts
from skilltrial.model.notes import Ambient, Broke, SkillPlaced, TurnSent
from skilltrial.model.part import compact
from skilltrial.model.suite import Case, Suite
from skilltrial.model.trial import ModelEndpoint, ModelRun, Place, Script, Trial, TrialKey
from skilltrial.model.words import Owner
from skilltrial.plugins.facades import HostFacade

from .commands import run_commands
from .environment import base_environment
from .ignoring import Ignore
from .listing import Listing, changes, list_project
from .preparing import PreparedSkill, Project
from .supervisor import Supervisor
from .workspace import Folders, fresh_folders, write_tree


@dataclass(frozen=True)
class Bench:
    """What all trials of a run share."""

    suite: Suite
    host: HostFacade
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


def execute(bench: Bench, key: TrialKey) -> bool:
    """Run one trial and seal it; False where it was interrupted and discarded, to be run again.

    Raises RunIncomplete where the archive or the place can't be written. What goes wrong in a host or an agent is
    a record, not an exception.
    """
    with bench.gate:
        writer = bench.archive.open_trial(key, bench.redactor)
    try:
        return _Execution(bench, key, writer).run()
    except OSError as error:
        writer.discard()
        why = error.strerror or type(error).__name__
        raise RunIncomplete(f"trial {key} could not be kept: {why}; what was sealed before is kept") from error
    except BaseException:
        writer.discard()
        raise


class _Execution:
    """One trial on its way: made for it, thrown away after it."""

    def __init__(self, bench: Bench, key: TrialKey, writer: TrialWriter) -> None:
        self.bench = bench
        self.key = key
        self.writer = writer
        self.case: Case = bench.suite.case(key.case)
        self.project: Project = bench.projects[key.case, key.arm]
        self.started = datetime.now(UTC)
        self.answers: list[str] = []
        self.commands: list[dict[str, object]] = []
        self.redacted: list[str] = []

    def run(self) -> bool:
        """Prepare, converse, close."""
        begun = time.monotonic()
        with ExitStack() as stack:
            with self.bench.gate:
                folders = stack.enter_context(fresh_folders(self.bench.base))
                place = self._prepare(folders)
                before = self._list(folders, known=None)
            prepared = time.monotonic()
            self._converse(place)
            ended = time.monotonic()
            if self.bench.supervisor.cancelled:
                self.writer.discard()
                return False
            self._run_commands("after", self.case.after, place)
            with self.bench.gate:
                after = self._list(folders, known=before.entries)
                self._keep(before, after)
                self.writer.seal(
                    TrialFacts(
                        key=self.key,
                        started=self.started,
                        setup_seconds=round(prepared - begun, 6),
                        agent_seconds=round(ended - prepared, 6),
                        closing_seconds=round(time.monotonic() - ended, 6),
                        redacted_paths=tuple(self.redacted),
                        listing_complete=before.complete and after.complete,
                    )
                )
        return True

    def _prepare(self, folders: Folders) -> Place:
        write_tree(self.project.tree, folders.project)
        environment = base_environment(folders.home, folders.tmp, self.bench.passed, live=self.bench.models is None)
        place = Place(
            project=folders.project,
            home=folders.home,
            tmp=folders.tmp,
            environment=environment,
            live=self.bench.models is None,
            launcher=self.bench.supervisor.launcher(self.bench.suite.limits, folders),
        )
        for reference, path in self.project.skills.items():
            skill = self.bench.skills[reference].skill
            self.writer.host.note(
                SkillPlaced(skill=skill.id, path=path, sha256=skill.sha256, body_sha256=skill.body_sha256)
            )
        for what in self.bench.ambient:
            self.writer.host.note(Ambient(what=what))
        self._run_commands("setup", self.case.setup, place)
        return place

    def _converse(self, place: Place) -> None:
        trial = Trial(
            key=self.key,
            turns=self.case.turns,
            limits=self.bench.suite.limits,
            allow=self.bench.suite.allow,
            skills=tuple(self.bench.skills[reference].skill.id for reference in self.project.skills),
        )
        recorder = self.writer.host
        try:
            with ExitStack() as stack:
                endpoint: ModelEndpoint | None = None
                if self.bench.models is not None:
                    script = self.bench.scripts[self.key]
                    endpoint = stack.enter_context(self.bench.models.start(trial, script, self.writer.model))
                session = stack.enter_context(self.bench.host.open_session(trial, place, (), endpoint, recorder))
                for turn, prompt in enumerate(trial.turns, 1):
                    recorder.turn = turn
                    recorder.note(TurnSent(turn=turn, prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest()))
                    self.answers.append(session.send(prompt))
        except SessionStopped:
            return
        except Exception as error:  # noqa: BLE001 - a plugin's own fault must cost one trial, not the run
            owner = Owner.OPERATOR if isinstance(error, OSError) else Owner.HOST
            recorder.note(Broke(why=type(error).__name__, owner=owner))

    def _list(self, folders: Folders, known: Mapping[str, Entry] | None) -> Listing:
        limits = self.bench.suite.limits
        ignore = Ignore((*self.case.ignore, *self.bench.ignore), kept=self.project.skills.values())
        most_files = limits.files_out + len(self.project.tree.entries)
        return list_project(folders.project, ignore, most_files=most_files, known=known, most_bytes=limits.bytes_out)

    def _keep(self, before: Listing, after: Listing) -> None:
        told = changes(before.entries, after.entries)
        changed = [entry for path, entry in after.entries.items() if before.entries.get(path) != entry]
        gone = [path for path in before.entries if path not in after.entries]
        self.writer.write(
            layout.FILES,
            compact(
                {
                    "before": as_json(before.entries.values()),
                    "after": as_json(changed),
                    "gone": gone,
                    "changes": [change.model_dump(mode="json") for change in told],
                }
            ),
        )
        hidden = {digest for digest, data in after.contents.items() if self.writer.write_changed(digest, data)}
        self.redacted = [entry.path for entry in changed if entry.sha256 in hidden]
        self.writer.write(layout.ANSWERS, compact(self.answers))
        if self.commands:
            self.writer.write(layout.COMMANDS, compact(self.commands))

    def _run_commands(self, when: str, commands: tuple[str, ...], place: Place) -> None:
        if commands and self.bench.allow_commands:
            for result in run_commands(commands, place):
                self.commands.append({"when": when, **asdict(result)})
