"""One trial at a server of its own (see `process`)."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from .app import Desk, Seat
from .listening import settings
from .plan import planned

if TYPE_CHECKING:
    from .plain import Keeper, Plan


class Alone(uvicorn.Server):
    """A server that serves one plan, and says where once it listens."""

    def __init__(self, plan: Plan, keeper: Keeper, port: int, up: Callable[[str], None]) -> None:
        desk, token = Desk(port), secrets.token_urlsafe(24)
        super().__init__(settings(desk))
        self.served = planned(plan, keeper)
        desk.seats[token] = Seat(self.served)
        self._address = desk.address(token)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets=sockets)
        self._up(self._address)
