"""ZCode as the agent of a trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Can,
    Declared,
    EvidenceKind,
    HostIdentity,
    InvalidRequest,
    Lending,
    ModelEndpoint,
    Offer,
    Place,
    PlacedPlugin,
    Probe,
    Recorder,
    Sees,
    Session,
    Skill,
    Trial,
)

from . import program
from .job import Job, Server
from .naming import native, of_plugin
from .normalizer import DECLARED
from .plugin import fill, within
from .session import ZcodeSession
from .settings import Api, Endpoint, cli_config, provider_config, selection, write
from .surroundings import fence, short

SKILLS = ".agents/skills"
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
SHOWN = frozenset(Sees) - {Sees.COST}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ZcodeHost:
    """Drives `zcode app-server`; written from its documentation, never checked against the real program."""

    binary: str | None = Field(default=None, min_length=1)
    """The program's `zcode.cjs`; without, the one that ZCODE_CLI_BIN names, or of an installed desktop application."""
    node: str = Field(default="node", min_length=1)
    """What runs it, version 22.5 or later."""
    table: str | None = Field(default=None, min_length=1)
    """The program's `zcode-builtin.json`, where it does not lie where the program's own layouts have it."""
    model: str | None = Field(default=None, min_length=1, max_length=200)
    """The model; needed in live runs, as is `base_url`."""
    effort: str | None = Field(default=None, min_length=1, max_length=40)
    """The reasoning level, for models that have any."""
    base_url: str | None = Field(default=None, pattern=r"^https?://[^\s@?#]+$")
    """Where the model is asked, in live runs; the key never stands in it."""
    api: Api = "openai-chat-completions"
    """The protocol that is spoken there."""
    key_env: str = Field(default="ZCODE_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The variable that holds the key; pass it on by --pass-env."""
    patience: float = Field(default=60.0, gt=0, le=600)
    """Seconds that an answer of the program may take; a turn may take as long as its trial."""

    def describe_host(self) -> HostIdentity:
        """See HostSpec. Asks the program for its version, by which a stand-in is known."""
        found = self._program
        return HostIdentity(
            name="zcode",
            version=found.version,
            program_sha256=found.sha256,
            can=CAN,
            sees=SHOWN,
            records="zcode",
            dialect="zcode",
            evidence_kind=EvidenceKind.STAND_IN_HOST if found.stands_in else EvidenceKind.LIVE_ZCODE,
            model=self.model,
            effort=self.effort,
            accounting="zcode_as_told",
            caveats=(program.UNCHECKED,),
        )

    def probe_host(self) -> Probe:
        """See HostSpec."""
        told = (program.UNCHECKED, f"skills of a trial lie in {SKILLS} of its project")
        try:
            path = program.located(self.binary)
        except InvalidRequest as error:
            return Probe(program=None, told=("not installed", *told), todo=(str(error),))
        try:
            found = self._program
        except InvalidRequest as error:
            return Probe(program=path, told=told, todo=(str(error),))
        todo = [f"live runs: give --model, --host-option base_url=URL and --pass-env {self.key_env}"]
        if not found.stands_in and found.version != program.READ_ABOUT:
            todo.append(f"this is not the version that is known of ({program.READ_ABOUT}): look twice at what it does")
        return Probe(path, found.version, (f"program sha256 {found.sha256}", *told), tuple(todo))

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec. The key comes by a variable, and stands in the trial's own place alone."""
        lacking = []
        if self.model is None:
            lacking.append("--model MODEL")
        if self.base_url is None:
            lacking.append("--host-option base_url=URL")
        if not passed.get(self.key_env, "").strip():
            lacking.append(f"--pass-env {self.key_env}")
        if lacking:
            raise InvalidRequest(f"ZCode's sessions have no model to ask: add {', '.join(lacking)}")
        return Lending(told=(f"sessions ask {self.base_url} with the key in {self.key_env} (present, not checked)",))

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
        found, endpoint, plugin = self._program, self._endpoint(place, model), place.plugin
        state = place.home / ".zcode"
        personal = state / "v2" / "provider_config.json"
        servers = tuple(offer for offer in offers if offer.is_server)
        tools: dict[str, JsonValue] = {offer.name: list(offer.tools) for offer in servers}
        recorder.note(
            Declared(name=DECLARED, value={"servers": tools, "project": str(place.project), "version": found.version})
        )
        fence(place.project)
        write(state / "cli" / "config.json", cli_config(() if plugin is None else (plugin.folder,)))
        if plugin is not None:
            fill(plugin, place.environment)
        job = Job(
            prompt="",
            model=selection(endpoint, self.effort) if endpoint is not None else {},
            effort=self.effort,
            servers=tuple(
                Server(name=one.name, url=one.url, command=one.command, environment=dict(one.environment))
                for one in servers
                if not within(plugin, one)
            ),
            tools=tuple(_tools(servers, plugin)),
            programs=tuple(tool for offer in offers if offer.programs is not None for tool in offer.tools),
            allow=trial.allow,
            plugin=None if plugin is None else plugin.name,
            patience=self.patience,
        )
        try:
            if endpoint is not None:
                write(personal, provider_config(endpoint, self.effort))
            with short(place.tmp) as tmp:
                environment = {
                    **{name: value for name, value in place.environment.items() if name != self.key_env},
                    "TMPDIR": str(tmp),
                    "ZCODE_DATA_BASE_DIR": str(place.home),
                    **program.variables(found.table, personal),
                }
                argv = (*found.argv, "app-server", "--stdio")
                yield ZcodeSession(argv, (found.path,), environment, job, place, recorder)
        finally:
            personal.unlink(missing_ok=True)

    def _endpoint(self, place: Place, model: ModelEndpoint | None) -> Endpoint | None:
        if model is not None:
            return Endpoint.scripted(model, self.api, self.model)
        if self.base_url is None or self.model is None:
            return None
        return Endpoint(self.model, self.api, self.base_url, place.environment.get(self.key_env, ""))

    @property
    def _program(self) -> program.Program:
        return program.find(self.binary, self.node, self.table)


def _tools(servers: tuple[Offer, ...], plugin: PlacedPlugin | None) -> Iterator[str]:
    """The servers' tools as the program names them."""
    for offer in servers:
        name = of_plugin(plugin.name, offer.name) if plugin is not None and within(plugin, offer) else offer.name
        yield from (native(name, tool) for tool in offer.tools)
