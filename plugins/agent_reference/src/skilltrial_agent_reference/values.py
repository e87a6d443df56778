"""The type of JSON values."""

from __future__ import annotations

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""Anything that JSON can say."""
