"""What a call is answered: a pure function of script, state and call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from skilltrial.replies.fitting import Schema
from skilltrial.replies.scripts import State
from skilltrial.replies.strictjson import compact
from skilltrial.replies.templates import Template

from .replies import Fault

Because = Literal["rule", "unexpected", "fault", "forwarded"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text in parts, or (`as_json`) a value that is printed as JSON."""

    template: Template
    as_json: bool = False

    def fill(self, arguments: JsonValue, state: State) -> str:
        """The text of a call."""
        value = self.template.fill(arguments, state)
        if self.as_json:
            return compact(value) + "\n"
        parts = value if isinstance(value, list) else [value]
        return "".join(part if isinstance(part, str) else compact(part) for part in parts)


@dataclass(frozen=True, slots=True)
class PlayedRule:
    """A rule, ready to be held against calls."""

    programs: frozenset[str] | None
    exactly: tuple[str, ...] | None
    begins: tuple[str, ...]
    arguments: Schema | None
    state: Schema | None
    set: Mapping[str, Template]
    delay: float
    stdout: Text
    stderr: Text
    exit: int
    files: Mapping[str, Text]
    fault: Fault | None
    forward: bool

    def fits(self, program: str, arguments: Mapping[str, JsonValue], state: State) -> bool:
        """Whether the rule is for this call."""
        argv = arguments["argv"]
        words = tuple(argv) if isinstance(argv, list) else ()
        return (
            (self.programs is None or program in self.programs)
            and (self.exactly is None or words == self.exactly)
            and words[: len(self.begins)] == self.begins
            and (self.arguments is None or self.arguments.fits(dict(arguments)))
            and (self.state is None or self.state.fits(state))
        )


@dataclass(frozen=True, slots=True)
class Play:
    """A script, ready to be played."""

    state: State
    rules: tuple[PlayedRule, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens with a call, and the state after it. `exit` is None where it does not end by itself."""

    because: Because
    state: State
    exit: int | None = None
    stdout: str = ""
    stderr: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    fault: Fault | None = None

    @property
    def result(self) -> JsonValue:
        """What the evidence shows as its result."""
        shown: dict[str, JsonValue] = {"exit": self.exit, "stdout": self.stdout, "stderr": self.stderr}
        return shown | {"files": list(self.files)} if self.files else shown


def decide(play: Play, state: State, program: str, arguments: Mapping[str, JsonValue]) -> Decision:
    """Decide a call: the first rule that fits, or an unexpected call."""
    for rule in play.rules:
        if rule.fits(program, arguments, state):
            return _played(rule, state, program, dict(arguments))
    says = f"{program}: FIXTURE_UNEXPECTED_OPERATION: this call was not foreseen here, nothing was done\n"
    return Decision("unexpected", state, exit=1, stderr=says)


def _played(rule: PlayedRule, state: State, program: str, arguments: dict[str, JsonValue]) -> Decision:
    after = state | {key: value.fill(arguments, state) for key, value in rule.set.items()}
    if rule.forward:
        return Decision("forwarded", after, delay=rule.delay)
    if rule.fault == "missing":
        return Decision("fault", after, exit=127, stderr=f"sh: {program}: command not found\n", delay=rule.delay)
    if rule.fault is not None:
        return Decision("fault", after, delay=rule.delay, fault=rule.fault)
    return Decision(
        "rule",
        after,
        exit=rule.exit,
        stdout=rule.stdout.fill(arguments, after),
        stderr=rule.stderr.fill(arguments, after),
        files={path: text.fill(arguments, after) for path, text in rule.files.items()},
        delay=rule.delay,
    )
