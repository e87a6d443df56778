"""Events that nobody holds: the same every time, results with their content, one walk where asked in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from skilltrial.archive.trajectory import Trajectory, chosen, recallable
from skilltrial.model.events import Event, ModelRequested, Notice, ToolRequested, ToolResult

NOTICE = Notice(seq=9, turn=2, text_sha256="0" * 64)


@dataclass
class Told:
    """Six calls with their results, and a notice; counts how often they were told."""

    walks: int = 0
    events: tuple[Event, ...] = field(
        default_factory=lambda: (
            *(
                event
                for at in range(6)
                for event in (
                    ToolRequested(seq=at, turn=1, call=f"c{at}", tool="read"),
                    ToolResult(seq=at, turn=1, call=f"c{at}", content=[at], is_error=at == 3),
                )
            ),
            ModelRequested(seq=8, turn=1),
            NOTICE,
        )
    )

    def __call__(self) -> Iterator[Event]:
        self.walks += 1
        return iter(self.events)


@pytest.fixture
def told() -> Told:
    return Told()


def test_a_trajectory_is_a_sequence_of_its_events(told: Told) -> None:
    events = Trajectory(told)

    assert tuple(events) == told.events
    assert len(events) == len(told.events)
    assert [events[at] for at in (0, 5, -1)] == [told.events[at] for at in (0, 5, -1)]
    assert events[2:6] == told.events[2:6]
    assert events[::-1] == told.events[::-1]
    assert NOTICE in events
    for at in (14, -15):
        with pytest.raises(IndexError):
            events[at]


def test_what_is_chosen_is_held_only_where_the_events_are(told: Told) -> None:
    def late(event: Event) -> bool:
        return event.turn == 2

    assert chosen(told.events, late) == (NOTICE,)
    assert isinstance(chosen(Trajectory(told), late), Trajectory)
    assert tuple(chosen(Trajectory(told), late)) == (NOTICE,)


def test_a_result_that_is_not_held_has_its_content_all_the_same(told: Told) -> None:
    events = recallable(Trajectory(told))
    results = [event for event in events if isinstance(event, ToolResult)]

    told.walks = 0
    contents = [result.content for result in results for _ in range(3)]

    assert contents == [[at] for at in range(6) for _ in range(3)]
    assert told.walks == 1, "in order they cost one walk"
    assert [result.content for result in reversed(results)] == [[at] for at in reversed(range(6))]
    assert [(one.seq, one.turn, one.call, one.is_error) for one in results] == [
        (at, 1, f"c{at}", at == 3) for at in range(6)
    ]
    match results[2]:
        case ToolResult(content=[2], is_error=False):
            pass
        case other:
            pytest.fail(repr(other))


def test_what_is_held_is_recalled_as_it_is(told: Told) -> None:
    assert recallable(told.events) is told.events
