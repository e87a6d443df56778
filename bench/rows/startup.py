"""Cold start: what a user waits for who only asks what there is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from ..bench import Bench
from ..figures import Figure
from ..measure import pairs, run

BARE = [sys.executable, "-c", "pass"]
HEAVY = ("asyncio", "httpx", "importlib.metadata", "jsonschema", "pluggy", "pydantic", "rich", "ruamel", "stevedore")
"""What no one-line answer needs."""
_COUNT = (
    "import sys, json; before = len(sys.modules); from skilltrial.cli import main, commands\n"
    "try: commands.cli.main(['--help'], standalone_mode=False)\n"
    "except BaseException: pass\n"
    f"print(); print(json.dumps([len(sys.modules) - before, [one for one in {HEAVY!r} if one in sys.modules]]))"
)


def figures(bench: Bench) -> Iterator[Figure]:
    """Milliseconds of wall time, whole processes."""
    shop = bench.shop
    for flag, goal in (("--version", 3.0), ("--help", 6.0)):
        floors, ours = pairs(
            bench.of(9, 21, 41),
            lambda: run(BARE, shop.env).wall * 1e3,
            lambda flag=flag: run([shop.skilltrial, flag], shop.env).wall * 1e3,  # type: ignore[misc]
        )
        yield Figure(f"`skilltrial {flag}`", "ms", tuple(ours), goal, tuple(floors), "`python -c pass`")
    told = subprocess.run([sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True).stdout
    modules, heavy = json.loads(told.splitlines()[-1])
    yield Figure(
        "heavy modules that `--help` loads",
        "",
        (float(len(heavy)),),
        goal=0.0,
        note=f"{modules} modules in all" + (f": {', '.join(heavy)}" if heavy else ""),
    )
