"""The suite format `embraion`: a suite of `schema-version: 1` in, the long form out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import ForeignSuite, Misfit

from .checks import converted, ignored
from .losses import losses
from .sources import skill_fault, skills_root, source_fault
from .structure import read
from .written import Skill, WrittenSuite

OUTPUT_BYTES = 2_000_000
"""What a session may print on standard output, and on standard error."""
ATTEMPTS = 2


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class EmbraionFormat:
    """Reads suites of EmbrAIon's `eval skills run`.

    `root` is where the paths of skills start (`--root`); `timeout` is the limit of a session in seconds (`--timeout`).
    """

    root: Path | None = None
    timeout: Annotated[int, Field(ge=1, le=3600)] = 180

    def read_suite(self, path: Path, document: JsonValue) -> ForeignSuite:
        """See FormatSpec."""
        if path.suffix.lower() != ".json":
            return ForeignSuite(
                misfits=(Misfit((), "a suite of EmbrAIon is JSON", "give the file's name the end `.json`"),)
            )
        suite, misfits = read(document)
        if suite is None or misfits:
            return ForeignSuite(misfits=misfits)
        skills = skills_root(path, self.root, os.environ)
        if found := tuple(_source_faults(suite, path.parent, skills)):
            return ForeignSuite(misfits=found)
        return ForeignSuite(_long(suite, self.timeout), losses(suite, path.parent, skills), skills)


def _source_faults(suite: WrittenSuite, folder: Path, skills: Path) -> Iterator[Misfit]:
    for at, skill in enumerate(suite.skills):
        for key, path in (("candidate", skill.candidate), ("previous", skill.previous)):
            if path is None:
                continue
            if key == "previous" and ":" in path:
                yield Misfit(("skills", at, key), "the path holds a colon", "rename the folder")
            elif fault := skill_fault(skills, path):
                yield Misfit(("skills", at, key), *fault)
    for at, case in enumerate(suite.cases):
        if fault := source_fault(folder, case.fixture, "the fixture"):
            yield Misfit(("cases", at, "fixture"), *fault)


def _long(suite: WrittenSuite, seconds: int) -> dict[str, JsonValue]:
    ids = [skill.id for skill in suite.skills]
    arms: list[JsonValue] = [{"id": "without_skill", "skills": []}, {"id": "with_skill", "skills": [*ids]}]
    if suite.skills[0].previous is not None:
        arms.append({"id": "previous", "skills": [f"{id}@previous" for id in ids]})
    return {
        "schema_version": 1,
        "id": suite.id,
        "skills": [_skill(skill) for skill in suite.skills],
        "arms": arms,
        "gate": {"arm": "with_skill"},
        "attempts": ATTEMPTS,
        "limits": {"seconds": seconds, "stdout": OUTPUT_BYTES, "stderr": OUTPUT_BYTES},
        "cases": [
            {
                "id": case.id,
                "turns": [case.prompt],
                "polarity": case.polarity,
                "workspace": {"folder": case.fixture},
                "ignore": ignored(case)[0],
                "checks": [converted(check, number) for number, check in enumerate(case.checks)],
            }
            for case in suite.cases
        ],
    }


def _skill(skill: Skill) -> dict[str, JsonValue]:
    long: dict[str, JsonValue] = {"id": skill.id, "folder": skill.candidate}
    return long if skill.previous is None else {**long, "previous": skill.previous}
