"""A skill or a catalog of the user's in the place of the suite's own: somebody else's product, with these cases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from skilltrial.model.errors import DocumentInvalid, InvalidRequest
from skilltrial.model.suite import Limits

from .loading import Loaded
from .sources import scan
from .suitefile.folders import installed_never
from .suitefile.frontmatter import read_frontmatter

_NAMED = re.compile(r"(?P<name>[a-z][a-z0-9_-]{0,63})=(?P<rest>.+)", re.DOTALL)


def in_place(loaded: Loaded, skills: Sequence[str], catalogs: Sequence[str]) -> Loaded:
    """The suite with `[ID=]DIR` for skills and `[NAME=]FILE` for catalogs. Raises InvalidRequest with every fault."""
    faults: list[str] = []
    folders = _chosen("--skill", "skill", skills, [skill.id for skill in loaded.suite.skills], faults)
    for id, folder in folders.items():
        faults += (f"--skill {folder}: {fault}" for fault in _skill_faults(id, folder, loaded.suite.limits))
    offered = {
        name: path for name, use in loaded.suite.fixtures.items() if isinstance(path := use.options.get("catalog"), str)
    }
    files = _chosen("--catalog", "fixture with a catalog", catalogs, list(offered), faults)
    faults += (f"--catalog {file}: there is no such file" for file in files.values() if not file.is_file())
    for name in files:
        sharing = [other for other, path in offered.items() if path == offered[name] and other not in files]
        faults += (f"--catalog: fixture {other!r} has the catalog of {name!r}; name both" for other in sharing)
    if faults:
        raise InvalidRequest("\n".join(faults))
    if not folders and not files:
        return loaded
    paths = {offered[name]: file.resolve() for name, file in files.items()}
    skills_of = {id: folder.resolve() for id, folder in folders.items()}
    return replace(loaded, elsewhere=replace(loaded.elsewhere, skills=skills_of, files=paths, catalogs=tuple(files)))


def _chosen(flag: str, noun: str, given: Sequence[str], known: Sequence[str], faults: list[str]) -> dict[str, Path]:
    """Which of the `known` each of `given` stands for."""
    chosen: dict[str, Path] = {}
    for text in given:
        match = None if Path(text).exists() else _NAMED.fullmatch(text)
        if match is None and len(known) != 1:
            faults.append(f"{flag} {text}: the suite has {_listed(noun, known)}; say which: {flag} NAME={text}")
            continue
        name = match["name"] if match else known[0]
        if name not in known:
            faults.append(f"{flag}: the suite has no {noun} {name!r}; it has: {', '.join(known) or 'none'}")
        elif name in chosen:
            faults.append(f"{flag}: {name!r} is given twice")
        else:
            chosen[name] = Path(match["rest"] if match else text)
    return chosen


def _listed(noun: str, known: Sequence[str]) -> str:
    return f"{len(known)} of the kind {noun!r} ({', '.join(known)})" if known else f"no {noun}"


def _skill_faults(id: str, folder: Path, limits: Limits) -> Iterator[str]:
    """What is wrong with a folder that stands for the skill `id`."""
    head = folder / "SKILL.md"
    if not folder.is_dir() or not head.is_file() or head.is_symlink():
        yield "there is no such folder" if not folder.is_dir() else "it has no file SKILL.md; name the folder with one"
        return
    try:
        name = read_frontmatter("SKILL.md", head.read_bytes()).name
        found = scan(folder, links="refuse")
    except DocumentInvalid as error:
        yield from map(str, error.faults)
        return
    except OSError as error:
        yield f"it can't be read ({error.strerror})"
        return
    if name != id:
        said = f"says `name: {name}`" if name else "has no `name`"
        yield f"its SKILL.md {said}; in this suite the skill is called `{id}`: write `name: {id}` into a copy of it"
    yield from (f"it holds a {one.reason} ({one.path})" for one in found.refused if not installed_never(one.path))
    kept = [one for one in found.entries if not installed_never(one.path)]
    for key, count in (("files_in", len(kept)), ("bytes_in", sum(one.size for one in kept))):
        if count > getattr(limits, key):
            yield f"it is over the suite's `limits.{key}` ({count} > {getattr(limits, key)})"
