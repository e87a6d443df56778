"""Changes of what the runner itself put on record: prompts, programs, ends, skills; and of the files of the project."""

from __future__ import annotations

import json
from collections.abc import Iterator

from skilltrial.archive import layout
from skilltrial.model.facts import TrialFacts
from skilltrial.model.notes import (
    Broke,
    Exited,
    Furnished,
    Interrupted,
    LimitHit,
    Note,
    PluginPlaced,
    SkillPlaced,
    Spawned,
    TurnSent,
    as_raw,
    notes,
)
from skilltrial.model.part import Part, compact
from skilltrial.model.records import Record
from skilltrial.model.words import Owner, Source

from .editing import record_with
from .mutants import Mutant, Mutation, on_host
from .specimen import Specimen

NOBODY = "0" * 64
NO_FILES = "no check of the case looks at files"


def unsends(specimen: Specimen) -> Iterator[Mutant]:
    """A prompt was not sent, was another one, or was sent twice."""
    for at, note in _notes(specimen).items():
        if isinstance(note, TurnSent):
            name = f"turn {note.turn}"
            yield Mutant(f"{name} not sent", on_host(specimen.host.without([at])))
            yield Mutant(f"{name} with another prompt", _noted(specimen, at, note, prompt_sha256=NOBODY))
            yield Mutant(f"{name} twice", on_host(specimen.host.with_inserted(at, [specimen.host.records[at]])))


def unends(specimen: Specimen) -> Iterator[Mutant]:
    """A program did not end, ended with an error, was cut short, or was never started."""
    stopped: tuple[Part, ...] = (
        LimitHit(limit="seconds", value=1),
        LimitHit(limit="stdout", value=1),
        Interrupted(),
        Broke(why="OSError", owner=Owner.OPERATOR),
    )
    for at, note in _notes(specimen).items():
        if isinstance(note, Exited):
            yield Mutant(f"line {at + 1}: no exit", on_host(specimen.host.without([at])))
            for code in (1, -9):
                yield Mutant(f"line {at + 1}: exit code {code}", _noted(specimen, at, note, code=code))
            for stop in stopped:
                record = record_with(specimen.host.records[at], raw=as_raw(stop))
                yield Mutant(
                    f"line {at + 1}: {getattr(stop, 'note', '')} {getattr(stop, 'limit', '')}".rstrip(),
                    on_host(specimen.host.with_record(at, record)),
                )
        elif isinstance(note, Spawned):
            yield Mutant(f"line {at + 1}: no start", on_host(specimen.host.without([at])))


def replaces_skills(specimen: Specimen) -> Iterator[Mutant]:
    """The skill was not placed, was another one, or was placed where the arm has none."""
    placed = {at: note for at, note in _notes(specimen).items() if isinstance(note, SkillPlaced)}
    for at, note in placed.items():
        yield Mutant(f"{note.skill} not placed", on_host(specimen.host.without([at])))
        yield Mutant(f"{note.skill} of another folder", _noted(specimen, at, note, sha256=NOBODY))
        yield Mutant(f"{note.skill} with another body", _noted(specimen, at, note, body_sha256=NOBODY))
        yield Mutant(f"{note.skill} under another name", _noted(specimen, at, note, skill="another"))
        value = json.loads(specimen.files[layout.FILES])
        without = [one for one in value["before"] if not one["path"].startswith(note.path)]
        yield Mutant(f"{note.skill} not in the project", {layout.FILES: compact({**value, "before": without})})
    stranger = SkillPlaced(skill="stranger", path=".agents/skills/stranger", sha256=NOBODY, body_sha256=NOBODY)
    record = Record(0, 0.0, Source.RUNNER, 0, as_raw(stranger))
    yield Mutant("a skill that is none of the arm's", on_host(specimen.host.with_inserted(0, [record])))


def replaces_plugin(specimen: Specimen) -> Iterator[Mutant]:
    """The plugin was not laid there, was another one, or lies where none was to be."""
    placed = {at: note for at, note in _notes(specimen).items() if isinstance(note, PluginPlaced)}
    for at, note in placed.items():
        yield Mutant("the plugin not placed", on_host(specimen.host.without([at])))
        yield Mutant("the plugin of another folder", _noted(specimen, at, note, sha256=NOBODY))
        yield Mutant("the plugin under another name", _noted(specimen, at, note, plugin="another"))
        bodies = {path: NOBODY if path.endswith("/SKILL.md") else one for path, one in note.files.items()}
        if bodies != note.files:
            yield Mutant("the plugin with another body of the skill", _noted(specimen, at, note, files=bodies))
    stranger = PluginPlaced(plugin="stranger", path="../plugins/stranger", sha256=NOBODY, files={})
    record = Record(0, 0.0, Source.RUNNER, 0, as_raw(stranger))
    yield Mutant("a plugin that nobody planned", on_host(specimen.host.with_inserted(0, [record])))


def runs_otherwise(specimen: Specimen) -> Iterator[Mutant]:
    """Only this arm's program had another argument, variable or file: told where another arm can be compared with."""
    if not any(
        (key.case, key.label) == (specimen.key.case, specimen.key.label) and key.arm != specimen.key.arm
        for key in specimen.others
    ):
        return
    for at, note in _notes(specimen).items():
        if isinstance(note, Spawned):
            name = f"line {at + 1}"
            yield Mutant(f"{name}: one argument more", _noted(specimen, at, note, argv=[*note.argv, "--more"]))
            yield Mutant(f"{name}: one argument less", _noted(specimen, at, note, argv=note.argv[:-1]))
            if note.environment is not None:
                more = [*note.environment, "MORE"]
                yield Mutant(f"{name}: one variable more", _noted(specimen, at, note, environment=more))
        elif isinstance(note, PluginPlaced):
            more_files = {**note.files, "more": NOBODY}
            yield Mutant("one file more in the plugin", _noted(specimen, at, note, files=more_files))
        elif isinstance(note, Furnished) and note.whole:
            more_files = {**note.files, "more": NOBODY}
            yield Mutant("one file more in the home", _noted(specimen, at, note, files=more_files))


def misplaces(specimen: Specimen) -> Iterator[Mutant]:
    """The trial's own facts name another trial, or its files were not listed whole."""
    facts = TrialFacts.read(specimen.files[layout.FACTS])
    named = {"case": "another", "arm": "another", "label": "9"}
    for part, name in named.items():
        key = facts.key.model_copy(update={part: name})
        changed = facts.model_copy(update={"key": key})
        yield Mutant(f"facts of another {part}", {layout.FACTS: compact(changed.model_dump(mode="json"))})


def changes_files(specimen: Specimen) -> Iterator[Mutant]:
    """A file of the project was created, changed or removed, or its kept bytes are others."""
    free = None if "files" in specimen.graders else NO_FILES
    value = json.loads(specimen.files[layout.FILES])
    digest = "1" * 64
    entry = {"path": "unexpected.txt", "kind": "file", "size": 1, "sha256": digest}
    created = {
        **value,
        "after": [*value["after"], entry],
        "changes": [*value["changes"], {"path": "unexpected.txt", "change": "created"}],
    }
    yield Mutant("a file more", {layout.FILES: compact(created), f"{layout.CHANGED}/{digest}": b"x"}, equivalent=free)
    for at, change in enumerate(value["changes"]):
        rest = [one for one in value["changes"] if one is not change]
        after = [one for one in value["after"] if one["path"] != change["path"]]
        undone = {**value, "changes": rest, "after": after}
        yield Mutant(f"change {at + 1} did not happen", {layout.FILES: compact(undone)}, equivalent=free)
    for name, data in specimen.files.items():
        if name.startswith(f"{layout.CHANGED}/"):
            flipped = bytes([data[0] ^ 1, *data[1:]]) if data else b"x"
            yield Mutant(f"other bytes in {name[8:20]}", {name: flipped}, equivalent=free)
            yield Mutant(f"bytes of {name[8:20]} lost", {name: None}, equivalent=free)


def _notes(specimen: Specimen) -> dict[int, Note]:
    places = {id(record): at for at, record in enumerate(specimen.host.records)}
    return {places[id(record)]: note for record, note in notes(specimen.host.records)}


def _noted(specimen: Specimen, at: int, note: Part, **fields: object) -> dict[str, bytes]:
    raw = json.dumps({**note.model_dump(mode="json"), **fields})
    return {layout.HOST_RECORDS: specimen.host.with_raw({at: raw}).data()}


NOTES = (
    Mutation("runner-sent-otherwise", "a prompt was not sent as planned", unsends),
    Mutation("runner-saw-no-end", "a program did not end well, or never ran", unends),
    Mutation("runner-placed-otherwise", "the arm's skills were not those that were placed", replaces_skills),
    Mutation("runner-plugged-otherwise", "the plugin was not the arm's", replaces_plugin),
    Mutation("runner-ran-otherwise", "one arm's program ran with something else", runs_otherwise),
    Mutation("runner-tells-of-another", "the trial's facts are those of another", misplaces),
    Mutation("files-changed", "the project's files became others", changes_files),
)
