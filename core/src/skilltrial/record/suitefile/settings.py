"""Which kind of thing stands at a path of a suite file: its name, its keys, and other words people use for them."""

from __future__ import annotations

from pydantic import BaseModel

from skilltrial.model.packaged import PluginSource
from skilltrial.model.suite import ACTS, FileText, FixtureUse, HostPin, Rehearsal, Replacement, ServerCall, SkillSource

from . import written
from .document import Path
from .wording import Setting

NO_COMPARING_GATE = "no gate decides on the difference between arms yet: the report's headline and pairs tell it"
WORKSPACE_HINT = "the files that a case starts from are its `workspace`"


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _use(key: str) -> str:
    return f"that is `{key}` here"


_SUITE = Setting(
    "a suite",
    _keys(written.WrittenSuite),
    {
        **dict.fromkeys(("task", "tasks", "test", "tests", "case", "scenarios", "samples", "dataset"), _use("cases")),
        **dict.fromkeys(("variant", "variants", "conditions"), _use("arms")),
        **dict.fromkeys(
            ("candidate", "baseline"), "arms are listed in `arms`: `with_skill`, `without_skill`, `previous`"
        ),
        **dict.fromkeys(
            ("epoch", "epochs", "repeat", "repeats", "runs", "trials", "samples_per_case"), _use("attempts")
        ),
        **dict.fromkeys(("timeout", "time_limit", "seconds"), "that is `seconds` in `limits`"),
        "name": _use("id"),
        "version": _use("schema_version"),
        "skill": "skills are listed in `skills`: `- {id: NAME, folder: FOLDER}`",
        "mocks": _use("fixtures"),
        "workspace": "each case has its own `workspace`",
        "checks": "each case has its own `checks`",
        "prompt": "prompts belong to a case in `cases`",
        "hosts": "the host is named on the command line: `--host NAME`",
        "host": "the host is named on the command line: `--host NAME`",
        "model": "the model is named on the command line: `--model NAME`",
    },
)
_CASE = Setting(
    "a case",
    _keys(written.ListedCase),
    {
        **dict.fromkeys(("task", "input", "query", "question", "message", "instruction"), _use("prompt")),
        **dict.fromkeys(("prompts", "messages"), _use("turns")),
        **dict.fromkeys(("assert", "asserts", "assertions", "scorer", "scorers", "graders", "check"), _use("checks")),
        **dict.fromkeys(("files", "folder", "fixture", "sandbox", "project", "dir", "git"), WORKSPACE_HINT),
        **dict.fromkeys(("epochs", "attempts"), "`attempts` is set once, for the whole suite"),
        **dict.fromkeys(("variant", "variants", "arm", "arms"), "`arms` are listed once, for the whole suite"),
        **dict.fromkeys(("timeout", "limits"), "`limits` are set once, for the whole suite"),
        **dict.fromkeys(("label", "should_trigger"), _use("polarity")),
        **dict.fromkeys(("mock", "mocks"), _use("fixtures")),
        "name": _use("id"),
        "skills": "skills belong to arms, not to cases",
        "capabilities": _use("needs"),
        "requires": _use("needs"),
        "script": "a script belongs to one of the `rehearsals`",
    },
)
_NAMED_CASE = Setting(
    _CASE.noun,
    tuple(key for key in _CASE.keys if key != "id"),
    {**_CASE.synonyms, **dict.fromkeys(("id", "name"), "its key in `cases` is its id")},
)
"""A case in a mapping of cases."""
_SETTINGS: dict[tuple[str, ...], Setting] = {
    (): _SUITE,
    ("skills", "*"): Setting(
        "a skill",
        _keys(SkillSource),
        {
            **dict.fromkeys(("path", "dir", "directory", "source", "candidate"), _use("folder")),
            "name": _use("id"),
            "baseline": _use("previous"),
        },
    ),
    ("plugin",): Setting(
        "the plugin",
        _keys(PluginSource),
        {
            **dict.fromkeys(("path", "dir", "directory", "source"), _use("folder")),
            **dict.fromkeys(("env", "environment"), _use("variables")),
            **dict.fromkeys(("needs", "requires"), _use("programs")),
            "name": "its manifest says its name",
        },
    ),
    ("arms", "*"): Setting("an arm", _keys(written.WrittenArm), {"name": _use("id"), "skill": _use("skills")}),
    ("gate",): Setting(
        "the gate",
        _keys(written.WrittenGate),
        {
            **dict.fromkeys(("variant", "candidate"), _use("arm")),
            **dict.fromkeys(("lift", "no_worse_than"), NO_COMPARING_GATE),
            **dict.fromkeys(("pass_rate", "threshold", "at_least"), _use("min_pass_rate")),
            **dict.fromkeys(("majority", "best_of"), _use("majority_of")),
        },
    ),
    ("qualifies",): Setting(
        "`qualifies`",
        _keys(HostPin),
        {
            **dict.fromkeys(("name", "agent", "program"), _use("host")),
            **dict.fromkeys(("sha256", "digest", "binary"), _use("program_sha256")),
        },
    ),
    ("limits",): Setting(
        "the limits",
        _keys(written.WrittenLimits),
        dict.fromkeys(("timeout", "time", "time_limit", "minutes"), _use("seconds")),
    ),
    ("fixtures", "*"): Setting("a fixture", _keys(FixtureUse), {"kind": _use("use"), "type": _use("use")}),
    ("cases", "*"): _CASE,
    ("cases", "*", "workspace", "files"): Setting("the files of a workspace"),
    ("cases", "*", "workspace"): Setting(
        "a workspace",
        _keys(written.WrittenWorkspace),
        {
            **dict.fromkeys(("path", "dir", "directory", "source"), _use("folder")),
            **dict.fromkeys(("repo", "clone"), _use("git")),
            **dict.fromkeys(("revision", "commit", "branch", "tag"), _use("ref")),
        },
    ),
    ("cases", "*", "checks", "*"): Setting("a check", _keys(written.WrittenCheck)),
    ("cases", "*", "rehearsals", "*"): Setting(
        "a rehearsal",
        _keys(Rehearsal),
        {
            **dict.fromkeys(("steps", "actions", "acts"), _use("script")),
            **dict.fromkeys(("verdict", "outcome", "expected", "result"), _use("expect")),
            **dict.fromkeys(("reason", "reasons", "checks"), _use("because")),
            "name": _use("id"),
        },
    ),
    ("cases", "*", "rehearsals", "*", "script", "*", "call"): Setting("a `call`", _keys(ServerCall)),
    ("cases", "*", "rehearsals", "*", "script", "*", "write_file"): Setting("a `write_file`", _keys(FileText)),
    ("cases", "*", "rehearsals", "*", "script", "*", "edit_file"): Setting("an `edit_file`", _keys(Replacement)),
}
_INLINE_FILES = Setting("the files of a workspace")
_WORKSPACE_PLACE = ("cases", "*", "workspace")
_EITHER = {("cases",): "a mapping or a list", _WORKSPACE_PLACE: "a folder or a mapping"}
_CASE_PLACE = ("cases", "*")
_ACT_PLACE = ("cases", "*", "rehearsals", "*", "script", "*")


def setting_at(path: Path, value: object) -> Setting:
    """The kind of thing at `path`, whose value is `value`."""
    pattern = _pattern(path)
    if pattern == _ACT_PLACE:
        names = [key for key in value if key in ACTS] if isinstance(value, dict) else []
        return Setting(f"a `{names[0]}`" if names else "an act", _keys(ACTS[names[0]]) if names else tuple(ACTS))
    if pattern == _WORKSPACE_PLACE and isinstance(value, dict) and not written.WORKSPACE_KEYS & value.keys():
        return _INLINE_FILES
    if pattern == _CASE_PLACE and isinstance(path[-1], str):
        return _NAMED_CASE
    return _SETTINGS.get(pattern, Setting(_collection(pattern)))


def either_form(path: Path) -> str:
    """What may stand at `path`, where that is more than one type; else nothing."""
    return _EITHER.get(_pattern(path), "")


def _collection(pattern: tuple[str, ...]) -> str:
    words = [step for step in pattern if step != "*"]
    return f"`{words[-1]}`" if words else "the file"


def _pattern(path: Path) -> tuple[str, ...]:
    """The path with `*` for list positions and for names that the author chose."""
    steps: list[str] = []
    for step in path:
        chosen = isinstance(step, int) or steps in (["cases"], ["fixtures"])
        steps.append("*" if chosen else "checks" if step == "expect" and len(steps) == 2 else str(step))
    return tuple(steps)
