"""Two small graders, and a folder in which a suite lies beside its skill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import AfterValidator, Field

from skilltrial.api import CheckOptions, CheckResult, Evidence, Sees
from skilltrial.model.errors import DocumentInvalid, Fault, PluginNotFound
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import GraderFacade
from skilltrial.plugins.fixtures import Fixtures
from skilltrial.record.loading import Loaded, load


def _no_x(text: str) -> str:
    if text.startswith("!"):
        raise ValueError(f"a pattern can't be {text}")
    if text.startswith("?"):
        raise ValueError("a pattern can't begin so")
    return text


class TextCheck(CheckOptions):
    subject: ClassVar[str | None] = "path"

    path: str
    contains: Annotated[str, AfterValidator(_no_x)] | tuple[str, ...]
    times: Annotated[int, Field(ge=1, le=9)] = 1

    def paths(self) -> tuple[str, ...]:
        return (self.path,)


class UnchangedCheck(CheckOptions):
    subject: ClassVar[str | None] = "path"

    path: str
    unchanged: bool

    def paths(self) -> tuple[str, ...]:
        return (self.path,)


class GoldenCheck(CheckOptions):
    subject: ClassVar[str | None] = "path"

    path: str
    equals_file: str

    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def assets(self) -> tuple[str, ...]:
        return (self.equals_file,)


class WithinCheck(CheckOptions):
    changed_within: tuple[str, ...]

    def paths(self) -> tuple[str, ...]:
        return self.changed_within


class AnswerCheck(CheckOptions):
    subject: ClassVar[str | None] = "starts_with"

    starts_with: str
    lacks: str | None = None


class _Grader:
    models: ClassVar[tuple[type[CheckOptions], ...]] = ()

    def check_models(self) -> tuple[type[CheckOptions], ...]:
        return self.models

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        return frozenset()

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        return CheckResult.failed("nothing_done")


class FilesGrader(_Grader):
    models = (TextCheck, UnchangedCheck, GoldenCheck, WithinCheck)


class AnswersGrader(_Grader):
    models = (AnswerCheck,)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        return frozenset({Sees.ANSWERS})


class ShapelessGrader(_Grader):
    models = (WithinCheck,)


class Directory:
    """Graders that are at hand without being installed."""

    def __init__(self) -> None:
        self._graders = {"files": FilesGrader(), "answers": AnswersGrader(), "shapeless": ShapelessGrader()}

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._graders))

    def find(self, name: str) -> GraderFacade:
        if name not in self._graders:
            raise PluginNotFound(f"no grader called {name!r}")
        return bind(GraderFacade, name, self._graders[name])


class Project:
    """A folder with a suite file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.graders = Directory()
        self.fixtures = Fixtures(Discovery(()))

    def skill(self, folder: str = "commit-style", *, name: str | None = None, body: str = "Do so.\n") -> Path:
        """Write a skill and return its folder."""
        path = self.root / folder
        path.mkdir(parents=True, exist_ok=True)
        head = f"name: {name or path.name}\ndescription: How commits are written here.\n"
        (path / "SKILL.md").write_text(f"---\n{head}---\n{body}", "utf-8")
        return path

    def write(self, text: str | bytes, name: str = "commit-style.trial.yaml") -> Path:
        """Write the suite file and return it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def load(self, text: str | bytes, name: str = "commit-style.trial.yaml", **more: tuple[str, ...]) -> Loaded:
        """Write the suite and load it."""
        return load(self.write(text, name), self.graders, **more)

    def faults(self, text: str | bytes, name: str = "commit-style.trial.yaml", **more: tuple[str, ...]) -> list[Fault]:
        """Write the suite, which must be refused, and return its faults."""
        with pytest.raises(DocumentInvalid) as caught:
            self.load(text, name, **more)
        return list(caught.value.faults)

    def told(self, text: str | bytes, name: str = "commit-style.trial.yaml") -> list[str]:
        """The faults as `line:column: what; right`."""
        return [str(fault).split(":", 1)[1] for fault in self.faults(text, name)]


@pytest.fixture(scope="session")
def project_of() -> Callable[[Path], Project]:
    """A project in a folder, its skill in it."""

    def make(root: Path) -> Project:
        made = Project(root.resolve())
        made.skill()
        return made

    return make


@pytest.fixture
def project(tmp_path: Path, project_of: Callable[[Path], Project]) -> Project:
    return project_of(tmp_path)
