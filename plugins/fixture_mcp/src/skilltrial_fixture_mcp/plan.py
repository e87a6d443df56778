"""One trial as plain data, for a server that runs as a process of its own: what the runner checked, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .playing import Scene
from .plays import play_of
from .served import About, ServedTrial
from .tools import Catalog, Tool

if TYPE_CHECKING:
    from .plain import Keeper, Plan


def planned(plan: Plan, keeper: Keeper) -> ServedTrial:
    """Make a plan ready to be served."""
    tools = {str(raw["name"]): Tool.of(raw) for raw in plan["tools"]}
    catalog = Catalog(plan["name"], plan["version"], tools)
    play = play_of(plan["script"], tools)
    about = About(plan["name"], plan["version"], plan["instructions"], plan["speaks"])
    return ServedTrial(about, catalog, play, Scene(play.state, play.hidden), keeper)
