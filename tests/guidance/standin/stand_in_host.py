"""A stand-in host: `--host ./stand_in_host.py:StandIn`. Its program acts what a file says, and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from skilltrial.api import (
    Can,
    Command,
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
    SessionStopped,
    Skill,
    Trial,
)

AGENT = Path(__file__).with_name("stand_in_agent.py")
SHOWN = frozenset(
    {Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.SKILL_OFFERS, Sees.SKILL_READS, Sees.MODEL_IDS}
)


@dataclass(frozen=True)
class StandIn:
    """Runs the stand-in program once per turn. `script` holds the acts of each trial: `CASE/ARM/LABEL` → turns."""

    script: str
    unlike: str = ""
    """For tests: what is not alike in the arm with the skill: `argv`, `environment` or `home`."""

    def describe_host(self) -> HostIdentity:
        """See HostSpec."""
        return HostIdentity(
            name="stand-in",
            version="1",
            can=frozenset({Can.MULTI_TURN, Can.MCP_HTTP}),
            sees=SHOWN,
            records="events",
            evidence_kind=EvidenceKind.STAND_IN_HOST,
            accounting="as_reported",
        )

    def probe_host(self) -> Probe:
        """See HostSpec."""
        return Probe(program=AGENT)

    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """See HostSpec."""
        return Lending()

    def place_skill(self, skill: Skill, place: Place) -> Path:
        """See HostSpec."""
        return place.project / ".agents/skills" / skill.id

    def open_session(
        self, trial: Trial, place: Place, offers: tuple[Offer, ...], model: ModelEndpoint | None, recorder: Recorder
    ) -> AbstractContextManager[Session]:
        """See HostSpec."""
        return self._session(trial, place, offers, recorder)

    @contextmanager
    def _session(self, trial: Trial, place: Place, offers: tuple[Offer, ...], recorder: Recorder) -> Iterator[Session]:
        unlike = self.unlike if trial.skills else ""
        told = [f"{one.name} {one.url}" for one in offers] + (["more"] if unlike == "home" else [])
        (place.home / "servers.txt").write_text("\n".join(told), "utf-8")
        yield _Session(self.script, trial, place, offers, recorder, unlike)


@dataclass
class _Session:
    script: str
    trial: Trial
    place: Place
    offers: tuple[Offer, ...]
    recorder: Recorder
    unlike: str
    turn: int = 0
    answer: str = ""

    def send(self, prompt: str) -> str:
        """See Session."""
        self.turn += 1
        key = self.trial.key
        servers = [word for offer in self.offers for word in (offer.name, offer.url or "")]
        acts = self.place.tmp / "acts.json"
        script = json.loads(Path(self.script).read_text("utf-8"))
        acts.write_text(json.dumps(script[f"{key.case}/{key.arm}/{key.label}"][self.turn - 1]), "utf-8")
        # What the program is told must not tell the arms apart.
        argv = (sys.executable, "-S", str(AGENT), str(acts), str(self.turn), *servers)
        environment = dict(self.place.environment)
        if self.unlike == "argv":
            argv = (sys.executable, "-S", "-E", *argv[2:])
        elif self.unlike == "environment":
            environment["MORE"] = "1"

        command = Command(argv=argv, cwd=self.place.project, env=environment, stdin=prompt.encode())
        finished = self.place.launcher.run(command, self.recorder, self._hear)
        if finished.code != 0:
            raise SessionStopped("the program did not end well")
        return self.answer

    def _hear(self, line: str) -> None:
        value = json.loads(line)
        if value["type"] == "TurnEnded":
            self.answer = value["answer"]
