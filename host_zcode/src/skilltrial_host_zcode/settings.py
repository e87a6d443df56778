"""The program's files for one trial: its model, its plugin, nothing of the operator's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from skilltrial.api import ModelEndpoint

Api = Literal["openai-chat-completions", "openai-responses", "anthropic-messages"]
PROVIDER = "skilltrial"
"""The id under which the one provider of a trial is known."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is asked."""

    model: str
    api: Api
    url: str
    key: str = field(repr=False)

    @classmethod
    def scripted(cls, model: ModelEndpoint, api: Api, name: str | None) -> Endpoint:
        """A scripted model: each protocol has its own idea of what an address ends with."""
        url = model.url if api == "anthropic-messages" else f"{model.url}/v1"
        return cls(name or model.model, api, url, model.key)


def selection(endpoint: Endpoint, effort: str | None) -> dict[str, Any]:
    """The model as requests of the protocol name it."""
    chosen: dict[str, Any] = {"providerId": PROVIDER, "modelId": endpoint.model}
    return chosen if effort is None else {**chosen, "options": {"reasoningLevel": effort}}


def provider_config(endpoint: Endpoint, effort: str | None) -> Mapping[str, Any]:
    """What `provider_config.json` says. Its schema is strict: a key too many makes the file worthless."""
    rule = {
        "providerId": PROVIDER,
        "providerName": "Trial",
        "enabled": True,
        "config": {
            "group": "standard-personal",
            "access": {"type": "api-key", "apiKey": endpoint.key},
            "api": {"type": endpoint.api, "baseUrl": endpoint.url},
            "personalModelIds": [endpoint.model],
            "visibility": "visible",
        },
    }
    model = {
        "providerId": PROVIDER,
        "modelId": endpoint.model,
        "config": {"properties": {"contextWindow": 200_000}},
    }
    return {
        "schemaVersion": 1,
        "config": {
            "providerConfigRules": {"providerRules": [rule]},
            "modelConfigRules": {"providerModelRules": [model], "manualProviderModelRules": []},
            "defaultModelSelection": selection(endpoint, effort),
        },
    }


def cli_config(plugins: tuple[Path, ...]) -> Mapping[str, Any]:
    """What the program's own `config.json` says: the plugins of the trial, and no others."""
    return {"locale": "en", "plugins": {"enabled": bool(plugins), "dirs": [str(folder) for folder in plugins]}}


def write(file: Path, value: Mapping[str, Any]) -> None:
    """Write a file that nobody else may read."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
