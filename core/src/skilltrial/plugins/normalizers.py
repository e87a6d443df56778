"""The normalizers that judging asks for, by the name that the archive gives: each is loaded and bound once."""

from __future__ import annotations

from .binding import bind
from .discovery import Discovery
from .facades import NormalizerFacade
from .kinds import NORMALIZER


class Normalizers:
    """The installed normalizers, bound as they are asked for."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery
        self._bound: dict[str, NormalizerFacade] = {}

    def find(self, name: str) -> NormalizerFacade:
        """The normalizer called `name`. Raises PluginNotFound, PluginBroken and PluginMismatch."""
        if name not in self._bound:
            self._bound[name] = bind(NormalizerFacade, name, self._discovery.build(NORMALIZER, name))
        return self._bound[name]
