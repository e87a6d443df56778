"""A session of any length: of a call that is over only its place is held."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from typing import overload

from skilltrial.api import (
    Exited,
    PermissionDecided,
    Record,
    Source,
    Spawned,
    ToolResult,
    TurnSent,
    Unrecognized,
    as_raw,
)
from skilltrial_host_claude.normalizer import ClaudeNormalizer

CALLS = 2_500
RESULT = "a line of a file\n" * 600
"""Some 10 KB: 25 MB in all."""
BEFORE = (
    (Source.RUNNER, as_raw(TurnSent(turn=1, prompt_sha256="0" * 64))),
    (Source.RUNNER, as_raw(Spawned(argv=("claude",)))),
    (Source.STDOUT, '{"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "skills": []}'),
)


class Long(Sequence[Record]):
    """A session whose records are made as they are asked for; `after` are its last lines."""

    def __init__(self, *after: str) -> None:
        self._after = (*((Source.STDOUT, line) for line in after), (Source.RUNNER, as_raw(Exited(code=0))))

    def __len__(self) -> int:
        return len(BEFORE) + len(self._after) + 2 * CALLS

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
        if at < len(BEFORE):
            return BEFORE[at]
        at -= len(BEFORE)
        if at >= 2 * CALLS:
            return self._after[at - 2 * CALLS]
        number, over = divmod(at, 2)
        return Source.STDOUT, returned(number) if over else asked(number)


def asked(number: int, command: str | None = None) -> str:
    given = {"command": command or f"cat {number}"}
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": given}
    return json.dumps({"type": "assistant", "message": {"id": f"msg_{number}", "model": "m", "content": [use]}})


def returned(number: int) -> str:
    content = f"{number} {RESULT}"
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, "is_error": False}
    return json.dumps({"type": "user", "message": {"content": [result]}})


def test_a_long_session_is_not_held() -> None:
    tracemalloc.start()
    try:
        results = (event for event in ClaudeNormalizer().normalize(Long()) if isinstance(event, ToolResult))
        seen = [str(result.content).partition(" ")[0] for result in results]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert seen == [str(number) for number in range(CALLS)]
    assert most < 4_000_000, "only what is known of each call is held; the session has 25 MB"


def test_a_call_that_is_over_is_known_all_the_same() -> None:
    denials = [{"tool_name": "Bash", "tool_use_id": "toolu_7", "tool_input": {}}] * 2
    again = (asked(3), asked(3, "rm 3"), returned(3))
    end = json.dumps({"type": "result", "subtype": "success", "is_error": False, "permission_denials": denials})

    events = tuple(ClaudeNormalizer().normalize(Long(*again, end)))

    assert [event.why for event in events if isinstance(event, Unrecognized)] == [
        "call_repeated",  # with another command; the same one is the same call
        "result_without_call",
    ]
    (denied,) = (event for event in events if isinstance(event, PermissionDecided))
    assert (denied.call, denied.tool, denied.seq) == ("toolu_7", "Bash", len(BEFORE) + 2 * 7 + 1)
