"""What a described program gets for one trial: its files, its environment, and its arguments turn by turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from skilltrial.api import ModelEndpoint, Offer, Place

from .. import program
from .filling import filled, merged, put
from .profile import MODEL, PROMPT, RESUME, SESSION, Profile, Scripted

Parts = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Laid:
    """A program made ready: its first item is a file that exists, or a name that is not found."""

    profile: Profile
    binary: str
    parts: Parts
    environment: Mapping[str, str]
    model: tuple[str, ...]

    def arguments(self, prompt: str, session: str | None) -> tuple[str, ...]:
        """The command of one turn; `session` is the id of the conversation that is taken up, None in the first."""
        resume = self.profile.resume if session is not None else ()
        items: list[str] = [self.binary]
        for item in self.profile.command[1:]:
            items.extend(resume if item == RESUME else self.model if item == MODEL else (item,))
        told: Parts = {**self.parts, PROMPT: prompt, SESSION: session or ""}
        return tuple(str(filled(item, told)) for item in items)

    @property
    def on_stdin(self) -> bool:
        """Whether the prompt goes to standard input."""
        return not any(PROMPT in item for item in self.profile.command)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A program, maybe another file than its profile names, and the model that the user asked for."""

    profile: Profile
    binary: str | None = None
    model: str | None = None


def lay(wanted: Wanted, place: Place, offers: tuple[Offer, ...], endpoint: ModelEndpoint | None) -> Laid:
    """Write the program's files below the trial's home. Raises OSError where that fails."""
    profile, model = wanted.profile, wanted.model
    config = place.home / ".agent"
    parts: dict[str, JsonValue] = {"{config}": str(config), "{home}": str(place.home), "{tmp}": str(place.tmp)}
    scripted = (profile.scripted or Scripted()) if endpoint else None
    if endpoint and scripted:
        # The endpoint answers to any name: the one that was asked for is told, as the identity says it was.
        parts |= {"{model_url}": endpoint.url, "{model_key}": endpoint.key, "{model}": model or endpoint.model}
        model = str(filled(scripted.model, parts))
    files = dict(profile.files)
    for path, value in (scripted.files if scripted else {}).items():
        files[path] = merged(files.get(path), value)
    for offer in offers:
        if profile.mcp and offer.url is not None:
            told = {"{server}": offer.name, "{url}": offer.url}
            at = str(filled(profile.mcp.at, {"{server}": offer.name.replace("~", "~0").replace("/", "~1")}))
            files[profile.mcp.file] = put(files.get(profile.mcp.file, {}), at, filled(profile.mcp.value, told))
    for path, value in files.items():
        _write(Path(str(filled(path, parts))), filled(value, parts))
    environment = dict(place.environment)
    for name, text in {**profile.environment, **(scripted.environment if scripted else {})}.items():
        environment[name] = str(filled(text, parts))
    first = program.located(wanted.binary or profile.command[0], environment.get("PATH"))
    arguments = tuple(str(filled(item, {"{model}": model})) for item in profile.model) if model is not None else ()
    return Laid(profile, first, parts, environment, arguments)


def _write(path: Path, value: JsonValue) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
