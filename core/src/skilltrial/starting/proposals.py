"""Cases that the user's own agent proposes: what it is asked, and what of its answer is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from skilltrial.model.errors import RunIncomplete
from skilltrial.model.part import Part
from skilltrial.record.quoting import names, quotes
from skilltrial.record.suitefile.paths import path_fault

from .cases import Check, DraftCase, slug

ANSWER = "cases.json"
"""The file in the session's folder that holds the proposal."""

PROMPT = f"""\
The folder `skill` holds an agent skill; read its SKILL.md and whatever that refers to. Then think of three requests \
by which the skill can be tested: two where it should help, and one that lies close to its subject and is none of its \
business.

Write them into the file `{ANSWER}`, as JSON of this form and nothing else:

{{"cases": [{{"polarity": "positive", "prompt": "...", "files": {{"PATH": "TEXT"}}, "checks": [{{"path": "PATH", \
"contains": "TEXT"}}]}}]}}

`polarity` is `positive` or `negative`. A prompt is what somebody would type who has never seen the skill: it neither \
names it nor repeats its words. `files` are the small project that the request is about, and may be empty. \
`checks` say which file must hold which text afterwards, or must lack it (`lacks`); none of them may hold before \
anything is done, and of a positive case at least one must depend on a rule that only the skill tells.

Change nothing else, and run nothing.
"""


class ProposedCheck(Part):
    """What a file must hold, or lack."""

    path: Annotated[str, Field(min_length=1, max_length=200)]
    contains: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    lacks: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None


class ProposedCase(Part):
    """One case, as the agent wrote it."""

    prompt: Annotated[str, Field(min_length=1, max_length=10_000)]
    polarity: Literal["positive", "negative"] = "positive"
    files: Annotated[dict[str, str], Field(max_length=20)] = Field(default_factory=dict)
    checks: tuple[ProposedCheck, ...] = ()


class Proposal(Part):
    """The whole file."""

    cases: Annotated[tuple[ProposedCase, ...], Field(min_length=1, max_length=8)]


def proposed_cases(data: bytes, skill: str, text: str, host: str) -> tuple[DraftCase, ...]:
    """The cases of the answer `data`; `text` is the skill's SKILL.md. What gives the skill away is left to the author.

    Raises RunIncomplete where the answer has not the form that was asked for.
    """
    try:
        proposal = Proposal.read(data)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors(include_input=False)[0]["loc"]) or "the whole"
        raise RunIncomplete(f"the draft has not the form that was asked for (at {place}); try again") from None
    return tuple(_case(one, skill, text, host) for one in proposal.cases)


def _case(one: ProposedCase, skill: str, text: str, host: str) -> DraftCase:
    notes = [f"Drafted by {host}, and by nobody else: read it before you believe it."]
    prompt: str | None = one.prompt
    if shared := quotes(one.prompt, text):
        notes.append(f"Its prompt had {shared} words of the skill's own, so it is left out: {one.prompt}")
        prompt = None
    elif names(one.prompt, skill):
        notes.append(f"Its prompt named the skill, so it is left out: {one.prompt}")
        prompt = None
    files = {path: content.encode() for path, content in one.files.items() if path_fault(path) is None}
    checks = tuple(_checks(one))
    dropped = len(one.files) - len(files) + len(one.checks) - len(checks)
    if dropped:
        notes.append(f"Left out, as they can not be used: {dropped} files or checks.")
    return DraftCase(slug(one.prompt, "drafted"), prompt, one.polarity, files, checks, tuple(notes))


def _checks(one: ProposedCase) -> Iterator[Check]:
    for check in one.checks:
        asked = {key: text for key, text in (("contains", check.contains), ("lacks", check.lacks)) if text is not None}
        if asked and path_fault(check.path) is None:
            yield {"files": check.path, **asked}
