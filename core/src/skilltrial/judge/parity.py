"""Arms differ in nothing but skills: found out from what really ran, not from what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from skilltrial.archive.trees import sha256
from skilltrial.model.evidence import FileKind, Files
from skilltrial.model.likeness import unplaced
from skilltrial.model.notes import Furnished, Note, PluginPlaced, SkillPlaced, Spawned
from skilltrial.model.part import canonical
from skilltrial.model.records import Record
from skilltrial.model.report import Ran, TrialReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.wire import Called, Placed, ToolsListed, WireNote, wire_notes
from skilltrial.model.words import Ending

ASPECTS = ("argv", "environment", "home", "project", "plugin", "tools")
"""What is compared, by the fields of `Ran`."""


def ran(noted: Sequence[Note], fixtures: Mapping[str, Sequence[Record]], files: Files) -> Ran:
    """The certificate of one trial. What was not recorded is None, and compared with nothing."""
    started = [note for note in noted if isinstance(note, Spawned)]
    argv = [[unplaced(word) for word in note.argv] for note in started]
    names = sorted({name for note in started for name in note.environment or ()})
    home = next((note for note in noted if isinstance(note, Furnished)), None)
    plugin = next((note for note in noted if isinstance(note, PluginPlaced)), None)
    return Ran(
        argv=_digest(argv) if started else None,
        environment=tuple(names) if any(note.environment is not None for note in started) else None,
        home=_digest(dict(home.files)) if home is not None and home.whole else None,
        project=_digest(_project(noted, files)) if files.complete else None,
        plugin=_digest(_plugin(noted, plugin)) if plugin is not None else None,
        tools=_tools(fixtures),
    )


def unlike(trials: Sequence[TrialReport]) -> Iterator[tuple[TrialKey, TrialKey, tuple[str, ...]]]:
    """Two trials of one case and label in different arms that differ in more than skills, and in what."""
    seen: dict[tuple[str, str], list[TrialReport]] = {}
    for trial in trials:
        seen.setdefault((trial.key.case, trial.key.label), []).append(trial)
    for peers in seen.values():
        for at, one in enumerate(peers):
            for other in peers[at + 1 :]:
                if found := differences(one, other):
                    yield one.key, other.key, found


def differences(one: TrialReport, other: TrialReport) -> tuple[str, ...]:
    """In what two completed trials ran differently, in words; nothing where one of them does not show it."""
    if one.ran is None or other.ran is None or not one.ending is other.ending is Ending.COMPLETED:
        return ()
    return tuple(
        aspect
        for aspect in ASPECTS
        if None not in (mine := getattr(one.ran, aspect), theirs := getattr(other.ran, aspect)) and mine != theirs
    )


def _project(noted: Iterable[Note], files: Files) -> list[tuple[str, FileKind, str | None, bool]]:
    """What lay in the project before the first prompt, but for folders and the arm's own skills."""
    skills = tuple(f"{note.path}/" for note in noted if isinstance(note, SkillPlaced))
    return sorted(
        (path, entry.kind, entry.sha256 or entry.target, entry.executable)
        for path, entry in files.before.items()
        if entry.kind is not FileKind.FOLDER and not path.startswith(skills)
    )


def _plugin(noted: Iterable[Note], plugin: PluginPlaced) -> dict[str, str]:
    """The plugin's files, but for the arm's own skills; its manifests are told without their lists of skills."""
    skills = tuple(f"{note.path}/" for note in noted if isinstance(note, SkillPlaced))
    return {path: one for path, one in plugin.files.items() if not f"{plugin.path}/{path}".startswith(skills)}


def _tools(fixtures: Mapping[str, Sequence[Record]]) -> str | None:
    """What each fixture offered, by the digests of its lists: names, descriptions and schemas; or its programs."""
    offered = {name: [*_offered([note for _, note in wire_notes(records)])] for name, records in fixtures.items()}
    if not offered or any(digest is None for lists in offered.values() for digest in lists):
        return None
    return _digest({name: sorted({*map(str, lists)}) for name, lists in offered.items()})


def _offered(notes: Sequence[WireNote]) -> Iterator[str | None]:
    """The digest of each list that the arms must have alike; None for one of which none was kept.

    What is hidden or shown by a call is the agent's doing: a list after the first call counts where it is as long
    as one from before, and so must be the same.
    """
    called = next((at for at, note in enumerate(notes) if isinstance(note, Called)), len(notes))
    first = {note.count for note in notes[:called] if isinstance(note, ToolsListed)}
    for at, note in enumerate(notes):
        if isinstance(note, ToolsListed) and (at < called or note.count in first):
            yield note.sha256
        elif isinstance(note, Placed):
            yield _digest(sorted(note.programs))


def _digest(value: object) -> str:
    return sha256(canonical(value))
