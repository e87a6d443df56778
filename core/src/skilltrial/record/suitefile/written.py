"""A suite as people may write it: the shapes of the short and the long form, before names and folders are looked at.

These models say which keys and types a file may have, and the JSON Schema of suites is made from them. What a
written suite *means* is its long form (`model.suite`), made by `expansion`. A union here is told apart by the shape
of the value; tags begin with `:`, so that they can be taken out of pydantic's places again.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Tag, WithJsonSchema

from skilltrial.model.capabilities import Can
from skilltrial.model.gates import RULES, Majority, Rate
from skilltrial.model.packaged import PluginSource
from skilltrial.model.part import Part, Slug
from skilltrial.model.suite import FixtureUse, HostPin, Ignored, Rehearsal, RelativePath, SkillSource, SomeArms, Text

SIZE_PATTERN = r"^[0-9]{1,12} ?(B|[kKMG]B|[KMG]iB)$"
FILE_TEXT_MAX = 1_000_000


def _plain_or_text(value: Any) -> str:
    return ":text" if isinstance(value, str) else ":plain"


def _mapping_or_list(value: Any) -> str:
    return ":mapping" if isinstance(value, dict) else ":list"


Size = Annotated[
    Annotated[Annotated[int, Field(ge=1)], Tag(":plain")]
    | Annotated[Annotated[str, Field(pattern=SIZE_PATTERN)], Tag(":text")],
    Discriminator(_plain_or_text),
]
"""Bytes as a number, or as text with a unit: `50MB`, `512 KiB`."""


class WrittenLimits(Part):
    """Bounds of one trial; what is not given has its default."""

    seconds: Annotated[int, Field(ge=1, le=86_400)] = 600
    stdout: Size = 50_000_000
    stderr: Size = 10_000_000
    files_in: Annotated[int, Field(ge=1)] = 2_000
    bytes_in: Size = 50_000_000
    files_out: Annotated[int, Field(ge=1)] = 20_000
    bytes_out: Size = 50_000_000


class WrittenArm(Part):
    """Which skills are present; `from: previous` takes the earlier version of each that has one."""

    id: Slug
    skills: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    source: Annotated[str, Field(pattern="^previous$")] = Field(default="", alias="from")


class WrittenGate(Part):
    """Which arm decides (`with_skill`, else the last one), and how: by one rule, `require: all` where none is given."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        json_schema_extra={
            "dependentSchemas": {
                one: {"not": {"anyOf": [{"required": [other]} for other in RULES if other != one]}} for one in RULES
            }
        },
    )

    arm: Slug = ""
    require: Literal["all"] = "all"
    majority_of: Majority = 5
    min_pass_rate: Rate = 1.0


FileText = Annotated[str, Field(max_length=FILE_TEXT_MAX)]
Files = dict[Annotated[str, Field(min_length=1, max_length=1024)], FileText]


class WrittenWorkspace(Part):
    """A workspace by its keys: a folder, inline `files`, or a revision of a repository (`git` and `ref`)."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        json_schema_extra={
            "dependentSchemas": {
                "ref": {"required": ["git"], "properties": {"git": {"type": "string"}}},
                "files": {"not": {"required": ["folder"]}, "properties": {"git": {"type": "boolean"}}},
                "folder": {"properties": {"git": {"type": "boolean"}}},
            }
        },
    )

    folder: RelativePath = ""
    files: Files = Field(default_factory=dict)
    git: Annotated[
        Annotated[bool, Tag(":plain")] | Annotated[RelativePath, Tag(":text")], Discriminator(_plain_or_text)
    ] = ""
    ref: RelativePath = ""
    repository: bool = False


WORKSPACE_KEYS = frozenset(WrittenWorkspace.model_fields)


def _workspace_tag(value: Any) -> str:
    if not isinstance(value, dict):
        return ":text"
    return ":keys" if WORKSPACE_KEYS & value.keys() else ":files"


WorkspaceForm = Annotated[
    Annotated[RelativePath, Tag(":text")]
    | Annotated[WrittenWorkspace, Tag(":keys")]
    | Annotated[
        Files,
        Tag(":files"),
        WithJsonSchema(
            {
                "type": "object",
                "additionalProperties": {"type": "string", "maxLength": FILE_TEXT_MAX},
                "propertyNames": {"minLength": 1, "maxLength": 1024, "not": {"enum": sorted(WORKSPACE_KEYS)}},
            }
        ),
    ],
    Discriminator(_workspace_tag),
]
"""A folder, the keys of a workspace, or inline files; a file called like a key is written below `files`."""


def _names_a_grader(schema: dict[str, Any]) -> None:
    others = {key: True for key in schema["properties"] if key != "grader"}
    schema["anyOf"] = [{"required": ["grader"]}, {"not": {"properties": others, "additionalProperties": False}}]


class WrittenCheck(Part):
    """One question. In the short form the first key beyond these names the grader, further ones are its options."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, json_schema_extra=_names_a_grader)
    __pydantic_extra__: dict[str, JsonValue]

    id: Slug = ""
    grader: Slug = ""
    advisory: bool = False
    arms: SomeArms = ()
    turn: Annotated[int, Field(ge=1)] = 1


CHECK_KEYS = frozenset(WrittenCheck.model_fields)


class CaseBody(Part):
    """What a case says beside its id."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        json_schema_extra={
            "allOf": [
                {"oneOf": [{"required": ["prompt"]}, {"required": ["turns"]}]},
                {
                    "oneOf": [
                        {"required": ["checks"]},
                        {"required": ["expect"]},
                        {"required": ["observe"], "properties": {"observe": {"const": True}}},
                    ]
                },
            ]
        },
    )

    prompt: Text = ""
    turns: Annotated[tuple[Text, ...], Field(min_length=1)] = ()
    polarity: Literal["positive", "negative"] = "positive"
    workspace: WorkspaceForm = ""
    needs: tuple[Can, ...] = ()
    ignore: tuple[Ignored, ...] = ()
    stage: Literal["any", "last"] = "any"
    setup: tuple[Text, ...] = ()
    after: tuple[Text, ...] = ()
    fixtures: dict[Slug, dict[str, JsonValue]] = Field(default_factory=dict)
    observe: bool = False
    checks: Annotated[tuple[WrittenCheck, ...], Field(min_length=1)] = ()
    expect: Annotated[tuple[WrittenCheck, ...], Field(min_length=1)] = ()
    rehearsals: tuple[Rehearsal, ...] = ()


class ListedCase(CaseBody):
    """A case in a list."""

    id: Slug


Cases = Annotated[
    Annotated[Annotated[tuple[ListedCase, ...], Field(min_length=1)], Tag(":list")]
    | Annotated[Annotated[dict[Slug, CaseBody], Field(min_length=1)], Tag(":mapping")],
    Discriminator(_mapping_or_list),
]


class WrittenSuite(Part):
    """A suite file."""

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    id: Slug = ""
    skills: tuple[SkillSource, ...] = ()
    plugin: PluginSource | None = None
    arms: Annotated[tuple[WrittenArm, ...], Field(min_length=1)] = ()
    gate: WrittenGate = Field(default_factory=WrittenGate)
    qualifies: HostPin | None = None
    attempts: Annotated[int, Field(ge=1, le=1000)] = 1
    limits: WrittenLimits = WrittenLimits()
    allow: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    fixtures: dict[Slug, FixtureUse] = Field(default_factory=dict)
    cases: Cases
