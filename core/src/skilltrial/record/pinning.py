"""The pins of a suite's skills: written from committed bytes, and held against folder and commit.

Every fault begins with its code: `skill_pin_missing`, `skill_pin_unreadable`, `skill_unpinned`, `skill_pin_mismatch`,
`skill_commit_unknown`, `skill_commit_mismatch`, `skill_missing_at_revision`, `skill_uncommitted`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from skilltrial.archive.pins import differences, digests, executables
from skilltrial.archive.trees import Tree
from skilltrial.archive.writing import write_whole
from skilltrial.model.errors import InvalidRequest, SourceUnusable
from skilltrial.model.pins import Lock, Pin, PinState, SkillLock

from .gathering import Gatherer, without_answer_keys
from .loading import Loaded
from .revisions import below_top, last_change, resolve, tree_of_commit

LOCK = "skilltrial.lock"
_TOLD = 5
"""Files of one skill that are told about."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A skill that is pinned, and from which commit."""

    skill: str
    commit: str
    files: int


def lock_of(loaded: Loaded, skill: str) -> Path:
    """Where the lock of a skill lies: beside the suite; beside the folder of a skill that is not the suite's own."""
    folder = loaded.elsewhere.skills.get(skill)
    return (loaded.root if folder is None else folder.parent) / LOCK


def check_pins(loaded: Loaded) -> tuple[Pinned, ...]:
    """Hold every skill against its pin. Raises InvalidRequest with every fault at once."""
    trees = _trees(loaded)
    pins = pins_of(loaded, trees)
    if faults := [fault for pin in pins for fault in pin.faults]:
        raise InvalidRequest("\n".join(faults))
    return tuple(Pinned(pin.skill, pin.commit or "", len(digests(trees[pin.skill]))) for pin in pins)


def write_pins(loaded: Loaded, revision: str | None) -> tuple[Pinned, ...]:
    """Pin every skill to what `revision` holds; without one to the commit that last changed its folder.

    Without one a skill that is pinned soundly stays as it is.

    Raises InvalidRequest with every fault at once, and writes nothing then: a pin is of committed bytes, and of those
    that lie in the folder.
    """
    trees = _trees(loaded)
    sound = {pin.skill for pin in pins_of(loaded, trees) if pin.state is PinState.PINNED and revision is None}
    made: dict[str, SkillLock] = {}
    faults: list[str] = []
    for skill, tree in trees.items():
        if skill in sound:
            continue
        try:
            made[skill] = _pin(loaded, skill, revision)
        except SourceUnusable as error:
            faults.append(str(error))
            continue
        code, where = ("skill_pin_mismatch", revision) if revision else ("skill_uncommitted", "its last commit")
        faults += _each(skill, code, f"since {where}: ", differences(made[skill], tree))
    if faults:
        raise InvalidRequest("\n".join(faults))
    for path in dict.fromkeys(lock_of(loaded, skill) for skill in made):
        own = {skill: lock for skill, lock in made.items() if lock_of(loaded, skill) == path}
        _write(path, {**_others(path), **own})
    return check_pins(loaded)


def pins_of(loaded: Loaded, trees: Mapping[str, Tree]) -> tuple[Pin, ...]:
    """What is found of the pin of every skill of the suite; `trees` are the skills as they are installed."""
    return tuple(_state(loaded, skill.id, trees[skill.id]) for skill in loaded.suite.skills)


def written_pins(loaded: Loaded) -> Lock:
    """The pins of the suite's skills as they are written; without those that can't be read."""
    found = {skill.id: _read(lock_of(loaded, skill.id)) for skill in loaded.suite.skills}
    return Lock(
        skills={id: lock.skills[id] for id, lock in found.items() if isinstance(lock, Lock) and id in lock.skills}
    )


def _trees(loaded: Loaded) -> dict[str, Tree]:
    gatherer = Gatherer.of(loaded)
    return {skill.id: gatherer.skill(skill).tree for skill in loaded.suite.skills}


def _state(loaded: Loaded, skill: str, tree: Tree) -> Pin:
    lock = _read(lock_of(loaded, skill))
    if isinstance(lock, str):
        return Pin(skill=skill, state=PinState.UNPINNED, faults=(lock,))
    if skill not in lock.skills:
        return Pin(
            skill=skill,
            state=PinState.UNPINNED,
            faults=(f"skill_unpinned: {LOCK} does not pin skill {skill!r}; `skilltrial pin SUITE` does",),
        )
    pin = lock.skills[skill]
    wrong = list(_each(skill, "skill_pin_mismatch", "", differences(pin, tree)))
    try:
        path = _path(loaded, skill)
        if path != pin.source_path:
            wrong.append(
                f"skill_pin_mismatch: skill {skill!r} lies in {path} of its repository, its pin says {pin.source_path}"
            )
        held = _held(loaded, skill, pin.source_commit, pin.source_path)
    except SourceUnusable as error:
        return Pin(
            skill=skill,
            state=PinState.CHANGED if wrong else PinState.UNVERIFIED,
            commit=pin.source_commit,
            faults=(*wrong, str(error)),
        )
    wrong += _each(skill, "skill_commit_mismatch", f"commit {pin.source_commit[:12]}: ", differences(pin, held))
    state = PinState.CHANGED if wrong else PinState.PINNED
    return Pin(skill=skill, state=state, commit=pin.source_commit, faults=tuple(wrong))


def _pin(loaded: Loaded, skill: str, revision: str | None) -> SkillLock:
    """The pin of a skill as a revision holds it, or as it was committed last. Raises SourceUnusable."""
    path = _path(loaded, skill)
    try:
        folder = _folder(loaded, skill)
        commit = last_change(folder) if revision is None else resolve(revision, folder)
    except SourceUnusable as error:
        raise SourceUnusable(f"skill_commit_unknown: skill {skill!r}: {error}") from error
    held = _held(loaded, skill, commit, path)
    return SkillLock(source_path=path, source_commit=commit, files=digests(held), executable=executables(held))


def _held(loaded: Loaded, skill: str, commit: str, path: str) -> Tree:
    """What a commit holds of a skill, as it would be installed. Raises SourceUnusable."""
    source = next(one for one in loaded.suite.skills if one.id == skill)
    folder = _folder(loaded, skill)
    try:
        resolve(commit, folder)
    except SourceUnusable as error:
        raise SourceUnusable(f"skill_commit_unknown: skill {skill!r}: {error}") from error
    try:
        tree = without_answer_keys(tree_of_commit(commit, path, folder), Gatherer.of(loaded).own(source))
    except SourceUnusable as error:
        raise SourceUnusable(f"skill_missing_at_revision: skill {skill!r}: {error}") from error
    if tree.data("SKILL.md") is None:
        raise SourceUnusable(f"skill_missing_at_revision: skill {skill!r}: commit {commit[:12]} has no {path}/SKILL.md")
    return tree


def _path(loaded: Loaded, skill: str) -> str:
    """The folder of a skill below its repository's top. Raises SourceUnusable."""
    try:
        return below_top(_folder(loaded, skill)) or "."
    except SourceUnusable:
        raise SourceUnusable(
            f"skill_commit_unknown: skill {skill!r} lies in no git repository that can be read; a pin names a commit"
        ) from None


def _folder(loaded: Loaded, skill: str) -> Path:
    source = next(one for one in loaded.suite.skills if one.id == skill)
    return Gatherer.of(loaded).folder(source).resolve()


def _each(skill: str, code: str, where: str, found: Iterator[str]) -> Iterator[str]:
    """A fault for each difference, but not for hundreds of them."""
    told = list(found)
    yield from (f"{code}: skill {skill!r}: {where}{one}" for one in told[:_TOLD])
    if len(told) > _TOLD:
        yield f"{code}: skill {skill!r}: {where}{len(told) - _TOLD} more files differ"


def _read(path: Path) -> Lock | str:
    """The lock at `path`, or what is wrong with it."""
    try:
        return Lock.read(path.read_bytes())
    except FileNotFoundError:
        return f"skill_pin_missing: there is no {LOCK} in {path.parent.name or '/'}; `skilltrial pin SUITE` writes one"
    except OSError as error:
        return f"skill_pin_unreadable: {LOCK} can't be read ({error.strerror})"
    except ValidationError as error:
        places = sorted({".".join(map(str, one["loc"])) or "the file" for one in error.errors(include_input=False)})
        return (
            f"skill_pin_unreadable: {LOCK} does not hold at {', '.join(places)}; `skilltrial pin SUITE` writes it anew"
        )
    except ValueError:
        return f"skill_pin_unreadable: {LOCK} is no text in UTF-8; `skilltrial pin SUITE` writes it anew"


def _others(path: Path) -> dict[str, SkillLock]:
    """The pins of other suites that lie in the same folder. A lock that can't be read holds none."""
    lock = _read(path)
    return dict(lock.skills) if isinstance(lock, Lock) else {}


def _write(path: Path, skills: dict[str, SkillLock]) -> None:
    try:
        write_whole(path, Lock(skills=skills).text().encode())
        path.chmod(0o644)
    except OSError as error:
        raise SourceUnusable(f"{LOCK} can't be written in {path.parent.name or '/'}: {error.strerror}") from error
