"""What a tool is, and how the arguments that a model gave become those that a tool takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..values import Json


class ToolFailed(Exception):
    """A tool could not do what it was asked; the message is for the model."""


class Outside(ToolFailed):
    """A path leads out of the project."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A text argument of a tool. One with a `default` may be left out; one with `values` takes no other."""

    description: str
    default: str | None = None
    values: tuple[str, ...] = ()

    def schema(self) -> dict[str, Json]:
        """The argument's JSON Schema."""
        schema: dict[str, Json] = {"type": "string", "description": self.description}
        return {**schema, "enum": list(self.values)} if self.values else schema


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `act` takes the arguments by name, returns the text that the model gets, raises ToolFailed or OSError."""

    name: str
    description: str
    act: Callable[..., str]
    arguments: Mapping[str, Argument] = field(default_factory=dict)

    def offer(self) -> dict[str, Json]:
        """The tool as a request offers it."""
        needed: list[Json] = [name for name, argument in self.arguments.items() if argument.default is None]
        parameters: dict[str, Json] = {
            "type": "object",
            "properties": {name: argument.schema() for name, argument in self.arguments.items()},
            "required": needed,
            "additionalProperties": False,
        }
        function: dict[str, Json] = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def fault(self, given: Json) -> str | None:
        """What is wrong with the arguments that a model gave, or None."""
        if not isinstance(given, dict):
            return "the arguments are not a JSON object"
        for name, value in given.items():
            argument = self.arguments.get(name)
            if argument is None:
                return f"there is no argument {name!r}; it takes {', '.join(self.arguments)}"
            if not isinstance(value, str):
                return f"the argument {name!r} is not a string"
            if argument.values and value not in argument.values:
                return f"the argument {name!r} must be one of {', '.join(argument.values)}"
        missing = [name for name, argument in self.arguments.items() if argument.default is None and name not in given]
        return f"the argument {missing[0]!r} is missing" if missing else None

    def call(self, given: Mapping[str, Json]) -> str:
        """Carry out a call whose arguments have no fault. Raises ToolFailed, also for what the system refuses."""
        defaults = {name: one.default for name, one in self.arguments.items() if one.default is not None}
        try:
            return self.act(**{**defaults, **{name: str(value) for name, value in given.items()}})
        except OSError as error:
            raise ToolFailed(f"the system refuses: {error.strerror or type(error).__name__}") from error


def inside(project: Path, path: str) -> Path:
    """The place of `path` in the project, links followed. Raises Outside where it leads out of it."""
    try:
        found = (project / path).resolve()
    except (ValueError, RuntimeError) as error:  # a NUL, links in a circle
        raise ToolFailed("that is not a usable path") from error
    if not found.is_relative_to(project):
        raise Outside("that path leads out of the project")
    return found


def cut(text: str, limit: int) -> str:
    """`text`, or its beginning with a mark that says how much is missing."""
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {len(text) - limit} more characters]"
