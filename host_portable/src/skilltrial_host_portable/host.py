"""Any command: a prompt on standard input, an exit code, and the files it leaves behind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, cast

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Can,
    Command,
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

from . import endpoint, homes, program
from .options import Arguments, Below, Home, Variable, Vector
from .profiles.option import Described
from .session import PortableSession

if TYPE_CHECKING:
    from .profiles.driving import Program
    from .profiles.reading import Read

SHOWN = frozenset(
    {
        Sees.ANSWERS,
        Sees.TOOL_CALLS,
        Sees.TOOL_RESULTS,
        Sees.SKILL_OFFERS,
        Sees.SKILL_READS,
        Sees.TOKENS,
        Sees.MODEL_IDS,
    }
)
"""What a program that prints events is taken to show, unless the option `shows` says less."""

_SAID_BY_A_PROFILE: Mapping[str, object] = {
    "skill_dir": ".agents/skills",
    "home": "fresh",
    "records": "none",
    "shows": None,
    "resume": (),
    "dialect": None,
    "endpoint_env": {},
    "mcp_env": None,
}
"""Options that mean nothing beside a profile, as they are where they were not given."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class PortableHost:
    """Runs a command once per turn. Only its exit code and its files are observed, unless it prints events."""

    command: Vector | None = None
    """Program and arguments. `{model_url}`, `{model}` and `{model_key}` in them become the endpoint's.

    With a profile: another program file than the one that it names, and no arguments.
    """
    profile: Described | None = None
    """A file that says how the program is started and what its lines mean, or the name of one that comes along."""
    model: str | None = None
    """With a profile that knows how to choose one: the model."""
    skill_dir: Below = ".agents/skills"
    """Where the program looks for skills, below the project."""
    home: Home = "fresh"
    """`fresh`; `copy:FOLDER`, a copy for each trial; or `own`, the operator's, for a program that is logged in."""
    records: Literal["none", "events"] = "none"
    """`events` where the program promises to print skilltrial's events, one JSON object per line, all of them."""
    shows: frozenset[Sees] | None = None
    """With `records: events`: what the program tells of, where that is less than everything."""
    resume: Arguments = ()
    """Arguments that, added from the second turn on, make the program continue the conversation."""
    dialect: str | None = None
    """How its model asks for acts; the program's own name without."""
    mcp_env: Variable | None = None
    """The variable that tells the program of MCP servers over HTTP, as JSON: name → address."""
    endpoint_env: Mapping[Variable, str] = Field(default_factory=dict)
    """Further variables that tell a model endpoint: name → text with placeholders; an empty text drops a usual one."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.profile is None:
            if self.command is None:
                raise ValueError("needs the option `command`, which is what stands after `--`, or a `profile`")
            if self.model is not None:
                raise ValueError("a command of unknown manners can't be told a model; write it into the command")
            return self
        given = [name for name, usual in _SAID_BY_A_PROFILE.items() if getattr(self, name) != usual]
        if given:
            raise ValueError(f"the profile says what `{given[0]}` would; leave the option out")
        if self.command is not None and len(self.command) != 1:
            raise ValueError("with a profile only the program is given after `--`; its arguments are in the profile")
        if self.model is not None and not self._read.profile.model:
            raise ValueError("the profile does not say how this program is told a model")
        return self

    def describe_host(self) -> HostIdentity:
        """See HostSpec. Starts nothing: a command of unknown manners might take any flag for a prompt."""
        if self.profile is not None:
            return self._program.identity()
        events = self.records == "events"
        shown = SHOWN if self.shows is None else self.shows
        return HostIdentity(
            name="portable",
            program_sha256=program.digest(self._vector[0], os.environ.get("PATH")),
            can=frozenset(self._can()),
            sees=shown if events else frozenset(),
            records="events" if events else "portable",
            dialect=self.dialect or Path(self._vector[0]).name,
            evidence_kind=EvidenceKind.LIVE_PORTABLE,
            accounting="as_reported" if events and Sees.TOKENS in shown else None,
            rehearses_only=endpoint.needed(self._vector),
            ambient=homes.ambient(self.home),
        )

    def _can(self) -> Iterator[Can]:
        yield Can.SCRIPTED_MODEL
        if self.resume:
            yield Can.MULTI_TURN
        if self.mcp_env is not None:
            yield Can.MCP_HTTP
        if self.home == "fresh":  # another home's profile may make PATH anew
            yield Can.PROGRAMS

    def probe_host(self) -> Probe:
        """See HostSpec. Starts nothing, for the same reason."""
        if self.profile is not None:
            return self._program.probe()
        found = program.found(self._vector[0], os.environ.get("PATH"))
        missing = (f"{Path(self._vector[0]).name} is not on PATH: name the program by its path",)
        inside = "/" in self._vector[0] and not Path(self._vector[0]).is_absolute()
        return Probe(
            program=found,
            told=(
                "the program lies in the project of each trial"
                if inside
                else "its version and login are not known here",
                f"skills are placed in {self.skill_dir}",
            ),
            todo=() if found or inside else missing,
        )

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec. A command of unknown manners is lent what the user passes on, and a home if asked."""
        if self.profile is None and (missing := program.missing(self._vector[0], os.environ.get("PATH"))):
            raise InvalidRequest(missing)
        return Lending()

    def place_skill(self, skill: Skill, place: Place) -> Path:
        """See HostSpec."""
        below = self.skill_dir if self.profile is None else self._read.profile.skill_dir
        return place.project / below / skill.id

    def open_session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> AbstractContextManager[Session]:
        """See HostSpec. Each turn is a process that has ended when `send` returns."""
        if self.profile is not None:
            return self._program.session(place, offers, model, recorder)
        return self._session(place, offers, model, recorder)

    @property
    def _read(self) -> Read:
        return cast("Read", self.profile)

    @property
    def _program(self) -> Program:
        """The described program; imported only where there is one."""
        from .profiles.driving import Program

        return Program(self._read, self.command[0] if self.command else None, self.model)

    @property
    def _vector(self) -> tuple[str, ...]:
        """The command; there is one where there is no profile."""
        return self.command or ()

    @contextmanager
    def _session(
        self, place: Place, offers: tuple[Offer, ...], model: ModelEndpoint | None, recorder: Recorder
    ) -> Iterator[Session]:
        environment = dict(place.environment)
        environment["HOME"] = str(homes.home_of(self.home, place))
        environment.update(endpoint.variables(self.endpoint_env, model))
        if self.mcp_env is not None:
            served = {offer.name: offer.url for offer in offers if offer.url is not None}
            environment[self.mcp_env] = json.dumps(served)
        argv = endpoint.arguments(self._vector, model)
        first = program.located(argv[0], environment.get("PATH"))
        command = Command(argv=(first, *argv[1:]), cwd=place.project, env=environment)
        yield PortableSession(
            command, endpoint.arguments(self.resume, model), place, recorder, answers=self.records == "events"
        )
