"""Requests that a program makes for itself: titles, memory, warm-ups. They are answered, but no act is played."""

from __future__ import annotations

import re

from .conversation import Conversation

_ALWAYS = re.compile(r"you are a title generator|memory extraction (sub)?agent", re.IGNORECASE)
"""System texts of helpers of known programs, whatever else the request holds."""

_WITHOUT_TOOLS = re.compile(
    r"(conversation|session|chat|short|concise|brief)\W+(\w+\W+){0,4}?(title|summary)|"
    r"(write|generate|create|come up with) (\w+ ){0,3}(title|summary)|"
    r"(isNewTopic|memory extraction|extract memories)",
    re.IGNORECASE,
)
"""What system texts of helpers have in common; a working agent's may have it too, but that offers tools."""


def is_side(asked: Conversation, turn: int, prompt: str) -> bool:
    """Whether a request is made beside the turn whose prompt is `prompt`.

    Beside it are: anything before the first turn, the helpers of known programs, and requests without tools that
    have a helper's system text or do not hold the prompt. An agent without any tools is served as usual.
    """
    if turn < 1 or _ALWAYS.search(asked.system):
        return True
    return not asked.tools and (_WITHOUT_TOOLS.search(asked.system) is not None or not asked.asks(prompt))
