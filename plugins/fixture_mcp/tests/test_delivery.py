"""How answers leave a connection."""

from __future__ import annotations

import asyncio
from typing import Any

from skilltrial_fixture_mcp.delivery import Joining


class Wire(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[Any] = []

    def write(self, data: Any) -> None:
        self.said.append(bytes(data))

    def close(self) -> None:
        self.said.append("closed")

    def is_closing(self) -> bool:
        return "closed" in self.said


async def after(*acts: Any) -> list[Any]:
    """What a wire heard of these acts, and then of one turn of the loop."""
    wire = Wire()
    joining = Joining(wire)
    for act in acts:
        act(joining)
    await asyncio.sleep(0)
    return wire.said


def test_head_and_body_leave_as_one() -> None:
    assert asyncio.run(after(lambda one: one.write(b"head"), lambda one: one.write(b"body"))) == [b"headbody"]


def test_what_is_held_leaves_before_the_end() -> None:
    assert asyncio.run(after(lambda one: one.write(b"whole"), lambda one: one.close())) == [b"whole", "closed"]


def test_nothing_leaves_after_the_end() -> None:
    assert asyncio.run(after(lambda one: one.close(), lambda one: one.write(b"late"))) == ["closed"]
