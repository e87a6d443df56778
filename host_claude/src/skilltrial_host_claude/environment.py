"""The variables of the program in one trial: nothing of the operator's but what was passed by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from skilltrial.api import ModelEndpoint, Place

from .credentials import KEYS, SWITCHES

_ALWAYS: Mapping[str, str] = MappingProxyType(
    {
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        # Without these a stream that stalls is waited for without end, and the agent would be blamed for the time.
        "CLAUDE_ENABLE_STREAM_WATCHDOG": "1",
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS": "120000",
        "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS": "120000",
        "MCP_TIMEOUT": "30000",
        "MCP_TOOL_TIMEOUT": "60000",
    }
)

_LIVE: Mapping[str, str] = MappingProxyType(
    {
        # The program's own ten, each with a longer wait, let a wrong key take minutes.
        "CLAUDE_CODE_MAX_RETRIES": "3",
    }
)
"""Where a provider is asked."""

_REHEARSED: Mapping[str, str] = MappingProxyType(
    {
        "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
        # All tools of servers are listed in the first request, where a dialect can see them.
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CODE_MAX_RETRIES": "2",
        "API_TIMEOUT_MS": "60000",
        # A failed stream would be asked for again in another form, and the fault that a script wants would heal.
        "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS": "20000",
        "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS": "20000",
    }
)
"""Where a script plays the model: the same conversation each time, and no long waits."""


def variables(place: Place, state: Path, model: ModelEndpoint | None) -> dict[str, str]:
    """All variables of the program; `state` is the folder in which it keeps its own files."""
    ours = {**_ALWAYS, **(_LIVE if place.live else _REHEARSED)}
    environment = {**ours, **place.environment, "CLAUDE_CONFIG_DIR": str(state)}
    if model is not None:
        environment = {name: value for name, value in environment.items() if name not in (*KEYS, *SWITCHES)}
        # The program adds `/v1/messages` to the address.
        environment |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": model.key}
    return environment
