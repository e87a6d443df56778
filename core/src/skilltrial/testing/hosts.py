"""The contract of hosts: give the host around any program's path, and how that program tells what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.plugins.kinds import HOST

from .contracts import Contract, ProvedOn
from .host_claims import HostClaims
from .host_faults import HostFaults
from .host_identity import HostIdentityTests
from .host_sessions import HostSessions
from .programs import Rendering
from .stages import Stage, staged


@dataclass(frozen=True)
class HostSubject:
    """A host to be held to its contract.

    `make(program, **options)` builds the host around a program file; `rendering` tells a script in the program's own
    format; `normalizer` reads the records. `effort` is one that the program knows.
    """

    part: type
    make: Callable[..., object]
    rendering: Rendering
    normalizer: object
    name: str = "kit-agent"
    """What the program file is called."""
    effort: str = "high"
    options: dict[str, Any] = field(default_factory=dict)
    """Options for every host that is made."""


class HostContract(HostIdentityTests, HostSessions, HostFaults, HostClaims, Contract):
    """What every host must do. Give `subject`, a HostSubject."""

    kind = HOST
    proved_on = ProvedOn.FAKE

    @pytest.fixture
    def stage(self, subject: HostSubject, tmp_path: Path) -> Iterator[Stage]:
        """The host on a stage."""

        def make(program: Path, **options: object) -> object:
            return subject.make(program, **{**subject.options, **options})

        with staged(make, subject.rendering, subject.normalizer, subject.name, tmp_path) as stage:
            yield stage
