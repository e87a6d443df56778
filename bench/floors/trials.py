"""The floor of a run: copy the workspace, run the agent, look for the answer, keep a line of JSON, remove the copy.

    python trials.py WORKSPACE COUNT JOBS OUT AGENT...

No evidence beyond that line: no digest, no listing, no limit, no seal. Each line has the start and end of its trial,
in seconds since the epoch.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROMPT = b"Write answer.txt with the answer.\n" * 20


def trial(workspace: str, agent: list[str], number: int) -> dict[str, object]:
    """One trial; what is kept of it."""
    start = time.time()
    place = Path(tempfile.mkdtemp(prefix="floor-"))
    try:
        project = place / "project"
        shutil.copytree(workspace, project)
        ran = subprocess.run(agent, input=PROMPT, cwd=project, capture_output=True, timeout=60, check=False)
        answer = project / "answer.txt"
        passed = ran.returncode == 0 and answer.is_file() and "42" in answer.read_text()
    finally:
        shutil.rmtree(place)
    return {"trial": number, "passed": passed, "out": ran.stdout.decode(), "start": start, "end": time.time()}


def main(workspace: str, count: int, jobs: int, out: str, agent: list[str]) -> int:
    """All trials; 0 where each of them passed."""
    passed = 0
    with Path(out).open("w") as lines, ThreadPoolExecutor(jobs) as pool:
        for one in pool.map(lambda number: trial(workspace, agent, number), range(count)):
            passed += bool(one["passed"])
            lines.write(json.dumps(one) + "\n")
    return 0 if passed == count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
