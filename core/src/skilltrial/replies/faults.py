"""Faults of a file, each a sentence with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

Path = tuple[str | int, ...]
"""Keys and indices that lead to a value."""

_WANTED = {
    "string_type": "a text is wanted here",
    "int_type": "a whole number is wanted here",
    "float_type": "a number is wanted here",
    "bool_type": "`true` or `false` is wanted here",
    "list_type": "a list is wanted here",
    "tuple_type": "a list is wanted here",
    "dict_type": "a mapping is wanted here",
    "model_type": "a mapping is wanted here",
    "string_too_short": "the text is empty",
    "string_too_long": "the text is too long",
    "string_pattern_mismatch": "the text has not the form that is wanted here",
    "too_short": "there must be at least one",
    "greater_than_equal": "the number is too small",
    "less_than_equal": "the number is too large",
    "finite_number": "the number is not finite",
}


@dataclass(slots=True)
class Faults:
    """What is wrong with a file, in the order of discovery, each place once."""

    found: dict[Path, str] = field(default_factory=dict)

    def add(self, path: Path, says: str) -> None:
        """Add a fault, unless its place has one."""
        self.found.setdefault(path, says)

    def add_all(self, error: ValidationError, model: type[BaseModel]) -> None:
        """Add what pydantic found, in our words; they repeat nothing of the file."""
        for one in error.errors(include_url=False, include_context=True, include_input=False):
            path = tuple(one["loc"])
            if one["type"] == "missing":
                self.add(path[:-1], f"`{path[-1]}` is missing here")
            elif one["type"] == "extra_forbidden":
                known = ", ".join(f"`{name}`" for name in _keys(model, path[:-1]))
                self.add(path, f"this key is not known here; known are {known}")
            elif one["type"] == "literal_error":
                self.add(path, f"one of {one.get('ctx', {}).get('expected', 'few words')} is wanted here")
            else:
                self.add(path, _WANTED.get(one["type"], "a value of another kind is wanted here"))


def _keys(model: type[BaseModel], path: Sequence[str | int]) -> Iterator[str]:
    """The keys of the model that stands at `path` below `model`."""
    for step in path:
        if not isinstance(step, str):
            continue
        named = {info.alias or name: info.annotation for name, info in model.model_fields.items()}
        model = _model_in(named.get(step)) or model
    return (info.alias or name for name, info in model.model_fields.items())


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The model in an annotation such as `tuple[Rule, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = getattr(annotation, "__args__", ())
    return next((found for one in inner if (found := _model_in(one)) is not None), None)
