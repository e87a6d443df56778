"""The variables of the program in one trial: nothing of the operator's but what was passed by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from skilltrial.api import ModelEndpoint, Place

CREDENTIALS: tuple[tuple[str, ...], ...] = (
    ("ANTHROPIC_API_KEY",),
    ("ANTHROPIC_AUTH_TOKEN",),
    ("CLAUDE_CODE_OAUTH_TOKEN",),
    ("CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK"),
    ("CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ("CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS"),
)
"""Sets of variables each of which lets the program reach a provider. They come with the place's own variables."""

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
    ours = {**_ALWAYS, **({} if place.live else _REHEARSED)}
    environment = {**ours, **place.environment, "CLAUDE_CONFIG_DIR": str(state)}
    if model is not None:
        # The program adds `/v1/messages` to the address.
        environment |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": model.key}
        for name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK"):
            environment.pop(name, None)
        environment.pop("CLAUDE_CODE_USE_VERTEX", None)
    return environment
