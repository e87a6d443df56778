"""What a program asks its model and what the model answers, in words that no wire protocol owns.

A wire protocol (`wires`) reads a request into a `Conversation` and writes an `Answer`; between the two nobody knows
which protocol is spoken. Which reply is due is a matter of the conversation alone (`player`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from skilltrial.api import ToolCall, ToolOffer

NEUTRAL = "Done."
"""What a scripted model says where its script has no word."""


class Role(StrEnum):
    """Who said something. `TOOL` is a result that came back, `SYSTEM` also what APIs call developer."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Said:
    """One text of a conversation.

    An assistant's text and calls in one reply are one of these; each text block of a user is one. `aside` is true
    for user texts that the program put in by itself: reminders, a skill's body, the environment.
    """

    role: Role
    text: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """One request, read. `counts` is false where a stream must not tell token counts."""

    model: str
    stream: bool
    tools: tuple[ToolOffer, ...]
    said: tuple[Said, ...]
    counts: bool = True

    @property
    def system(self) -> str:
        """All system texts."""
        return "\n".join(one.text for one in self.said if one.role is Role.SYSTEM)

    def asks(self, prompt: str) -> bool:
        """Whether a user text contains `prompt` (white space apart)."""
        return self._last(lambda one: squash(prompt) in squash(one.text)) is not None

    def step(self, prompt: str) -> int:
        """How many replies the model has given since the latest user text that contains `prompt`.

        Programs quote, wrap and expand prompts: where no text contains it, the latest user text counts that the
        program did not put in by itself, or that is the prompt to the letter; else the conversation's begin.
        """
        wanted = squash(prompt)
        start = self._last(lambda one: wanted in squash(one.text) and (not one.aside or wanted == squash(one.text)))
        if start is None:
            start = self._last(lambda one: not one.aside)
        since = self.said if start is None else self.said[start + 1 :]
        return sum(one.role is Role.ASSISTANT for one in since)

    def _last(self, fits: Callable[[Said], bool]) -> int | None:
        found = (place for place, one in enumerate(self.said) if one.role is Role.USER and fits(one))
        return max(found, default=None)


def squash(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model does next: says `text`, or calls a tool. A text may be a refusal, or cut off by its length."""

    text: str = ""
    call: ToolCall | None = None
    refused: bool = False
    cut_off: bool = False

    @property
    def stands(self) -> bool:
        """Whether who asks again is told the same again: the programs do, and a fault that heals would be none."""
        return self.refused or self.cut_off


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply on its way to the wire.

    `id` is hexadecimal and made from the place in the script, so that a repeated request gets the same bytes. The
    token counts are made up: a quarter of the bytes of the request and of the characters of the reply.
    """

    id: str
    reply: Reply
    input_tokens: int
    output_tokens: int


def tokens(size: int) -> int:
    """The made-up token count of so many characters or bytes."""
    return max(1, size // 4)
