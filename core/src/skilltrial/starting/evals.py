"""Cases that a skill's author has written for another tool: `evals/evals.json`, and folders of `claude plugin eval`.

Prompts, files and which requests are none of the skill's business carry over. What was to be judged in prose, or by a
model, stands above the case as a comment: a check that can fail is left to the author.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from skilltrial.model.errors import DocumentInvalid, SourceUnusable
from skilltrial.record.suitefile.document import read
from skilltrial.record.suitefile.frontmatter import read_frontmatter
from skilltrial.record.suitefile.paths import path_fault

from .cases import DraftCase, slug

_PROSE = ("expectations", "assertions", "expected_behavior", "expected_behaviors")
"""What the tools call the list of statements that the result must fulfil."""


def written_cases(skill: Path) -> tuple[DraftCase, ...]:
    """The cases in the skill's `evals/` folder; none where there is none. Raises SourceUnusable, DocumentInvalid."""
    folder = skill / "evals"
    found: list[DraftCase] = []
    for name in ("evals.json", "trigger-eval.json", "trigger_evals.json"):
        if (folder / name).is_file():
            found += _json_cases(folder / name, skill)
    if folder.is_dir():
        found += _folders(folder)
    return tuple(found)


def _json_cases(file: Path, skill: Path) -> Iterator[DraftCase]:
    """`{evals: [...]}` of skill-creator and agentskills.io, or a list of queries that should trigger or not."""
    try:
        value = json.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceUnusable(f"{file} can't be read as JSON ({type(error).__name__})") from None
    rows = value.get("evals") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise SourceUnusable(f"{file}: neither a list of cases nor an object with `evals`")
    for at, row in enumerate(rows, 1):
        prompt = (row.get("prompt") or row.get("query")) if isinstance(row, dict) else None
        if not isinstance(prompt, str) or not prompt.strip():
            raise SourceUnusable(f"{file}: case {at} has no `prompt`")
        yield DraftCase(
            id=slug(str(row.get("name") or prompt), f"case-{at}"),
            prompt=prompt,
            polarity="negative" if row.get("should_trigger") is False else "positive",
            files=dict(_files(row.get("files"), skill, file)),
            notes=(f"From {file.name}, case {at}.", *_told(row)),
        )


def _files(names: object, skill: Path, file: Path) -> Iterator[tuple[str, bytes]]:
    """The input files by their last name; they are given relative to the skill, or to the folder of cases."""
    for name in names if isinstance(names, list) else ():
        if not isinstance(name, str) or path_fault(name):
            raise SourceUnusable(f"{file}: `files` must hold plain relative paths")
        source = next((one for one in (skill / name, file.parent / name) if one.is_file()), None)
        if source is None:
            raise SourceUnusable(f"{file}: there is no input file {name}")
        yield PurePosixPath(name).name, source.read_bytes()


def _told(row: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(expected := row.get("expected_output"), str) and expected.strip():
        yield f"Expected: {expected}"
    for key in _PROSE:
        for one in row[key] if isinstance(row.get(key), list) else ():
            text = one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
            yield f"To be checked: {text}"


def _folders(folder: Path) -> Iterator[DraftCase]:
    """`CASE/prompt.md` with `graders/*.md` beside it, or `CASE/case.yaml`."""
    heads = sorted({*folder.glob("**/prompt.md"), *folder.glob("**/case.yaml")})
    for case in dict.fromkeys(path.parent for path in heads if "results" not in path.parts):
        prompt = _prompt(case)
        if prompt is None:
            raise SourceUnusable(f"{case} has neither a text in prompt.md nor `execution.prompt` in case.yaml")
        name = case.relative_to(folder).as_posix()
        yield DraftCase(
            id=slug(name, "case"),
            prompt=prompt,
            notes=(f"From the folder {name}.", *_graders(case)),
        )


def _prompt(case: Path) -> str | None:
    if (case / "prompt.md").is_file() and (body := _body(case / "prompt.md")):
        return body
    value = _yaml(case / "case.yaml")
    execution = value.get("execution")
    text: object = execution.get("prompt") if isinstance(execution, dict) else value.get("prompt")
    return text.strip() or None if isinstance(text, str) else None


def _graders(case: Path) -> Iterator[str]:
    for grader in sorted(case.glob("graders/*.md")):
        yield f"To be checked ({grader.stem}): {_body(grader)}"
    graders = _yaml(case / "case.yaml").get("graders")
    for one in graders if isinstance(graders, list) else ():
        yield f"To be checked: {json.dumps(one, ensure_ascii=False)}"


def _body(file: Path) -> str:
    """The text below a front matter, or all of it where there is none."""
    data = file.read_bytes()
    try:
        return read_frontmatter(file.name, data).body.strip()
    except DocumentInvalid:
        return data.decode("utf-8", "replace").strip()


def _yaml(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    value = read(str(file), file.read_bytes()).value
    return value if isinstance(value, dict) else {}
