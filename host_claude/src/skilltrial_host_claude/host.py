"""Claude Code as the agent of a trial."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Can,
    EvidenceKind,
    HostIdentity,
    InvalidRequest,
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

from . import credentials, program
from .arguments import arguments, servers_file
from .environment import variables
from .operators import own_model
from .session import ClaudeSession
from .versions import is_recorded

SKILLS = ".claude/skills"
_MACHINES = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
"""Where a machine's owner may set what no option keeps out."""


CAN = frozenset(
    {
        Can.MULTI_TURN,
        Can.MCP_HTTP,
        Can.MCP_STDIO,
        Can.PROGRAMS,
        Can.PLUGINS,
        Can.MODEL,
        Can.EFFORT,
        Can.SCRIPTED_MODEL,
    }
)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ClaudeHost:
    """Runs `claude -p` once per turn, with a state folder of its own and the project's settings only."""

    binary: str = Field(default="claude", min_length=1)
    """The program: a name on PATH, or a path."""
    model: str | None = Field(default=None, min_length=1, max_length=200, pattern=r"^[^-\s]\S*$")
    """The model, by any name; the program's own default without."""
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """The reasoning effort; also checked against the installed program's own list."""
    bundled_skills: bool = True
    """Whether the program's own skills are offered too, as they are to its users; never in rehearsals."""

    def describe_host(self) -> HostIdentity:
        """See HostSpec. Asks the program for its version and, with an effort, for its efforts."""
        path = program.located(self.binary)
        if self.effort is not None:
            program.check_effort(path, self.effort)
        state = path.stat()
        return HostIdentity(
            name="claude",
            version=program.version(path),
            program_sha256=program.digest(path, state.st_size, state.st_mtime_ns),
            can=CAN,
            sees=frozenset(Sees),
            records="claude",
            dialect="claude",
            evidence_kind=EvidenceKind.LIVE_CLAUDE,
            model=self.model,
            effort=self.effort,
            accounting="claude_cached_beside_input",
            ambient=("settings of Claude Code for the whole machine",) if any(map(Path.exists, _MACHINES)) else (),
        )

    def probe_host(self) -> Probe:
        """See HostSpec."""
        told = (f"skills are placed in {SKILLS}", *credentials.present(os.environ))
        try:
            path = program.located(self.binary)
            version = program.version(path)
        except InvalidRequest as error:
            return Probe(program=None, told=("not installed", *told), todo=(str(error),))
        try:
            state = path.stat()
            digest = program.digest(path, state.st_size, state.st_mtime_ns)
        except OSError as error:
            return Probe(program=path, version=version, told=told, todo=(f"make {path} readable: {error.strerror}",))
        told = (f"program sha256 {digest}", *told)
        if version is None or not is_recorded(version):
            told = (*told, f"version {version or 'unknown'} is not among the recorded ones: its trials carry a note")
        own = own_model(os.environ)
        return Probe(program=path, version=version, told=told, todo=(credentials.advice(os.environ),), own_model=own)

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec. What is passed on is lent and nothing else; it does not end while a run goes on."""
        told = credentials.lent(passed, os.environ)
        if program.knows(program.located(self.binary), passed) is False:
            raise InvalidRequest(
                "the installed Claude Code takes nothing of what is passed on for a login (`claude auth status`); "
                "check the variables of --pass-env"
            )
        return Lending(told=(told,))

    def place_skill(self, skill: Skill, place: Place) -> Path:
        """See HostSpec."""
        return place.project / SKILLS / skill.id

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
        self, trial: Trial, place: Place, offers: tuple[Offer, ...], model: ModelEndpoint | None, recorder: Recorder
    ) -> Iterator[Session]:
        # A program that can't keep its state goes on without; made here, such a place is the operator's to mend.
        state = place.home / ".claude"
        state.mkdir(mode=0o700, exist_ok=True)
        servers = state / "servers.json"
        servers.touch(mode=0o600)
        servers.write_text(servers_file(offers, place.plugin), encoding="utf-8")
        environment = variables(place, state, model)
        if not self.bundled_skills:
            environment["CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"] = "1"
        given = arguments(
            allow=trial.allow,
            offers=offers,
            servers=servers,
            model=self.model or (model.model if model is not None else None),
            effort=self.effort,
            plugin=place.plugin,
        )
        yield ClaudeSession(program.located(self.binary), given, place, environment, state, recorder)
