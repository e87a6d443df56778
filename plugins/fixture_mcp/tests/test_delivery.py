"""How answers leave a connection."""

from __future__ import annotations

import asyncio
from typing import Any

from skilltrial_fixture_mcp.delivery import Joining, Whole


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


def after(*acts: Any) -> list[Any]:
    """What a wire heard of these acts."""
    wire = Wire()
    joining = Joining(wire)
    for act in acts:
        act(joining)
    return wire.said


def test_what_is_not_held_leaves_at_once() -> None:
    assert after(lambda one: one.write(b"a"), lambda one: one.write(b"b")) == [b"a", b"b"]


def test_head_and_body_leave_as_one() -> None:
    acts = (Joining.hold, lambda one: one.write(b"head"), lambda one: one.write(b"body"))

    assert after(*acts) == []
    assert after(*acts, Joining.leave, lambda one: one.write(b"next")) == [b"headbody", b"next"]


def test_what_is_held_leaves_before_the_end() -> None:
    acts = (Joining.hold, lambda one: one.write(b"whole"), Joining.close, Joining.leave)

    assert after(*acts) == [b"whole", "closed"]


def test_nothing_held_leaves_after_the_end() -> None:
    assert after(Joining.hold, Joining.close, Joining.hold, lambda one: one.write(b"late"), Joining.leave) == ["closed"]


def test_an_answer_leaves_as_one() -> None:
    wire = Wire()

    async def send(message: Any) -> None:
        joining.write(message.get("body", b"head "))

    joining = Joining(wire)
    asyncio.run(Whole(b"body", 200, b"text/plain")({"state": {"transport": joining}}, None, send))  # type: ignore[arg-type]

    assert wire.said == [b"head body"]
