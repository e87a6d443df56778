"""The pipe to an agent, read line by line. What it prints beside messages is put on record as it came, in its order."""

from __future__ import annotations

import asyncio
import json
from typing import Any, BinaryIO

LONGEST = 64 * 1024 * 1024
"""Of one message, in bytes."""


class Lines:
    """Messages of JSON-RPC, one a line: the library's Transport. Lines that are none go to `others`."""

    def __init__(self, spoken: asyncio.StreamReader, writer: asyncio.StreamWriter, others: BinaryIO) -> None:
        self._spoken = spoken
        self._writer = writer
        self._others = others
        self._sending = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Say a message."""
        async with self._sending:
            self._writer.write(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
            await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the agent says no more."""
        while line := await self._line():
            text = line.decode("utf-8", "surrogateescape").strip()
            try:
                value = json.loads(text)
            except ValueError:
                self._keep(line)
            except RecursionError:
                # Whoever reads the record may get deeper. What lacks its end is no message for them either.
                self._keep(text[:-1].encode("utf-8", "surrogateescape"))
            else:
                if isinstance(value, dict):
                    return value
                self._keep(line)
        return None

    async def close(self) -> None:
        """Say no more."""
        self._writer.close()

    def _keep(self, line: bytes) -> None:
        self._others.write(line.removesuffix(b"\n") + b"\n")
        self._others.flush()

    async def _line(self) -> bytes:
        """The next line with its end; a part of one that is longer than any message may be; nothing at the end."""
        try:
            return await self._spoken.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            return await self._spoken.readexactly(error.consumed)
        except asyncio.IncompleteReadError as error:
            return error.partial
