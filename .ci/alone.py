"""Test members alone: each in a clean environment that holds its wheel and what its pyproject names, nothing else."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from members import ROOT, Member, members

PYTHON = Path(sys.executable)
NO_TEST_RAN = 5  # pytest's exit code
HOUSE = "where wheels of this tree are gathered, or lie already; a folder that is removed without it"


class Broken(Exception):
    """A step ended badly; its output is the message."""


@dataclass(frozen=True)
class Bench:
    """A temporary folder outside the source tree, in which members are tested."""

    folder: Path
    house: Path
    """Where wheels are gathered, once for all who name it."""

    @property
    def wheels(self) -> Path:
        """Where all wheels lie; the environments are made of these, and of nothing from a network."""
        return self.house / "wheels"

    @property
    def environ(self) -> dict[str, str]:
        """The environment of every step: a cache beside the wheels, and no way back into the source tree."""
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        return kept | {"UV_CACHE_DIR": str(self.house / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *command: object, cwd: Path = ROOT, path: Path | None = None) -> str:
        """Return what the command printed; raise `Broken` with it when the command failed."""
        environ = self.environ | ({"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"} if path else {})
        argv = [str(word) for word in command]
        done = subprocess.run(
            argv, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            hint = "\nit has no test of its own" if done.returncode == NO_TEST_RAN and "pytest" in argv else ""
            raise Broken(f"$ {' '.join(argv)}\n{done.stdout.rstrip()}{hint}\nexit {done.returncode}")
        return done.stdout


@contextmanager
def benches(name: str, house: Path | None) -> Iterator[Bench]:
    """A bench for some tests, with all wheels at hand: those that lie in `house` already, or gathered there now."""
    with tempfile.TemporaryDirectory(prefix=f"skilltrial-{name}-") as folder:
        bench = Bench(Path(folder), house or Path(folder))
        whole = bench.house / "whole"
        if not whole.exists():
            gather(bench)
            whole.touch()
        yield bench


def gather(bench: Bench) -> None:
    """Fill the wheelhouse: what the lock pins, hash by hash, and every member, built from this tree."""
    pip = (PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--require-hashes", "--no-deps")
    build = (PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", bench.wheels)
    with ThreadPoolExecutor(2) as pool:
        pinned = pool.submit(bench.run, *pip, "--dest", bench.wheels, "-r", "requirements.lock")
        built = [pool.submit(bench.run, *build, member.folder) for member in members()]
    for done in (pinned, *built):
        done.result()


def test(bench: Bench, member: Member) -> str:
    """Return what pytest said about the member alone; raise `Broken` when it cannot stand alone."""
    place = bench.folder / member.distribution
    python = place / "venv" / "bin" / "python"
    tests = ROOT / member.folder / "tests"
    if not any(tests.glob("**/test_*.py")):
        raise Broken(f"{member.folder}/tests holds no test; every member shows by itself that it works")
    # The settings of the workspace go along, the sources do not: what is imported can only come from the wheel.
    shutil.copytree(tests, place / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    # A member's page lies beside its tests in its project too: some hold it to what the code says.
    shutil.copy(ROOT / member.folder / "README.md", place)
    shutil.copy(ROOT / "pyproject.toml", place)
    uv = (PYTHON, "-m", "uv", "--quiet", "--no-config")
    bench.run(*uv, "venv", "--python", PYTHON, place / "venv")
    bench.run(
        *(*uv, "pip", "install", "--python", python, "--no-index", "--find-links", bench.wheels),
        *(member.distribution, *member.test_dependencies),
    )
    bench.run(*uv, "pip", "check", "--python", python)
    where = f"import sys, {member.package} as it; sys.exit(not it.__file__.startswith(sys.prefix))"
    bench.run(python, "-c", where, cwd=place)
    return bench.run(*(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"), cwd=place, path=python.parent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Test the named members, or all; print each one's output as it ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="MEMBER", help="folders of members; all when none is named")
    parser.add_argument("--house", type=Path, metavar="DIR", help=HOUSE)
    given = parser.parse_args(arguments)
    named = set(given.folders)
    chosen = [member for member in members() if not named or member.folder in named]
    if unknown := named - {member.folder for member in chosen}:
        parser.error(f"no such member: {', '.join(sorted(unknown))}")
    broken = []
    with benches("alone", given.house) as bench, ThreadPoolExecutor(2) as pool:
        tried = [(member, pool.submit(test, bench, member)) for member in chosen]
        for member, outcome in tried:
            try:
                print(f"--- {member.folder} alone\n{outcome.result().rstrip()}", flush=True)
            except Broken as fault:
                broken.append(member.folder)
                print(f"--- {member.folder} alone: BROKEN\n{fault}", flush=True)
    print(f"members alone: {len(chosen) - len(broken)} stand, {len(broken)} broken {' '.join(broken)}".rstrip())
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as fault:
        sys.exit(str(fault))
