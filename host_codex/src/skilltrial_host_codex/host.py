"""The Codex command line as the agent of a trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Can,
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

from . import program
from .config import KEY, Sandbox, config
from .credentials import ADDRESS, Loan, Wallet, decide, key_of, operators_home
from .login import login_status
from .plugin import install
from .probing import SKILLS, SYSTEM, probe
from .session import CodexSession

SHOWN = frozenset(
    {
        Sees.ANSWERS,
        Sees.TOOL_CALLS,
        Sees.TOOL_RESULTS,
        Sees.SKILL_OFFERS,
        Sees.SKILL_READS,
        Sees.PERMISSIONS,
        Sees.TOKENS,
        Sees.MODEL_IDS,
    }
)
"""What stream and session log show together. Of the cost neither tells."""


CAN = frozenset({Can.MULTI_TURN, Can.MCP_HTTP, Can.MCP_STDIO, Can.PLUGINS, Can.MODEL, Can.EFFORT, Can.SCRIPTED_MODEL})


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CodexHost:
    """Runs `codex exec --json` once per turn, in a home of its own."""

    binary: str = Field(default="codex", min_length=1)
    """The program: a name on PATH, or a path."""
    model: str | None = Field(default=None, min_length=1, max_length=200)
    """The model, by any name; the program's own default without."""
    effort: str | None = Field(default=None, min_length=1, max_length=40)
    """The reasoning effort, checked against the installed program's own list."""
    sandbox: Sandbox = "workspace-write"
    """What the model's commands may do; `danger-full-access` where the program's sandbox does not work."""
    _wallet: Wallet = field(default_factory=Wallet, init=False, repr=False, compare=False)

    def describe_host(self) -> HostIdentity:
        """See HostSpec. Asks the program for its version and, with an effort, for its efforts."""
        path = program.located(self.binary)
        version = program.version(path)
        if self.effort is not None:
            program.check_effort(path, self.model, self.effort)
        return HostIdentity(
            name="codex",
            version=version,
            program_sha256=program.digest(path),
            # In a sandbox that only reads, a fixture's programs could tell nobody that they were called.
            can=CAN if self.sandbox == "read-only" else CAN | {Can.PROGRAMS},
            sees=SHOWN,
            records="codex",
            dialect="codex",
            evidence_kind=EvidenceKind.LIVE_CODEX,
            model=self.model,
            effort=self.effort,
            accounting="codex_cached_within_input",
            ambient=("a configuration of Codex for the whole machine",) if any(map(Path.exists, SYSTEM)) else (),
        )

    def probe_host(self) -> Probe:
        """See HostSpec."""
        return probe(self.binary)

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec. What is decided here is lent to every session: a login renewed meanwhile would be no secret."""
        home = operators_home()
        login = login_status(program.located(self.binary), home)
        self._wallet.loan, lending = decide(passed, seconds, datetime.now(UTC), login, home)
        return lending

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
        home = place.home / ".codex"
        home.mkdir(mode=0o700)
        name = self.model or (model.model if model is not None else None)
        environment = {**place.environment, "CODEX_HOME": str(home)}
        address, lent = None, Loan()
        if model is not None:
            environment[KEY] = model.key
        elif (key := key_of(environment)) is not None:
            environment["CODEX_API_KEY"] = key
            address = environment.get(ADDRESS)
        elif place.live:
            lent = self._wallet.loan
        text = config(
            model=name,
            effort=self.effort,
            sandbox=self.sandbox,
            endpoint=model,
            offers=offers,
            address=address,
            plugin=place.plugin,
        )
        if place.plugin is not None:
            install(place.plugin, home, environment)
        (home / "config.toml").write_text(text, encoding="utf-8")
        copy = home / "auth.json"
        try:
            if lent.auth is not None:
                copy.touch(mode=0o600)
                copy.write_bytes(lent.auth)
            yield CodexSession(program.located(self.binary), place, environment, home, recorder)
        finally:
            copy.unlink(missing_ok=True)
