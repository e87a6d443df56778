"""A session whose records are too many to be held: recorded, judged and judged again like any other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from skilltrial.archive.records import LARGE

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--records", "events", "--", "./agent.sh")
CALLS = 9_000
TALKS_MUCH = f"""\
#!/bin/sh
cat > /dev/null
awk 'BEGIN {{
    while (length(text) < 1000) text = text "a line of a file, "
    for (call = 1; call <= {CALLS}; call++) {{
        printf "{{\\"type\\": \\"ToolRequested\\", \\"call\\": \\"c%d\\", \\"tool\\": \\"read\\"}}\\n", call
        printf "{{\\"type\\": \\"ToolResult\\", \\"call\\": \\"c%d\\", \\"content\\": \\"%s\\"}}\\n", call, text
    }}
}}'
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
echo '{{"type": "Usage", "input": 7, "output": 5}}'
echo '{{"type": "TurnEnded", "answer": "done"}}'
echo '{{"type": "SessionEnded", "ending": "completed"}}'
"""


def test_a_long_session_is_recorded_and_judged_twice_alike(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter(TALKS_MUCH)

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", "--arm", "with_skill", *AGENT)
    again = skilltrial("grade", "run", "--format", "json")

    assert ran.code == again.code == 0, ran.err + again.err
    (trial,) = ran.report["trials"]
    (records,) = (tmp_path / "run" / "trials").rglob("host.jsonl")
    assert records.stat().st_size > LARGE
    assert (trial["tool_calls"], trial["usage"]["output"], trial["unrecognized"]) == (CALLS, 5, 0)
    assert again.out == ran.out
    assert skilltrial("verify", "run").code == 0

    with records.open("r+b") as file:
        file.seek(LARGE)
        file.write(b"0")
    changed = skilltrial("grade", "run")

    assert changed.code == 4
    assert "changed: trials/" in changed.err
