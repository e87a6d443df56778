"""A first suite as text: YAML in the short form, with comments for its author."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from .cases import Check, DraftCase, checks_wanted, prompt_wanted

WIDTH = 100
INLINE_FILES, INLINE_BYTES = 5, 4_000
"""A workspace that is larger lies in a folder of its own."""


@dataclass(frozen=True, slots=True)
class Previous:
    """The skill as it was where the branch left another one: `merge-base:REF:PATH`. `there` says whether it existed."""

    revision: str
    there: bool


@dataclass(frozen=True, slots=True)
class DraftSuite:
    """All of a first suite. `skill` is the folder's name, beside the suite file; `id` the skill's name."""

    skill: str
    id: str
    description: str
    cases: tuple[DraftCase, ...]
    allow: tuple[str, ...] = ()
    scripts: bool = False
    gated: bool = False
    previous: Previous | None = None


def suite_text(suite: DraftSuite) -> str:
    """The suite file."""
    return "\n".join(_lines(suite)) + "\n"


def workspace_folder(suite: DraftSuite, case: DraftCase) -> str | None:
    """The folder, beside the suite, in which the files of `case` are to lie; None where they stand in the suite."""
    if not case.files or _inline(case) is not None:
        return None
    return f"{suite.skill}.workspaces/{case.id}"


def _lines(suite: DraftSuite) -> Iterator[str]:
    file = f"{suite.skill}.trial.yaml"
    yield from _comment(f"A first suite of the skill {suite.id}, which says of itself: {suite.description}")
    yield "#"
    yield from _comment(f"Fill in every <TODO: ...>; `skilltrial lint {file}` names the lines that are left.")
    yield from _comment(
        "Then: `skilltrial run` with this file and `--host NAME`, once with and once without the skill."
    )
    yield ""
    if suite.id != suite.skill or suite.previous is not None:
        yield from _skills(suite)
    if suite.allow:
        yield from _comment("Tools that need no asking, alike in every arm; the skill asks for them (`allowed-tools`).")
        yield f"allow: [{', '.join(map(scalar, suite.allow))}]"
    elif suite.scripts:
        yield from _comment("The skill has scripts. An agent that may not run them is refused; allow it here:")
        yield "# allow: [Bash]"
    if suite.gated:
        yield from _comment(
            "Red only where a case fails three of five times: a case is run once, and one that fails four times more. "
            "`skilltrial lint` tells how often chance alone turns it red."
        )
        yield "gate: {arm: with_skill, majority_of: 5}"
    yield "cases:"
    for case in suite.cases:
        yield from _case(suite, case)


def _skills(suite: DraftSuite) -> Iterator[str]:
    was = suite.previous
    if was is None or not was.there:
        yield f"skills: [{{id: {suite.id}, folder: {scalar(suite.skill)}}}]"
    if was is None:
        return
    arms = ["arms:", "  - {id: without_skill}", f"  - {{id: with_skill, skills: [{suite.id}]}}"]
    arms.append("  - {id: previous, from: previous}")
    lines = ["skills:", f"  - id: {suite.id}", f"    folder: {scalar(suite.skill)}"]
    lines.append(f"    previous: {scalar(was.revision)}")
    if was.there:
        yield from (*lines, *arms)
        return
    yield from _comment(
        "Once the skill is on that branch, this compares it with how it was there (instead of `skills`):"
    )
    yield from (f"# {line}" for line in (*lines, *arms))


def _case(suite: DraftSuite, case: DraftCase) -> Iterator[str]:
    yield from (f"  {line}" for note in case.notes for line in _comment(note))
    yield f"  {case.id}:"
    if case.polarity == "negative":
        yield "    polarity: negative"
    yield f"    prompt: {scalar(case.prompt, 6) if case.prompt else scalar(prompt_wanted(case))}"
    inline = _inline(case)
    if inline is not None:
        yield "    workspace:"
        yield from (f"      {scalar(path)}: {scalar(text, 8)}" for path, text in inline.items())
    elif folder := workspace_folder(suite, case):
        yield f"    workspace: {scalar(folder)}"
    yield "    expect:"
    yield from (f"      - {_flow(check)}" for check in checks_wanted(case))


def _inline(case: DraftCase) -> Mapping[str, str] | None:
    """The files as texts, where they are few, short and of UTF-8."""
    if not case.files or len(case.files) > INLINE_FILES or sum(map(len, case.files.values())) > INLINE_BYTES:
        return None
    try:
        return {path: data.decode("utf-8") for path, data in case.files.items() if PurePosixPath(path).name}
    except UnicodeDecodeError:
        return None


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return scalar(str(value))


def _comment(text: str) -> list[str]:
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return [f"# {line}" for line in textwrap.wrap(shown, WIDTH, break_long_words=False, break_on_hyphens=False)]


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def scalar(text: str, indent: int = 0) -> str:
    """`text` as YAML: a block where it has lines and may be one (`indent` blanks in front), else in double quotes."""
    lines = text.split("\n")
    plain = all(line.isprintable() and line == line.rstrip() for line in lines) and not text.startswith((" ", "\n"))
    if indent and len(lines) > 1 and plain and not text.endswith("\n\n"):
        ends = "|" if text.endswith("\n") else "|-"
        body = [f"{' ' * indent}{line}" if line else "" for line in text.rstrip("\n").split("\n")]
        return "\n".join((ends, *body))
    return '"' + "".join(_ESCAPES.get(sign) or (sign if sign.isprintable() else _escape(sign)) for sign in text) + '"'


def _escape(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


__all__ = ["Check", "DraftSuite", "Previous", "scalar", "suite_text", "workspace_folder"]
