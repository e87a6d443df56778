"""For every test of the workspace: none is timed, however busy the machine."""

from __future__ import annotations

from hypothesis import settings

# Where `CI` is set, hypothesis has loaded a profile of its own, which has no deadline either.
settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")
