"""`--gate`: another gate than the suite's, in one word."""

from __future__ import annotations

import click
from pydantic import ValidationError

from skilltrial.model.gates import Gate
from skilltrial.model.suite import Suite

FORMS = "all, majority_of=5 or min_pass_rate=0.9, and arm=ID before it where another arm decides"


def read_gate(text: str, suite: Suite) -> Gate:
    """The gate that `text` means for `suite`: `majority_of=5`, or `arm=with_skill,majority_of=5`.

    Raises click.UsageError.
    """
    fields: dict[str, object] = {"arm": suite.gate.arm}
    for word in text.split(","):
        key, equals, value = word.strip().partition("=")
        match key, equals:
            case "arm", "=":
                fields["arm"] = value
            case "all", "":
                fields["require"] = "all"
            case "majority_of", "=" if value.isascii() and value.isdigit():
                fields["majority_of"] = int(value)
            case "min_pass_rate", "=":
                fields["min_pass_rate"] = _rate(value, text)
            case (("lift" | "no_worse_than"), _):
                raise click.UsageError(
                    f"--gate {text}: no gate decides on the difference between arms yet; say {FORMS}"
                )
            case _:
                raise click.UsageError(f"--gate {text!r} is no gate; say {FORMS}")
    try:
        gate = Gate.model_validate(fields)
    except ValidationError as error:
        why = error.errors(include_url=False, include_input=False)[0]["msg"].removeprefix("Value error, ")
        raise click.UsageError(f"--gate {text}: {why}; say {FORMS}") from None
    arms = [arm.id for arm in suite.arms]
    if gate.arm not in arms:
        raise click.UsageError(f"--gate {text}: the suite has no arm {gate.arm!r}; it has: {', '.join(arms)}")
    return gate


def _rate(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise click.UsageError(f"--gate {text}: a rate is a number above 0 and at most 1, such as 0.9") from None
