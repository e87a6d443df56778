"""A part among many: what it costs to find it by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..bench import Bench
from ..figures import Figure
from ..measure import pairs, run

PARTS, OTHERS = 200, 100
"""Installed distributions: so many are parts of skilltrial, so many are not."""
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


def figures(bench: Bench) -> Iterator[Figure]:
    """Milliseconds of wall time of `run --dry-run`, whole processes."""
    shop = bench.shop
    site = shop.base / "site"
    for number in range(PARTS):
        _install(site, f"acme-{number}", f"[skilltrial.graders.v1]\nacme-{number} = acme_{number}:Part\n")
    for number in range(OTHERS):
        _install(site, f"other-{number}", f"[console_scripts]\nother{number} = other:main\n")
    _install(site, "acme-host", "[skilltrial.hosts.v1]\nacme = acme_host:Host\n")
    (site / "acme_host.py").write_text(HOST, encoding="ascii")
    env = {**shop.env, "PYTHONPATH": str(site)}
    suite = shop.suite(2)

    def dry(host: str) -> float:
        return run([shop.skilltrial, "run", suite, "--dry-run", "--host", host], env).wall * 1e3

    by_path, by_name = pairs(bench.of(5, 11, 21), lambda: dry(f"{site}/acme_host.py:Host"), lambda: dry("acme"))
    yield Figure(
        f"a host by name, {PARTS} parts among {PARTS + OTHERS} distributions",
        "ms",
        tuple(by_name),
        2.0,
        tuple(by_path),
        "the same host by its path",
    )


def _install(site: Path, name: str, points: str) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="ascii")
    (info / "entry_points.txt").write_text(points, encoding="ascii")
