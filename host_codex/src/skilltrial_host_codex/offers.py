"""What the program had to offer, as far as its session log shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import join, relpath

from skilltrial.api import Event, Offered, SkillStep

from .skills import Skills, offered
from .thread import Said, Thread

_INSTRUCTED = "# AGENTS.md instructions for "
_INSTRUCTIONS = re.compile(rf"^{re.escape(_INSTRUCTED)}(.+)$", re.M)
_SKILLS = "<skills_instructions>"


def offers(main: Thread, skills: Skills) -> Iterator[Event]:
    """One `Offered` per conversation, and the step of each of the suite's skills that was offered."""
    said = [step for step in main.steps if isinstance(step, Said)]
    told = [each for each in said if each.role == "developer"]
    if not told:
        return
    first = told[0]
    listed = [each for each in told if each.text.startswith(_SKILLS)]
    names: tuple[str, ...] | None = () if not listed else None
    for each in listed:
        found = offered(each.text)
        names = found if names is None else names if found is None else names + found
    yield Offered(
        seq=first.seq,
        turn=first.turn,
        skills=None if names is None else tuple(sorted(set(names))),
        tools=tuple(sorted(set(main.tools))) or None,
        instructions=_instructions(said, main.cwd),
    )
    for each in listed:
        for skill, step in skills.of_offer(each.text):
            yield SkillStep(seq=each.seq, turn=each.turn, skill=skill, step=step)


def _instructions(said: list[Said], cwd: str | None) -> tuple[str, ...]:
    """The instruction files that were given, relative to the project."""
    texts = [each.text for each in said if each.role == "user" and _INSTRUCTED in each.text]
    folders = {found[1] for each in texts for found in _INSTRUCTIONS.finditer(each)}
    if cwd is None:
        return tuple(sorted(folders))
    return tuple(sorted(join(relpath(folder, cwd), "AGENTS.md").removeprefix("./") for folder in folders))
