"""A session of any length: nothing large is held, and the events are the same as if all were."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import pytest

from skilltrial.api import Event, Exited, Record, Source, ToolResult, TurnSent, as_raw
from skilltrial_host_codex.normalizer import events_of
from skilltrial_host_codex.shelf import Shelf

CALLS = 2_500
RESULT = "a line of a file\n" * 600
"""Some 10 KB: 25 MB in all."""


class Long(Sequence[Record]):
    """A session with a log, or without one; its records are made as they are asked for."""

    def __init__(self, *, logged: bool) -> None:
        self._rows = 4 if logged else 2
        self._before = [
            (Source.RUNNER, as_raw(TurnSent(turn=1, prompt_sha256="0" * 64))),
            (Source.STDOUT, '{"type": "thread.started", "thread_id": "t"}'),
            (Source.STDOUT, '{"type": "turn.started"}'),
        ]
        self._after = [(Source.RUNNER, as_raw(Exited(code=0)))]
        if logged:
            meta = {"id": "t", "cli_version": "0.171.0", "cwd": "/project"}
            self._after += [(Source.SESSION_LOG, json.dumps({"type": "session_meta", "payload": meta}))]

    def __len__(self) -> int:
        return len(self._before) + len(self._after) + self._rows * CALLS

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        source, raw = self._told(at)
        return Record(at + 1, 0.0, source, 1, raw)

    def _told(self, at: int) -> tuple[Source, str]:
        if at < len(self._before):
            return self._before[at]
        at -= len(self._before)
        if at < 2 * CALLS:
            return Source.STDOUT, _streamed(*divmod(at, 2))
        at -= 2 * CALLS
        if at < len(self._after):
            return self._after[at]
        return Source.SESSION_LOG, _logged(*divmod(at - len(self._after), 2))


def _streamed(number: int, over: int) -> str:
    item = {"id": f"item_{number}", "type": "command_execution", "command": f"bash -lc 'cat {number}'"}
    if not over:
        return json.dumps({"type": "item.started", "item": {**item, "status": "in_progress"}})
    done = {"aggregated_output": f"{number} {RESULT}", "exit_code": 0, "status": "completed"}
    return json.dumps({"type": "item.completed", "item": {**item, **done}})


def _logged(number: int, over: int) -> str:
    call = {"call_id": f"call_{number}", "name": "exec_command", "arguments": json.dumps({"cmd": f"cat {number}"})}
    if not over:
        return json.dumps({"type": "response_item", "payload": {"type": "function_call", **call}})
    item = {"type": "CommandExecution", "id": f"call_{number}", "command": ["bash", "-lc", f"cat {number}"]}
    done = {"aggregated_output": f"{number} {RESULT}", "exit_code": 0, "status": "completed"}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": {**item, **done}}})


@pytest.fixture(params=[False, True], ids=["stream only", "with its log"])
def long(request: pytest.FixtureRequest) -> Long:
    return Long(logged=request.param)


def results(events: Iterator[Event]) -> Iterator[str]:
    for event in events:
        if isinstance(event, ToolResult):
            yield str(event.content).partition(" ")[0]


def test_a_long_session_is_not_held(long: Long) -> None:
    tracemalloc.start()
    try:
        seen = list(results(events_of(Shelf(long))))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert seen == [str(number) for number in range(CALLS)]
    assert most < 12_000_000, "4 MB of lines are held, and what is known of each call; the session has 25 MB or 50"


def test_of_a_call_that_stream_and_log_tell_little_is_held() -> None:
    tracemalloc.start()
    try:
        count = sum(isinstance(event, ToolResult) for event in events_of(Shelf(Long(logged=True), most=0)))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == CALLS
    assert most / CALLS < 1_100, "bytes: numbers and names of both sides, no text"


def test_what_is_read_again_gives_the_same_events(
    recorded: Callable[..., list[Record]], normalize: Callable[..., tuple[Event, ...]], names: tuple[str, ...]
) -> None:
    for name in names:
        records = recorded(name)
        for cut in (len(records), len(records) * 2 // 3, len(records) // 2):
            again = tuple(events_of(Shelf(records[:cut], most=0)))
            assert again == normalize(records[:cut]), (name, cut)
