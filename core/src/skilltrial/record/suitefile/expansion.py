"""Short form → long form. Total: what has the wrong shape is passed by, for `structure` has told about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skilltrial.model.errors import DocumentInvalid
from skilltrial.model.gates import RULES
from skilltrial.model.suite import DEFAULT_IGNORE

from .checking import CheckReader, ReadCheck
from .document import Faults, as_dict, as_list
from .document import Path as Place
from .frontmatter import read_frontmatter
from .written import SIZE_PATTERN, WORKSPACE_KEYS

_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SLUG = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_SUITE_ENDINGS = (".trial.yaml", ".trial.yml", ".trial.json", ".yaml", ".yml", ".json")


@dataclass
class Expansion:
    """The long form as plain values, and where its cases and checks were written."""

    long: dict[str, Any]
    cases: list[CaseExpansion]
    default_arms: bool


@dataclass
class CaseExpansion:
    """One case: its long form, its place in the file, and its checks."""

    long: dict[str, Any]
    path: Place
    checks: list[ReadCheck] = field(default_factory=list)

    def place(self, key: str) -> Place:
        """Where the case's long-form key was written."""
        short = {"turns": "prompt", "checks": "expect"}.get(key, key)
        return (*self.path, short if short in self.written else key)

    written: frozenset[str] = frozenset()


def stem_of(file: str) -> str:
    """The name of a suite file without its ending: `commit-style.trial.yaml` → `commit-style`."""
    return next((file[: -len(end)] for end in _SUITE_ENDINGS if file.lower().endswith(end)), file)


def expand(faults: Faults, reader: CheckReader, file: Path) -> Expansion:
    """The long form of the document that is read in `faults`; `file` is where it lies."""
    written = as_dict(faults.document.value)
    long: dict[str, Any] = {
        "schema_version": 1,
        "id": written.get("id") if "id" in written else _default_id(faults, file),
        "skills": as_list(written["skills"]) if "skills" in written else default_skills(file),
    }
    default_arms = "arms" not in written
    long["arms"] = _default_arms(long["skills"]) if default_arms else _arms(written["arms"], long["skills"])
    long["gate"] = _gate(as_dict(written.get("gate")), long["arms"])
    for key in ("plugin", "qualifies", "attempts", "allow", "env", "fixtures"):
        if key in written:
            long[key] = written[key]
    long["limits"] = {key: _bytes(value) for key, value in as_dict(written.get("limits")).items()}
    cases = _cases(written.get("cases"), reader)
    long["cases"] = [case.long for case in cases]
    return Expansion(long, cases, default_arms)


def _default_id(faults: Faults, file: Path) -> str:
    slug = re.sub(r"[^a-z0-9_-]+", "-", stem_of(file.name).lower()).strip("-")[:64]
    if not _SLUG.fullmatch(slug):
        faults.add((), "the suite has no `id`, and the file's name gives none", "add `id`")
        return "suite"
    return slug


def default_skills(file: Path) -> list[dict[str, Any]]:
    """The skill beside the suite file: the folder with the file's name, else the folder that the file lies in."""
    stem = stem_of(file.name)
    for folder, name in ((stem, stem), (".", file.parent.name)):
        skill = file.parent / folder / "SKILL.md"
        if skill.is_file():
            return [{"id": _name_in(skill) or name, "folder": folder}]
    return []


def _name_in(skill: Path) -> str | None:
    try:
        name = read_frontmatter("SKILL.md", skill.read_bytes()).name
    except (DocumentInvalid, OSError):
        return None
    return name if name and _SLUG.fullmatch(name) else None


def _default_arms(skills: list[Any]) -> list[dict[str, Any]]:
    return [{"id": "without_skill", "skills": []}, {"id": "with_skill", "skills": _ids(skills)}]


def _arms(written: object, skills: list[Any]) -> list[Any]:
    arms = []
    for arm in as_list(written):
        if not isinstance(arm, dict):
            continue
        long = {key: value for key, value in arm.items() if key != "from"}
        if arm.get("from") == "previous":
            have = set(_ids([skill for skill in skills if isinstance(skill, dict) and skill.get("previous")]))
            wanted = as_list(arm["skills"]) if "skills" in arm else _ids(skills)
            long["skills"] = [f"{one}@previous" if one in have else one for one in wanted if isinstance(one, str)]
        arms.append(long)
    return arms


def _ids(skills: list[Any]) -> list[str]:
    return [skill["id"] for skill in skills if isinstance(skill, dict) and isinstance(skill.get("id"), str)]


def _gate(written: dict[str, Any], arms: list[Any]) -> dict[str, Any]:
    ids = [arm.get("id") for arm in arms]
    default = "with_skill" if "with_skill" in ids else ids[-1] if ids else "with_skill"
    rule = {} if any(name in written for name in RULES) else {"require": "all"}
    return {"arm": default, **rule, **written}


def _bytes(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(SIZE_PATTERN, value):
        return value
    number, unit = re.split(r" ?(?=[A-Za-z])", value, maxsplit=1)
    return int(number) * _UNITS[unit]


def _cases(written: object, reader: CheckReader) -> list[CaseExpansion]:
    if isinstance(written, dict):
        return [_case({"id": id, **as_dict(case)}, ("cases", id), reader) for id, case in written.items()]
    return [_case(case, ("cases", at), reader) for at, case in enumerate(as_list(written)) if isinstance(case, dict)]


def _case(written: dict[str, Any], path: Place, reader: CheckReader) -> CaseExpansion:
    long = {key: value for key, value in written.items() if key not in ("prompt", "expect", "workspace", "checks")}
    if "prompt" in written:
        long["turns"] = [written["prompt"]]
    long.setdefault("ignore", list(DEFAULT_IGNORE))
    long["workspace"] = workspace(written.get("workspace"))
    key = "checks" if "checks" in written else "expect"
    checks = reader.read_all(written.get(key), (*path, key))
    long["checks"] = [check.long for check in checks]
    return CaseExpansion(long, path, checks, frozenset(written))


def workspace(written: object) -> dict[str, Any]:
    """The long form of a workspace."""
    if isinstance(written, str):
        return {"folder": written}
    if not isinstance(written, dict):
        return {}
    if not WORKSPACE_KEYS & written.keys():
        return {"files": written} if written else {}
    long = dict(written)
    if isinstance(long.get("git"), bool):
        long["repository"] = long.pop("git") or long.get("repository", False)
    return long
