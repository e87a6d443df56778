"""A suite of another tool: a format makes the long form, and the core holds what it made to its own rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.model.errors import DocumentInvalid, InvalidRequest, PluginMismatch, SourceUnusable
from skilltrial.model.foreign import ForeignSuite, Losses, Misfit
from skilltrial.model.plan import PartIdentity
from skilltrial.plugins.binding import bind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import FormatFacade, GraderFacade
from skilltrial.plugins.graders import Graders
from skilltrial.record.gathering import Gatherer
from skilltrial.record.linting import lint
from skilltrial.record.loading import Loaded
from skilltrial.record.suitefile.foreign import load_foreign

LONG: dict[str, Any] = {
    "id": "other",
    "skills": [{"id": "commit-style", "folder": "commit-style"}],
    "arms": [{"id": "without_skill"}, {"id": "with_skill", "skills": ["commit-style"]}],
    "gate": {"arm": "with_skill"},
    "cases": [
        {"id": "one", "turns": ["Do it."], "checks": [{"id": "a", "grader": "files", "path": "a", "contains": "x"}]}
    ],
}
PART = PartIdentity(kind="format", name="other", distribution="some-format", version="1", source_sha256="0" * 64)


@dataclass(frozen=True)
class OtherFormat:
    """Answers with what it was made with."""

    answer: Any
    seen: list[Any] = field(default_factory=list)

    def read_suite(self, path: Path, document: Any) -> ForeignSuite:
        self.seen.append((path, document))
        return self.answer


class AtHand(Graders):
    """The graders of these tests, as if they were installed."""

    def __init__(self, directory: Any) -> None:
        super().__init__(Discovery(()))
        self._directory = directory

    def find(self, name: str) -> GraderFacade:
        found: GraderFacade = self._directory.find(name)
        return found


Load = Callable[..., Loaded]


@pytest.fixture
def load(project: Any) -> Load:
    """Write a file and load it by a format that answers so."""

    def do(answer: Any, text: str = '{\n "a": [1,\n  2]}', name: str = "other.json") -> Loaded:
        front = bind(FormatFacade, "other", OtherFormat(answer))
        return load_foreign(project.write(text, name), front, PART, AtHand(project.graders))

    return do


def changed(*path: str | int, to: Any) -> ForeignSuite:
    long = json.loads(json.dumps(LONG))
    holder = long
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    return ForeignSuite(long)


def test_the_long_form_is_loaded_and_the_file_is_kept_as_written(load: Load, project: Any) -> None:
    loaded = load(ForeignSuite(LONG, Losses(changed=("something",))))

    assert loaded.suite.case("one").turns == ("Do it.",)
    assert loaded.source == b'{\n "a": [1,\n  2]}'
    assert loaded.root == project.root
    assert loaded.checks["one", "a"].paths() == ("a",)
    assert loaded.conversion is not None
    assert (loaded.conversion.part, loaded.conversion.losses.changed) == (PART, ("something",))


def test_a_format_is_given_the_values_and_the_place_of_the_file(project: Any) -> None:
    format_ = OtherFormat(ForeignSuite(LONG))

    load_foreign(project.write("a: [1]\n", "o.yaml"), bind(FormatFacade, "o", format_), PART, AtHand(project.graders))

    assert format_.seen == [(project.root / "o.yaml", {"a": [1]})]


def test_faults_get_the_line_and_column_of_their_place_all_at_once(load: Load) -> None:
    misfits = (Misfit(("a", 1), "not 2", "3"), Misfit(("a",), "no a", key=True), Misfit(("b", 7), "no b"))

    with pytest.raises(DocumentInvalid) as caught:
        load(ForeignSuite(misfits=misfits))

    assert [(one.line, one.column, one.what, one.right) for one in caught.value.faults] == [
        (1, 1, "no b", ""), (2, 2, "no a", ""), (3, 3, "not 2", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"), [('{"a": 1, "a": 2}', "twice"), ("{", "key"), ('{"a": NaN}', "value is missing"), ("", "empty")]
)
def test_what_can_not_be_read_is_told_with_its_place(load: Load, text: str, says: str) -> None:
    with pytest.raises(DocumentInvalid, match=rf"other\.json:1:\d+: .*{says}"):
        load(ForeignSuite(LONG), text)


@pytest.mark.parametrize(
    "answer",
    [
        ForeignSuite({}),
        changed("gate", to={"arm": "nobody"}),
        changed("attempts", to="2"),
        changed("extra", to=1),
        changed("cases", 0, "checks", to=[]),
        changed("id", to="No Slug"),
        {"id": "other"},
    ],
    ids=["empty", "gate", "type", "key", "no checks", "id", "no ForeignSuite"],
)
def test_what_is_no_suite_is_the_formats_fault(load: Load, answer: Any) -> None:
    with pytest.raises(PluginMismatch, match="format 'other'"):
        load(answer)


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (changed("skills", 0, "folder", to="../up"), "skill 'commit-style'"),
        (changed("cases", 0, "workspace", to={"folder": "a//b"}), "case 'one', workspace"),
        (changed("cases", 0, "checks", 0, "path", to="a\n"), "case 'one', check 'a'"),
    ],
)
def test_a_path_that_the_core_does_not_take_is_refused_without_being_told(
    load: Load, answer: ForeignSuite, where: str
) -> None:
    with pytest.raises(DocumentInvalid, match=where) as caught:
        load(answer)

    assert "../up" not in str(caught.value)


def test_a_check_that_no_grader_takes_is_named(load: Load) -> None:
    with pytest.raises(InvalidRequest, match=r"case 'one'.*nobody"):
        load(changed("cases", 0, "checks", 0, "grader", to="nobody"))
    with pytest.raises(InvalidRequest, match="case 'one': check 'a'"):
        load(changed("cases", 0, "checks", 0, "contains", to=7))


def test_a_file_that_is_not_there_is_no_suite(project: Any) -> None:
    front = bind(FormatFacade, "other", OtherFormat(ForeignSuite(LONG)))

    with pytest.raises(SourceUnusable):
        load_foreign(project.root / "none.json", front, PART, AtHand(project.graders))


def test_skills_of_another_root_are_gathered_and_linted_there(load: Load, project: Any) -> None:
    project.skill("elsewhere/commit-style", name="another")
    loaded = load(ForeignSuite(LONG, skills_root=project.root / "elsewhere"))

    gathered = Gatherer(loaded.suite, loaded.root, loaded.path, loaded.skills_root).gather()

    assert gathered.skills["commit-style"].tree.data("SKILL.md")
    assert [one for one in lint(loaded, project.graders, project.fixtures) if "another `name`" in one.text]


def test_a_skill_whose_head_can_not_be_read_is_a_remark(load: Load, project: Any) -> None:
    (project.skill() / "SKILL.md").write_text("no head")

    assert [
        one for one in lint(load(ForeignSuite(LONG)), project.graders, project.fixtures) if "can't be read" in one.text
    ]
