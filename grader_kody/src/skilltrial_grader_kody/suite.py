"""The routing suite: which cases there are, and what each expects. Read from data, with every invariant checked."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from skilltrial.api import InvalidRequest

from .words import EVAL_NAME, Action, Route

Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]

DATA = "data/package-discovery-routing.json"


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cardinality(_Closed):
    """How often actions may occur."""

    searchMinimum: Literal[1]  # noqa: N815 - the format's own names
    readOnlyMaximum: Literal[3]  # noqa: N815
    authoringStepMaximum: Literal[8]  # noqa: N815


class Controlled(_Closed):
    """A case whose inventory is prepared."""

    mode: Literal["controlled"]
    precondition: Text


class Dependent(_Closed):
    """A case that runs only where the inventory has one match."""

    mode: Literal["inventory-dependent"]
    eligibility: Text


class Expected(_Closed):
    """The route of a case and its actions."""

    route: Route
    requiredActions: Annotated[tuple[Action, ...], Field(min_length=1)]  # noqa: N815
    allowedActions: Annotated[tuple[Action, ...], Field(min_length=1)]  # noqa: N815
    terminalAction: Action  # noqa: N815

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if not set(self.requiredActions) <= set(self.allowedActions):
            raise ValueError("a required action is not allowed")
        if self.terminalAction not in self.requiredActions:
            raise ValueError("the terminal action is not required")
        return self


class RoutingCase(_Closed):
    """One case: the only thing that a session sees of it is the prompt."""

    id: Id
    prompt: Text
    inventory: Annotated[Controlled | Dependent, Field(discriminator="mode")]
    expected: Expected

    @property
    def may_be_skipped(self) -> bool:
        """Whether a skip is a legal result."""
        return isinstance(self.inventory, Dependent)


class RoutingSuite(_Closed):
    """All cases, in the order of the report."""

    schemaVersion: Literal[2]  # noqa: N815
    name: Literal["package-discovery-routing"]
    actionCardinality: Cardinality  # noqa: N815
    cases: Annotated[tuple[RoutingCase, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _unique(self) -> Self:
        if len(self.by_id) != len(self.cases):
            raise ValueError("two cases have the same id")
        return self

    @cached_property
    def by_id(self) -> dict[str, RoutingCase]:
        """Id → case."""
        return {case.id: case for case in self.cases}


def read_suite(data: bytes) -> RoutingSuite:
    """Read a suite. Raises InvalidRequest that names each place that does not fit."""
    try:
        return RoutingSuite.model_validate_json(data)
    except ValidationError as error:
        faults = [
            f"{'/'.join(map(str, fault['loc'])) or 'the document'}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise InvalidRequest(f"not a suite of {EVAL_NAME}: {'; '.join(faults)}") from None


@cache
def shipped_suite() -> RoutingSuite:
    """The suite that comes with this package."""
    return read_suite(files(__package__).joinpath(DATA).read_bytes())
