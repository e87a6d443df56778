"""A sealed archive's copy in which trials are replaced and sealed anew. The original is only read."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from skilltrial.model.part import canonical, compact
from skilltrial.model.plan import Plan
from skilltrial.model.trial import TrialKey

from . import layout
from .reading import SealedArchive
from .trees import sha256
from .writing import put

Files = Mapping[str, bytes]
"""The files of one trial by name, without its seal."""


class WorkingCopy:
    """A folder that holds an archive's inputs, and whatever trials it was last sealed with.

    What did not change since is not written again: sealing a copy hundreds of times costs little.
    """

    def __init__(self, archive: SealedArchive, root: Path) -> None:
        """Copy everything outside trials into `root`, which must not exist."""
        self.root = root
        self._plan = archive.plan
        self._written: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        for name in archive.names:
            self._digests[name] = self._put(name, archive.file(name))

    def seal(self, trials: Mapping[TrialKey, Files], plan: Plan | None = None) -> Path:
        """Make the copy hold exactly these trials, sealed; return its folder.

        The plan is cut to them, so that no other trial counts as missing; `plan` takes its place.
        """
        planned = plan or self._plan.model_copy(
            update={"trials": tuple(key for key in self._plan.trials if key in trials), "skips": ()}
        )
        self._digests[layout.PLAN] = self._put(layout.PLAN, planned.write())
        seals = {key.path: self._seal(key, files) for key, files in trials.items()}
        for name in [name for name in self._written if self._is_of_no_trial(name, trials)]:
            self._remove(name)
        self._put(
            layout.MANIFEST,
            canonical({"schema_version": layout.SCHEMA_VERSION, "files": self._digests, "trials": seals}),
        )
        return self.root

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _seal(self, key: TrialKey, files: Files) -> str:
        digests = {name: self._put(f"{key.path}/{name}", data) for name, data in files.items()}
        kept = {f"{key.path}/{name}" for name in (*files, layout.SEAL)}
        for name in [name for name in self._written if name.startswith(f"{key.path}/") and name not in kept]:
            self._remove(name)
        seal = {"schema_version": layout.SCHEMA_VERSION, "trial": key.path, "files": digests}
        return self._put(f"{key.path}/{layout.SEAL}", compact(seal))

    def _is_of_no_trial(self, name: str, trials: Mapping[TrialKey, Files]) -> bool:
        return name.startswith(f"{layout.TRIALS}/") and not any(name.startswith(f"{key.path}/") for key in trials)

    def _put(self, name: str, data: bytes) -> str:
        digest = sha256(data)
        if self._written.get(name) != digest:
            path = self.root / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put(path, (data,), beside=False)
            self._written[name] = digest
        return digest

    def _remove(self, name: str) -> None:
        del self._written[name]
        (self.root / name).unlink()
