"""What a wire protocol is, and the small tools that all of them need to read a foreign request."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from skilltrial_model_scripted.conversation import Answer, Conversation


class BadRequest(Exception):
    """A request is not what its protocol says. The message names the place, never the content."""


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; `name` is the `event:` line, where the protocol has one."""

    data: str
    name: str | None = None

    def line(self) -> bytes:
        """The event as it goes over the wire."""
        name = f"event: {self.name}\n" if self.name else ""
        return f"{name}data: {self.data}\n\n".encode()


class Wire(ABC):
    """One wire protocol: requests in, replies out. Stateless and pure."""

    name: ClassVar[str]
    """Its name on record."""
    path: ClassVar[str]
    """Where it is asked, below an endpoint's url."""
    freeform: ClassVar[bool] = False
    """Whether a tool call can be plain text."""
    side: ClassVar[bool] = False
    """Whether its requests never belong to a turn."""

    @abstractmethod
    def read(self, body: JsonValue) -> Conversation:
        """Read a request. Raises BadRequest."""

    @abstractmethod
    def whole(self, asked: Conversation, answer: Answer) -> JsonValue:
        """The answer as plain JSON."""

    @abstractmethod
    def events(self, asked: Conversation, answer: Answer) -> Iterator[Event]:
        """The same answer as a stream. Nothing in its first half completes a text or a call."""

    @abstractmethod
    def error(self, status: int, message: str) -> JsonValue:
        """The provider's body of an HTTP error."""

    @abstractmethod
    def failure(self, asked: Conversation, answer: Answer, number: int, error: JsonValue) -> Event:
        """The event, after so many others, with which the provider breaks a stream off; `error` is the body."""


class Loose(BaseModel):
    """The base of the models of foreign requests: what we do not use is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], body: JsonValue) -> M:
    """The body as `model`. Raises BadRequest that says what is wrong where."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        raise BadRequest(f"{place}: {first['type'].replace('_', ' ')}") from None


def texts(content: JsonValue) -> tuple[str, ...]:
    """The text blocks of a message's content, whatever its shape; what holds no text is left out."""
    match content:
        case str():
            return (content,)
        case list():
            return tuple(text for part in content for text in texts(part))
        case {"text": str(text)}:
            return (text,)
        case {"content": inner}:
            return texts(inner)
        case _:
            return ()


def put_in(text: str, tags: Sequence[str], openings: tuple[str, ...] = ()) -> bool:
    """Whether a user text was put in by the program: nothing but elements called `tags`, or begun as `openings`.

    A text that also holds something else is no such text: programs put reminders around prompts.
    """
    elements = rf"<({'|'.join(map(re.escape, tags))})\b[^>]*>.*?</\1>"
    return not re.sub(elements, "", text, flags=re.DOTALL).strip() or text.lstrip().startswith(openings)


def compact(value: Mapping[str, JsonValue]) -> str:
    """The value as JSON on one line."""
    return json.dumps(value, separators=(",", ":"))


def pieces(text: str) -> tuple[str, ...]:
    """The text in up to sixteen pieces for a stream."""
    size = max(1, -(-len(text) // 16))
    return tuple(text[start : start + size] for start in range(0, len(text), size))


OPENAI_TYPES: Mapping[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    402: ("insufficient_quota", "insufficient_quota"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    413: ("invalid_request_error", "context_length_exceeded"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}


def openai_error(status: int, message: str) -> JsonValue:
    """The error body of OpenAI's protocols."""
    kind, code = OPENAI_TYPES.get(status, ("server_error" if status >= 500 else "invalid_request_error", None))
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
