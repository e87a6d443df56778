"""One run at a time on what all its trials share: a lock for each account, in the user's state folder on this machine.

An account is known by the address that its fixture tells, never by a credential. The lock dies with its process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from skilltrial.archive.lock import Held, hold
from skilltrial.model.errors import SourceUnusable
from skilltrial.model.trial import FixtureIdentity

from .livefixtures import shared


@contextmanager
def alone(fixtures: Mapping[str, FixtureIdentity], *, live: bool, run: str) -> Iterator[None]:
    """Be the only run on every account behind the fixtures. Raises SourceUnusable where another one is on it."""
    names = shared(fixtures, live=live)
    accounts = {account: name for name in names if (account := fixtures[name].account) is not None}
    told = f"run {run}, process {os.getpid()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    with ExitStack() as stack:
        for account, name in sorted(accounts.items()):
            try:
                stack.enter_context(hold(_file(account), told))
            except Held as error:
                by = error.by or "it has ended in this moment: try again"
                raise SourceUnusable(
                    f"fixture {name!r}: another run is on {account}, and all trials share what is there ({by}); wait "
                    "for it, or end it"
                ) from error
        yield


def _file(account: str) -> Path:
    """Where its lock is. Raises SourceUnusable."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()) / "skilltrial" / "accounts"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SourceUnusable(
            f"{folder} can't be made ({error.strerror}): runs on a shared account are held apart there; "
            "name another place by XDG_STATE_HOME"
        ) from error
    return folder / f"{sha256(account.encode()).hexdigest()[:32]}.lock"
