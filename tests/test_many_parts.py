"""Many installed parts: who is named is imported, and nobody else; finding it by name costs as much as by its path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HOST = '''\
from dataclasses import dataclass
from skilltrial.api import HostIdentity, Lending, Probe

@dataclass(frozen=True)
class Host:
    """Does nothing."""

    def describe_host(self):
        return HostIdentity(name="acme", records="portable")

    def probe_host(self):
        return Probe(program=None)

    def lend_host(self, passed, seconds):
        return Lending()

    def place_skill(self, skill, place):
        return place.project / ".acme" / skill.id

    def open_session(self, place):
        raise NotImplementedError
'''
PARTS, OTHERS = 200, 100
KINDS = ("hosts", "graders", "normalizers", "fixtures")
WATCHED = """
import json, os, sys
files = []
sys.addaudithook(lambda event, given: files.append(str(given[0])) if event == "open" else None)
from skilltrial.cli.main import _run
code = _run(sys.argv[1:])
read = [path for path in files if path.endswith("entry_points.txt")]
print(json.dumps({
    "code": code,
    "read": len(read),
    "imported": sorted(name for name in sys.modules if name.startswith("acme")),
}))
"""


def distribution(site: Path, name: str, points: str, module: str | None = None, body: str = "") -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    if module is not None:
        (site / f"{module}.py").write_text(body)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred distributions, two hundred of them parts, and a suite beside them."""
    root = tmp_path_factory.mktemp("many")
    site = root / "site"
    for number in range(PARTS):
        group = f"skilltrial.{KINDS[number % len(KINDS)]}.v1"
        points = f"[{group}]\nacme-{number} = acme_{number}:Part\n"
        distribution(site, f"acme-{number}", points, f"acme_{number}", "raise RuntimeError('imported')\n")
    for number in range(OTHERS):
        distribution(site, f"other-{number}", f"[console_scripts]\nother{number} = other:main\n")
    distribution(site, "acme-host", "[skilltrial.hosts.v1]\nacme = acme_host:Host\n", "acme_host", HOST)
    (root / "greeter").mkdir()
    (root / "greeter/SKILL.md").write_text("---\nname: greeter\ndescription: How to greet.\n---\nSay hello.\n")
    (root / "greeter.trial.yaml").write_text(
        "cases:\n  greet:\n    prompt: Greet.\n    expect:\n      - {files: greeting.txt, contains: hello}\n"
    )
    return site


def watched(site: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(site / "c")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**told, "err": done.stderr}


def test_a_dry_run_imports_the_named_part_only_and_reads_no_more_than_by_path(site: Path) -> None:
    named = watched(site, "run", "greeter.trial.yaml", "--dry-run", "--host", "acme")
    by_path = watched(site, "run", "greeter.trial.yaml", "--dry-run", "--host", "site/acme_host.py:Host")

    assert named["code"] == by_path["code"] == 0, named["err"] + by_path["err"]
    assert named["imported"] == ["acme_host"]
    assert by_path["imported"] == []
    assert by_path["read"] > PARTS, "the others' metadata was looked at: this counts something"
    assert named["read"] <= 2 * by_path["read"]


def test_a_double_among_many_is_found_before_anything_is_imported(site: Path, tmp_path: Path) -> None:
    for name in ("acme-double-one", "acme-double-two"):
        module = name.replace("-", "_")
        points = f"[skilltrial.hosts.v1]\nacme-double = {module}:Part\n"
        distribution(tmp_path, name, points, module, "raise RuntimeError('imported')\n")
    for path in tmp_path.iterdir():
        path.rename(site / path.name)

    told = watched(site, "run", "greeter.trial.yaml", "--dry-run", "--host", "acme-double")

    assert told["code"] == 2
    assert "'acme-double' is provided by acme-double-one 1.0 and acme-double-two 1.0; uninstall one" in told["err"]
    assert told["imported"] == []
