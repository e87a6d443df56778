"""How a command learns where its model is: by placeholders in its arguments, and by environment variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skilltrial.api import InvalidRequest, ModelEndpoint

PLACEHOLDERS = ("{model_url}", "{model_key}", "{model}")
"""What may stand in arguments and variables for parts of an endpoint."""
USUAL: Mapping[str, str] = {
    "MODEL_URL": "{model_url}",
    "OPENAI_BASE_URL": "{model_url}/v1",
    "OPENAI_API_KEY": "{model_key}",
    "OPENAI_MODEL": "{model}",
}
"""The variables that a command gets with a model endpoint: a neutral one, and those that most programs know."""


def arguments(argv: tuple[str, ...], model: ModelEndpoint | None) -> tuple[str, ...]:
    """The arguments with the endpoint filled in. Raises InvalidRequest where one is named and there is none."""
    return tuple(_filled(item, model) for item in argv)


def variables(asked: Mapping[str, str], model: ModelEndpoint | None) -> dict[str, str]:
    """The variables of an endpoint: the usual ones, changed by what was `asked`; an empty text leaves one out."""
    if model is None:
        return {}
    return {name: _filled(text, model) for name, text in {**USUAL, **asked}.items() if text}


def needed(argv: Sequence[str]) -> bool:
    """Whether a command can't be run without an endpoint."""
    return any(name in item for item in argv for name in PLACEHOLDERS)


def _filled(text: str, model: ModelEndpoint | None) -> str:
    names = [name for name in PLACEHOLDERS if name in text]
    if not names:
        return text
    if model is None:
        raise InvalidRequest(
            f"the host command holds {names[0]}, but this run has no model endpoint; "
            "leave it out, or let the program use its own provider"
        )
    values = {"{model_url}": model.url, "{model_key}": model.key, "{model}": model.model}
    for name in names:
        text = text.replace(name, values[name])
    return text
