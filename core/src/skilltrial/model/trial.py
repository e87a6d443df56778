"""What the runner gives to a host, a model and a fixture for one trial, and what it wants back.

Plain objects that carry the fine conversation; pluggy is only the coarse seam between packages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from pydantic import Field, JsonValue, field_serializer

from .capabilities import Can, Sees
from .notes import Exited, Interrupted, LimitHit, Unavailable
from .part import Part, Sha256, Slug
from .suite import Act, HostPin, Limits
from .words import EvidenceKind

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .words import Source


class HostIdentity(Part):
    """What a host says of itself, once per run. Goes into plan and report as it is."""

    name: Slug
    """The name by which it was asked for."""
    version: str | None = None
    """The program's own version, None where it has none."""
    program_sha256: Sha256 | None = None
    """Digest of the program file that will be started."""
    settings_sha256: Sha256 | None = None
    """Digest of a file that tells what the program is and does, where the host was given one."""
    can: frozenset[Can] = frozenset()
    sees: frozenset[Sees] = frozenset()
    records: str
    """Name of the normalizer that reads this host's records."""
    dialect: str | None = None
    """Name of the dialect in which a scripted model speaks to it."""
    dialect_options: dict[str, JsonValue] = Field(default_factory=dict)
    """Options of that dialect: what a description of the program says of its tools."""
    evidence_kind: EvidenceKind = EvidenceKind.LIVE_PORTABLE
    model: str | None = None
    """The model that it was configured with; None where it uses its own default."""
    effort: str | None = None
    accounting: str | None = None
    """How this program counts tokens, in a word; counts of different words are never added up."""
    ignore: tuple[str, ...] = ()
    """Globs of the host's own state files in a project; left out of the listing of changes."""
    rehearses_only: bool = False
    """It was given a command that works with a scripted model only."""
    ambient: tuple[str, ...] = ()
    """State of the operator's that its trials can see, in words for the report (no paths)."""
    caveats: tuple[str, ...] = ()
    """What is not known of this host itself, a sentence each: every report shows them."""

    @field_serializer("can", "sees")
    def _in_order(self, names: frozenset[StrEnum]) -> list[str]:
        """Sets have no order of their own; the same identity must give the same bytes."""
        return sorted(names)

    def fits(self, pin: HostPin) -> bool:
        """Whether it is the host that a suite pins."""
        wanted = ((pin.host, self.name), (pin.version, self.version), (pin.program_sha256, self.program_sha256))
        return all(one is None or one == own for one, own in wanted)


class CatalogIdentity(Part):
    """Which frozen catalog a fixture offers: its own digest, whose tools they are, and when they were listed."""

    sha256: Sha256
    server: str
    version: str
    captured: str
    """The day of the capture, `YYYY-MM-DD`, in UTC."""


class LiveServer(Part):
    """A real server to which a fixture passes calls on, in live runs only: a rehearsal never reaches it."""

    mutates: bool
    """Whether one of its tools may change something there."""
    variables: tuple[str, ...] = ()
    """Names of the environment variables whose values it must be given. The values are written nowhere."""
    rehearsed: bool = False
    """Whether something stands in for it in rehearsals."""


class FixtureIdentity(Part):
    """What a fixture says of itself, once per run. Goes into the plan as it is."""

    tools: tuple[str, ...] = ()
    """The names of all tools that it offers, in its order."""
    catalog: CatalogIdentity | None = None
    """None where it offers none of a server under study."""
    live: LiveServer | None = None
    """None where nothing real answers."""
    aliases: dict[str, str] = Field(default_factory=dict)
    """A tool as scripts and contracts of the suite call it → its name among `tools`, where that is another one."""
    exclusive: bool = False
    """All trials share one thing behind it that they may change: a run then has one trial at a time. Where `live` is
    set that is so in live runs only."""
    account: str | None = None
    """What names that thing on this machine, such as the server's address: two runs on one account are held apart.
    Never a credential. None where nothing names it, and nobody is held back."""


@dataclass(frozen=True, slots=True)
class Lending:
    """What live sessions of a host will be lent. `secrets` are values that must never be written, by a name.

    `told` says in sentences what was found (*present*, never *valid*: nobody was asked).
    """

    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """What `doctor` finds of a host's program, without a session.

    `program` is where it lies, None where it is not installed; `version` what it says of itself. `told` are facts and
    `todo` what the user should do, in sentences without credentials.
    """

    program: Path | None
    version: str | None = None
    told: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    own_model: str | None = None
    """The model that the user's own settings name; None where they name none, or this program has no such setting."""


class TrialKey(Part):
    """Which trial: `trials/<case>/<arm>/<label>`. The label is the attempt's number, or a rehearsal's id."""

    case: Slug
    arm: Slug
    label: Annotated[str, Field(pattern=r"^([1-9][0-9]{0,3}|[a-z][a-z0-9_-]{0,63})$")]

    @property
    def path(self) -> str:
        """Its folder in the archive."""
        return f"trials/{self.case}/{self.arm}/{self.label}"

    def __str__(self) -> str:
        return f"{self.case} / {self.arm} / {self.label}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial, as far as a host may know it: never its checks."""

    key: TrialKey
    turns: tuple[str, ...]
    limits: Limits
    allow: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start: nothing is added to `env` but a mark of no meaning. `stdin` is all that it can read."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended. `ending` is already on record; `code` is None where the program did not end by itself."""

    ending: Exited | LimitHit | Unavailable | Interrupted

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal."""
        return self.ending.code if isinstance(self.ending, Exited) else None


class Launcher(Protocol):
    """What starts the programs of one trial, within the trial's limits (time and output of all turns together)."""

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        """Run a program to its end; one at a time. When this returns, nothing that it started runs any more.

        Each line goes to `recorder` as it comes, a last one without newline too; those of stdout then go to
        `on_line`. A program that can't be started, a limit and an interrupt are notes and endings, not exceptions.
        """


@dataclass(frozen=True, slots=True)
class PlacedPlugin:
    """The plugin that lies in `folder`, for the program to install: alike in all arms, but for skills.

    `servers` are names of offers that its MCP entries of the same names stand for: nothing else connects to them.
    """

    name: str
    version: str
    folder: Path
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The fresh folders of one trial, the environment its programs get, and what starts them.

    `environment` is built from nothing (PATH, HOME, TMPDIR, LANG, certificates, names that were passed) and is
    complete: a host adds its own variables to a copy of it.
    """

    project: Path
    home: Path
    tmp: Path
    environment: Mapping[str, str]
    launcher: Launcher
    live: bool = True
    """False in a rehearsal: no provider will be asked, so no credential may be lent."""
    plugin: PlacedPlugin | None = None
    """None where there is none to install; only for hosts with `Can.PLUGINS`."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as it will be installed: without `evals/` and suite files."""

    id: str
    sha256: str
    body_sha256: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A fixture that a trial may use: an MCP server at `url` or behind `command`, or else programs.

    `tools` are pre-authorised, alike in all arms: the server's tools, or the programs by their names.
    """

    name: str
    url: str | None = None
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that `command` needs."""
    tools: tuple[str, ...] = ()
    programs: Path | None = None
    """A folder of programs. The runner puts it first on the PATH of the session's place; a host connects to nothing."""

    @property
    def is_server(self) -> bool:
        """Whether there is an MCP server to connect to."""
        return self.url is not None or bool(self.command)


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where a host gets its model in this trial.

    `url` is the base without the API's version (`{url}/v1/chat/completions`, `{url}/v1/responses`,
    `{url}/v1/messages`). `key` is a dummy that may be shown to anybody.
    """

    url: str
    model: str
    key: str = "scripted"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What lives as long as a run: given to models and fixtures that serve all of its trials."""

    id: str
    jobs: int = 1
    live: bool = True
    """False in a rehearsal: nothing real may be reached."""
    lent: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Environment variables that fixtures asked for (`LiveServer`), with their values."""


class Recorder(Protocol):
    """Where a part of one trial writes its records. Redacts, numbers and flushes; safe from any thread."""

    turn: int

    def record(self, source: Source, *lines: str) -> None:
        """Keep lines as they came, without their newlines; several are written as one."""

    def note(self, note: Part) -> None:
        """Keep a fact of the runner's (`model.notes`)."""


class Session(Protocol):
    """One fresh conversation with a host."""

    def send(self, prompt: str) -> str:
        """Give a prompt, wait for the end of the turn, return the answer (empty where it is not seen).

        Raises SessionStopped where no further turn is possible; the records say why.
        """


@dataclass(frozen=True, slots=True)
class Script:
    """What a scripted model does in one trial: acts per turn. A turn without a last word ends with a neutral one."""

    turns: tuple[tuple[Act, ...], ...]


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a program offered to its model in a request."""

    name: str
    description: str = ""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A native call of one of the offered tools. `arguments` is an object, or the text of a free-form tool."""

    name: str
    arguments: Mapping[str, JsonValue] | str
    namespace: str | None = None


class FixtureRun(Protocol):
    """A fixture that serves all trials of a run."""

    def start(
        self, trial: Trial, options: Mapping[str, JsonValue], place: Place, recorder: Recorder
    ) -> AbstractContextManager[Offer]:
        """Serve one trial. `options` are what its case sets; state never passes from one trial to another.

        What arrives is recorded (`model.wire`) before it is answered. Leaving the context ends the service. Raises
        TrialNotBegun where what the trial presupposes is not there.
        """


class ModelRun(Protocol):
    """A model server that serves all trials of a run."""

    def start(self, trial: Trial, script: Script, recorder: Recorder) -> AbstractContextManager[ModelEndpoint]:
        """Serve one trial, on a path of its own that can't be guessed."""
