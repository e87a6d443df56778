"""A part's own contract tests, run in a process of their own, and what came of them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from skilltrial import __version__
from skilltrial.model.errors import InvalidRequest, PluginNotFound
from skilltrial.plugins.discovery import Discovery, Installed
from skilltrial.plugins.kinds import API_MAJOR, COMMAND, KINDS, SUITE

from .proofs import TEMPLATE, Proof, keep, now

Row = dict[str, str]
WITHOUT = (SUITE.name, COMMAND.name)
"""Kinds that have no contract: a suite is linted and rehearsed, a command is called."""


def prove(name: str, tests: Path | None, discovery: Discovery) -> tuple[str, bool]:
    """Run the contracts of the parts called `name`; what came of it, and whether all hold. Raises InvalidRequest."""
    if importlib.util.find_spec("pytest") is None:
        raise InvalidRequest("the contract kit needs pytest: pip install 'skilltrial[testing]'")
    parts = _parts(name, discovery)
    folder = tests if tests is not None else _beside(name, parts)
    if not folder.exists():
        raise InvalidRequest(f"there are no tests at {folder}")
    rows, printed = _run(folder)
    told, holds = [], True
    for part in parts:
        own = [row for row in rows if row.get("kind") == part.kind and row.get("part") == part.target]
        if not own:
            told.append(f"{part.kind} {name}: no contract in {folder} is about {part.target}")
            holds = False
            continue
        proof = _proof(part, own, discovery)
        told += _lines(part, proof, own)
        holds = holds and not proof.failed
        if not keep(proof):
            told.append("(the state folder can't be written: this is not kept)")
    return "\n".join(told if rows else [*told, "", printed]), holds and bool(rows)


def _parts(name: str, discovery: Discovery) -> list[Installed]:
    kinds = [kind for kind in KINDS if kind.name not in WITHOUT]
    found = [
        discovery.find(kind, name)
        for kind in kinds
        if any((one.kind, one.name, one.major) == (kind.name, name, API_MAJOR) for one in discovery.installed)
    ]
    if not found:
        names = sorted({one.name for one in discovery.installed if one.kind not in WITHOUT})
        raise PluginNotFound(f"no part with a contract is called {name!r}; installed: {', '.join(names) or 'none'}")
    return found


def _beside(name: str, parts: Sequence[Installed]) -> Path:
    """The tests of the project that the parts were installed from."""
    for part in parts:
        spec = importlib.util.find_spec(part.module.partition(".")[0])
        origin = Path(spec.origin) if spec is not None and spec.origin else None
        for above in origin.parents if origin is not None else ():
            if (above / "pyproject.toml").is_file() and (above / "tests").is_dir():
                return above / "tests"
    raise InvalidRequest(
        f"where are the contract tests of {name!r}? It was installed without them: skilltrial contract {name} FOLDER"
    )


def _run(folder: Path) -> tuple[list[Row], str]:
    with tempfile.TemporaryDirectory(prefix="skilltrial-contract-") as place:
        results = Path(place) / "results.json"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                *("-p", "skilltrial.testing.reporting", "--contract-only", "--contract-results", str(results)),
                str(folder.resolve()),
            ],
            cwd=folder if folder.is_dir() else folder.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        rows: list[Row] = json.loads(results.read_bytes()) if results.exists() else []
        return rows, done.stdout.strip()


def _proof(part: Installed, rows: Sequence[Row], discovery: Discovery) -> Proof:
    kind = next(kind for kind in KINDS if kind.name == part.kind)
    # The weakest counts: several classes may hold one part to its contract.
    weakest = min(rows, key=lambda row: int(row["strength"]))
    passed = sum(row["outcome"] == "passed" for row in rows)
    waived = {row["test"]: row["why"] for row in rows if row["outcome"] == "waived"}
    return Proof(
        kind=part.kind,
        name=part.name,
        source_sha256=discovery.identify(kind, part.name).source_sha256,
        kit=__version__,
        at=now(),
        passed=passed,
        failed=len(rows) - passed - sum(row["outcome"] == "waived" for row in rows),
        waived=waived,
        proved_on=weakest["proved_on"],
        on=weakest["on"],
        program=weakest.get("program"),
    )


def _lines(part: Installed, proof: Proof, rows: Sequence[Row]) -> Iterable[str]:
    yield f"{part.kind} {part.name} ({part.distribution} {part.version}): {proof.sentence()}"
    for test, reason in proof.waived.items():
        yield f"  waived  {test}: {reason}"
    for row in rows:
        if row["outcome"] not in ("passed", "waived"):
            yield f"  {row['outcome']:<7} {row['test']}: {row['why'].rpartition('ContractBroken: ')[2]}"
    if proof.proved_on == TEMPLATE:
        yield "  ! this says nothing of your own program: replace the template's, and say so in `proved_on`"
