"""Where, when and with what a run happens; and whether its sources stayed what they were."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from skilltrial import __version__
from skilltrial.archive.trees import sha256
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.facts import Provenance
from skilltrial.plugins.metadata import told

from .asking import Prepared
from .gathering import Gatherer
from .loading import Loaded
from .pinning import pins_of
from .programs.supervisor import losses

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Of a distribution, at the beginning of a requirement."""


def provenance(prepared: Prepared) -> Provenance:
    """What is known when a run starts."""
    loaded = prepared.loaded
    commit = _line(["git", "rev-parse", "HEAD"], loaded.root) if loaded else None
    lock = loaded.root / "skilltrial.lock" if loaded else None
    return Provenance(
        started=datetime.now(UTC),
        skilltrial=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        node=_line(["node", "--version"], None) if shutil.which("node") else None,
        repository_commit=commit,
        repository_dirty=bool(_line(["git", "status", "--porcelain"], loaded.root)) if commit and loaded else None,
        lock_sha256=sha256(lock.read_bytes()) if lock is not None and lock.is_file() else None,
        seed=prepared.plan.seed,
        jobs=prepared.plan.jobs,
        pins=pins_of(loaded, {id: one.tree for id, one in prepared.sources.skills.items()}) if loaded else (),
        packages=packages(part.distribution for part in prepared.parts.identities),
        passed_names=tuple(sorted(prepared.passed)),
        resolved_links=loaded.links if loaded else (),
        losses=(*_converted(loaded), *losses()),
    )


def packages(distributions: Iterable[str]) -> dict[str, str]:
    """The distributions that these need, all the way down, and their versions; optional ones where they are there."""
    found: dict[str, str] = {}
    asked: set[str] = set()
    waiting = list(dict.fromkeys(distributions))
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in asked:
            continue
        asked.add(name)
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue
        says = told(one)
        found[name] = says.version
        waiting += [match[0] for line in says.requires if (match := _NAME.match(line))]
    return dict(sorted(found.items()))


def _converted(loaded: Loaded | None) -> tuple[str, ...]:
    """What a reader must know of a suite that was written for another tool."""
    if loaded is None or loaded.conversion is None:
        return ()
    name, lost = loaded.conversion.part.name, loaded.conversion.losses
    counts = f"{len(lost.changed)} rules changed their meaning and {len(lost.dropped)} were dropped"
    return (f"The suite was converted from the format {name}: {counts}; the archive lists them.",)


def changed_sources(prepared: Prepared) -> tuple[str, ...]:
    """The sources that are no longer what was read at the start, in words without paths."""
    loaded = prepared.loaded
    if loaded is None:
        return ()
    changed: list[str] = []
    try:
        if loaded.path.read_bytes() != loaded.source:
            changed.append("the suite file")
        again = Gatherer.of(loaded).gather(prepared.sources.assets)
    except (InvalidRequest, OSError):
        return (*changed, "a source that can't be read any more")
    for case, tree in prepared.sources.workspaces.items():
        # A repository made of a workspace has another commit time each time; the folder itself is what counts.
        made = loaded.suite.case(case).workspace.repository
        if not made and again.workspaces[case].digest() != tree.digest():
            changed.append(f"the workspace of case {case}")
    for reference, skill in prepared.sources.skills.items():
        if again.skills[reference].skill.sha256 != skill.skill.sha256:
            changed.append(f"skill {reference}")
    if prepared.sources.plugin is not None and again.plugin != prepared.sources.plugin:
        changed.append("the plugin")
    changed += [f"file {path}" for path, data in prepared.sources.assets.items() if again.assets[path] != data]
    return tuple(changed)


def _line(command: list[str], folder: Path | None) -> str | None:
    """What a program says; None where there is no such program, or it has nothing to say about this folder."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
