"""From an act to a native call: the dialect's word, with what the model itself knows about the trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from skilltrial.api import Act, ActAbsent, ActNotPossible, ReadSkill, ToolCall, ToolOffer, Trial


class Dialect(Protocol):
    """What is needed of a bound dialect."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """Turn an act into a call of one of the offered tools."""


class DialectFailed(ActNotPossible):
    """The dialect itself broke: the act is not possible, and that is not the program's fault."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one request's acts are spelled. `freeform` says whether its protocol has calls that are plain text."""

    dialect: Dialect
    trial: Trial
    tools: tuple[ToolOffer, ...]
    freeform: bool

    def __call__(self, act: Act) -> ToolCall:
        """The native call. Raises ActAbsent or ActNotPossible."""
        # Programs list their skills in system texts, which a dialect does not see; that an arm is without a skill
        # is known here.
        if isinstance(act, ReadSkill) and act.read_skill not in _ids(self.trial.skills):
            raise ActAbsent("the arm has no such skill")
        try:
            call = self.dialect.spell(act=act, tools=self.tools)
        except (ActAbsent, ActNotPossible):
            raise
        except Exception as error:  # a stranger's code; its fault must not look like a provider's
            raise DialectFailed(f"the dialect raised {type(error).__name__}") from error
        if isinstance(call.arguments, str) and not self.freeform:
            raise DialectFailed("the dialect spelled a free-form call, which this protocol does not have")
        return call


def _ids(skills: tuple[str, ...]) -> frozenset[str]:
    return frozenset(skill.partition("@")[0] for skill in skills)
