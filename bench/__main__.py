"""`python -m bench`: measure every row, print the table. A missed goal is told, never an error."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .bench import Bench, Effort
from .figures import Figure, Missing
from .measure import MeasurementFailed
from .table import console, heading, table
from .workshop import HERE, open_workshop


def main() -> int:
    """Exit code: 0 where everything could be measured, 1 where a measurement failed."""
    arguments = _arguments()
    effort: Effort = "quick" if arguments.quick else "full" if arguments.full else "usual"
    begin = time.monotonic()
    shop = open_workshop(arguments.base)
    shown, failed = console(), False
    rows: list[Figure | Missing] = []
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    shown.print(heading(shop, cores), highlight=False)
    try:
        for name in _names(arguments.rows):
            sys.stderr.write(f"{time.monotonic() - begin:6.0f} s  {name}\n")
            try:
                rows.extend(_figures(name, Bench(shop, effort)))
            except MeasurementFailed as error:
                rows.append(Missing(name, str(error)))
                failed = True
    finally:
        shutil.rmtree(shop.base, ignore_errors=True)
    shown.print()
    shown.print(table(rows), highlight=False)
    met = sum(isinstance(row, Figure) and row.met for row in rows)
    shown.print(f"\n{met} of {len(rows)} goals met, {time.monotonic() - begin:.0f} s, {effort}")
    return int(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"only these: {', '.join(_all())}")
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--quick", action="store_true", help="few repetitions and small sizes, under a minute")
    how_long.add_argument("--full", action="store_true", help="many repetitions and 5000 trials")
    parser.add_argument("--base", type=Path, metavar="DIR", help="where the files lie [in memory where possible]")
    return parser.parse_args()


def _all() -> list[str]:
    return sorted(path.stem for path in (HERE / "rows").glob("[!_]*.py"))


def _names(wanted: list[str]) -> list[str]:
    known = _all()
    if strange := [name for name in wanted if name not in known]:
        sys.exit(f"no row {strange[0]!r}; there are: {', '.join(known)}")
    return [name for name in known if not wanted or name in wanted]


def _figures(name: str, bench: Bench) -> Iterator[Figure | Missing]:
    found: Iterator[Figure | Missing] = importlib.import_module(f"bench.rows.{name}").figures(bench)
    return found


if __name__ == "__main__":
    sys.exit(main())
