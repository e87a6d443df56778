"""The command `skilltrial`, for tool installers: they offer what the distribution that was asked for brings itself."""

from __future__ import annotations

from importlib.metadata import distribution


def main() -> None:
    """Run the core's own command."""
    (own,) = (one for one in distribution("skilltrial").entry_points if one.group == "console_scripts")
    own.load()()
