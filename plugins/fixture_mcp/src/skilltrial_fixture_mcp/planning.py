"""Files → the plan of a trial that is served by a process of its own (see `process`)."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from typing import NoReturn

from pydantic import JsonValue

from skilltrial.api import InvalidRequest
from skilltrial.replies.scripts import chosen, first_state

from .aliases import Aliases
from .casting import cast_fault
from .plain import Plan
from .preparing import prepare


def make_plan(
    catalog: str,
    replies: str | None,
    assets: Mapping[str, bytes],
    options: Mapping[str, JsonValue],
    aliases: Aliases | None = None,
) -> Plan:
    """What a trial with these options of its case is served. Raises InvalidRequest with every fault of the files."""
    prepared, faults = prepare(catalog, replies, assets, aliases)
    if prepared is None:
        raise InvalidRequest("\n".join(faults))
    fault = cast_fault(prepared, options)
    if fault is not None:
        raise InvalidRequest(fault)
    offered, script = prepared.catalog, prepared.scripts[chosen(prepared.scripts, options)]
    return Plan(
        name=offered.server,
        version=offered.version,
        instructions=None,
        speaks="both",
        tools=[dict(tool.raw) for tool in offered.tools.values()],
        script={**script, "state": first_state(script["state"], options)},
    )


def become_server(plan: Plan, port: int) -> NoReturn:
    """Let the server take this process's place, with the plan as its standard input."""
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(plan).encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
    sys.stdout.flush()
    # `-P`: a module of the folder that this is called in must not take the place of one of ours.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "skilltrial_fixture_mcp.process", str(port)])  # noqa: S606
