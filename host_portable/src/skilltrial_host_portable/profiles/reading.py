"""A profile's file, or the name of one that comes with this package → the profile. Every fault at once."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from .profile import Profile

_AT_MOST = 1_000_000
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Read:
    """A profile, and the digest of the file that it was read from."""

    profile: Profile
    sha256: str


def shipped() -> tuple[str, ...]:
    """The names of the profiles that come with this package."""
    return tuple(sorted(one.name.removesuffix(".yaml") for one in _folder().iterdir() if one.name.endswith(".yaml")))


def text_of(name: str) -> bytes:
    """The file of a profile that comes with this package."""
    return (_folder() / f"{name}.yaml").read_bytes()


def read_profile(given: str) -> Read:
    """Read `given`: a path where it has a `/` or a suffix, else a name. Raises ValueError with every fault."""
    if _NAME.fullmatch(given):
        if given not in shipped():
            raise ValueError(
                f"no profile of that name comes along; there are {', '.join(shipped())}, and any file.yaml"
            )
        data = text_of(given)
    else:
        try:
            file = Path(given).expanduser()
            if file.exists() and not file.is_file():  # a pipe or a device may have no end
                raise ValueError("it is no regular file")
            data = file.read_bytes()
        except (OSError, RuntimeError) as error:
            raise ValueError(f"the file can't be read: {getattr(error, 'strerror', None) or error}") from None
    return Read(profile_of(data), hashlib.sha256(data).hexdigest())


def profile_of(data: bytes) -> Profile:
    """Read a profile's bytes. Raises ValueError with every fault, each with the place of it."""
    value = _document(data)
    if not isinstance(value, dict):
        raise ValueError("a profile is a mapping of keys")
    try:
        return Profile.model_validate(value)
    except ValidationError as error:
        raise ValueError("; ".join(sorted(_faults(error)))) from None


def _document(data: bytes) -> object:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(data) > _AT_MOST:
        raise ValueError(f"the file is larger than {_AT_MOST} bytes")
    try:
        value: object = YAML(typ="safe", pure=True).load(data.decode("utf-8"))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        raise ValueError(f"{place}not valid YAML, or a key that is given twice") from None
    except (YAMLError, ValueError, RecursionError):
        raise ValueError("not valid YAML in UTF-8") from None
    return value


def _faults(error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_input=False, include_url=False):
        place = "/".join(str(part) for part in fault["loc"] if not _is_tag(part)) or "profile"
        yield f"{place}: {_says(fault)}"


def _is_tag(part: object) -> bool:
    """Parts that pydantic adds for a choice of types."""
    return isinstance(part, str) and (part.endswith("]") or part in {"str", "int", "float", "bool", "[key]"})


def _says(fault: Any) -> str:
    match fault["type"]:
        case "extra_forbidden":
            known = sorted(_keys())
            close = difflib.get_close_matches(str(fault["loc"][-1]), known, n=1)
            return "unknown key" + (f"; did you mean `{close[0]}`?" if close else "")
        case "missing":
            return "this key is needed"
        case "string_pattern_mismatch":
            return "lower-case letters, digits, `-` and `_` are possible, a letter first"
        case "literal_error" | "enum":
            return f"it must be one of {fault['ctx']['expected']}"
        case "value_error":
            return str(fault["msg"]).removeprefix("Value error, ")
        case kind if kind.endswith("_type"):
            return f"it must be a {kind.removesuffix('_type').replace('dict', 'mapping').replace('tuple', 'list')}"
        case _:
            return "it does not fit"


def _keys() -> Iterator[str]:
    from . import profile

    for model in vars(profile).values():
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from model.model_fields


def _folder() -> Traversable:
    return files(__package__) / "shipped"
