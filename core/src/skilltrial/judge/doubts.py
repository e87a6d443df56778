"""Why a completed trial shows nothing all the same: the first thing that speaks against its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Event
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind, Owner

from .agreeing import disputed_answer, disputed_call, disputed_model
from .belonging import Expected, foreign
from .discovery import Doubt, not_found
from .noted import Noted
from .purity import shows
from .views import TrialView
from .witnesses import Witnessed


def doubt_of(
    key: TrialKey,
    trial: TrialView,
    expected: Expected,
    noted: Noted,
    events: Sequence[Event],
    seen: Witnessed | None,
) -> Doubt | None:
    """The doubt, in a word, with who has to act; None where nothing speaks against the evidence.

    `seen` are both sides of the calls of the suite's fixtures; None where it has none.
    """
    sees, turns = expected.sees, len(expected.case.turns)
    if doubt := foreign(key, trial, noted, expected):
        return doubt
    if shows(noted.records, expected.canaries):
        return "contaminated", Owner.OPERATOR
    if Sees.ANSWERS in sees and expected.kind is not EvidenceKind.IMPORTED:
        doubt = disputed_answer(events, trial.answers(), turns)
        if doubt is not None:
            return doubt
    if expected.plugin is not None and (doubt := not_found(events, expected.plugin, noted.started)):
        return doubt
    if seen is None:
        return None
    # Programs that stand in for others are listed by nobody, and called in no protocol of the host's.
    served = [name for name in expected.fixtures if name not in seen.alone]
    if seen.doubt is not None or not served:
        return seen.doubt
    return disputed_call(events, seen.calls, served, sees) or disputed_model(events, turns, sees)
