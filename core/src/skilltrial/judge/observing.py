"""What a session did, for those who hold the archive: calls in their order, files that changed, the answer's length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skilltrial.archive.trajectory import trajectory
from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Event, PermissionDecided, ToolRejected, TurnEnded
from skilltrial.model.evidence import Change
from skilltrial.model.trial import HostIdentity
from skilltrial.plugins.facades import NormalizerFacade

from .reconcile import reconcile
from .views import TrialView

_SUBJECTS = ("file_path", "path", "notebook_path", "command", "cmd", "pattern", "url", "skill", "query")
"""Members of a call's input that say best what it is about."""
_PLACE = re.compile(r"/\S*/project/(?=\S)")
"""A trial's place: it is gone, and its long name says nothing."""


@dataclass(frozen=True, slots=True)
class Called:
    """One call: the tool's name, what it was about, and whether it was refused."""

    tool: str
    about: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """One session. None where the host does not show it."""

    calls: tuple[Called, ...] | None
    changes: tuple[Change, ...]
    answer: str | None
    became: Mapping[str, object] = field(default_factory=dict)
    """What each path that is there afterwards became, to be compared with another session's."""


def observe(trial: TrialView, normalizer: NormalizerFacade, identity: HostIdentity) -> Observed:
    """Look at one sealed trial. A trajectory that can't be read shows no call and no answer."""
    files = trial.files()
    changes, became = files.changes, {one.path: files.after.get(one.path) for one in files.changes}
    try:
        events = trajectory(normalizer, trial.records())
    except Exception:  # noqa: BLE001 - the verdict says what is wrong with it; files are still told
        return Observed(None, changes, None, became)
    answers = [one.answer for one in events if isinstance(one, TurnEnded) and one.agent is None and one.answer]
    return Observed(
        calls=tuple(_calls(events)) if Sees.TOOL_CALLS in identity.sees else None,
        changes=changes,
        answer="\n".join(answers) if answers and Sees.ANSWERS in identity.sees else None,
        became=became,
    )


def _calls(events: Sequence[Event]) -> Iterator[Called]:
    """Every call once, in the order in which it was first asked for."""
    refused = {one.call for one in events if isinstance(one, ToolRejected)}
    refused |= {one.call or "" for one in events if isinstance(one, PermissionDecided) and one.decision == "denied"}
    for joined in reconcile(events, (), (), host_shows_calls=True).calls:
        if (one := joined.requested) is not None:
            tool = f"{one.server}.{one.tool}" if one.server else one.tool
            yield Called(tool, _about(one.input), one.call in refused)


def _about(given: object) -> str:
    value = given
    if isinstance(given, dict):
        value = next((given[name] for name in _SUBJECTS if name in given), "")
    if isinstance(value, list):
        value = " ".join(str(one) for one in value)
    return _PLACE.sub("", value) if isinstance(value, str) else ""
