"""Any program that speaks the Agent Client Protocol."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Can,
    Declared,
    EvidenceKind,
    HostIdentity,
    Lending,
    ModelEndpoint,
    Offer,
    Place,
    Probe,
    Recorder,
    Sees,
    Session,
    Skill,
    Trial,
)

from .job import Job, Server
from .session import AcpSession

Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Item = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


def _below(path: str) -> str:
    if "\\" in path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError("it must be a path below the project, without empty parts, `.` and `..`")
    return path


Below = Annotated[str, AfterValidator(_below)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class AcpHost:
    """Opens a session with the program, gives it the prompts, and keeps every message."""

    command: Annotated[tuple[Item, ...], Field(min_length=1, max_length=64)]
    """Program and arguments, such as `acme --acp`."""
    skill_dir: Below = ".agents/skills"
    """Where the program looks for skills, below the project."""
    environment: Mapping[Variable, str] = Field(default_factory=dict)
    """Further variables; `{home}` and `{tmp}` in them become the trial's."""
    endpoint_env: Mapping[Variable, str] = Field(default_factory=dict)
    """Variables that tell a scripted model: `{model_url}`, `{model_key}`, `{model}` in them become the endpoint's."""
    dialect: str | None = None
    """How its model asks for acts; the program's own name without."""
    dialect_options: Mapping[str, JsonValue] = Field(default_factory=dict)

    def describe_host(self) -> HostIdentity:
        """See HostSpec. Starts nothing."""
        return HostIdentity(
            name="acp",
            program_sha256=_digest(self._program),
            can=frozenset(
                {
                    Can.MULTI_TURN,
                    Can.MCP_HTTP,
                    Can.MCP_STDIO,
                    Can.PROGRAMS,
                    *({Can.SCRIPTED_MODEL} if self.endpoint_env else ()),
                }
            ),
            sees=frozenset({Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.PERMISSIONS}),
            records="acp",
            dialect=self.dialect or Path(self.command[0]).name,
            dialect_options=dict(self.dialect_options),
            evidence_kind=EvidenceKind.LIVE_PORTABLE,
        )

    def probe_host(self) -> Probe:
        """See HostSpec. Starts nothing: what the program can is told when a session opens."""
        name = Path(self.command[0]).name
        return Probe(
            program=self._program,
            told=("its version and login are told when a session opens", f"skills are placed in {self.skill_dir}"),
            todo=() if self._program else (f"{name} is not on PATH: name the program by its path",),
        )

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec. A program of unknown manners is lent what the user passes on."""
        return Lending()

    def place_skill(self, skill: Skill, place: Place) -> Path:
        """See HostSpec."""
        return place.project / self.skill_dir / skill.id

    def open_session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> AbstractContextManager[Session]:
        """See HostSpec. Each turn is a process that has ended when `send` returns."""
        return self._session(trial, place, offers, model, recorder)

    @contextmanager
    def _session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> Iterator[Session]:
        servers = {offer.name: list[JsonValue](offer.tools) for offer in offers if offer.is_server}
        value: dict[str, JsonValue] = {"servers": dict(servers), "project": str(place.project)}
        recorder.note(Declared(name="acp", value=value))
        job = Job(
            prompt="",
            servers=tuple(
                Server(name=one.name, url=one.url, command=one.command, environment=dict(one.environment))
                for one in offers
                if one.is_server
            ),
            tools=tuple(tool for offer in offers if offer.is_server for tool in offer.tools),
            programs=tuple(tool for offer in offers if offer.programs is not None for tool in offer.tools),
            allow=trial.allow,
        )
        first = str(self._program or self.command[0])
        yield AcpSession((first, *self.command[1:]), self._environment(place, model), job, place, recorder)

    def _environment(self, place: Place, model: ModelEndpoint | None) -> dict[str, str]:
        parts = {"{home}": str(place.home), "{tmp}": str(place.tmp)}
        told = dict(self.environment)
        if model is not None:
            parts |= {"{model_url}": model.url, "{model_key}": model.key, "{model}": model.model}
            told |= self.endpoint_env
        pattern = re.compile("|".join(re.escape(part) for part in parts))
        filled = {name: pattern.sub(lambda match: parts[match[0]], text) for name, text in told.items()}
        return {**place.environment, **filled}

    @property
    def _program(self) -> Path | None:
        found = shutil.which(self.command[0], path=os.environ.get("PATH"))
        return None if found is None else Path(found).absolute()


def _digest(program: Path | None) -> str | None:
    if program is None:
        return None
    try:
        with program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
