"""A stage for hosts: the core's own places, limits and supervisor around a fake program."""

from __future__ import annotations

import hashlib
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.archive.redaction import Redactor
from skilltrial.model.errors import SessionStopped
from skilltrial.model.events import Event
from skilltrial.model.notes import Note, SkillPlaced, TurnSent, notes
from skilltrial.model.records import Record
from skilltrial.model.suite import Limits
from skilltrial.model.trial import HostIdentity, ModelEndpoint, Offer, Place, Skill, Trial, TrialKey
from skilltrial.model.words import Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import HostFacade, NormalizerFacade
from skilltrial.record.programs import family
from skilltrial.record.programs.environment import base_environment
from skilltrial.record.programs.supervisor import Supervisor
from skilltrial.record.workspace import Folders, make_folders, name_folders, remove

from .programs import FakeProgram, PlacedSkill, Rendering, Reply, Script, Turn, render
from .recorders import MemoryRecorder

SKILL = "kit-notes"
BODY = "---\nname: kit-notes\ndescription: How notes of the kit are written. Use it for notes.\n---\nWrite KIT-WORD.\n"
ENDPOINT = ModelEndpoint(url="http://127.0.0.1:9/kit-endpoint-5b1f", model="kit-scripted-model", key="kit-key")
LIMITS = Limits(seconds=60, stdout=2_000_000, stderr=2_000_000)
PATIENCE = 30.0
"""Seconds until something that must come to hold is given up."""


def digest(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class StageRecorder(MemoryRecorder):
    """Keeps records in memory, with known secrets replaced as an archive would."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        super().__init__()
        self._redactor = Redactor(secrets)

    def record(self, source: Source, *lines: str) -> None:
        """Keep these lines."""
        super().record(source, *(self._redactor.text(line)[0] for line in lines))


@dataclass
class Scene:
    """One place with a session in it, and what came of it."""

    place: Place
    recorder: StageRecorder
    answers: list[str] = field(default_factory=list)
    stopped: SessionStopped | None = None

    @property
    def records(self) -> tuple[Record, ...]:
        """What was recorded, in order."""
        return tuple(self.recorder.records)

    def lines(self, source: Source) -> list[str]:
        """The recorded lines of one source."""
        return [record.raw for record in self.records if record.source is source]

    def noted(self, kind: type) -> list[Note]:
        """The runner's notes of one kind."""
        return [note for _, note in notes(self.records) if isinstance(note, kind)]

    def listing(self) -> dict[str, bytes]:
        """The files of the project."""
        root = self.place.project
        return {str(one.relative_to(root)): one.read_bytes() for one in sorted(root.rglob("*")) if one.is_file()}


@dataclass
class Stage:
    """Plays scripts on a host. `make` builds the host around a program's path, with further options."""

    make: Callable[..., object]
    rendering: Rendering
    normalizer: NormalizerFacade
    program: FakeProgram
    supervisor: Supervisor
    folders: list[Folders] = field(default_factory=list)

    def host(self, **options: object) -> HostFacade:
        """The host around the fake program, held to its hook spec."""
        return bind(HostFacade, "subject", self.make(self.program.path, **options))

    def events(self, scene: Scene) -> tuple[Event, ...]:
        """What the normalizer makes of a scene."""
        return tuple(self.normalizer.normalize(scene.records))

    def place(self, limits: Limits = LIMITS, passed: Mapping[str, str] | None = None, *, live: bool = False) -> Place:
        """A fresh place, with the launcher that the core gives."""
        folders = make_folders(name_folders())
        self.folders.append(folders)
        return Place(
            project=folders.project,
            home=folders.home,
            tmp=folders.tmp,
            environment=base_environment(folders.home, folders.tmp, passed or {}, live),
            launcher=self.supervisor.launcher(limits, folders),
            live=live,
        )

    @contextmanager
    def opened(
        self,
        script: Script,
        *,
        host: HostFacade | None = None,
        place: Place | None = None,
        offers: tuple[Offer, ...] = (),
        secrets: Mapping[str, str] | None = None,
        turns: tuple[str, ...] = ("Kit prompt one.", "Kit prompt two."),
    ) -> Iterator[tuple[Scene, Callable[[str], None]]]:
        """A session in a fresh place with the kit's skill; yields the scene, and what sends a prompt."""
        host = host or self.host()
        place = place or self.place()
        scene = Scene(place, StageRecorder(secrets or {}))
        skill = Skill(SKILL, digest("kit"), digest(BODY))
        folder = host.place_skill(skill, place)
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(BODY, encoding="utf-8")
        path = folder.relative_to(place.project).as_posix()
        scene.recorder.note(SkillPlaced(skill=SKILL, path=path, sha256=skill.sha256, body_sha256=skill.body_sha256))
        identity = host.describe_host()
        trial = Trial(
            key=TrialKey(case="kit", arm="with-skill", label="1"),
            turns=turns,
            limits=LIMITS,
            allow=tuple(tool for offer in offers for tool in offer.tools),
            skills=(SKILL,),
        )
        turn = Turn(1, str(uuid.uuid4()), place.project, (PlacedSkill(SKILL, path, BODY),), offers, _model(identity))
        self.program.play(render(script, self.rendering, turn), self.rendering.replies)
        endpoint = None if place.live else ENDPOINT
        with host.open_session(trial, place, offers, endpoint, scene.recorder) as session:

            def send(prompt: str) -> None:
                scene.recorder.turn += 1
                scene.recorder.note(TurnSent(turn=scene.recorder.turn, prompt_sha256=digest(prompt)))
                scene.answers.append(session.send(prompt))

            yield scene, send

    def played(self, script: Script, *prompts: str, **more: object) -> Scene:
        """A whole session: its prompts sent (one where none is given) until it stops."""
        with self.opened(script, **more) as (scene, send):  # type: ignore[arg-type]
            try:
                for prompt in prompts or ("Kit prompt one.",):
                    send(prompt)
            except SessionStopped as stopped:
                scene.stopped = stopped
        return scene

    def given(self, start: Mapping[str, object]) -> str:
        """All that a start was told beside the prompt: arguments, variables, words, and the files of its home."""
        return "\n".join(map(str, (start["argv"], start["env"], start["told"], start["home"])))

    def alive(self) -> list[int]:
        """Processes that the program left behind and that still run."""
        rows = family.table()
        return [pid for pid in self.program.children if pid in rows and rows[pid].alive]


def _model(identity: HostIdentity) -> str:
    return identity.model or ENDPOINT.model


@contextmanager
def staged(
    make: Callable[..., object], rendering: Rendering, normalizer: object, name: str, folder: Path
) -> Iterator[Stage]:
    """A stage; whatever happened on it, nothing of it runs or lies about afterwards."""
    replies: tuple[Reply, ...] = tuple(rendering.replies)
    program = FakeProgram.build(folder / "kit-program", name, replies, rendering.talker)
    bound = bind(NormalizerFacade, "subject", normalizer)
    with Supervisor() as supervisor:
        stage = Stage(make, rendering, bound, program, supervisor)
        try:
            yield stage
        finally:
            for pid in stage.alive():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for folders in stage.folders:
                remove(folders.root)


def eventually(holds: Callable[[], object]) -> bool:
    """Wait until something holds; False where it never did."""
    until = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
