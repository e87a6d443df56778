"""What a stranger does, in clean environments: install an example beside the core; begin a part by `skilltrial new`."""

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from alone import HOUSE, PYTHON, Bench, Broken, benches
from members import ROOT

EXAMPLES = "docs/examples/*/pyproject.toml"
MADE = ("host", "fixture", "normalizer", "grader", "suite")
UV = (PYTHON, "-m", "uv", "--quiet", "--no-config")


def environment(bench: Bench, place: Path, *needs: object) -> Path:
    """Make a clean environment that holds these, from the wheelhouse alone; return its folder of programs."""
    bench.run(*UV, "venv", "--python", PYTHON, place / "venv")
    python = place / "venv" / "bin" / "python"
    bench.run(*UV, "pip", "install", "--python", python, "--no-index", "--find-links", bench.wheels, *needs)
    return python.parent


def example(bench: Bench, source: Path) -> str:
    """Install an example, the core and pytest, and nothing else; hold it to its contract, and run its suite with it."""
    place = bench.folder / source.name
    shutil.copytree(source, place / "own", ignore=shutil.ignore_patterns("__pycache__", "src"))
    bench.run(PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", bench.wheels, source)
    name = f"skilltrial-{source.name.replace('_', '-')}"
    programs = environment(bench, place, "skilltrial", name, "pytest")

    def say(*command: object) -> str:
        return bench.run(*command, cwd=place / "own", path=programs)

    told = say(programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    kind, _, short = source.name.partition("_")
    demand(f"{kind:<11} {short:<18} {name}" in say(programs / "skilltrial", "plugins"), "plugins does not show it")
    told += say(programs / "skilltrial", "contract", short, "tests")
    (suite,) = (place / "own").glob("*.trial.yaml")
    say(programs / "skilltrial", "run", suite, "--host", short, "--out", "run", "--quiet")
    say(programs / "skilltrial", "verify", "run")
    return told + say(programs / "skilltrial", "grade", "run", "--no-write")


def made(bench: Bench, kind: str) -> str:
    """Begin a part, and without an edit: build it, install it beside the core, type-check it, run its tests."""
    place = bench.folder / f"new-{kind}"
    place.mkdir()
    before = environment(bench, place, "skilltrial")
    bench.run(before / "skilltrial", "new", kind, "acme", cwd=place, path=before)
    package = place / f"{kind}_acme"
    bench.run(PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", bench.wheels, package, cwd=place)
    shutil.rmtree(place / "venv")
    programs = environment(bench, place, f"skilltrial-{kind}-acme", "mypy", "pytest")

    def say(*command: object) -> str:
        return bench.run(*command, cwd=package, path=programs)

    told = say(programs / "python", "-m", "mypy", "src", "tests", "--cache-dir", place / "types")
    # What is tested is what was installed.
    shutil.rmtree(package / "src")
    told += say(programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    if kind != "suite":
        proved = say(programs / "skilltrial", "contract", "acme", "tests")
        demand("nothing is proved of the author's own program" in proved, "a template passes for a proof")
        told += proved
    shown = say(programs / "skilltrial", "plugins", "acme")
    demand(kind == "suite" or "nothing is proved of the author's own program" in shown, "plugins shows no proof")
    return told


def demand(holds: bool, says: str) -> None:
    """Raise Broken unless it holds."""
    if not holds:
        raise Broken(says)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the named steps, or all; print each one's output as it ends."""
    steps: dict[str, Callable[[Bench], str]] = {
        **{path.parent.name: _example(path.parent) for path in sorted(ROOT.glob(EXAMPLES))},
        **{f"new-{kind}": _made(kind) for kind in MADE},
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"only these of {', '.join(steps)}")
    parser.add_argument("--house", type=Path, metavar="DIR", help=HOUSE)
    given = parser.parse_args(arguments)
    named = given.steps
    if unknown := set(named) - steps.keys():
        parser.error(f"no such step: {', '.join(sorted(unknown))}")
    broken = []
    with benches("strangers", given.house) as bench, ThreadPoolExecutor(2) as pool:
        tried = [(name, pool.submit(step, bench)) for name, step in steps.items() if not named or name in named]
        for name, outcome in tried:
            try:
                print(f"--- {name}\n{outcome.result().rstrip()}", flush=True)
            except Broken as fault:
                broken.append(name)
                print(f"--- {name}: BROKEN\n{fault}", flush=True)
    print(f"strangers: {len(broken)} broken {' '.join(broken)}".rstrip())
    return 1 if broken else 0


def _example(source: Path) -> Callable[[Bench], str]:
    return lambda bench: example(bench, source)


def _made(kind: str) -> Callable[[Bench], str]:
    return lambda bench: made(bench, kind)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as fault:
        sys.exit(str(fault))
