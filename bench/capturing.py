"""One program through the launcher into a record file.

    python capturing.py PROGRAM MEGABYTES RECORDS TOLD

Writes into TOLD how many seconds it took: by the clock, and of this process's CPU. Called by `rows/capture.py` as a
process of its own, so that its memory is seen.
"""

import sys
import tempfile
import time
from pathlib import Path

from skilltrial.archive.recording import Clock, FileRecorder
from skilltrial.archive.redaction import Redactor
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Command
from skilltrial.record.programs.supervisor import Supervisor
from skilltrial.record.workspace import Folders


def main(program: str, megabytes: str, records: str, told: str) -> None:
    """Run it and say how long that took."""
    limit = (int(megabytes) + 1) * 1_000_000
    with tempfile.TemporaryDirectory() as base, Supervisor() as supervisor:
        place = Path(base)
        recorder = FileRecorder(Path(records), Clock(), Redactor({"KEY": "a secret that never comes"}))
        launcher = supervisor.launcher(Limits(stdout=limit), Folders(place, place, place, place))
        begin, spent = time.monotonic(), time.process_time()
        finished = launcher.run(Command(argv=(program, megabytes), cwd=place, env={}), recorder)
        recorder.close()
        seconds, spent = time.monotonic() - begin, time.process_time() - spent
    if finished.code != 0 or recorder.count < int(megabytes) * 1_000_000 // 1024:
        sys.exit(f"{finished.code}, {recorder.count} records")
    Path(told).write_text(f"{seconds} {spent}", encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
