"""How the application is served: uvicorn on loopback, with nothing of its own in the answers."""

from __future__ import annotations

import uvicorn

from .app import Desk
from .delivery import Severable

STOP_SECONDS = 2
"""How long answers that are under way may take when the server ends."""


def settings(desk: Desk) -> uvicorn.Config:
    """How uvicorn serves it."""
    return uvicorn.Config(
        desk,
        loop="auto",
        http=Severable,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
