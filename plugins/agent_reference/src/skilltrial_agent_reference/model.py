"""The model: one chat-completions request, asked again a bounded number of times. The only module that knows httpx."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

import httpx

from .values import Json

Cause = Literal["auth", "rate_limit", "quota", "context", "server", "transport", "refusal", "empty", "unclassified"]
"""Why a model gave no answer."""

_AGAIN: frozenset[Cause] = frozenset({"rate_limit", "server", "transport"})
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_LONGEST_ASKED_WAIT = 60.0
"""Seconds; a server that asks for a longer wait is asked again after this one."""
_SILENCE = 600.0
"""Seconds without a byte after which a request has failed."""


class ModelFailed(Exception):
    """The model gave no answer, for good. The message names no content."""

    def __init__(self, cause: Cause, says: str) -> None:
        super().__init__(says)
        self.cause: Cause = cause


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call of a tool, as the model asked for it. `arguments` is the text that came, usually JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts of one request; None where the endpoint did not say."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said: text, wanted calls, or both. `cut` where its length limit ended it."""

    text: str
    calls: tuple[Wanted, ...]
    tokens: Tokens
    model: str | None
    request: str | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that gave no reply, and the wait that the server asked for (seconds)."""

    cause: Cause
    says: str
    wait: float | None = None


class Model:
    """A chat-completions endpoint. Use as a context; holds one HTTP client."""

    def __init__(self, base_url: str, model: str, key: str | None, *, retries: int) -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, timeout=httpx.Timeout(30.0, read=_SILENCE, write=60.0))
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model = model
        self._retries = retries
        self.provider = httpx.URL(base_url).host

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ask(self, messages: Sequence[Json], tools: Sequence[Json], failed: Callable[[Failure, bool], None]) -> Reply:
        """Ask once, and again after failures that may pass.

        `failed` hears of each failure, and whether the request is sent again. Raises ModelFailed.
        """
        body: dict[str, Json] = {"model": self._model, "messages": list(messages), "stream": False}
        if tools:
            body["tools"] = list(tools)
        for attempt in range(self._retries + 1):
            outcome = self._once(body)
            if isinstance(outcome, Reply):
                return outcome
            again = outcome.cause in _AGAIN and attempt < self._retries
            failed(outcome, again)
            if not again:
                raise ModelFailed(outcome.cause, outcome.says)
            time.sleep(wait(attempt, outcome.wait))
        raise AssertionError("the loop above returns or raises")

    def _once(self, body: Mapping[str, Json]) -> Reply | Failure:
        try:
            response = self._client.post(
                self._url, content=json.dumps(body), headers={"content-type": "application/json"}
            )
        except httpx.HTTPError as error:
            return Failure("transport", f"the model endpoint can't be reached ({type(error).__name__})")
        request = response.headers.get("x-request-id")
        try:
            value = response.json()
        except (ValueError, RecursionError):
            value = None
        if response.status_code != httpx.codes.OK:
            return refused(response.status_code, value, asked_wait(response.headers, time.time()))
        return understood(value, request)


def wait(attempt: int, asked: float | None) -> float:
    """Seconds to wait after the failed `attempt` (from 0): what the server asked for, else doubling; both bounded."""
    if asked is not None:
        return min(max(asked, 0.0), _LONGEST_ASKED_WAIT)
    return min(_FIRST_WAIT * 2.0**attempt, _LONGEST_WAIT)


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or an HTTP date. None without a usable one."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def refused(status: int, value: Json, asked: float | None) -> Failure:
    """What an HTTP status other than 200 means. `value` is the body, where it was JSON."""
    code = _error_code(value)
    says = f"the model endpoint answered with status {status}"
    if status in (401, 403):
        return Failure("auth", says)
    if status == 402 or "quota" in code or "billing" in code:
        return Failure("quota", says)
    if status == 429:
        return Failure("rate_limit", says, asked)
    if "context_length" in code or "context_window" in code or status == 413:
        return Failure("context", says)
    if status in (408, 409) or status >= 500:
        return Failure("server", says, asked)
    return Failure("unclassified", says)


def _error_code(value: Json) -> str:
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return ""
    return " ".join(part for part in (error.get("code"), error.get("type")) if isinstance(part, str)).lower()


def understood(value: Json, request: str | None) -> Reply | Failure:
    """The reply in a body of status 200; a Failure where there is none."""
    choice = _first(value.get("choices")) if isinstance(value, dict) else None
    message = choice.get("message") if choice else None
    if not isinstance(value, dict) or choice is None or not isinstance(message, dict):
        return Failure("server", "the model endpoint's answer is no chat completion")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return Failure("refusal", "the model refused")
    text, calls = message.get("content"), _calls(message.get("tool_calls"))
    if calls is None:
        return Failure("server", "the model endpoint's answer holds a malformed tool call")
    # Half of a surrogate pair, which a cut reply may hold, is no text that could be sent back or read elsewhere.
    text = text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else ""
    if not text.strip() and not calls:
        return Failure("empty", "the model answered with nothing")
    model = value.get("model")
    return Reply(
        text=text,
        calls=calls,
        tokens=_tokens(value.get("usage")),
        model=model if isinstance(model, str) else None,
        request=request,
        cut=choice.get("finish_reason") == "length",
    )


def _first(value: Json) -> dict[str, Json] | None:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else None


def _calls(value: Json) -> tuple[Wanted, ...] | None:
    if value is None:
        return ()
    if not isinstance(value, list):
        return None
    calls = []
    for one in value:
        function = one.get("function") if isinstance(one, dict) else None
        id_ = one.get("id") if isinstance(one, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if not isinstance(id_, str) or not isinstance(name, str) or not isinstance(arguments, str | None):
            return None
        calls.append(Wanted(id_, name, arguments or "{}"))
    return tuple(calls)


def _tokens(value: Json) -> Tokens:
    if not isinstance(value, dict):
        return Tokens()
    return Tokens(
        input=_count(value, "prompt_tokens"),
        output=_count(value, "completion_tokens"),
        cached=_count(value.get("prompt_tokens_details"), "cached_tokens"),
        reasoning=_count(value.get("completion_tokens_details"), "reasoning_tokens"),
    )


def _count(value: Json, key: str) -> int | None:
    count = value.get(key) if isinstance(value, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
