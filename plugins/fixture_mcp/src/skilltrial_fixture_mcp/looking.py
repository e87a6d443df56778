"""What a trial presupposes, looked at before its session and put on record: in the state, or at the real server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from skilltrial.api import Answerer, Heard, Presupposed, Recorder, Source, TrialNotBegun

from .passing import UpstreamFailed, passed_on
from .tools import Catalog
from .upstream import Upstream


@dataclass(slots=True)
class Looking:
    """Looks for one trial. Each way raises TrialNotBegun where something is not as it must be."""

    answerer: Answerer | None
    state: Mapping[str, JsonValue]
    recorder: Recorder
    _asked: list[JsonValue] = field(default_factory=list)

    def at_the_state(self) -> None:
        """Ask the answerer, if there is one, what it finds in the state."""
        if self.answerer is not None:
            self._judge(self.answerer, None)

    async def at_the_server(self, upstream: Upstream, catalog: Catalog) -> None:
        """Connect, hold the tools to the catalog, and ask the real server what the answerer wants to know."""
        try:
            await upstream.connect()
            drift = _drift(catalog, await upstream.list_tools())
            if drift:
                self._refuse("catalog_outdated", drift)
            if self.answerer is not None:
                self._judge(self.answerer, await self._ask(self.answerer, upstream))
        except UpstreamFailed as failed:
            self._refuse(f"server_{failed.why}")

    async def _ask(self, answerer: Answerer, upstream: Upstream) -> list[Heard]:
        heard: list[Heard] = []
        for question in answerer.list_questions(self.state):
            said = passed_on(await upstream.call(question.tool, dict(question.arguments)))
            heard.append(Heard(question, said.recorded, said.is_error))
            self._asked.append(
                {
                    "tool": question.tool,
                    "arguments": dict(question.arguments),
                    "result": said.recorded,
                    "is_error": said.is_error,
                }
            )
        return heard

    def _judge(self, answerer: Answerer, heard: list[Heard] | None) -> None:
        ready = answerer.check_ready(self.state, heard)
        self._note(Presupposed(holds=ready.holds, why=ready.why, found=ready.found, asked=self._answers))
        if not ready.holds:
            raise TrialNotBegun(ready.why, skips=ready.skips)

    def _refuse(self, why: str, found: JsonValue = None) -> None:
        self._note(Presupposed(holds=False, why=why, found=found, asked=self._answers))
        raise TrialNotBegun(why)

    @property
    def _answers(self) -> JsonValue:
        return [*self._asked] or None

    def _note(self, note: Presupposed) -> None:
        self.recorder.record(Source.WIRE, note.model_dump_json())


def _drift(catalog: Catalog, listed: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """How the real server's tools differ from the catalog's, by name; nothing where they do not."""
    ours = {name: tool.raw["inputSchema"] for name, tool in catalog.tools.items()}
    found: dict[str, list[JsonValue]] = {
        "missing": [name for name in ours if name not in listed],
        "not_in_the_catalog": [name for name in listed if name not in ours],
        "takes_other_arguments": [name for name in ours if name in listed and listed[name] != ours[name]],
    }
    return {how: [*names] for how, names in found.items() if names}
