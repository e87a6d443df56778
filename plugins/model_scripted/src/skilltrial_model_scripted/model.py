"""The model `scripted`: its options and its hook."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from skilltrial.api import ModelRun, RunInfo

from .spelling import Dialect


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ScriptedModel:
    """A model that follows a script."""

    model: Annotated[str, Field(min_length=1, max_length=200)] = "scripted-1"
    """The model's name, as hosts are told. Some programs choose their tools by it."""

    def open_models(self, run: RunInfo, dialect: Dialect) -> AbstractContextManager[ModelRun]:
        """Start the server that serves all trials of a run (see ModelSpec)."""
        from .server import serve

        return serve(self.model, dialect)
