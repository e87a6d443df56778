"""The installed graders by name, and which of a grader's option models reads a check."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.suite import Check

from .binding import bind
from .discovery import Discovery
from .facades import GraderFacade
from .kinds import GRADER


class Graders:
    """Graders, loaded when they are first asked for. Each is made without options."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery
        self._bound: dict[str, GraderFacade] = {}

    def names(self) -> tuple[str, ...]:
        """The installed graders' names; imports none of them."""
        return self._discovery.names(GRADER)

    def find(self, name: str) -> GraderFacade:
        """The grader called `name`. Raises PluginNotFound, and what loading and binding raise."""
        if name not in self._bound:
            self._bound[name] = bind(GraderFacade, name, self._discovery.build(GRADER, name))
        return self._bound[name]

    def read_check(self, check: Check) -> CheckOptions:
        """The options of a check in its long form. Raises InvalidRequest where they do not fit the grader."""
        model = choose(self.find(check.grader).check_models(), check.options)
        try:
            return model.model_validate_json(json.dumps(check.options))
        except ValidationError as error:
            keys = ", ".join(sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]}))
            raise InvalidRequest(
                f"check {check.id!r}: its options do not fit the {check.grader} grader" + (f" ({keys})" if keys else "")
            ) from None


def choose(models: Sequence[type[CheckOptions]], options: Mapping[str, object]) -> type[CheckOptions]:
    """The model that reads these options: the first that takes them, else the one that they fit best."""
    best, how_well = models[0], fit(models[0], options)
    for model in models[1:]:
        if how_well == PERFECT or not options:
            break
        if (other := fit(model, options)) > how_well:
            best, how_well = model, other
    return best


PERFECT = (0, 0, 0)


def fit(model: type[CheckOptions], options: Mapping[str, object]) -> tuple[int, int, int]:
    """How well options fit a model; all zeros is perfectly.

    Less the keys that it neither has nor resembles, then those that it only resembles, then its faults: a slip in a
    key or a value of the wrong type still finds the model that was meant.
    """
    try:
        model.model_validate_json(json.dumps(options))
    except ValidationError as error:
        names = [field.alias or name for name, field in model.model_fields.items()]
        foreign = [key for key in options if key not in names]
        strange = sum(not difflib.get_close_matches(key, names, n=1) for key in foreign)
        return -strange, -len(foreign), -error.error_count()
    return PERFECT
