"""The option that names a profile. A host without one imports nothing of profiles."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator


def _described(value: object) -> object:
    """The profile that a text means. Imports nothing where there is none."""
    if value is None:
        return None
    from .reading import Read, read_profile

    if isinstance(value, Read):
        return value
    if not isinstance(value, str):
        raise ValueError("it must be a file, or the name of a profile that comes along")
    return read_profile(value)


Described = Annotated[object, BeforeValidator(_described)]
"""A profile, read from its file."""
