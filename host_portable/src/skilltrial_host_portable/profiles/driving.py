"""What the host `portable` is with a profile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from skilltrial.api import (
    Declared,
    EvidenceKind,
    HostIdentity,
    ModelEndpoint,
    Offer,
    Place,
    Probe,
    Recorder,
    Sees,
    Session,
)

from .. import program
from .dialect import NAME as DECLARED
from .laying import Wanted, lay
from .normalizer import PROFILE
from .profile import Profile
from .reading import Read
from .session import ProfileSession

NORMALIZER = "profile"


@dataclass(frozen=True, slots=True)
class Program:
    """A described program. `binary` is another file than the profile names; `model` was asked for by the user."""

    read: Read
    binary: str | None = None
    model: str | None = None

    def identity(self) -> HostIdentity:
        """See HostSpec.describe_host. Starts nothing."""
        profile, shown = self.read.profile, self.read.profile.shows()
        return HostIdentity(
            name="portable",
            program_sha256=program.digest(self._first, os.environ.get("PATH")),
            settings_sha256=self.read.sha256,
            can=profile.can(),
            sees=shown,
            records=NORMALIZER,
            dialect=DECLARED if profile.acts else profile.name,
            dialect_options=_dialect_options(profile),
            evidence_kind=EvidenceKind.LIVE_PORTABLE,
            model=self.model,
            accounting=f"{profile.name}_as_mapped" if Sees.TOKENS in shown else None,
        )

    def probe(self) -> Probe:
        """See HostSpec.probe_host. Starts nothing."""
        found, profile = program.found(self._first, os.environ.get("PATH")), self.read.profile
        return Probe(
            program=found,
            told=(f"described by a profile for {profile.made_for}", f"skills are placed in {profile.skill_dir}"),
            todo=() if found else (f"{Path(self._first).name} is not on PATH: name the program by its path, after --",),
        )

    @contextmanager
    def session(
        self, place: Place, offers: tuple[Offer, ...], endpoint: ModelEndpoint | None, recorder: Recorder
    ) -> Iterator[Session]:
        """See HostSpec.open_session. Puts the profile on record first: what its lines mean is evidence too."""
        told: dict[str, JsonValue] = {
            "profile": self.read.profile.model_dump(mode="json", exclude_defaults=True),
            "servers": [offer.name for offer in offers if offer.is_server],
            "project": str(place.project),
        }
        recorder.note(Declared(name=PROFILE, value=told))
        laid = lay(Wanted(self.read.profile, self.binary, self.model), place, offers, endpoint)
        yield ProfileSession(laid, place, recorder)

    @property
    def _first(self) -> str:
        return self.binary or self.read.profile.command[0]


def _dialect_options(profile: Profile) -> dict[str, JsonValue]:
    if profile.acts is None:
        return {}
    acts = profile.acts.model_dump(mode="json", exclude_none=True)
    return {"acts": acts, "server_tool": profile.mcp.tool if profile.mcp else None}
