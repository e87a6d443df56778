"""Making an archive: inputs first, then a folder per trial that appears whole or not at all, then the manifest."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from skilltrial.model.errors import RunIncomplete, SourceUnusable
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.part import canonical, compact
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.records import Record
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey

from . import earlier, layout
from .beginning import Begun, clear_left
from .journal import Journal
from .recording import Clock, FileRecorder
from .records import records_at
from .redaction import Redactor
from .remains import keep_all_remains, keep_remains
from .trees import Tree, listing, sha256


class ArchiveWriter:
    """The archive of one run while it is being made. Trials may be sealed from several threads."""

    def __init__(self, root: Path, begun: Begun | None = None) -> None:
        self.root = root
        self.journal = Journal(root)
        self._begun = begun

    @classmethod
    def create(cls, root: Path) -> ArchiveWriter:
        """Begin an archive beside its place; `publish` puts it there, so that it never lies there half begun.

        Raises SourceUnusable where the folder exists (unless empty) or can't be made.
        """
        if root.name in ("", ".."):
            raise SourceUnusable(f"{root} can't become an archive; name a new folder")
        try:
            if root.exists() and (not root.is_dir() or any(root.iterdir())):
                raise SourceUnusable(f"{root} exists and is not empty; an archive is never written over another")
            clear_left(root)
            begun = Begun(root)
            try:
                _furnish(begun.path, root)
            except BaseException:
                shutil.rmtree(begun.path, ignore_errors=True)
                begun.leave()
                raise
        except OSError as error:
            raise SourceUnusable(f"no archive can be made in {root}: {error.strerror}") from error
        return cls(begun.path, begun)

    @classmethod
    @contextmanager
    def begin(cls, root: Path) -> Iterator[ArchiveWriter]:
        """Create it, and publish it when the context ends; where that fails nothing is left. Raises as these do."""
        archive = cls.create(root)
        try:
            yield archive
            archive.publish(root)
        except BaseException:
            if archive.root != root:
                shutil.rmtree(archive.root, ignore_errors=True)
            raise
        finally:
            archive._leave()

    def publish(self, root: Path) -> None:
        """Put what `create` began into its place. Raises SourceUnusable where something else came there meanwhile."""
        try:
            self.root = self.root.rename(root)
        except OSError as error:
            shutil.rmtree(self.root, ignore_errors=True)
            taken = error.errno in (errno.ENOTEMPTY, errno.EEXIST)
            why = "another run took that place meanwhile; name another folder with --out" if taken else error.strerror
            raise SourceUnusable(f"no archive can be made in {root}: {why}") from error
        finally:
            self._leave()
        self.journal = Journal(root)

    def _leave(self) -> None:
        if self._begun is not None:
            self._begun.leave()

    def write(self, name: str, data: bytes) -> str:
        """Write one file of the archive and return its digest. Raises RunIncomplete where the disk refuses."""
        path = self.root / name
        try:
            try:
                write_file(path, data)
            except FileNotFoundError:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, data)
        except OSError as error:
            raise RunIncomplete(f"the archive can't be written: {error.strerror} ({name})") from error
        return sha256(data)

    def write_tree(self, name: str, tree: Tree) -> None:
        """Keep a folder: its listing as `name`, its files as blobs."""
        for digest, data in tree.contents.items():
            self.write_blob(digest, data)
        self.write(name, listing(tree.entries))

    def write_blob(self, digest: str, data: bytes) -> None:
        """Keep bytes under their digest, once."""
        if not (self.root / layout.blob(digest)).exists():
            self.write(layout.blob(digest), data)

    def write_request(
        self, suite: Suite, source: bytes, plan: Plan, parts: Iterable[PartIdentity], assets: Mapping[str, bytes]
    ) -> None:
        """Write what was asked and planned."""
        self.write(layout.SUITE_SOURCE, source)
        self.write(layout.SUITE, suite.write())
        for data in assets.values():
            self.write_blob(sha256(data), data)
        self.write(layout.ASSETS, canonical({path: sha256(data) for path, data in assets.items()}))
        self.write(layout.PARTS, canonical([part.model_dump(mode="json") for part in parts]))
        self.write(layout.PLAN, plan.write())

    def adopt(self, key: TrialKey, folder: Path) -> None:
        """Copy a trial that another archive has sealed, as it is. Raises RunIncomplete where the disk refuses."""
        fresh = self.root / layout.UNSEALED / key.path.replace("/", "~")
        target = self.root / key.path
        try:
            shutil.copytree(folder, fresh)
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.rename(target)
        except OSError as error:
            raise RunIncomplete(f"trial {key} could not be copied: {error.strerror}") from error
        self.journal.append(key, sha256((target / layout.SEAL).read_bytes()))

    def open_trial(self, key: TrialKey, redactor: Redactor) -> TrialWriter:
        """Begin a trial's folder."""
        return TrialWriter(self, key, redactor)

    def write_provenance(self, provenance: Provenance) -> None:
        """Write (or replace) the provenance."""
        self.write(layout.PROVENANCE, provenance.write())

    def seal(self) -> str:
        """Write the manifest over everything that is here; return its digest.

        Trials that were never sealed are not part of it.
        """
        keep_all_remains(self.root)
        shutil.rmtree(self.root / layout.UNSEALED, ignore_errors=True)
        earlier.restore(self.root)
        files: dict[str, str] = {}
        seals: dict[str, str] = {}
        for name in walk(self.root):
            if name == layout.MANIFEST or (layout.derived(name) and "/" not in name):
                continue
            if name.startswith(f"{layout.TRIALS}/"):
                if name.endswith(f"/{layout.SEAL}") and name.count("/") == 4:
                    seals[name.removesuffix(f"/{layout.SEAL}")] = sha256((self.root / name).read_bytes())
                continue
            files[name] = sha256((self.root / name).read_bytes())
        manifest = canonical({"schema_version": layout.SCHEMA_VERSION, "files": files, "trials": seals})
        # Made where nothing is kept and put into its place in one step: half a manifest would refuse the archive.
        digest = self.write(f"{layout.UNSEALED}/{layout.MANIFEST}", manifest)
        try:
            (self.root / layout.UNSEALED / layout.MANIFEST).replace(self.root / layout.MANIFEST)
            (self.root / layout.UNSEALED).rmdir()
        except OSError as error:
            raise RunIncomplete(f"the archive can't be sealed: {error.strerror}") from error
        return digest


class TrialWriter:
    """The folder of one trial while it runs: below `unsealed/` until `seal` moves it, whole, to its place."""

    def __init__(self, archive: ArchiveWriter, key: TrialKey, redactor: Redactor) -> None:
        self.key = key
        self._archive = archive
        self._redactor = redactor
        self._files: dict[str, str] = {}
        self._lock = threading.Lock()
        self.folder = archive.root / layout.UNSEALED / key.path.replace("/", "~")
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise RunIncomplete(f"the archive can't be written: {error.strerror}") from error
        self.tries = 1
        self._adopt(earlier.folder_of(archive.root, key))
        self._begin()

    def _adopt(self, folder: Path) -> None:
        """Copy what an earlier, sealed form of this trial holds: it stays where it is until this one is sealed."""
        if not folder.is_dir():
            return
        for name, path in earlier.tries_of(folder):
            data = path.read_bytes()
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, data)
            self._files[name] = sha256(data)
            self.tries = max(self.tries, int(name.split("/")[1]) + 1)

    def write(self, name: str, data: bytes) -> None:
        """Write one file of the trial, redacted."""
        self._put(name, *self._redactor.data(data))

    def _put(self, name: str, data: bytes, hits: int) -> None:
        path = self.folder / name
        with self._lock:
            self.redactions += hits
            self._files[name] = sha256(data)
        if "/" in name:
            path.parent.mkdir(exist_ok=True)
        write_file(path, data)

    def write_json(self, name: str, value: object) -> None:
        """Write a JSON value as one file of the trial, its texts redacted."""
        value, hits = self._redactor.value(value)
        self._put(name, compact(value), hits)

    def write_changed(self, digest: str, data: bytes) -> bool:
        """Keep a changed file's bytes under the digest of the true bytes; True where a secret was replaced in them."""
        before = self.redactions
        self.write(f"{layout.CHANGED}/{digest}", data)
        return self.redactions > before

    def records(self) -> Sequence[Record]:
        """The host's records of the current try, as they lie in the archive."""
        return records_at(self.folder / layout.HOST_RECORDS)

    def begin_another(self, facts: TrialFacts) -> None:
        """Put what was written so far away as an earlier try (`tries/1`, `tries/2` ...), and begin anew."""
        self._close(facts)
        kept = f"{layout.TRIES}/{self.tries}"
        (self.folder / kept).mkdir(parents=True)
        for name in {name.partition("/")[0] for name in self._files if not name.startswith(f"{layout.TRIES}/")}:
            (self.folder / name).rename(self.folder / kept / name)
        self._files = {
            name if name.startswith(f"{layout.TRIES}/") else f"{kept}/{name}": digest
            for name, digest in self._files.items()
        }
        self.tries += 1
        self._begin()

    def _begin(self) -> None:
        self.clock = Clock()
        self.redactions = 0
        self.host = FileRecorder(self.folder / layout.HOST_RECORDS, self.clock, self._redactor)
        self.model = FileRecorder(self.folder / layout.MODEL_RECORDS, self.clock, self._redactor)
        self._recorders = {layout.HOST_RECORDS: self.host, layout.MODEL_RECORDS: self.model}

    def fixture(self, name: str) -> FileRecorder:
        """The recorder of a fixture, with the trial's clock and turn."""
        file = layout.fixture_records(name)
        self._recorders[file] = FileRecorder(self.folder / file, self.clock, self._redactor)
        return self._recorders[file]

    def _close(self, facts: TrialFacts) -> None:
        for name, recorder in self._recorders.items():
            digest = recorder.close()
            if digest is not None:
                self._files[name] = digest
            self.redactions += recorder.redactions
        # As they stand in the listing: the two are joined by these paths.
        paths = tuple(self._redactor.text(path)[0] for path in facts.redacted_paths)
        counted = {"redactions": self.redactions, "tries": self.tries, "redacted_paths": paths}
        self._put(layout.FACTS, compact(facts.model_copy(update=counted).model_dump(mode="json")), 0)

    def seal(self, facts: TrialFacts) -> str:
        """Close the records, write the facts and the seal, move the folder to its place, and tell the journal."""
        self._close(facts)
        seal = compact({"schema_version": layout.SCHEMA_VERSION, "trial": self.key.path, "files": self._files})
        write_file(self.folder / layout.SEAL, seal)
        target = self._archive.root / self.key.path
        target.parent.mkdir(parents=True, exist_ok=True)
        self.folder.rename(target)
        digest = sha256(seal)
        self._archive.journal.append(self.key, digest)
        shutil.rmtree(earlier.folder_of(self._archive.root, self.key), ignore_errors=True)
        return digest

    def discard(self) -> None:
        """Forget the trial: it was interrupted, or is tried again."""
        for recorder in self._recorders.values():
            # A disk that refused a line refuses it again here; that was told when it did so first.
            with suppress(OSError):
                recorder.close()
        with suppress(OSError):
            keep_remains(self._archive.root, self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)


def write_file(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read; replaced in one step where it exists."""
    put(path, (data,), beside=path.exists())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    write_pieces(path, (data,))


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """As `write_whole`, of what need not be held at once."""
    put(path, pieces, beside=True)


def put(path: Path, pieces: Iterable[bytes], *, beside: bool) -> None:
    """Write a file, `beside` its place first where it must not be seen half written."""
    fresh = path.with_name(f".{path.name}.new") if beside else path
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        for piece in pieces:
            write_all(descriptor, piece)
    except OSError:
        if beside:
            fresh.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    if fresh is not path:
        fresh.replace(path)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes: one `write` may take only some."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def walk(root: Path) -> list[str]:
    """Every path below `root` that is not a folder, POSIX and relative, sorted. Links are not followed."""
    found: list[str] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                name = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{name}/")
                else:
                    found.append(name)
    return sorted(found)


def _furnish(begun: Path, root: Path) -> None:
    # Written and read back: a folder that swallows what is written must be found before it costs a session.
    probe = begun / layout.LOCK
    probe.write_bytes(b"skilltrial\n")
    if probe.read_bytes() != b"skilltrial\n":
        raise SourceUnusable(f"{root} does not keep what is written to it")
    (begun / layout.TRIALS).mkdir()
    (begun / layout.UNSEALED).mkdir()
