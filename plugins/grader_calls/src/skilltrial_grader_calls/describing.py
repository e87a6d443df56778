"""What a call must be like: its tool, its arguments, its result."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, Strict, model_validator

from skilltrial.api import Absent
from skilltrial.checks.schemas import misfit, schema_fault
from skilltrial.checks.strictjson import PointerMissing, at, pointer_fault, same
from skilltrial.checks.wording import as_json, cut, listed

from .attempts import Attempt


def _schema(schema: JsonValue) -> JsonValue:
    if fault := schema_fault(schema):
        raise ValueError(fault)
    return schema


def _pointer(pointer: str) -> str:
    if fault := pointer_fault(pointer):
        raise ValueError(fault)
    return pointer


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], Strict(False)]
Schema = Annotated[JsonValue, AfterValidator(_schema)]
Pointer = Annotated[str, AfterValidator(_pointer)]


class Traits(BaseModel):
    """What arguments and result must be. Nothing given: anything will do. Equality is strict: `1` is not `1.0`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    arguments: dict[str, JsonValue] | None = None
    """Members that the arguments have, exactly so; further members are free."""
    no_other_arguments: bool = False
    """`arguments` are all that there are."""
    arguments_schema: Schema = True
    """A JSON Schema that the arguments fit."""
    is_error: bool | None = None
    """Whether the result is an error."""
    result: dict[Pointer, JsonValue] | None = None
    """JSON Pointers into the result, and what stands there, exactly."""
    result_schema: Schema = True
    """A JSON Schema that the result fits."""

    def about_arguments(self, attempt: Attempt) -> bool | None:
        """Whether the arguments are so; None where they were not shown. Raises SchemaUnusable, TimeoutError."""
        if self.arguments is None and self.arguments_schema is True and not self.no_other_arguments:
            return True
        given = attempt.arguments
        if isinstance(given, Absent):
            return None
        wanted = self.arguments or {}
        if self.arguments is not None or self.no_other_arguments:
            if not isinstance(given, dict):
                return False
            if any(key not in given or not same(given[key], value) for key, value in wanted.items()):
                return False
            if self.no_other_arguments and given.keys() - wanted.keys():
                return False
        return self.arguments_schema is True or misfit(self.arguments_schema, given) is None

    def about_result(self, attempt: Attempt) -> bool | None:
        """Whether the result is so; None where it was not shown. Raises SchemaUnusable, TimeoutError."""
        if attempt.rejected:
            return self.is_error is None and self.result is None and self.result_schema is True
        if self.is_error is not None:
            if attempt.is_error is None:
                return None
            if attempt.is_error is not self.is_error:
                return False
        if self.result is None and self.result_schema is True:
            return True
        if isinstance(attempt.result, Absent):
            return None
        for pointer, value in (self.result or {}).items():
            try:
                if not same(at(attempt.result, pointer), value):
                    return False
            except PointerMissing:
                return False
        return self.result_schema is True or misfit(self.result_schema, attempt.result) is None

    def words(self) -> str:
        """The traits for people; empty where anything will do."""
        parts = []
        if self.arguments is not None:
            parts.append(f"with {'only ' if self.no_other_arguments else ''}{as_json(self.arguments)}")
        if self.arguments_schema is not True:
            parts.append("with arguments of its schema")
        if self.is_error is not None:
            parts.append("that fails" if self.is_error else "that succeeds")
        parts += [
            f"with {as_json(value)} at {cut(pointer) or 'the root'} of its result"
            for pointer, value in (self.result or {}).items()
        ]
        if self.result_schema is not True:
            parts.append("with a result of its schema")
        return " ".join(parts)


class CallPattern(Traits):
    """A call as a list of calls names it."""

    tool: Name | Names | None = None
    """The tool, or one of several; without it any tool, and something must be said of the call."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.tool is None and not super().words():
            raise ValueError("name the `tool`, or say what the call is like")
        return self

    def fits(self, attempt: Attempt) -> bool | None:
        """Whether the call is so; None where what was shown does not decide it."""
        tools = (self.tool,) if isinstance(self.tool, str) else self.tool
        if tools is not None and not attempt.is_of(tools):
            return False
        answers = (self.about_arguments(attempt), self.about_result(attempt))
        return False if False in answers else None if None in answers else True

    def words(self) -> str:
        """The pattern for people."""
        tool = cut(self.tool) if isinstance(self.tool, str) else listed(self.tool or ("any tool",))
        return f"{tool} {super().words()}".rstrip()
