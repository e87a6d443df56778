"""A real server over streamable HTTP."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from itertools import count

import httpx2
from pydantic import JsonValue

from skilltrial.replies.strictjson import compact

from .passing import Said, UpstreamFailed
from .requests import JSON, STREAM
from .revisions import METHOD_HEADER, MODERN, NAME_HEADER, VERSION_HEADER
from .rpc import Failure, Params, parse
from .upstream import CALL_SECONDS, Line

SESSION_HEADER = "mcp-session-id"
ANSWER_LIMIT = 16 * 1024 * 1024
"""Bytes of one answer."""
_PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


class HttpLine(Line):
    """One client of its own, without cookies, redirects, proxies or logins of the operator's."""

    def __init__(self, url: str, token: str | None) -> None:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._url = url
        self._http = httpx2.AsyncClient(headers=headers, timeout=CALL_SECONDS, trust_env=False)
        self._session: str | None = None
        self._numbers = count(1)

    async def ask(self, method: str, params: Params, revision: str, repeated: Mapping[str, str]) -> Said:
        """See Line."""
        number = next(self._numbers)
        body: JsonValue = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        headers = self._headers(method, params, revision)
        headers |= {header: _said(says) for header, says in repeated.items()}
        try:
            async with self._http.stream("POST", self._url, content=compact(body).encode(), headers=headers) as reply:
                self._session = reply.headers.get(SESSION_HEADER, self._session)
                return await _answer(reply, number)
        except httpx2.TimeoutException:
            raise UpstreamFailed("timeout") from None
        except httpx2.ConnectError:
            raise UpstreamFailed("unreachable") from None
        except httpx2.HTTPError:
            raise UpstreamFailed("broken_off") from None

    async def tell(self, method: str, revision: str) -> None:
        """See Line."""
        body: JsonValue = {"jsonrpc": "2.0", "method": method}
        try:
            headers = self._headers(method, {}, revision)
            reply = await self._http.post(self._url, content=compact(body).encode(), headers=headers)
        except httpx2.HTTPError:
            raise UpstreamFailed("broken_off") from None
        if reply.status_code >= 300:
            raise UpstreamFailed("refused")

    async def close(self) -> None:
        """See Line. A session of the server's is ended there, as far as it lets itself be ended."""
        try:
            if self._session is not None:
                await self._http.delete(self._url, headers={SESSION_HEADER: self._session}, timeout=5)
        except httpx2.HTTPError:
            pass
        finally:
            await self._http.aclose()

    def _headers(self, method: str, params: Params, revision: str) -> dict[str, str]:
        headers = {"content-type": JSON, "accept": f"{JSON}, {STREAM}"}
        if method != "initialize":
            headers[VERSION_HEADER] = revision
        if self._session is not None and revision != MODERN:
            headers[SESSION_HEADER] = self._session
        if revision == MODERN:
            headers[METHOD_HEADER] = method
            if isinstance(name := params.get("name"), str):
                headers[NAME_HEADER] = _said(name)
        return headers


async def _answer(reply: httpx2.Response, number: int) -> Said:
    if reply.status_code in (401, 403):
        raise UpstreamFailed("not_authorized")
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == STREAM:
        async for event in httpx2.EventSource(reply, ANSWER_LIMIT):
            if event.data and (said := _read(event.data, number)) is not None:
                return said
        raise UpstreamFailed("broken_off")
    if kind == JSON:
        kept = b""
        async for piece in reply.aiter_bytes():
            kept += piece
            if len(kept) > ANSWER_LIMIT:
                raise UpstreamFailed("too_large")
        if (said := _read(kept, number)) is not None:
            return said
    # An error of HTTP without one of JSON-RPC, or something that is no answer at all.
    raise UpstreamFailed("server_error" if reply.status_code >= 500 else "refused" if reply.is_error else "no_answer")


def _read(data: bytes | str, number: int) -> Said | None:
    """The answer to request `number`; None for any other message."""
    value = parse(data)
    if isinstance(value, Failure):
        raise UpstreamFailed("not_json")
    match value:
        case {"jsonrpc": "2.0", "id": id, "result": dict(result)} if id == number:
            return Said(result=result)
        case {"jsonrpc": "2.0", "id": id, "error": dict(error)} if id == number or id is None:
            return Said(error=error)
    return None


def _said(text: str) -> str:
    """A text as a header says it: as it is where it can stand there, else in base64."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode('ascii')}?="
