"""One trial: tried until it shows something or has been tried enough, then sealed."""

from __future__ import annotations

import time

from skilltrial.archive.writing import TrialWriter
from skilltrial.model.errors import RunIncomplete
from skilltrial.model.trial import TrialKey

from .bench import Bench
from .endings import Seen
from .onetry import Try


def execute(bench: Bench, key: TrialKey) -> Seen | None:
    """Run one trial and seal it; None where it was interrupted and discarded, to be run again.

    Raises RunIncomplete where the archive or the place can't be written. What goes wrong in a host or an agent is
    a record, not an exception.
    """
    with bench.gate:
        writer = bench.archive.open_trial(key, bench.redactor)
    try:
        return _execute(bench, key, writer)
    except OSError as error:
        writer.discard()
        why = error.strerror or type(error).__name__
        raise RunIncomplete(f"trial {key} could not be kept: {why}; what was sealed before is kept") from error
    except BaseException:
        writer.discard()
        raise


def _execute(bench: Bench, key: TrialKey, writer: TrialWriter) -> Seen | None:
    turns = len(bench.suite.case(key.case).turns)
    while True:
        facts = Try(bench, key, writer).run()
        if facts is None:
            writer.discard()
            return None
        seen = bench.ends.read(writer.records(), turns)
        wait = bench.conduct.wait_before_retry(seen, writer.tries)
        if wait is None:
            with bench.gate:
                writer.seal(facts)
            return seen
        writer.begin_another(facts)
        if not _waited(bench, wait):
            writer.discard()
            return None


def _waited(bench: Bench, seconds: float) -> bool:
    """Wait before the next try; False where the run was cancelled meanwhile."""
    until = time.monotonic() + seconds
    while not bench.supervisor.cancelled and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.1))
    return not bench.supervisor.cancelled
