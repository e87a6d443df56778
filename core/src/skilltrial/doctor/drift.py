"""Drift watch: for each thing that an adapter relies on, whether the installed program still does it.

Two witnesses wherever there are two: what the normalizer made of the program's own records, and what the scripted
model was asked. What a host does not promise (`Can`, `Sees`) is not asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.events import (
    Offered,
    PermissionDecided,
    SessionStarted,
    SkillStep,
    Step,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    Truncated,
    TurnEnded,
    Unrecognized,
    Usage,
)
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Cause, Ending

from .canaries import CANARY, CANARY_TEXT, MEMORY_FOLDER, MEMORY_TEXT, PLUGIN, PLUGIN_TEXT, PROJECT_TEXT
from .seen import Seen

SKILL, DESCRIPTION, BODY = "probe-note", "PROBE-DESCRIPTION-5d1e", "PROBE-BODY-93ab"
CALLED = "a tool of a server is called, and its answer comes back"
_IS_MEMORY = re.compile(r"/projects/[^/]+/memory/")
SCRIPTED = "scripted-1"
"""The model that hosts are told to ask."""


class State(StrEnum):
    """Of one thing."""

    HOLDS = "holds"
    DRIFTED = "drifted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that the adapter relies on. `why` is empty where it holds."""

    thing: str
    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Probes:
    """The trials of the probe suites on one host, and the programs of the made-up user that it started meanwhile.

    `serves` is whether there was a part to play an MCP server.
    """

    identity: HostIdentity
    trials: Mapping[TrialKey, Seen]
    started: tuple[str, ...] = ()
    serves: bool = False

    def of(self, case: str, label: str, arm: str = "with_skill") -> Seen | None:
        """One trial; None where it is not sealed."""
        return self.trials.get(TrialKey(case=case, arm=arm, label=label))


Question = Callable[[Probes], str | None]
"""Answers None where the thing holds, else why not. Raises Undecided."""


class Undecided(Exception):
    """The records don't answer the question."""


def watch(probes: Probes) -> tuple[Row, ...]:
    """Every thing that this host promises, with whether it still holds."""
    asked = (*_asked(probes.identity), *(((CALLED, _served),) if probes.serves and _reaches(probes.identity) else ()))
    return tuple(_row(thing, question, probes) for thing, question in asked)


def _reaches(host: HostIdentity) -> bool:
    return Can.MCP_HTTP in host.can


def _row(thing: str, question: Question, probes: Probes) -> Row:
    try:
        why = question(probes)
    except Undecided as undecided:
        return Row(thing, State.UNDECIDED, str(undecided))
    return Row(thing, State.HOLDS) if why is None else Row(thing, State.DRIFTED, why)


def _asked(host: HostIdentity) -> Iterator[tuple[str, Question]]:
    things: tuple[tuple[Can | Sees | None, str, Question], ...] = (
        (None, "it starts, asks its model and ends", _ends),
        (None, "it says the version that it was identified by", _version),
        (Sees.ANSWERS, "its last words are the model's", _answers),
        (None, "it creates and edits files", _edits),
        (Sees.TOOL_CALLS, "every call of its model is seen", _calls),
        (Sees.TOOL_RESULTS, "every call is seen to end", _results),
        (Sees.TOOL_RESULTS, "a command's output is seen", _command),
        (None, "a skill of the project is offered to its model", _offered),
        (Sees.SKILL_OFFERS, "the offer of a skill is seen", _offer_seen),
        (Sees.SKILL_READS, "the reading of a skill is seen", _read_seen),
        (None, "a skill that is not there is neither offered nor seen", _absent),
        (Can.MULTI_TURN, "a conversation is taken up again", _resumes),
        (Sees.TOKENS, "tokens are counted by turn", _tokens),
        (Sees.PERMISSIONS, "a refused call is seen as such", _refused),
        (None, "a refused key ends the session with the cause auth", _fails),
        (None, "skills and instructions in the user's home are not offered", _canary),
        (None, "plugins that the user installed are not offered", _plugin),
        (None, "what was remembered of the user is not offered", _memory),
        (None, "what was remembered of the project is not offered", _project),
        (None, "servers and hooks of the user's own are not started", _left_alone),
        (Can.MODEL, "its model is the one that was asked for", _model),
        (None, "every line it writes is known", _known),
    )
    for promise, thing, question in things:
        if promise is None or promise in host.can or promise in host.sees:
            yield thing, question


def _trial(probes: Probes, case: str, label: str, arm: str = "with_skill") -> Seen:
    """A trial that came to its end. Raises Undecided."""
    seen = probes.of(case, label, arm)
    if seen is None:
        raise Undecided(f"the probe {case} left no sealed trial")
    if not seen.completed:
        raise Undecided(f"the probe {case} ended as {_ending(seen)}")
    return seen


def _work(probes: Probes, arm: str = "with_skill") -> Seen:
    return _trial(probes, "work", "does-it", arm)


def _ending(seen: Seen) -> str:
    return seen.end.ending + (f" ({seen.end.cause})" if seen.end.cause else "")


def _ends(probes: Probes) -> str | None:
    seen = probes.of("work", "does-it")
    if seen is None:
        raise Undecided("the probe work left no sealed trial")
    if not seen.asked():
        return "its model was never asked"
    return None if seen.completed else f"the session ended as {_ending(seen)}"


def _version(probes: Probes) -> str | None:
    said = {event.version for event in _work(probes).of(SessionStarted) if event.version is not None}
    known = probes.identity.version
    if not said or known is None:
        return None
    return None if said == {known} else f"it was identified as {known}, and says {', '.join(sorted(said))}"


def _answers(probes: Probes) -> str | None:
    answers = [event.answer for event in _work(probes).of(TurnEnded)]
    return None if answers == ["PROBE-ANSWER-1"] else "another answer was seen than the model gave"


def _edits(probes: Probes) -> str | None:
    changed = {change.path for change in _work(probes).trial.files().changes}
    lacking = {"made.txt", "notes.txt"} - changed
    return None if not lacking else f"not changed: {', '.join(sorted(lacking))}"


def _calls(probes: Probes) -> str | None:
    for case, label in (("work", "does-it"), ("refused", "leaves-the-project")):
        seen = _trial(probes, case, label)
        requested = len(seen.of(ToolRequested))
        if requested != seen.calls:
            return f"the model asked for {seen.calls} calls, {requested} were seen ({case})"
    return None


def _results(probes: Probes) -> str | None:
    seen = _work(probes)
    ended = {event.call for event in seen.events if isinstance(event, ToolResult | ToolError | ToolRejected)}
    open_calls = [event.tool for event in seen.of(ToolRequested) if event.call not in ended]
    return None if not open_calls else f"without an end: {', '.join(open_calls)}"


def _command(probes: Probes) -> str | None:
    seen = _work(probes)
    commands = {event.call for event in seen.of(ToolRequested) if "cat notes.txt" in str(event.input)}
    if not commands:
        return "the command was not seen"
    outputs = [str(event.content) for event in seen.of(ToolResult) if event.call in commands]
    return None if any("first line" in output for output in outputs) else "its output was not seen"


def _offered(probes: Probes) -> str | None:
    return None if DESCRIPTION in _work(probes).asked() else "its description never reached the model"


def _steps(seen: Seen) -> set[Step]:
    return {event.step for event in seen.of(SkillStep) if event.skill == SKILL}


def _offer_seen(probes: Probes) -> str | None:
    return None if Step.OFFERED in _steps(_work(probes)) else "the records do not show it"


def _read_seen(probes: Probes) -> str | None:
    seen = _work(probes)
    if BODY not in seen.asked():
        return "its body never reached the model"
    return None if Step.READ in _steps(seen) else "the records do not show it"


def _absent(probes: Probes) -> str | None:
    seen = _work(probes, "without_skill")
    if DESCRIPTION in seen.asked() or BODY in seen.asked():
        return "it reached the model"
    return None if not seen.of(SkillStep) else "it was seen"


def _resumes(probes: Probes) -> str | None:
    seen = _trial(probes, "resume", "goes-on")
    if "PROBE-ANSWER-1" not in seen.asked(2) or "PROBE-PROMPT-1" not in seen.asked(2):
        return "the second turn knew nothing of the first"
    sessions = {event.session for event in seen.of(SessionStarted) if event.session is not None}
    return None if len(sessions) <= 1 else "the second turn was another session"


def _tokens(probes: Probes) -> str | None:
    several = Can.MULTI_TURN in probes.identity.can
    seen = _trial(probes, "resume", "goes-on") if several else _work(probes)
    for turn in (1, 2) if several else (1,):
        counts = [event.output for event in seen.of(Usage) if event.turn == turn]
        said = seen.said_tokens(turn)
        if said is None:
            raise Undecided("the scripted model told no tokens")
        if not counts or None in counts:
            return f"turn {turn} has no count"
        if sum(count for count in counts if count is not None) != said:
            return f"turn {turn}: the model put out {said} tokens, {counts} were seen"
    return None


def _refused(probes: Probes) -> str | None:
    seen = _trial(probes, "refused", "leaves-the-project")
    calls = {event.call for event in seen.of(ToolRequested) if "../outside.txt" in str(event.input)}
    if not calls:
        return "the call was not seen"
    refused = {event.call for event in seen.events if isinstance(event, ToolRejected | ToolError)}
    refused |= {event.call for event in seen.of(ToolResult) if event.is_error}
    refused |= {event.call for event in seen.of(PermissionDecided) if event.call and event.decision == "denied"}
    return None if calls <= refused else "it looks as if it had been carried out"


def _fails(probes: Probes) -> str | None:
    seen = probes.of("failure", "unauthorized")
    if seen is None:
        raise Undecided("the probe failure left no sealed trial")
    expected = (seen.end.ending, seen.end.cause) == (Ending.HOST_FAILED, Cause.AUTH)
    return None if expected else f"it ended as {_ending(seen)}"


def _canary(probes: Probes) -> str | None:
    return _shown(probes, CANARY_TEXT, lambda offered: CANARY in (offered.skills or ()))


def _plugin(probes: Probes) -> str | None:
    def told(offered: Offered) -> bool:
        lists = (offered.skills, offered.tools, offered.servers, offered.plugins)
        return any(PLUGIN in name for names in lists for name in names or ())

    return _shown(probes, PLUGIN_TEXT, told)


def _memory(probes: Probes) -> str | None:
    return _shown(
        probes, MEMORY_TEXT, lambda offered: any(MEMORY_FOLDER in path for path in offered.instructions or ())
    )


def _project(probes: Probes) -> str | None:
    return _shown(probes, PROJECT_TEXT, lambda offered: any(map(_IS_MEMORY.search, offered.instructions or ())))


def _shown(probes: Probes, text: str, told: Callable[[Offered], bool]) -> str | None:
    """Whether a canary reached the model by its text, or the program tells that it has it."""
    if not probes.trials:
        raise Undecided("no probe left a sealed trial")
    for key, seen in probes.trials.items():
        if text in seen.asked() or any(map(told, seen.of(Offered))):
            return f"the canary was offered in {key}"
    return None


def _left_alone(probes: Probes) -> str | None:
    if not probes.trials:
        raise Undecided("no probe left a sealed trial")
    return f"started: {', '.join(probes.started)}" if probes.started else None


def _model(probes: Probes) -> str | None:
    others = _work(probes).models - {SCRIPTED}
    return f"it asked {', '.join(sorted(others))}" if others else None


def _served(probes: Probes) -> str | None:
    seen = _trial(probes, "served", "calls-it")
    if seen.received != [{"text": "PROBE-ARGUMENT"}]:
        return "the call did not reach the server as it was made" if seen.received else "the call reached no server"
    calls = {event.call for event in seen.of(ToolRequested) if (event.server, event.tool) == ("probe", "keep_note")}
    if not calls:
        return "the call was not seen"
    if "PROBE-REPLY-6c2f" not in seen.asked():
        return "the answer never reached the model"
    told = [str(event.content) for event in seen.of(ToolResult) if event.call in calls]
    return None if any("PROBE-REPLY-6c2f" in one for one in told) else "its answer was not seen"


def _known(probes: Probes) -> str | None:
    if not probes.trials:
        raise Undecided("no probe left a sealed trial")
    unknown = sum(len(seen.of(Unrecognized)) for seen in probes.trials.values())
    cut = sum(len(seen.of(Truncated)) for seen in probes.trials.values() if seen.completed)
    return None if not unknown and not cut else f"{unknown} lines are unknown, {cut} cut"
