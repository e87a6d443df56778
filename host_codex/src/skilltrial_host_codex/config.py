"""The program's `config.toml` for one trial: nothing of the operator's, nothing that looks anything up."""

from __future__ import annotations

from typing import Any, Literal

import tomli_w

from skilltrial.api import ModelEndpoint, Offer, PlacedPlugin

from .plugin import outside, settings

PROVIDER = "endpoint"
KEY = "MODEL_API_KEY"
"""The variable that holds a model endpoint's key."""
SECRETS = (KEY, "OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN")
"""Variables that the program needs and the commands of its model do not."""
Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]


def config(  # noqa: PLR0913 - what a configuration holds
    *,
    model: str | None,
    effort: str | None,
    sandbox: Sandbox,
    endpoint: ModelEndpoint | None,
    offers: tuple[Offer, ...],
    address: str | None = None,
    plugin: PlacedPlugin | None = None,
) -> str:
    """The text of a `config.toml`. `address` is another one of the program's own provider, for a key's sessions."""
    values: dict[str, Any] = {
        "approval_policy": "never",
        "sandbox_mode": sandbox,
        "check_for_update_on_startup": False,
        "web_search": "disabled",
        # A credential store of the system would be the operator's.
        "cli_auth_credentials_store": "file",
        "mcp_oauth_credentials_store": "file",
        "analytics": {"enabled": False},
        "feedback": {"enabled": False},
        "history": {"persistence": "none"},
        "skills": {"bundled": {"enabled": False}},
        "features": {
            "apps": False,
            "plugins": plugin is not None,
            "remote_plugin": False,
            "goals": False,
            # Without this a refused connection is waited for without end.
            "unbounded_connection_retries": False,
        },
        # Only the trial's own temporary folder; /tmp is shared with everybody.
        "sandbox_workspace_write": {"exclude_slash_tmp": True},
        "shell_environment_policy": {"exclude": list(SECRETS)},
        "mcp_servers": {offer.name: _server(offer) for offer in outside(plugin, offers) if offer.is_server},
    }
    if plugin is not None:
        values["plugins"] = settings(plugin, offers)
    if model is not None:
        values["model"] = model
    if effort is not None:
        values["model_reasoning_effort"] = effort
    if address is not None:
        values["openai_base_url"] = address
    if endpoint is not None:
        values["model_provider"] = PROVIDER
        values["model_providers"] = {PROVIDER: _provider(endpoint)}
    return tomli_w.dumps(values)


def _provider(endpoint: ModelEndpoint) -> dict[str, Any]:
    return {
        "name": "Endpoint",
        "base_url": f"{endpoint.url}/v1",
        "wire_api": "responses",
        "env_key": KEY,
        "request_max_retries": 2,
        "stream_max_retries": 2,
        "stream_idle_timeout_ms": 30_000,
        "supports_websockets": False,
    }


def _server(offer: Offer) -> dict[str, Any]:
    where: dict[str, Any] = {"url": offer.url}
    if offer.url is None:
        where = {"command": offer.command[0], "args": list(offer.command[1:]), "env": dict(offer.environment)}
    return {
        **where,
        "startup_timeout_sec": 30,
        "tool_timeout_sec": 60,
        # A fixture is ours: its forbidden tools stay callable, so that an attempt reaches it and is seen.
        "default_tools_approval_mode": "approve",
        # A session without its fixture would be another trial: it fails before its first turn instead.
        "required": True,
    }
