"""What the program says of the operator's login: present or not. Whether it is valid only the provider could tell."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_ANSWERS_WITHIN = 30
# Only these words are taken over: the program also prints the ends of a key.
_WORDS = ((r"Logged in using ChatGPT", "a ChatGPT account"), (r"API key", "an API key"), (r"Logged in", "some account"))


@dataclass(frozen=True, slots=True)
class Login:
    """`present` is None where the program did not say."""

    present: bool | None
    told: str


def login_status(program: Path, home: Path) -> Login:
    """Ask `program` for its login in `home`, an operator's CODEX_HOME. Never raises."""
    if not home.is_dir():
        return Login(present=False, told="no login")
    # The program lays helpers into its home, but never into one that is a temporary folder: so it writes nothing.
    environment = {"CODEX_HOME": str(home), "TMPDIR": str(home), "HOME": str(Path.home())}
    environment["PATH"] = os.environ.get("PATH", os.defpath)
    try:
        done = subprocess.run(
            (str(program), "login", "status"),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Login(present=None, told="login unknown: the program did not answer")
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if re.search(r"^Not logged in", said, re.M):
        return Login(present=False, told="no login")
    found = next((words for pattern, words in _WORDS if re.search(rf"^{pattern}", said, re.M)), None)
    if done.returncode == 0 and found is not None:
        return Login(present=True, told=f"a login with {found} is present")
    return Login(present=None, told="login unknown: the program did not say")
