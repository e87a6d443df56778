"""What a call is answered: a pure function of catalog, script, state and call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from .answers import Answer, Answering, own_error, plain_answer

if TYPE_CHECKING:
    from pydantic import JsonValue

    from skilltrial.api import Answerer
    from skilltrial.replies.fitting import Schema
    from skilltrial.replies.scripts import State
    from skilltrial.replies.templates import Template

    from .plain import Fault
    from .routes import PlayedRoute
    from .tools import Catalog, Tool

Because = Literal[
    "rule", "answerer", "invalid_arguments", "unknown_tool", "unexpected", "unscripted", "fault", "forwarded"
]


class PlayedRule(NamedTuple):
    """A rule, ready to be held against calls of one tool. `answer` is there where it is the same for every call."""

    arguments: Schema | None
    state: Schema | None
    set: Mapping[str, Template]
    hide: frozenset[str]
    show: frozenset[str]
    delay: float
    answering: Answering | None
    answer: Answer | None
    fault: Fault | None

    def fits(self, arguments: JsonValue, state: State) -> bool:
        """Whether the rule is for this call."""
        return (self.arguments is None or self.arguments.fits(arguments)) and (
            self.state is None or self.state.fits(state)
        )


class Play(NamedTuple):
    """A script, ready to be played. `rules` are those that may fit a tool, in order."""

    state: State
    hidden: frozenset[str]
    rules: Mapping[str, tuple[PlayedRule, ...]]
    routes: tuple[PlayedRoute, ...] = ()


class Scene(NamedTuple):
    """Where a trial stands."""

    state: State
    hidden: frozenset[str]


class Decision(NamedTuple):
    """What happens with a call. `answer` is None for an unknown tool and where a fault takes its place."""

    because: Because
    scene: Scene
    answer: Answer | None = None
    fault: Fault | None = None
    delay: float = 0.0
    marks: JsonValue = None
    """What an answerer noted for graders."""


def decide(
    catalog: Catalog, play: Play, scene: Scene, name: str, arguments: JsonValue, answerer: Answerer | None = None
) -> Decision:
    """Decide a call: an unknown tool, invalid arguments, the first rule that fits, the answerer, or unexpected."""
    tool = catalog.tools.get(name)
    if tool is None or name in scene.hidden:
        return Decision("unknown_tool", scene)
    if not isinstance(arguments, dict) or not tool.input.fits(arguments):
        return Decision("invalid_arguments", scene, INVALID)
    for rule in play.rules[name]:
        if rule.fits(arguments, scene.state):
            return _played(rule, scene, arguments)
    if answerer is not None:
        return _asked(answerer, tool, scene, arguments)
    return Decision("unexpected", scene, UNEXPECTED)


def _asked(answerer: Answerer, tool: Tool, scene: Scene, arguments: dict[str, JsonValue]) -> Decision:
    said = answerer.answer_call(tool.name, arguments, scene.state)
    after = Scene(dict(said.state), scene.hidden)
    answer = plain_answer(said.result, is_error=said.is_error, has_output=tool.output is not None)
    return Decision("answerer" if said.scripted else "unscripted", after, answer, marks=said.marks)


def _played(rule: PlayedRule, scene: Scene, arguments: JsonValue) -> Decision:
    after = scene
    if rule.set or rule.hide or rule.show:
        state = scene.state | {key: value.fill(arguments, scene.state) for key, value in rule.set.items()}
        after = Scene(state, (scene.hidden | rule.hide) - rule.show)
    if rule.answering is None:
        return Decision("fault", after, fault=rule.fault, delay=rule.delay)
    answer = rule.answer or rule.answering.fill(arguments, after.state)
    return Decision("rule", after, answer, delay=rule.delay)


INVALID = own_error(
    "FIXTURE_INVALID_ARGUMENTS", "The arguments do not fit the input schema of this tool. Nothing was done."
)
UNEXPECTED = own_error("FIXTURE_UNEXPECTED_OPERATION", "This operation was not foreseen here. Nothing was done.")
UNKNOWN = own_error("FIXTURE_UNKNOWN_TOOL", "There is no tool of this name.")
