"""A sealed archive, read. Nothing is handed out before its digest was checked."""

from __future__ import annotations

import json
import os
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.evidence import Change, ChangeKind, CommandResult, Files
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.jsontext import read_json
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.records import Record
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey

from . import layout
from .records import LARGE, RecordFile, read_records
from .seal import Manifest, additional, check, faults, read_manifest, refuse, trial_seal, verified
from .trees import Tree, of_json, read_listing
from .writing import walk

T = TypeVar("T")
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading bytes of the wrong shape raises; pydantic's ValidationError is a ValueError."""


def open_archive(root: Path) -> SealedArchive:
    """Open an archive. Raises ArchiveRefused that names what was changed, is missing or was added."""
    return SealedArchive(root)


class SealedArchive:
    """One sealed run. Files outside trials are checked here, each trial's when it is read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._manifest: Manifest = read_manifest(root)
        try:
            present = walk(root)
            self._files = {name: verified(root, name, one) for name, one in self._manifest.files.items()}
            expected = set(self._manifest.files)
            for folder, digest in self._manifest.trials.items():
                expected.update(f"{folder}/{name}" for name in trial_seal(root, folder, digest))
            if found := list(additional(self._manifest, present, expected)):
                raise ArchiveRefused(found[0])
        except ArchiveRefused:
            raise self._refusal() from None
        except OSError as error:
            raise ArchiveRefused(f"{root} can't be read: {error.strerror}") from error
        if unknown := sorted(set(self._manifest.trials) - {key.path for key in self.plan.trials}):
            raise ArchiveRefused(f"{root} holds a trial that was never planned: {unknown[0]}")

    def _refusal(self) -> ArchiveRefused:
        """All faults in one error."""
        try:
            refuse(self.root, list(faults(self.root, self._manifest, walk(self.root))))
        except ArchiveRefused as error:
            return error
        return ArchiveRefused(f"{self.root} changed while it was read")

    @property
    def manifest_sha256(self) -> str:
        """Digest of the manifest: names the whole archive."""
        return self._manifest.sha256

    @property
    def names(self) -> tuple[str, ...]:
        """The sealed files outside trials."""
        return tuple(self._files)

    def file(self, name: str) -> bytes:
        """The bytes of a sealed file outside trials. Raises ArchiveRefused."""
        if name not in self._files:
            raise ArchiveRefused(f"{self.root} was sealed without {name}")
        return self._files[name]

    @cached_property
    def plan(self) -> Plan:
        """What was planned."""
        return self._read(layout.PLAN, Plan.read)

    @cached_property
    def suite(self) -> Suite:
        """What was asked, in the long form."""
        return self._read(layout.SUITE, Suite.read)

    @cached_property
    def parts(self) -> tuple[PartIdentity, ...]:
        """Which parts took part."""
        return self._read(
            layout.PARTS, lambda data: tuple(PartIdentity.model_validate(value) for value in json.loads(data))
        )

    @cached_property
    def provenance(self) -> Provenance:
        """Where, when and with what it happened."""
        return self._read(layout.PROVENANCE, Provenance.read)

    @cached_property
    def _assets(self) -> Mapping[str, str]:
        return self._read(layout.ASSETS, lambda data: {path: str(one) for path, one in json.loads(data).items()})

    @property
    def assets(self) -> Mapping[str, bytes]:
        """Suite files that checks name: path beside the suite → bytes."""
        return {path: self.file(layout.blob(digest)) for path, digest in self._assets.items()}

    def workspace(self, case: str) -> Tree:
        """The folder that a case starts from."""
        return self._tree(layout.workspace_listing(case))

    def skill(self, skill: str) -> Tree:
        """A skill (`id` or `id@previous`) as it was installed."""
        return self._tree(layout.skill_listing(skill))

    def skill_body(self, skill: str) -> str:
        """The text of its SKILL.md; empty where it has none."""
        return (self.skill(skill).data("SKILL.md") or b"").decode("utf-8", "replace")

    @cached_property
    def _trees(self) -> dict[str, Tree]:
        return {}

    def _tree(self, name: str) -> Tree:
        if name not in self._trees:
            blob = self._blob
            self._trees[name] = self._read(name, lambda data: read_listing(data, blob))
        return self._trees[name]

    def _blob(self, digest: str) -> bytes:
        return self.file(layout.blob(digest))

    def _read(self, name: str, read: Callable[[bytes], T]) -> T:
        """What a sealed file means. Raises ArchiveRefused where it was sealed and is still not what it must be."""
        try:
            return read(self.file(name))
        except _UNREADABLE as error:
            raise ArchiveRefused(f"{self.root}: {name} can't be read ({type(error).__name__})") from None

    @cached_property
    def inputs(self) -> dict[str, bytes]:
        """Digest → bytes of everything that workspaces and skills are made of."""
        prefix = f"{layout.BLOBS}/"
        return {name.removeprefix(prefix): data for name, data in self._files.items() if name.startswith(prefix)}

    def sealed(self) -> tuple[TrialKey, ...]:
        """The trials that have a seal, in the order of the plan."""
        return tuple(key for key in self.plan.trials if key.path in self._manifest.trials)

    def trial(self, key: TrialKey) -> SealedTrial | None:
        """A sealed trial, every file of it checked; None where it has no seal. Raises ArchiveRefused."""
        digest = self._manifest.trials.get(key.path)
        if digest is None:
            return None
        try:
            # Not held from the first reading: of many trials the seals take as much memory as all else of an archive.
            return read_trial(self.root, key, trial_seal(self.root, key.path, digest), self.inputs)
        except ArchiveRefused:
            raise self._refusal() from None
        except _UNREADABLE as error:
            raise ArchiveRefused(f"{self.root}: {key.path} can't be read ({type(error).__name__})") from None


class SealedTrial:
    """One sealed trial."""

    def __init__(
        self, key: TrialKey, files: Mapping[str, bytes], lines: Mapping[str, RecordFile], inputs: dict[str, bytes]
    ) -> None:
        self.key = key
        self._files = files
        self._lines = lines
        self._inputs = inputs
        self.facts = TrialFacts.read(files[layout.FACTS])

    @property
    def sealed_files(self) -> Mapping[str, bytes]:
        """Every file of the trial by its name, but the seal."""
        return {**self._files, **{name: lines.path.read_bytes() for name, lines in self._lines.items()}}

    def records(self) -> Sequence[Record]:
        """What the host and the runner put on record. Raises ArchiveRefused."""
        return self._read(layout.HOST_RECORDS, self._records)

    def fixture_records(self) -> dict[str, Sequence[Record]]:
        """What each fixture put on record, by its name. Raises ArchiveRefused."""
        prefix, suffix = layout.FIXTURE_RECORDS, ".jsonl"
        return {
            name.removeprefix(prefix).removesuffix(suffix): self._read(name, self._records)
            for name in (*self._files, *self._lines)
            if name.startswith(prefix) and name.endswith(suffix)
        }

    def model_records(self) -> Sequence[Record]:
        """What the model endpoint put on record. Raises ArchiveRefused."""
        return self._read(layout.MODEL_RECORDS, self._records)

    def earlier_tries(self) -> tuple[Sequence[Record], ...]:
        """The host's records of each earlier try, in order. Raises what reading them raises."""
        return tuple(
            self._records(f"{layout.TRIES}/{number}/{layout.HOST_RECORDS}") for number in range(1, self.facts.tries)
        )

    def _records(self, name: str) -> Sequence[Record]:
        return self._lines[name] if name in self._lines else read_records(self._files.get(name, b""))

    def _read(self, name: str, read: Callable[[str], T]) -> T:
        """What a file means. Raises ArchiveRefused where it was sealed and is still not what it must be."""
        try:
            return read(name)
        except _UNREADABLE as error:
            raise ArchiveRefused(f"{self.key.path}/{name} can't be read ({type(error).__name__})") from None

    def answers(self) -> tuple[str, ...]:
        """What each turn returned to the runner. Raises ArchiveRefused."""
        return self._read(layout.ANSWERS, lambda name: tuple(read_json(self._files.get(name, b"[]"))))

    def files(self) -> Files:
        """The project before and after."""
        return self._project

    @cached_property
    def _project(self) -> Files:
        value = read_json(self._files[layout.FILES])
        kept = {
            name.removeprefix(f"{layout.CHANGED}/"): data
            for name, data in self._files.items()
            if name.startswith(f"{layout.CHANGED}/")
        }
        before = {entry.path: entry for entry in of_json(value["before"])}
        after = dict(before)
        for path in value["gone"]:
            after.pop(path, None)
        after.update({entry.path: entry for entry in of_json(value["after"])})
        changes = (Change.model_validate(change, strict=False) for change in value["changes"])
        return Files(
            before=before,
            after=after,
            changes=tuple(change for change in changes if self.facts.listing_complete or _was_seen(change)),
            contents=ChainMap(kept, self._inputs),
            redacted=frozenset(self.facts.redacted_paths),
            complete=self.facts.listing_complete,
        )

    def after(self) -> tuple[CommandResult, ...]:
        """What the commands of `after` did. Raises ArchiveRefused."""
        return self._read(layout.COMMANDS, self._after)

    def _after(self, name: str) -> tuple[CommandResult, ...]:
        return tuple(
            CommandResult(one["command"], one["code"], one["stdout"], one["stderr"])
            for one in read_json(self._files.get(name, b"[]"))
            if one["when"] == "after"
        )


def read_trial(root: Path, key: TrialKey, seal: Mapping[str, str], inputs: dict[str, bytes]) -> SealedTrial:
    """A trial by its seal, every file of it checked. Raises ArchiveRefused, and ValueError where its facts are none."""
    files: dict[str, bytes] = {}
    lines: dict[str, RecordFile] = {}
    for name, digest in seal.items():
        path = f"{key.path}/{name}"
        if name.endswith(".jsonl") and _is_large(f"{root}/{path}"):
            check(root, path, digest)
            lines[name] = RecordFile(root / path, digest)
        else:
            files[name] = verified(root, path, digest)
    return SealedTrial(key, files, lines, inputs)


def _is_large(path: str) -> bool:
    try:
        return os.stat(path).st_size >= LARGE  # noqa: PTH116 - a text, as in `seal`
    except OSError:
        return False  # what is missing is told by what reads it


def _was_seen(change: Change) -> bool:
    """Whether a change shows in a listing that was cut: what it did not come to looks as if it had been removed."""
    return change.change is not ChangeKind.REMOVED
