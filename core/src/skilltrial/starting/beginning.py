"""Everything that `init` will write, decided before anything is written."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skilltrial.model.errors import SourceUnusable
from skilltrial.record.revisions import MERGE_BASE, tree_of_previous
from skilltrial.record.staging import head_of

from .cases import DraftCase, filled_up
from .ci import Workflow, workflow_text
from .evals import written_cases
from .writing import DraftSuite, Previous, suite_text, workspace_folder

BRANCH = "origin/main"


@dataclass(frozen=True, slots=True)
class Beginning:
    """The files to write, and what is to be said of them. `suite` is None where there is one already."""

    suite: Path | None
    files: Mapping[Path, bytes]
    told: tuple[str, ...] = ()


def begin(skill: Path, more: tuple[DraftCase, ...] = (), ci_host: str | None = None) -> Beginning:
    """Plan a first suite of the skill in the folder `skill`, with the cases `more`; with `ci_host` also a workflow.

    Raises SourceUnusable, DocumentInvalid, InvalidRequest.
    """
    matter = head_of(skill)
    file = skill.parent / f"{skill.name}.trial.yaml"
    top = _top(skill) if ci_host is not None else None
    previous = _previous(skill, top) if top is not None else None
    suite = DraftSuite(
        skill=skill.name,
        id=str(matter.name),
        description=(matter.description or "nothing").strip(),
        cases=filled_up((*more, *written_cases(skill))),
        allow=tuple(dict.fromkeys(matter.allowed_tools)),
        scripts=(skill / "scripts").is_dir(),
        gated=ci_host is not None,
        previous=previous,
    )
    files: dict[Path, bytes] = {}
    told: list[str] = []
    exists = file.exists()
    if exists and (ci_host is None or more):
        raise SourceUnusable(f"{file} is there already, and nothing is overwritten; move it away, or edit it")
    if not exists:
        files[file] = suite_text(suite).encode()
        for case in suite.cases:
            if folder := workspace_folder(suite, case):
                files |= {skill.parent / folder / path: data for path, data in case.files.items()}
    else:
        told.append(f"{file} is there already and is left as it is; what a pipeline wants of it:")
        told.append("  gate: {arm: with_skill, majority_of: 5}")
        told += [f"  previous: {previous.revision}   (of the skill, with an arm `from: previous`)"] if previous else []
    if ci_host is not None and top is not None:
        path, data = _workflow(suite.id, skill, file, top, ci_host)
        files[path] = data
    taken = sorted(path for path in files if path.exists())
    if taken:
        raise SourceUnusable("\n".join(f"{path} is there already, and nothing is overwritten" for path in taken))
    return Beginning(None if exists else file, files, tuple(told))


def write(beginning: Beginning) -> None:
    """Write every file, each anew. Raises SourceUnusable."""
    for path, data in beginning.files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
        except OSError as error:
            raise SourceUnusable(f"{path} can't be written: {error.strerror}") from None


def _workflow(name: str, skill: Path, suite: Path, top: Path, host: str) -> tuple[Path, bytes]:
    workflow = Workflow(
        name=name,
        skill=skill.relative_to(top).as_posix(),
        suite=suite.relative_to(top).as_posix(),
        host=host,
    )
    return top / workflow.path, workflow_text(workflow).encode()


def _previous(skill: Path, top: Path) -> Previous:
    revision = f"{MERGE_BASE}{BRANCH}:{skill.relative_to(top).as_posix()}"
    try:
        tree, _ = tree_of_previous(revision, skill)
    except SourceUnusable:
        return Previous(revision, there=False)
    return Previous(revision, there=tree.data("SKILL.md") is not None)


def _top(skill: Path) -> Path:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"], cwd=skill, capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        raise SourceUnusable("--ci github needs git, and it does not answer") from None
    if done.returncode != 0:
        raise SourceUnusable(f"{skill} lies in no git repository; --ci github writes a workflow into one")
    return Path(done.stdout.strip()).resolve()
