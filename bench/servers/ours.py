"""The fixture as a process: a plan, every call matched, validated and recorded. `FILE`; the plan lies beside it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from skilltrial.archive.recording import Clock, FileRecorder
from skilltrial.archive.redaction import Redactor
from skilltrial_fixture_mcp.ports import loopback
from skilltrial_fixture_mcp.process import serve


def recorder_in(path: Path) -> FileRecorder:
    """An archive's recorder, with a credential to look for as live runs have."""
    recorder = FileRecorder(path, Clock(), Redactor({"KEY": "a-credential-of-no-worth"}))
    recorder.turn = 1
    return recorder


def main(record: Path) -> None:
    """Serve until the process is killed."""
    plan = json.loads(record.with_suffix(".plan").read_bytes())
    with loopback() as listening:
        serve(plan, listening, recorder_in(record), lambda address: print(address, flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
