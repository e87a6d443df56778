"""A sound schema, ready to be held against many values. Everyday ones need no package for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .quick import predicate

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from pydantic import JsonValue

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The draft of a schema that names none, and the only one that has quick predicates."""


class Schema:
    """A schema that was checked (see `schemas.compile_schema`)."""

    __slots__ = ("_quick", "_validator", "written")

    def __init__(self, written: dict[str, JsonValue] | bool) -> None:
        self.written = written
        everyday = isinstance(written, bool) or written.get("$schema", DIALECT) == DIALECT
        self._quick = predicate(written) if everyday else None
        """Decides as `jsonschema` would, where the schema has everyday keywords only."""
        self._validator: Validator | None = None if self._quick is not None else _validator(written)

    def fits(self, value: JsonValue) -> bool:
        """Whether the value fits. A value too deep for the schema does not."""
        if self._quick is not None:
            return self._quick(value)
        try:
            return self.validator.is_valid(value)
        except RecursionError:
            return False

    def where(self, value: JsonValue) -> str | None:
        """The first place that does not fit, with the keyword; None where all fits."""
        error = next(iter(self.validator.iter_errors(value)), None)
        return None if error is None else f"{error.validator or 'false'} at {error.json_path}"

    @property
    def validator(self) -> Validator:
        """The package's own judge of this schema."""
        if self._validator is None:
            self._validator = _validator(self.written)
        return self._validator


def _validator(written: dict[str, JsonValue] | bool) -> Validator:
    # Here, and not above: a process that has everyday schemas only does without the package.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    # A registry of our own, or the package would fetch what references name.
    return validator_for(written, default=Draft202012Validator)(written, registry=Registry())
