"""An archive whose run did not end, taken up again: what was sealed stays, what was not is forgotten."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.plan import Plan
from skilltrial.model.trial import TrialKey

from . import earlier, layout
from .journal import Journal
from .remains import keep_all_remains
from .seal import trial_seal, verified, verify
from .trees import sha256
from .writing import write_file


def reopen(root: Path, again: Iterable[TrialKey] = ()) -> tuple[TrialKey, ...]:
    """Make the archive in `root` writable again; return the trials of its plan that are still to be run.

    The caller holds the lock. A sealed archive is verified whole, an unsealed one trial by trial, before anything is
    touched; `again` are sealed trials that are to be run anew: they become earlier tries of their successors.
    Raises ArchiveRefused where a sealed trial is not what was sealed.
    """
    manifest = root / layout.MANIFEST
    if manifest.exists():
        verify(root)
    plan = _plan(root)
    # Seals are looked at first: a successor that did not reach the disk whole must not cost its predecessor.
    sealed = _sealed(root, plan)
    if earlier.restore(root):
        sealed = _sealed(root, plan)
    manifest.unlink(missing_ok=True)
    _put_report_aside(root)
    keep_all_remains(root)
    shutil.rmtree(root / layout.UNSEALED, ignore_errors=True)
    (root / layout.UNSEALED).mkdir()
    for key in again:
        if key in sealed:
            # Before it is moved: a successor's seal is another one than the journal names.
            Journal(root).withdraw(key)
            earlier.set_aside(root, key)
            sealed.discard(key)
    return tuple(key for key in plan.trials if key not in sealed)


def _plan(root: Path) -> Plan:
    try:
        return Plan.read((root / layout.PLAN).read_bytes())
    except FileNotFoundError:
        raise ArchiveRefused(f"{root} holds no run: it has no {layout.PLAN}") from None
    except (OSError, ValueError) as error:
        raise ArchiveRefused(f"{root}: {layout.PLAN} can't be read") from error


def _sealed(root: Path, plan: Plan) -> set[TrialKey]:
    """The trials with a whole seal. The journal is brought up to date with them."""
    journal = Journal(root)
    told = journal.read()
    found: set[TrialKey] = set()
    for key in plan.trials:
        folder = root / key.path
        if not folder.exists():
            continue
        seal = (folder / layout.SEAL).read_bytes() if (folder / layout.SEAL).is_file() else b""
        digest = sha256(seal)
        try:
            for name, one in trial_seal(root, key.path, digest).items():
                verified(root, f"{key.path}/{name}", one)
        except ArchiveRefused:
            if key.path in told:
                raise
            # Never told to the journal: its seal did not reach the disk whole (the machine went down).
            shutil.rmtree(folder)
            continue
        if told.get(key.path, digest) != digest:
            raise ArchiveRefused(f"changed: {key.path}/{layout.SEAL} is not the seal that the journal names")
        if key.path not in told:
            journal.append(key, digest)
        found.add(key)
    return found


def _put_report_aside(root: Path) -> None:
    """The partial run's report stays, under another name: the whole run gets its own."""
    own = root / layout.REPORT
    if own.exists():
        data = own.read_bytes()
        write_file(root / f"report-{hashlib.sha256(data).hexdigest()[:12]}.json", data)
        own.unlink()
