"""What a profile says of a program. Its JSON Schema is `skilltrial profile schema`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, model_validator

from skilltrial.api import Can, Cause, Part, Sees

from ..options import Below, Variable, Vector
from .pointers import Pointer

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Plain = str | int | float | bool | None
RESUME, MODEL, PROMPT, SESSION = "{resume}", "{model_arguments}", "{prompt}", "{session}"
"""Items of `command`: `{resume}` and `{model_arguments}` become any number of arguments, the others are texts."""


def _in_a_folder(path: str) -> str:
    root, _, below = path.partition("/")
    if root not in ("{config}", "{home}") or not below or ".." in below.split("/"):
        raise ValueError("a file lies below {config} or {home}, as in {config}/settings.json")
    return path


Place = Annotated[str, AfterValidator(_in_a_folder)]


class Text(Part):
    """A text that is known by its beginning, or by something in it."""

    starts: str = ""
    contains: str = ""


When = dict[Pointer, Plain | list[Plain] | Text]
"""Pointers → the value that must stand there, a list of those that may, or how its text is known. All must hold."""
Numbers = Pointer | list[Pointer]
"""A number in the line, or several that are added up."""


class CallMap(Part):
    """Where a line tells that the model asked for a tool."""

    id: Pointer
    tool: Pointer
    input: Pointer | None = None


class ResultMap(Part):
    """Where a line tells what a call returned. `failed` says when that is an error."""

    id: Pointer
    content: Pointer | None = None
    failed: When = Field(default_factory=dict)


class RejectMap(Part):
    """Where a line tells that a call was not carried out, and why: its input does not fit, there is no such tool ..."""

    id: Pointer
    reason: Literal["schema", "unknown_tool", "permission", "hook", "policy"]


class UsageMap(Part):
    """Where a line tells tokens and dollars of one request to the model; they are added up for the turn."""

    input: Numbers | None = None
    output: Numbers | None = None
    cached: Numbers | None = None
    reasoning: Numbers | None = None
    cost: Numbers | None = None


class FailMap(Part):
    """Where a line tells why the turn failed: an HTTP status, a message that begins with one, or a cause by itself."""

    status: Pointer | None = None
    message: Pointer | None = None
    cause: Cause | None = Field(default=None, strict=False)


class LoadedMap(Part):
    """Where a line shows a skill's body by itself: a text that holds `mark`.

    In it `{skill}` is the skill's id, and `{folder}` the path of its folder: so others of its name are told apart.
    """

    text: Pointer
    mark: str

    @model_validator(mode="after")
    def _names_it(self) -> Self:
        if "{skill}" not in self.mark:
            raise ValueError("`mark` needs {skill}, or any skill would be meant")
        return self


class Rule(Part):
    """What a line means for which `when` holds. A rule without `when` looks at every line."""

    when: When = Field(default_factory=dict)
    unless: When = Field(default_factory=dict)
    """Where these hold too, the rule means nothing."""
    session: Pointer | None = None
    version: Pointer | None = None
    model: Pointer | None = None
    call: CallMap | None = None
    result: ResultMap | None = None
    reject: RejectMap | None = None
    answer: Pointer | None = None
    usage: UsageMap | None = None
    loaded: LoadedMap | None = None
    ends: bool = False
    fails: FailMap | None = None

    @model_validator(mode="after")
    def _means_something(self) -> Self:
        if self.model_fields_set <= {"when", "unless"}:
            raise ValueError("a rule says at least one thing beside `when`")
        return self


class Load(Part):
    """A tool that shows the body of a skill to the model: by `name`, by `path` of a file, or by a shell `command`.

    A name may be another skill's too: `mark` is a text that the result holds where it is the placed one, with
    `{folder}` for the path of its folder.
    """

    tool: str
    name: Pointer | None = None
    mark: str | None = None
    path: Pointer | None = None
    command: Pointer | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(way is not None for way in (self.name, self.path, self.command)) != 1:
            raise ValueError("it takes exactly one of `name`, `path` and `command`")
        if self.mark is not None and (self.name is None or "{folder}" not in self.mark):
            raise ValueError(
                "`mark` stands beside `name`, and needs {folder}, or any skill of that name would be meant"
            )
        return self


class Spelled(Part):
    """A call of one of the program's own tools, with `{path}`, `{text}`, `{skill}` ... for parts of the act."""

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class Acts(Part):
    """How a scripted model asks this program for each act."""

    read_skill: Spelled | None = None
    read_file: Spelled | None = None
    write_file: Spelled | None = None
    edit_file: Spelled | None = None
    run: Spelled | None = None


class Servers(Part):
    """How an MCP server over HTTP is told: `value` at `at` of the JSON file `file`. `tool` is a tool's name there."""

    file: Place
    at: Pointer
    value: JsonValue
    tool: str = "mcp__{server}__{tool}"


class Scripted(Part):
    """What is added where the model is a scripted one."""

    model: str = "{model}"
    environment: dict[Variable, str] = Field(default_factory=dict)
    files: dict[Place, JsonValue] = Field(default_factory=dict)


class Profile(Part):
    """A program that skilltrial was told of by a file."""

    schema_version: Literal[1] = 1
    name: Slug
    made_for: str
    """Program and version whose lines the profile was written after."""
    command: Annotated[Vector, Field(strict=False)]
    resume: tuple[str, ...] = Field(default=(), strict=False)
    model: tuple[str, ...] = Field(default=(), strict=False)
    """Arguments that choose a model; `{model}` in them becomes its name."""
    skill_dir: Below = ".agents/skills"
    environment: dict[Variable, str] = Field(default_factory=dict)
    files: dict[Place, JsonValue] = Field(default_factory=dict)
    scripted: Scripted | None = None
    mcp: Servers | None = None
    lines: Annotated[tuple[Rule, ...], Field(strict=False)] = ()
    ignore: Annotated[tuple[When, ...], Field(strict=False)] = ()
    loads: Annotated[tuple[Load, ...], Field(strict=False)] = ()
    all_loads: bool = False
    """Whether `loads` names every way in which this program shows a skill's body to its model."""
    acts: Acts | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.lines and not any(rule.ends for rule in self.lines):
            raise ValueError("no rule of `lines` says `ends: true`: the end of a turn could not be told")
        if self.resume and RESUME not in self.command:
            raise ValueError("`resume` needs an item {resume} in `command`")
        if self.model and MODEL not in self.command:
            raise ValueError("`model` needs an item {model_arguments} in `command`")
        if any(SESSION in item for item in self.resume) and not any(rule.session for rule in self.lines):
            raise ValueError("`resume` holds {session}, and no rule of `lines` says where the session's id stands")
        return self

    def shows(self) -> frozenset[Sees]:
        """What follows from what is mapped."""
        maps = {
            Sees.ANSWERS: any(rule.answer is not None for rule in self.lines),
            Sees.TOOL_CALLS: any(rule.call for rule in self.lines),
            Sees.TOOL_RESULTS: any(rule.result for rule in self.lines),
            Sees.SKILL_READS: bool(self.loads) and self.all_loads and any(rule.call for rule in self.lines),
            Sees.TOKENS: any(rule.usage and rule.usage.input and rule.usage.output for rule in self.lines),
            Sees.COST: any(rule.usage and rule.usage.cost for rule in self.lines),
            Sees.MODEL_IDS: any(rule.model is not None for rule in self.lines),
        }
        return frozenset(sees for sees, mapped in maps.items() if mapped)

    def can(self) -> frozenset[Can]:
        """What follows from what is told of the program."""
        able = {
            Can.MULTI_TURN: bool(self.resume),
            Can.MCP_HTTP: self.mcp is not None,
            Can.PROGRAMS: True,
            Can.MODEL: bool(self.model),
            Can.SCRIPTED_MODEL: self.scripted is not None,
        }
        return frozenset(can for can, told in able.items() if told)
