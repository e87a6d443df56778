"""A real server that is a program: a JSON-RPC message a line, on its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from itertools import count

from pydantic import JsonValue

from skilltrial.replies.strictjson import compact

from .passing import Said, UpstreamFailed
from .requests import BODY_LIMIT
from .rpc import Failure, Params, parse
from .upstream import CALL_SECONDS, Line

END_SECONDS = 2.0
"""How long a program may take to end after its standard input is closed."""


class StdioLine(Line):
    """A program of its own, in a process group of its own; it gets PATH, HOME and LANG, and the named variable."""

    def __init__(self, command: tuple[str, ...], lent: Mapping[str, str]) -> None:
        self._command = command
        ours = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        self._environment = {**ours, **lent}
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Said]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def ask(self, method: str, params: Params, revision: str, repeated: Mapping[str, str]) -> Said:
        """See Line."""
        number = next(self._numbers)
        answer: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return await asyncio.wait_for(answer, CALL_SECONDS)
        except TimeoutError:
            raise UpstreamFailed("timeout") from None
        finally:
            self._waiting.pop(number, None)

    async def tell(self, method: str, revision: str) -> None:
        """See Line."""
        await self._send({"jsonrpc": "2.0", "method": method})

    async def close(self) -> None:
        """See Line."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _send(self, message: JsonValue) -> None:
        process = self._process or await self._start()
        if process.stdin is None or process.returncode is not None:
            raise UpstreamFailed("ended")
        try:
            process.stdin.write(compact(message).encode() + b"\n")
            await process.stdin.drain()
        except OSError:
            raise UpstreamFailed("ended") from None

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=self._environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=BODY_LIMIT,
                start_new_session=True,
            )
        except OSError:
            raise UpstreamFailed("unreachable") from None
        self._reading = asyncio.ensure_future(self._read(self._process.stdout))
        return self._process

    async def _read(self, lines: asyncio.StreamReader | None) -> None:
        why = "ended"
        try:
            while lines is not None and (line := await lines.readline()):
                self._take(line)
        except (ValueError, UpstreamFailed):
            why = "not_json"
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(UpstreamFailed(why))

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        value = parse(line)
        if isinstance(value, Failure):
            raise UpstreamFailed("not_json")
        match value:
            case {"id": int(number), "result": dict(result)}:
                said = Said(result=result)
            case {"id": int(number), "error": dict(error)}:
                said = Said(error=error)
            case _:
                return
        answer = self._waiting.get(number)
        if answer is not None and not answer.done():
            answer.set_result(said)
