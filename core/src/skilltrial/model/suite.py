"""What is asked: a suite in its long form, as the archive keeps it; `record.loading` makes it of what people write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

from .capabilities import Can
from .gates import Gate as Gate
from .packaged import PluginSource
from .part import Part, Sha256, Slug
from .words import VerdictKind

Text = Annotated[str, Field(min_length=1, max_length=200_000)]
RelativePath = Annotated[str, Field(min_length=1, max_length=1024)]
"""A POSIX path below its root: no empty part, `.`, `..`, backslash, NUL or drive (`loading` checks)."""


class Limits(Part):
    """Bounds of one trial. Sizes are bytes."""

    seconds: Annotated[int, Field(ge=1, le=86_400)] = 600
    stdout: Annotated[int, Field(ge=1)] = 50_000_000
    stderr: Annotated[int, Field(ge=1)] = 10_000_000
    files_in: Annotated[int, Field(ge=1)] = 2_000
    bytes_in: Annotated[int, Field(ge=1)] = 50_000_000
    files_out: Annotated[int, Field(ge=1)] = 20_000
    bytes_out: Annotated[int, Field(ge=1)] = 50_000_000


class SkillSource(Part):
    """A skill under test; `folder` is relative to the suite file, `previous` a folder or a git revision."""

    id: Slug
    folder: RelativePath
    previous: str | None = None


class Arm(Part):
    """Which skills are present: ids, or `id@previous`. An arm has nothing but skills."""

    id: Slug
    skills: tuple[str, ...] = ()


class HostPin(Part):
    """The only host on which a suite can qualify a skill; others run, and qualify nothing."""

    host: Slug
    version: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    program_sha256: Sha256 | None = None

    def __str__(self) -> str:
        program = f"with the program {self.program_sha256[:12]}" if self.program_sha256 else None
        return " ".join(word for word in (self.host, self.version, program) if word)


class Workspace(Part):
    """The project folder that a case starts from: at most one of `folder`, `files`, `git`; empty without.

    `git` with `ref` is a revision of a repository; `repository: true` makes the place a repository with one commit.
    """

    folder: RelativePath | None = None
    files: dict[str, str] | None = None
    git: str | None = None
    ref: str | None = None
    repository: bool = False


SomeArms = Annotated[tuple[Slug, ...], Field(min_length=1)]
"""The arms that a check or a rehearsal is for; all of them where it does not say."""


class Check(Part):
    """One question on the evidence. Keys beyond these are the grader's options."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, JsonValue]

    id: Slug
    grader: Slug
    advisory: bool = False
    arms: SomeArms | None = None
    turn: Annotated[int, Field(ge=1)] | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """The grader's options, as written."""
        return dict(self.__pydantic_extra__)


class FixtureUse(Part):
    """A controlled surrounding. `use` names the kind of fixture, keys beyond these are its options.

    `contract` is what the cases need to be meaningful: a code, and the tools that must be offered. Where one is
    missing, nothing runs, and no archive is judged; the code says why.

    `answerer` names who answers calls that the fixture's own replies leave open.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, JsonValue]

    use: Slug
    contract: dict[Slug, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)
    answerer: Slug | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """The fixture's options, as written."""
        return dict(self.__pydantic_extra__)


# --- Acts: what a scripted model does, in words that no program owns. -----------------------------------------


class Say(Part):
    """Answer, and end the turn."""

    say: str


class ReadSkill(Part):
    """Load the body of a skill, the way this program loads skills."""

    read_skill: Slug


class ServerCall(Part):
    """Which MCP tool is called with what."""

    server: Slug
    tool: str
    arguments: JsonValue = Field(default_factory=dict)


class Call(Part):
    """Call a tool of an MCP server."""

    call: ServerCall


class ReadFile(Part):
    """Read a file of the project."""

    read_file: RelativePath


class FileText(Part):
    """A file and its whole text."""

    path: RelativePath
    text: str


class WriteFile(Part):
    """Create or replace a file."""

    write_file: FileText


class Replacement(Part):
    """One exact, unique piece of a file and what it becomes."""

    path: RelativePath
    old: Annotated[str, Field(min_length=1)]
    new: str


class EditFile(Part):
    """Replace one piece of a file."""

    edit_file: Replacement


class Run(Part):
    """Run a shell command in the project."""

    run: Text


class Refuse(Part):
    """Answer with a refusal (where the wire has one), and end the turn."""

    refuse: str


class MaxTokens(Part):
    """Say so much and be cut off by the limit of a reply's length; that ends the turn."""

    max_tokens: str


class HttpError(Part):
    """Answer `times` requests with this HTTP status (0: all of them). `retry_after` is in seconds.

    With `at: stream` the answer begins well, and a stream is broken off by the provider's own error of that status.
    """

    error: Annotated[int, Field(ge=400, le=599)]
    times: Annotated[int, Field(ge=0)] = 0
    retry_after: Annotated[int, Field(ge=0)] | None = None
    at: Literal["before", "stream"] = "before"


class Cut(Part):
    """Drop the connection, before the headers or in the middle of the stream."""

    cut: Literal["before", "stream"]
    times: Annotated[int, Field(ge=0)] = 0


class Garbage(Part):
    """Answer 200 with what the protocol does not have: as the whole body, or from the middle of the stream on."""

    garbage: Literal["body", "stream"]
    times: Annotated[int, Field(ge=0)] = 0


class Stall(Part):
    """Send nothing for so many seconds, before the next act or in the middle of its stream, then go on with it."""

    stall: Annotated[float, Field(gt=0, le=3600)]
    at: Literal["before", "stream"] = "before"


ACTS: dict[str, type[Part]] = {
    "say": Say,
    "read_skill": ReadSkill,
    "call": Call,
    "read_file": ReadFile,
    "write_file": WriteFile,
    "edit_file": EditFile,
    "run": Run,
    "refuse": Refuse,
    "max_tokens": MaxTokens,
    "error": HttpError,
    "cut": Cut,
    "garbage": Garbage,
    "stall": Stall,
}
"""The key that names an act → its model."""


def act_name(value: Any) -> str | None:
    """The key that names the act `value` (a mapping or an act), or None."""
    keys = value if isinstance(value, dict) else getattr(type(value), "model_fields", {})
    return next((key for key in keys if key in ACTS), None)


def _act_tag(value: Any) -> str | None:
    # A tag stands in the places of pydantic's faults; `:` keeps it apart from the keys of a document.
    name = act_name(value)
    return f":{name}" if name else None


Act = Annotated[
    Annotated[Say, Tag(":say")]
    | Annotated[ReadSkill, Tag(":read_skill")]
    | Annotated[Call, Tag(":call")]
    | Annotated[ReadFile, Tag(":read_file")]
    | Annotated[WriteFile, Tag(":write_file")]
    | Annotated[EditFile, Tag(":edit_file")]
    | Annotated[Run, Tag(":run")]
    | Annotated[Refuse, Tag(":refuse")]
    | Annotated[MaxTokens, Tag(":max_tokens")]
    | Annotated[HttpError, Tag(":error")]
    | Annotated[Cut, Tag(":cut")]
    | Annotated[Garbage, Tag(":garbage")]
    | Annotated[Stall, Tag(":stall")],
    Discriminator(_act_tag),
]

ENDS_TURN = (Say, Refuse, MaxTokens)
"""Acts after which the model waits for the next prompt."""


def _expect_tag(value: Any) -> str:
    return ":arms" if isinstance(value, dict) else ":verdict"


Expected = Annotated[
    Annotated[VerdictKind, Tag(":verdict")]
    | Annotated[Annotated[dict[Slug, VerdictKind], Field(min_length=1)], Tag(":arms")],
    Discriminator(_expect_tag),
]
"""What a rehearsal promises: one verdict, or one per arm."""


class Rehearsal(Part):
    """A promise: an agent that does `script` gets the verdict `expect`, because of the checks `because`.

    `script` is one list for all turns; each `say`, `refuse` or `max_tokens` ends a turn. `expect` may differ by arm.
    """

    id: Slug
    script: tuple[Act, ...]
    expect: Expected
    because: tuple[Slug, ...] = ()
    arms: SomeArms | None = None

    def expected(self, arm: str) -> VerdictKind | None:
        """The verdict promised in `arm`; None where the rehearsal says nothing about it."""
        if self.arms is not None and arm not in self.arms:
            return None
        return self.expect if isinstance(self.expect, VerdictKind) else self.expect.get(arm)


Ignored = Annotated[str, Field(min_length=1)]
DEFAULT_IGNORE: tuple[str, ...] = ("__pycache__/", ".git/", "node_modules/", ".venv/")


class Case(Part):
    """One situation: prompts, a workspace, fixtures, checks."""

    id: Slug
    turns: Annotated[tuple[Text, ...], Field(min_length=1)]
    polarity: Literal["positive", "negative"] = "positive"
    workspace: Workspace = Workspace()
    needs: tuple[Can, ...] = ()
    ignore: tuple[Ignored, ...] = DEFAULT_IGNORE
    stage: Literal["any", "last"] = "any"
    setup: tuple[Text, ...] = ()
    after: tuple[Text, ...] = ()
    fixtures: dict[Slug, dict[str, JsonValue]] = Field(default_factory=dict)
    observe: bool = False
    """Nothing is checked: its trials are kept and told about, and have no verdict."""
    checks: tuple[Check, ...] = ()
    rehearsals: tuple[Rehearsal, ...] = ()

    @model_validator(mode="after")
    def _is_checked_or_observed(self) -> Case:
        if bool(self.checks) == self.observe:
            raise ValueError("a case has checks, or is only observed")
        return self


class Suite(Part):
    """What is asked, with every default written out."""

    schema_version: Literal[1] = 1
    id: Slug
    skills: tuple[SkillSource, ...] = ()
    plugin: PluginSource | None = None
    arms: Annotated[tuple[Arm, ...], Field(min_length=1)]
    gate: Gate
    qualifies: HostPin | None = None
    attempts: Annotated[int, Field(ge=1, le=1000)] = 1
    limits: Limits = Limits()
    allow: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    fixtures: dict[Slug, FixtureUse] = Field(default_factory=dict)
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _gate_fits(self) -> Suite:
        if self.gate.arm not in {arm.id for arm in self.arms}:
            raise ValueError("the gate names an arm that the suite does not have")
        if self.gate.majority_of is not None and self.attempts != 1:
            raise ValueError("majority_of repeats by itself: attempts must be 1")
        return self

    def case(self, id: str) -> Case:
        """The case called `id`. Raises KeyError."""
        return {case.id: case for case in self.cases}[id]

    def arm(self, id: str) -> Arm:
        """The arm called `id`. Raises KeyError."""
        return {arm.id: arm for arm in self.arms}[id]
