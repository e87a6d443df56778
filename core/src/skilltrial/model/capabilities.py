"""What a host accepts (`Can`) and what it shows (`Sees`). Closed sets; a new member is a minor release."""

from __future__ import annotations

from enum import StrEnum


class Can(StrEnum):
    """Decides, before anything starts, which cases are skipped and which options are refused."""

    MULTI_TURN = "multi_turn"
    """A session takes more than one prompt."""
    MCP_HTTP = "mcp_http"
    """MCP servers over streamable HTTP."""
    MCP_STDIO = "mcp_stdio"
    """MCP servers over stdin and stdout."""
    PROGRAMS = "programs"
    """Commands of its model find a fixture's programs first on PATH, and these may write below TMPDIR."""
    PLUGINS = "plugins"
    """A packaged plugin is installed by the program itself, and what it found in it is shown."""
    MODEL = "model"
    """The model can be chosen."""
    EFFORT = "effort"
    """The reasoning effort can be chosen."""
    SCRIPTED_MODEL = "scripted_model"
    """The program can be pointed at a scripted model: rehearsals work."""


class Sees(StrEnum):
    """Decides which checks can be answered. What is not seen is `unverified`, never zero."""

    ANSWERS = "answers"
    """The final answer of each turn."""
    TOOL_CALLS = "tool_calls"
    """Every call of a tool, with its input."""
    TOOL_RESULTS = "tool_results"
    """What each call returned."""
    SKILL_OFFERS = "skill_offers"
    """Which skills the program offered to its model."""
    SKILL_READS = "skill_reads"
    """Every way in which this program loads the body of a skill."""
    PERMISSIONS = "permissions"
    """Which calls were allowed or refused, and by whom."""
    TOKENS = "tokens"
    """Token counts of each turn."""
    COST = "cost"
    """What a turn cost."""
    MODEL_IDS = "model_ids"
    """Which model answered."""
