"""A catalog of another era is refused by name: before anything runs, and when an archive is judged again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial_fixture_mcp.catalog import digest

Command = Callable[..., Any]

ATOMIC = ("list_atomic_memories", "get_atomic_memory_state")
REHEARSE = ("--host", "portable", "--", "skilltrial-agent")


def change(root: Path, name: str, new: dict[str, Any]) -> None:
    """Change a file of an archive and seal it again."""
    data = json.dumps(new).encode()
    (root / name).write_bytes(data)
    manifest = json.loads((root / "manifest.json").read_bytes())
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    (root / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("tool", ATOMIC)
def test_a_server_of_the_aggregate_era_is_not_rehearsed_on(
    skilltrial: Command, folder: Path, tmp_path: Path, tool: str
) -> None:
    copy = tmp_path / "guide"
    shutil.copytree(folder, copy)
    catalog = json.loads((copy / "catalog.json").read_bytes())
    catalog["tools"] = [one for one in catalog["tools"] if one["name"] != tool]
    (copy / "catalog.json").write_text(json.dumps({**catalog, "sha256": digest(catalog)}))

    refused = skilltrial("rehearse", copy / "suite.yaml", "--out", "run", *REHEARSE)

    assert refused.code == 2
    assert refused.err == f"error: unsupported_memory_contract: fixture 'powercontext' does not offer {tool}\n"
    assert not (tmp_path / "run").exists()


def test_an_archive_of_the_aggregate_era_is_refused_by_name(skilltrial: Command, tmp_path: Path) -> None:
    assert skilltrial("rehearse", "guidance", "--out", "run", *REHEARSE).code == 3, "this host takes no MCP server"
    plan = json.loads((tmp_path / "run/plan.json").read_bytes())
    offered = plan["fixtures"]["powercontext"]
    offered["tools"] = [name for name in offered["tools"] if name not in ATOMIC]
    change(tmp_path / "run", "plan.json", plan)

    refused = skilltrial("grade", "run")

    assert refused.code == 4
    assert refused.err.startswith("error: unsupported_memory_contract: fixture 'powercontext' does not offer ")
    assert not refused.out
