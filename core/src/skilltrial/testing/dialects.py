"""The contract of dialects: give the dialect, the tools that the program offers, and what it can't spell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from pydantic import JsonValue

from skilltrial.model.errors import ActAbsent, ActNotPossible
from skilltrial.model.suite import ACTS, Act, Call, EditFile, ReadFile, ReadSkill, Run, WriteFile
from skilltrial.model.trial import ToolCall, ToolOffer
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import DialectFacade
from skilltrial.plugins.kinds import DIALECT

from .contracts import Contract, demand, documented, watched

SKILL = "kit-notes"
ACT_EXAMPLES: Mapping[str, Mapping[str, JsonValue]] = {
    "read_skill": {"read_skill": SKILL},
    "call": {"call": {"server": "memory", "tool": "remember", "arguments": {"text": 'KIT-INPUT "й"'}}},
    "read_file": {"read_file": "notes/kit.txt"},
    "write_file": {"write_file": {"path": "notes/kit.txt", "text": "KIT\nTEXT й\n"}},
    "edit_file": {"edit_file": {"path": "notes/kit.txt", "old": "KIT", "new": "kit"}},
    "run": {"run": "echo KIT > out.txt"},
}
"""One example of each act that a dialect is asked to spell."""


@dataclass(frozen=True)
class DialectSubject:
    """A dialect, and what its program offers to its model.

    `tools` are of a request in a trial with the skill `kit-notes` and an MCP server `memory` with a tool `remember`,
    `without` of a trial that has neither. `cannot` are acts that this program's model has no tool for; `lists_skills`
    says whether the tools tell which skills there are.
    """

    part: object
    tools: Sequence[ToolOffer]
    without: Sequence[ToolOffer]
    cannot: frozenset[str] = frozenset()
    lists_skills: bool = True


def act(name: str) -> Act:
    """The example of an act."""
    return ACTS[name].model_validate(ACT_EXAMPLES[name])  # type: ignore[return-value]


class DialectContract(Contract):
    """What every dialect must do. Give `subject`, a DialectSubject."""

    kind = DIALECT

    @pytest.fixture
    def dialect(self, subject: DialectSubject) -> DialectFacade:
        """The dialect, held to its hook spec."""
        return bind(DialectFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: DialectSubject) -> None:
        """One hook, `spell`; the class says whose dialect it is."""
        bind(DialectFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_spells_what_it_can(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """Each act but those of `cannot` is a call of a tool that the request offers."""
        offered = {tool.name for tool in subject.tools}
        for name in ACT_EXAMPLES.keys() - subject.cannot:
            call = _spelt(dialect, name, subject.tools)
            demand(
                isinstance(call, ToolCall) and (call.name in offered or call.namespace is not None),
                f"{name} was spelt as {call!r}, which calls no tool that the request offers",
            )

    def test_says_what_it_can_not(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """Acts of `cannot` raise ActNotPossible: the rehearsal is then told to be not possible here."""
        for name in subject.cannot:
            told = _spelt(dialect, name, subject.tools)
            demand(isinstance(told, ActNotPossible), f"{name} was declared to be impossible, and gave {told!r}")

    def test_without_tools_nothing_is_possible(self, dialect: DialectFacade) -> None:
        """A request that offers no tool gives ActNotPossible or ActAbsent, never a made-up call or a crash."""
        for name in ACT_EXAMPLES:
            told = _spelt(dialect, name, ())
            demand(
                isinstance(told, ActNotPossible | ActAbsent),
                f"{name} gave {told!r} where no tool is offered; raise ActNotPossible",
            )

    def test_an_absent_skill_is_absent(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """read_skill where the tools do not list the skill raises ActAbsent; where tools list none, it is spelt.

        The scripted model knows itself which skills an arm has.
        """
        if "read_skill" in subject.cannot:
            return
        told = _spelt(dialect, "read_skill", subject.without)
        if subject.lists_skills:
            demand(isinstance(told, ActAbsent), f"a skill that is not offered gave {told!r}; raise ActAbsent")
        else:
            demand(isinstance(told, ToolCall), f"tools of this program list no skills, and read_skill gave {told!r}")

    def test_a_server_that_is_not_there_is_not_called(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """A call of an MCP tool that the request does not offer raises ActNotPossible or ActAbsent."""
        told = _spelt(dialect, "call", subject.without)
        demand(isinstance(told, ActNotPossible | ActAbsent), f"a tool that is not offered gave {told!r}")

    def test_an_act_arrives_whole(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """What the act says stands in the arguments: commands, paths, contents, the skill's name; JSON takes them."""
        for name in ACT_EXAMPLES.keys() - subject.cannot:
            call = _spelt(dialect, name, subject.tools)
            if not isinstance(call, ToolCall):
                continue
            told = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
            lacking = [word for word in _words(act(name)) if not any(form in told for form in _spellings(word))]
            demand(not lacking, f"{name}: the call {call.name} lacks {lacking}")

    def test_is_pure(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """The same act and tools give the same call; no file, program or socket is touched."""
        for name in ACT_EXAMPLES:
            first = repr(_spelt(dialect, name, subject.tools))
            with watched() as acts:
                second = repr(_spelt(dialect, name, subject.tools))
            demand(first == second, f"{name} was spelt in two ways")
            demand(not acts, f"spell is pure; it did: {', '.join(acts[:3])}")

    def test_strange_tools_harm_nobody(self, dialect: DialectFacade, subject: DialectSubject) -> None:
        """Tools of odd names, descriptions and schemas stand beside the right ones: the right one is still called."""
        schemas: tuple[tuple[str, Mapping[str, JsonValue]], ...] = (
            ("", {}),
            ("{", {"type": 7}),
            ("й", {"properties": ["a"], "required": 3}),
        )
        odd = tuple(
            ToolOffer(name, description, parameters)
            for name in ("", "kit odd", "\udcff", "x" * 5000)
            for description, parameters in schemas
        )
        for name in ACT_EXAMPLES:
            plain, among = _spelt(dialect, name, subject.tools), _spelt(dialect, name, (*odd, *subject.tools, *odd))
            demand(repr(plain) == repr(among), f"{name} was spelt in another way among strange tools: {among!r}")


def _spelt(dialect: DialectFacade, name: str, tools: Sequence[ToolOffer]) -> object:
    try:
        return dialect.spell(act(name), tuple(tools))
    except (ActNotPossible, ActAbsent) as told:
        return told
    except Exception as error:
        raise AssertionError(
            f"spelling {name} raised {type(error).__name__}: {error}; raise ActNotPossible or ActAbsent"
        ) from error


def _spellings(word: str) -> set[str]:
    """How a word may stand in JSON, and in JSON within a text of JSON."""
    once = {json.dumps(word, ensure_ascii=plain)[1:-1] for plain in (True, False)}
    return {word, *once, *(json.dumps(one, ensure_ascii=False)[1:-1] for one in once)}


def _words(one: Act) -> tuple[str, ...]:
    match one:
        case ReadSkill(read_skill=skill):
            return (skill,)
        case Call(call=call):
            return tuple(map(str, call.arguments.values())) if isinstance(call.arguments, dict) else ()
        case ReadFile(read_file=path):
            return (path.rpartition("/")[2],)
        case WriteFile(write_file=file):
            return (file.path.rpartition("/")[2], *file.text.split())
        case EditFile(edit_file=edit):
            return (edit.path.rpartition("/")[2], edit.old, edit.new)
        case Run(run=command):
            return (command,)
        case _:
            return ()
