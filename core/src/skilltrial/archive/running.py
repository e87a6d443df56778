"""The archive of a run that goes on: what is sealed of it so far, each trial checked by its own seal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.facts import Provenance
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey

from . import layout
from .reading import SealedTrial, read_trial
from .seal import trial_seal
from .trees import read_listing, sha256


class RunningArchive:
    """One run, before its manifest is written. `plan` is the plan as it is now."""

    manifest_sha256 = ""
    """There is none yet."""

    def __init__(self, root: Path, plan: Plan) -> None:
        self.root = root
        self.plan = plan

    @cached_property
    def suite(self) -> Suite:
        """What was asked, in the long form."""
        return Suite.read(self._file(layout.SUITE))

    @cached_property
    def parts(self) -> tuple[PartIdentity, ...]:
        """Which parts take part."""
        return tuple(PartIdentity.model_validate(value) for value in json.loads(self._file(layout.PARTS)))

    @cached_property
    def provenance(self) -> Provenance:
        """Where, when and with what it happens."""
        return Provenance.read(self._file(layout.PROVENANCE))

    @cached_property
    def assets(self) -> Mapping[str, bytes]:
        """Suite files that checks name: path beside the suite → bytes."""
        named: dict[str, str] = json.loads(self._file(layout.ASSETS))
        return {path: self._inputs[digest] for path, digest in named.items()}

    def skill_body(self, skill: str) -> str:
        """The text of the SKILL.md of a skill (`id` or `id@previous`); empty where it has none."""
        tree = read_listing(self._file(layout.skill_listing(skill)), self._inputs.__getitem__)
        return (tree.data("SKILL.md") or b"").decode("utf-8", "replace")

    def trial(self, key: TrialKey) -> SealedTrial | None:
        """A sealed trial, every file of it checked; None where it has no seal. Raises ArchiveRefused."""
        try:
            seal = (self.root / key.path / layout.SEAL).read_bytes()
        except FileNotFoundError:
            return None
        names = trial_seal(self.root, key.path, sha256(seal))
        return read_trial(self.root, key, names, self._inputs)

    @cached_property
    def _inputs(self) -> dict[str, bytes]:
        folder = self.root / layout.BLOBS
        return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}

    def _file(self, name: str) -> bytes:
        try:
            return (self.root / name).read_bytes()
        except OSError as error:
            raise ArchiveRefused(f"{self.root}: {name} can't be read ({error.strerror})") from error
