"""The contract of scripted models: give the model, and a client that asks it as an agent program would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from skilltrial.model.errors import ActAbsent, ActNotPossible
from skilltrial.model.suite import Act, Limits, Run, Say
from skilltrial.model.trial import ModelEndpoint, ModelRun, RunInfo, Script, ToolCall, ToolOffer, Trial, TrialKey
from skilltrial.model.words import Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import DialectFacade, ModelFacade
from skilltrial.plugins.kinds import MODEL

from .contracts import Contract, demand, documented
from .recorders import MemoryRecorder

TOOL = "kit_shell"
"""The tool that a client offers; it takes a `command`."""


@dataclass(frozen=True)
class Said:
    """What the model answered: text, or a call of a tool with its arguments as JSON text."""

    text: str = ""
    tool: str | None = None
    arguments: str = ""


Ask = Callable[[ModelEndpoint, Sequence[str]], Said]
"""Asks the model: all that was said in the conversation so far. The first text is the prompt, the others are results
of the tool calls that the model asked for, in order. Offers the tool `kit_shell`. Raises OSError where nobody serves.
"""


@dataclass(frozen=True)
class ModelSubject:
    """A model part, and a client for each wire protocol that it speaks, by its name."""

    part: object
    clients: dict[str, Ask]


class KitDialect:
    """Spells a command as a call of the client's tool."""

    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """See DialectSpec."""
        if isinstance(act, Run) and any(tool.name == TOOL for tool in tools):
            return ToolCall(TOOL, {"command": act.run})
        raise ActAbsent("no such thing") if not tools else ActNotPossible("no tool")


class ModelContract(Contract):
    """What every model part must do. Give `subject`, a ModelSubject."""

    kind = MODEL

    @pytest.fixture
    def model(self, subject: ModelSubject) -> ModelFacade:
        """The model, held to its hook spec."""
        demand(subject.clients, "give a client for at least one wire protocol")
        return bind(ModelFacade, "subject", subject.part)

    @pytest.fixture
    def run(self, model: ModelFacade) -> Iterator[ModelRun]:
        """A run of it."""
        with _opened(model) as run:
            yield run

    def test_fits_its_hook_spec(self, subject: ModelSubject) -> None:
        """One hook; the class says what it is."""
        bind(ModelFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_serves_on_loopback_only(self, run: ModelRun) -> None:
        """Nobody else on the network can ask it; the URL has no version of an API in it."""
        with _started(run, Say(say="KIT")) as (endpoint, _):
            url = urlsplit(endpoint.url)
            demand(url.hostname in ("127.0.0.1", "localhost", "::1"), f"it serves on {url.hostname}, not on loopback")
            demand(not endpoint.url.rstrip("/").endswith("/v1"), "the URL is the base, without the API's version")

    def test_a_trial_has_a_path_of_its_own(self, run: ModelRun) -> None:
        """No trial can guess another one's path: it is long, and drawn for each."""
        with ExitStack() as stack:
            ends = [stack.enter_context(_started(run, Say(say="KIT")))[0].url for _ in range(3)]
        demand(len(set(ends)) == 3, "two trials have one URL")
        demand(min(len(urlsplit(end).path) for end in ends) >= 16, "the path of a trial can be guessed; draw 16 bytes")

    def test_says_what_the_script_says(self, run: ModelRun, subject: ModelSubject) -> None:
        """`say` is the answer, on every wire."""
        for wire, ask in subject.clients.items():
            with _started(run, Say(say=f"KIT-SAYS {wire}")) as (endpoint, _):
                said = ask(endpoint, ["Kit prompt."])
            demand(said.text == f"KIT-SAYS {wire}" and said.tool is None, f"{wire}: the script says so, it said {said}")

    def test_an_act_becomes_a_call(self, run: ModelRun, subject: ModelSubject) -> None:
        """An act is the call that the dialect spells; what follows its result is the next act."""
        for wire, ask in subject.clients.items():
            with _started(run, Run(run="echo KIT-RUN"), Say(say="KIT-DONE")) as (endpoint, _):
                call, word = ask(endpoint, ["Kit prompt."]), ask(endpoint, ["Kit prompt.", "KIT-RESULT"])
            demand(call.tool == TOOL and "echo KIT-RUN" in call.arguments, f"{wire}: no call as spelt, but {call}")
            demand(word.text == "KIT-DONE", f"{wire}: after the result comes the next act, not {word}")

    def test_a_repeated_request_gets_the_same(self, run: ModelRun, subject: ModelSubject) -> None:
        """The reply is chosen from the conversation, never by counting: a program may ask again."""
        for wire, ask in subject.clients.items():
            with _started(run, Run(run="echo KIT-RUN"), Say(say="KIT-DONE")) as (endpoint, _):
                calls = [ask(endpoint, ["Kit prompt."]).tool for _ in range(3)]
            demand(calls == [TOOL] * 3, f"{wire}: the same request was answered in different ways: {calls}")

    def test_trials_at_once_do_not_mix(self, run: ModelRun, subject: ModelSubject) -> None:
        """Each gets its own script, asked at the same time."""
        ask = next(iter(subject.clients.values()))
        heard: dict[int, str] = {}
        with ExitStack() as stack:
            started = [stack.enter_context(_started(run, Say(say=f"KIT {number}"))) for number in range(6)]

            def listen(number: int) -> None:
                heard[number] = ask(started[number][0], ["Kit prompt."]).text

            threads = [threading.Thread(target=listen, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            notes = [len(recorder.records) for _, recorder in started]
        demand(heard == {number: f"KIT {number}" for number in range(6)}, f"scripts were mixed up: {heard}")
        demand(len(set(notes)) == 1, "the records of some trials hold what another one asked")

    def test_what_was_asked_is_on_record(self, run: ModelRun, subject: ModelSubject) -> None:
        """Requests are records of the source `model`, written before the reply is sent."""
        for wire, ask in subject.clients.items():
            with _started(run, Say(say="KIT")) as (endpoint, recorder):
                ask(endpoint, ["Kit prompt."])
                sources = {record.source for record in recorder.records}
            demand(sources == {Source.MODEL}, f"{wire}: the request is on record with the sources {sources}")

    def test_an_ended_trial_is_not_served(self, run: ModelRun, subject: ModelSubject) -> None:
        """After its context nothing is answered from its script, and nothing more is recorded."""
        for wire, ask in subject.clients.items():
            with _started(run, Say(say="KIT-LATE")) as (endpoint, recorder):
                pass
            before = len(recorder.records)
            said = _late(ask, endpoint)
            demand(said.text != "KIT-LATE", f"{wire}: a trial that has ended was still served")
            demand(len(recorder.records) == before, f"{wire}: a trial that has ended was still recorded")

    def test_an_ended_run_serves_nobody(self, model: ModelFacade, subject: ModelSubject) -> None:
        """When the run's context ends, the server is gone, and none of its threads runs."""
        before = set(threading.enumerate())
        with _opened(model) as run, _started(run, Say(say="KIT-LATE")) as (endpoint, _):
            pass
        for wire, ask in subject.clients.items():
            said = _late(ask, endpoint)
            demand(said.text != "KIT-LATE", f"{wire}: the server outlived its run")
        left = [one for one in threading.enumerate() if one not in before and not one.daemon and one.is_alive()]
        demand(not left, f"threads outlived the run: {', '.join(one.name for one in left)}")


def _late(ask: Ask, endpoint: ModelEndpoint) -> Said:
    try:
        return ask(endpoint, ["Kit prompt."])
    except Exception:  # noqa: BLE001 - refused in whatever way the client knows
        return Said()


@contextmanager
def _opened(model: ModelFacade) -> Iterator[ModelRun]:
    with model.open_models(RunInfo("kit", 4), bind(DialectFacade, "kit", KitDialect())) as run:
        yield run


@contextmanager
def _started(run: ModelRun, *acts: Act) -> Iterator[tuple[ModelEndpoint, MemoryRecorder]]:
    recorder = MemoryRecorder()
    recorder.turn = 1
    trial = Trial(TrialKey(case="kit", arm="with-skill", label="1"), ("Kit prompt.",), Limits())
    with run.start(trial, Script((tuple(acts),)), recorder) as endpoint:
        yield endpoint, recorder
