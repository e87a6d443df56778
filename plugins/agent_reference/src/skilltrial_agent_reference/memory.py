"""Where a conversation is kept between two processes: one file per project folder, in the user's state folder.

`$XDG_STATE_HOME/agent/<digest of the folder>.json`, or `~/.local/state/agent/...`: outside of the project, so that it
is no change of it, and as fresh as the home is.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .values import Json


class NothingToContinue(Exception):
    """There is no conversation to go on with; the message says so."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said so far, as the endpoint wants it, and the conversation's id."""

    session: str = field(default_factory=lambda: str(uuid.uuid4()))
    messages: list[Json] = field(default_factory=list)


def place(project: Path, environment: Mapping[str, str]) -> Path:
    """The file that keeps the conversation of `project`."""
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local/state")
    name = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    return Path(state) / "agent" / f"{name}.json"


def recall(file: Path) -> Conversation:
    """Read a conversation. Raises NothingToContinue."""
    try:
        value = json.loads(file.read_bytes())
        session, messages = value["session"], value["messages"]
    except FileNotFoundError as error:
        raise NothingToContinue("no conversation was held in this folder yet; leave --continue out") from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise NothingToContinue("the conversation that is kept for this folder can't be read") from error
    if not isinstance(session, str) or not isinstance(messages, list):
        raise NothingToContinue("the conversation that is kept for this folder can't be read")
    return Conversation(session, messages)


def keep(file: Path, conversation: Conversation) -> None:
    """Write a conversation, readable by its owner alone. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        json.dump({"session": conversation.session, "messages": conversation.messages}, stream)
    fresh.replace(file)
