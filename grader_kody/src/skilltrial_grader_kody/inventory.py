"""The inventory that a live case starts from: what is saved, as the suite declares it. Part of a fixture's state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from skilltrial.api import Readiness

from .entities import entity

Text = Annotated[str, Field(min_length=1, max_length=10_000)]
NAME = r"^(@[a-z0-9-]+/)?[a-z0-9][a-z0-9-]{0,99}$"
Name = Annotated[str, StringConstraints(pattern=NAME)]

NO_MATCH = "skipped_no_eligible_match"
"""Why a case that reuses something is skipped."""
EXACT_PRESENT, VALUE_MISSING = "exact_result_present", "value_missing"
"""Why a controlled case can't begin."""


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Saved(_Closed):
    """One saved package. `serves` is what it is for this case: `exact` does the whole job, `primitive` a part of it."""

    id: Name
    name: Name
    title: Text
    description: Text
    public: bool = False
    serves: Literal["exact", "primitive", "nothing"] = "nothing"
    export: Text = "run"
    returns: JsonValue = None
    """What running it gives; None where the suite does not say."""


class Setting(_Closed):
    """A saved value."""

    value: JsonValue
    secret: bool = False


Words = Annotated[tuple[Text, ...], Field(min_length=1, strict=False)]


class Presupposed(_Closed):
    """What a case needs before its session: how many exact results, and which values.

    The last two are for a real account, whose entries no suite knows beforehand.
    """

    exact: Literal["none", "one"] = "none"
    values: tuple[Text, ...] = Field(default=(), strict=False)
    query: Text | None = None
    """What is searched for there."""
    tells: tuple[Words, ...] = Field(default=(), strict=False)
    """By what an exact result is known: what it says of itself has a word of each row, or one that begins so."""

    @model_validator(mode="after")
    def _both(self) -> Presupposed:
        if (self.query is None) != (not self.tells):
            raise ValueError("`query` and `tells` come together: what is searched for, and what an exact result says")
        return self

    def is_exact(self, text: str) -> bool:
        """Whether what an entry says of itself is what an exact result says."""
        return bool(self.tells) and all(any(_begins(word, text) for word in row) for row in self.tells)

    def readiness(self, exact: Sequence[str], lacking: Sequence[str], **more: JsonValue) -> Readiness:
        """Whether a case may begin: controlled cases without an exact result, the others with exactly one."""
        found: JsonValue = {"exact": [*exact], "lacking": [*lacking], **more}
        if lacking:
            return Readiness(False, VALUE_MISSING, found=found)
        if self.exact == "one":
            return Readiness(True, found=found) if len(exact) == 1 else Readiness(False, NO_MATCH, True, found)
        return Readiness(not exact, EXACT_PRESENT if exact else "holds", found=found)


def _begins(word: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(word)}", text, re.IGNORECASE) is not None


class Inventory(_Closed):
    """The state of a trial. `made` counts what was created, which is how ids are made."""

    presupposes: Presupposed = Presupposed()
    saved: list[Saved] = Field(default_factory=list)
    values: dict[Text, Setting] = Field(default_factory=dict)
    schedules: list[dict[str, JsonValue]] = Field(default_factory=list)
    created: list[dict[str, JsonValue]] = Field(default_factory=list)
    made: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _unique(self) -> Inventory:
        names = [name for one in self.saved for name in {one.id, one.name}]
        if len(names) != len(set(names)):
            raise ValueError("two saved packages have the same id or name")
        return self

    def find(self, written: str) -> Saved | None:
        """The saved package that `package:@scope/name`, `kody:@scope/name/part`, an id or a name means."""
        named = entity(written)
        if named is None or named.type not in ("", "package", "kody"):
            return None
        return next((one for one in self.saved if named.name in (one.id, one.name)), None)

    def exact(self) -> list[str]:
        """The names of those that do the whole job."""
        return [one.name for one in self.saved if one.serves == "exact"]

    def ready(self) -> Readiness:
        """Whether the case may begin, by what is declared here."""
        lacking = [name for name in self.presupposes.values if name not in self.values]
        return self.presupposes.readiness(self.exact(), lacking)


def read_inventory(state: Mapping[str, JsonValue]) -> Inventory:
    """The inventory of a state. Raises ValidationError."""
    return Inventory.model_validate(dict(state))


def state_faults(state: Mapping[str, JsonValue]) -> list[str]:
    """What does not fit in a state, a sentence each; none shows a value."""
    try:
        read_inventory(state)
    except ValidationError as error:
        return [
            f"state{_place(fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
    return []


def _place(steps: tuple[int | str, ...]) -> str:
    return "".join(f"/{step}" if re.fullmatch(r"[\w@/.-]{1,60}", str(step)) else "/…" for step in steps)
