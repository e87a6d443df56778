"""One try of a trial: a fresh place, a session, a listing before and after. The stop that talks with the outside."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from types import TracebackType

from skilltrial.archive import layout
from skilltrial.archive.trees import as_json
from skilltrial.archive.writing import TrialWriter
from skilltrial.model.errors import SessionStopped, TrialNotBegun
from skilltrial.model.evidence import ChangeKind, CommandResult, Entry
from skilltrial.model.facts import TrialFacts
from skilltrial.model.notes import Ambient, Broke, NotBegun, SkillPlaced, TurnSent
from skilltrial.model.suite import Case
from skilltrial.model.trial import ModelEndpoint, Offer, Place, Trial, TrialKey
from skilltrial.model.words import Owner

from .bench import Bench
from .commands import run_commands
from .furnishing import furnished
from .listing import Listing, changes, differ, list_project
from .plugging import acted, allowed, placed, plugin_note, with_variables
from .preparing import Project
from .programs.environment import base_environment
from .programs.placing import with_programs
from .workspace import Folders, make_folders, name_folders, remove, write_tree


def _text(answer: object) -> str:
    """An answer, held to its type: a host is a plugin."""
    if not isinstance(answer, str):
        raise TypeError("Session.send must return a text")
    return answer


SETUP_FAILED = "setup_failed"
"""Why a trial was not begun whose `setup` did not end well: its agent would have started from another place."""


class _FixtureFailed(Exception):
    """A fixture could not be started for a trial."""


class _Serving:
    """A fixture at a trial: what it raises when it ends is its own fault, and told from what the session raised."""

    def __init__(self, service: AbstractContextManager[Offer]) -> None:
        self._service = service

    def __enter__(self) -> Offer:
        return self._service.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            return self._service.__exit__(kind, raised, trace)
        except OSError:
            raise  # a full disk is the operator's
        except Exception as error:
            if error is raised:
                raise
            raise _FixtureFailed(type(error).__name__) from error


class Try:
    """One try on its way: made for it, thrown away after it."""

    def __init__(self, bench: Bench, key: TrialKey, writer: TrialWriter) -> None:
        self.bench = bench
        self.key = key
        self.writer = writer
        self.case: Case = bench.suite.case(key.case)
        self.project: Project = bench.projects[key.case, key.arm]
        self.started = datetime.now(UTC)
        self.answers: list[str] = []
        self.commands: list[dict[str, object]] = []

    def run(self) -> TrialFacts | None:
        """Prepare, converse, close: what was seen is in the writer's folder, and its facts are returned.

        None where the run was cancelled meanwhile: then nothing of it may be sealed.
        """
        begun = time.monotonic()
        with self._folders() as folders:
            with self.bench.gate:
                place = self._prepare(folders)
            ready = self._run_commands("setup", self.case.setup, place, folders)
            with self.bench.gate:
                before = self._list(folders, self.project.tree.by_path)
            prepared = time.monotonic()
            if ready:
                self._converse(place, folders)
            else:
                self.writer.host.note(NotBegun(why=SETUP_FAILED))
            ended = time.monotonic()
            # Listed before the commands of `after`: what they make is not what the agent did.
            with self.bench.gate:
                after = self._list(folders, before.entries, most_bytes=self.bench.suite.limits.bytes_out)
            if ready:
                self._run_commands("after", self.case.after, place, folders)
            if self.bench.supervisor.cancelled:
                return None
            with self.bench.gate:
                redacted = self._keep(before, after)
        return TrialFacts(
            key=self.key,
            started=self.started,
            setup_seconds=round(prepared - begun, 6),
            agent_seconds=round(ended - prepared, 6),
            closing_seconds=round(time.monotonic() - ended, 6),
            redacted_paths=redacted,
            listing_complete=before.complete and after.complete,
        )

    @contextmanager
    def _folders(self) -> Iterator[Folders]:
        folders = name_folders(self.bench.base)
        self.bench.places.begin(folders.root)
        try:
            make_folders(folders)
            yield folders
        finally:
            with self.bench.gate:
                remove(folders.root)
            self.bench.places.end(folders.root)

    def _prepare(self, folders: Folders) -> Place:
        write_tree(self.project.tree, folders.project)
        plugin = placed(self.project.package, folders)
        environment = base_environment(folders.home, folders.tmp, self.bench.passed, live=self.bench.models is None)
        place = Place(
            project=folders.project,
            home=folders.home,
            tmp=folders.tmp,
            environment=environment,
            live=self.bench.models is None,
            launcher=self.bench.supervisor.launcher(self.bench.suite.limits, folders),
            plugin=plugin,
        )
        if plugin is not None:
            self.writer.host.note(plugin_note(plugin, folders))
        for reference, path in self.project.skills.items():
            prepared = self.bench.skills[reference]
            skill, text = prepared.skill, prepared.text_sha256
            self.writer.host.note(
                SkillPlaced(
                    skill=skill.id, path=path, sha256=skill.sha256, body_sha256=skill.body_sha256, text_sha256=text
                )
            )
        for what in self.bench.ambient if place.live else ():
            self.writer.host.note(Ambient(what=what))
        return place

    def _converse(self, place: Place, folders: Folders) -> None:
        trial = Trial(
            key=self.key,
            turns=self.case.turns,
            limits=self.bench.suite.limits,
            allow=allowed(self.bench.suite.allow, place.plugin),
            skills=tuple(self.bench.skills[reference].skill.id for reference in self.project.skills),
        )
        recorder = self.writer.host
        try:
            with ExitStack() as stack:
                offers = self._offers(trial, place, stack)
                place = with_programs(place, [offer.programs for offer in offers if offer.programs is not None])
                place = with_variables(place, self.bench.suite.plugin, offers)
                endpoint: ModelEndpoint | None = None
                if self.bench.models is not None:
                    script = acted(self.bench.scripts[self.key], place.plugin)
                    endpoint = stack.enter_context(self.bench.models.start(trial, script, self.writer.model))
                session = stack.enter_context(self.bench.host.open_session(trial, place, offers, endpoint, recorder))
                recorder.note(furnished(folders, self.bench.redactor))
                for turn, prompt in enumerate(trial.turns, 1):
                    recorder.turn = turn
                    recorder.note(TurnSent(turn=turn, prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest()))
                    with self._turn(turn):
                        self.answers.append(_text(session.send(prompt)))
        except SessionStopped:
            return
        except TrialNotBegun as error:
            recorder.note(NotBegun(why=error.why, skips=error.skips))
        except _FixtureFailed as error:
            recorder.note(Broke(why=str(error), owner=Owner.FIXTURE))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a part's fault must cost one trial, not the run
            owner = Owner.OPERATOR if isinstance(error, OSError) else Owner.HOST
            recorder.note(Broke(why=type(error).__name__, owner=owner))

    @contextmanager
    def _turn(self, turn: int) -> Iterator[None]:
        self.bench.observer.turn_started(self.key, turn)
        try:
            yield
        finally:
            self.bench.observer.turn_ended(self.key, turn)

    def _offers(self, trial: Trial, place: Place, stack: ExitStack) -> tuple[Offer, ...]:
        """Start the suite's fixtures for this trial: ready before the host is."""
        offers: list[Offer] = []
        for name, fixture in self.bench.fixtures.items():
            options = self.case.fixtures.get(name, {})
            try:
                offer = stack.enter_context(_Serving(fixture.start(trial, options, place, self.writer.fixture(name))))
                offers.append(replace(offer, name=name))
            except TrialNotBegun:
                raise
            except Exception as error:
                raise _FixtureFailed(type(error).__name__) from error
        return tuple(offers)

    def _list(self, folders: Folders, known: Mapping[str, Entry], most_bytes: int = 0) -> Listing:
        ignore = self.bench.ignoring[self.key.case, self.key.arm]
        most_files = self.bench.suite.limits.files_out + len(self.project.tree.entries)
        return list_project(folders.project, ignore, most_files=most_files, known=known, most_bytes=most_bytes)

    def _keep(self, before: Listing, after: Listing) -> tuple[str, ...]:
        """Write what became of the project; return the paths in whose bytes a secret was replaced."""
        whole = before.complete and after.complete
        found = changes(before.entries, after.entries)
        told = [one for one in found if whole or one.change is not ChangeKind.REMOVED]
        changed = [entry for path, entry in after.entries.items() if differ(before.entries.get(path), entry)]
        gone = [path for path in before.entries if path not in after.entries]
        self.writer.write_json(
            layout.FILES,
            {
                "before": as_json(before.entries.values()),
                "after": as_json(changed),
                "gone": gone,
                "changes": [change.model_dump(mode="json") for change in told],
            },
        )
        hidden = {digest for digest, data in after.contents.items() if self.writer.write_changed(digest, data)}
        self.writer.write_json(layout.ANSWERS, self.answers)
        if self.commands:
            self.writer.write_json(layout.COMMANDS, self.commands)
        return tuple(entry.path for entry in changed if entry.sha256 in hidden)

    def _run_commands(self, when: str, commands: tuple[str, ...], place: Place, folders: Folders) -> bool:
        """Run commands with a launcher each: none of the agent's time and output is used up. Whether all ended well."""
        done: list[CommandResult] = []
        if self.bench.allow_commands:
            for command in commands:
                own = replace(place, launcher=self.bench.supervisor.launcher(self.bench.suite.limits, folders))
                done += run_commands((command,), own)
        self.commands += [{"when": when, **asdict(result)} for result in done]
        return all(result.code == 0 for result in done)
