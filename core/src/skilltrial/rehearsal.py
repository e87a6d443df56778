"""A suite's rehearsals: which script each trial plays. What came of them is judged like any run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from skilltrial.archive.trees import Tree
from skilltrial.model.plan import Plan
from skilltrial.model.suite import ENDS_TURN, Act, Call, Case, FileText, Say, Suite, WriteFile
from skilltrial.model.trial import Script, TrialKey

NEUTRAL = "Done."
"""What an agent says when its script has no last word."""
CLAIM = "I have done all that you asked for. Everything is saved, tested and complete."
WRECK = "wrecked\n"


def scripts(suite: Suite, plan: Plan, workspaces: Mapping[str, Tree]) -> dict[TrialKey, Script]:
    """The script of every planned trial: a rehearsal's own, or that of a built-in agent."""
    made = {key: _script(suite.case(key.case), key.label, workspaces[key.case]) for key in plan.trials}
    names = {name: one.aliases for name, one in plan.fixtures.items() if one.aliases}
    return {key: _renamed(script, names) for key, script in made.items()} if names else made


def _script(case: Case, label: str, workspace: Tree) -> Script:
    turns = len(case.turns)
    match label:
        case "null":
            return Script(((Say(say=NEUTRAL),),) * turns)
        case "talker":
            return Script(((Say(say=CLAIM),),) * turns)
        case "wrecker":
            return Script(((*_wreck(workspace), Say(say=NEUTRAL)), *(((Say(say=NEUTRAL),),) * (turns - 1))))
        case _:
            rehearsal = next(one for one in case.rehearsals if one.id == label)
            return Script(by_turns(rehearsal.script, turns))


def _renamed(script: Script, names: Mapping[str, Mapping[str, str]]) -> Script:
    """The script with calls of tools as each fixture calls them."""
    return Script(tuple(tuple(_called(act, names) for act in turn) for turn in script.turns))


def _called(act: Act, names: Mapping[str, Mapping[str, str]]) -> Act:
    if not isinstance(act, Call):
        return act
    tool = names.get(act.call.server, {}).get(act.call.tool, act.call.tool)
    return Call(call=act.call.model_copy(update={"tool": tool}))


def by_turns(acts: Sequence[Act], turns: int) -> tuple[tuple[Act, ...], ...]:
    """The acts of each turn: what says something ends one. A turn that has none is left to the model's neutral word."""
    made: list[tuple[Act, ...]] = []
    current: list[Act] = []
    for act in acts:
        current.append(act)
        if isinstance(act, ENDS_TURN):
            made.append(tuple(current))
            current = []
    made += [tuple(current)] * bool(current)
    return tuple((*made, *(((),) * turns))[:turns])


def _wreck(workspace: Tree) -> Iterable[Act]:
    """Overwrite every file that the project came with, and leave one of its own."""
    for entry in workspace.entries:
        inside = not entry.path.startswith(".git/")
        if entry.sha256 is not None and inside and _writable(entry.path):
            yield WriteFile(write_file=FileText(path=entry.path, text=WRECK))
    yield WriteFile(write_file=FileText(path="wreckage.txt", text=WRECK))


def _writable(path: str) -> bool:
    """Whether a script can name the path: undecodable names can't stand in a model's reply."""
    return path.isprintable() and len(path) <= 1024
