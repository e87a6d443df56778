"""The hook specs: each is the type, the hook and the documentation at once.

A plugin is a frozen pydantic dataclass: its fields are its options, its public methods are its hooks. Hook
parameters are plain: no defaults, no keyword-only ones. `binding.bind` checks all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import pluggy
from pydantic import JsonValue

from skilltrial.model.answering import Answerer, Readiness, ToolAnswer
from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.events import Event
from skilltrial.model.evidence import CheckResult, Evidence
from skilltrial.model.foreign import ForeignRun, ForeignSuite, RunInputs
from skilltrial.model.observing import Observer, RunOutline
from skilltrial.model.records import Record
from skilltrial.model.report import Report
from skilltrial.model.suite import Act
from skilltrial.model.trial import (
    FixtureIdentity,
    FixtureRun,
    HostIdentity,
    Lending,
    ModelEndpoint,
    ModelRun,
    Offer,
    Place,
    Probe,
    Recorder,
    RunInfo,
    Session,
    Skill,
    ToolCall,
    ToolOffer,
    Trial,
)

PROJECT = "skilltrial"
first = pluggy.HookspecMarker(PROJECT)(firstresult=True)


class HostSpec(Protocol):
    """A program that is given prompts and watched."""

    @first
    def describe_host(self) -> HostIdentity:
        """Say what the program is, what it can and what it shows. Called once per run, before anything starts.

        May run the program's `--version`; must not open a session or write anything.
        """

    @first
    def probe_host(self) -> Probe:
        """Look for the program on this machine: is it installed, which version, is a login present, what to do.

        May run the program's own `--version` and login status; opens no session and writes nothing. Never raises for
        what it finds.
        """

    @first
    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """Say what live sessions will be lent: called once before a live run, never before a rehearsal.

        `passed` are the environment variables that the user passes on; `seconds` is the longest that the run can
        take. Raises InvalidRequest where the sessions could not log in, or a login would end meanwhile.
        """

    @first
    def place_skill(self, skill: Skill, place: Place) -> Path:
        """Say where in `place` this program looks for the skill: a folder below `place.project`.

        Pure: the core copies the skill there. The folder's last name must be the skill's own id.
        """

    @first
    def open_session(
        self,
        trial: Trial,
        place: Place,
        offers: tuple[Offer, ...],
        model: ModelEndpoint | None,
        recorder: Recorder,
    ) -> AbstractContextManager[Session]:
        """Open one fresh conversation in `place`. Everything the program prints goes to `recorder` as it comes.

        `model` is None where the program's own provider is used. Leaving the context ends every process. A
        program that can't be started, a limit and an interrupt are records, not exceptions; where no further turn
        is possible `Session.send` raises SessionStopped.
        """


class FixtureSpec(Protocol):
    """A controlled surrounding of trials: a scripted server. Its fields are what a suite's `fixtures` entry may set."""

    @first
    def fixture_assets(self) -> Sequence[str]:
        """The files beside the suite that it needs. They go into the archive and come back as `assets`."""

    @first
    def fixture_needs(self) -> frozenset[Can]:
        """What a host must be able to do, one of these, for a case that uses it. Empty: nothing."""

    @first
    def check_fixture(
        self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue], answerer: Answerer | None
    ) -> Sequence[str]:
        """The faults of its files, and of the `options` that one case sets; a sentence each, none where all is right.

        `answerer` is the one that the suite's entry names; a fixture without this parameter takes none. Pure. No text
        of a file goes into a sentence.
        """

    @first
    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """Say what it offers to every trial of a run. Pure; asked only where `check_fixture` found no fault."""

    @first
    def open_fixtures(
        self, run: RunInfo, assets: Mapping[str, bytes], answerer: Answerer | None
    ) -> AbstractContextManager[FixtureRun]:
        """Start what serves all trials of a run; `answerer` as in `check_fixture`."""


class AnswererSpec(Protocol):
    """Answers a fixture's calls by what they ask for, where fixed replies can't know: an inventory that is searched.

    The state is the suite's (what scripts and cases set); all hooks are pure functions of it.
    """

    @first
    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        """The faults of the state in which trials begin; a sentence each, none of which shows a value."""

    @first
    def check_ready(self, state: Mapping[str, JsonValue]) -> Readiness:
        """Whether what the trial presupposes is there. Asked before each session; its answer goes on record."""

    @first
    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """What a call is answered. `arguments` fit the tool's input schema.

        Total: a call that can't be decided is answered too, and marked as not `scripted`.
        """


class ModelSpec(Protocol):
    """Where hosts get a scripted model."""

    @first
    def open_models(self, run: RunInfo, dialect: DialectSpec) -> AbstractContextManager[ModelRun]:
        """Start the server that serves all trials of a run; `dialect` spells the acts for the host's program."""


class DialectSpec(Protocol):
    """How one program's model asks for an act."""

    @first
    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """Turn an act into a call of one of the `tools` that this request offers.

        Raises ActNotPossible where the program has no tool for it, ActAbsent where the skill is not offered.
        Pure. Never asked to spell acts that end a turn or that are faults of the wire.
        """


class NormalizerSpec(Protocol):
    """One record format → events. Named by the records' own archive, so judging never imports the host."""

    @first
    def normalize(self, records: Sequence[Record]) -> Iterable[Event]:
        """Turn the records of one trial into its trajectory.

        Pure and total: any input gives events, the unknown becomes `Unrecognized`, exactly one `SessionEnded`. The
        records may lie in a file and be read each time they are gone through or asked for by index: hold none of them,
        and yield events as they are known. What was large is then never held; it is asked for again.
        """


class GraderSpec(Protocol):
    """Answers one kind of question on the evidence."""

    @first
    def check_models(self) -> Sequence[type[CheckOptions]]:
        """The option models of its checks, most usual first. A check is read by the model whose keys it has."""

    @first
    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """What the host must show to decide this check. Where it does not, the core answers `unverified`."""

    @first
    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """Answer. Pure: no clock, no file, no network; total: undecidable evidence is `unverified`."""


class FormatSpec(Protocol):
    """Reads suites that were written for another tool. Its fields are what a command line may set (`--root` ...)."""

    @first
    def read_suite(self, path: Path, document: JsonValue) -> ForeignSuite:
        """Make the long form of a foreign suite, and say what was lost on the way.

        `path` is the suite file, links resolved; `document` holds its values, read as JSON where the name ends in
        `.json`, else as YAML. Looks at the folders that the suite names; writes and starts nothing. Faults are
        `misfits`, all of them at once; the core adds line and column.
        """


class TranscriptSpec(Protocol):
    """Reads a transcript: what somebody else recorded of a suite's cases."""

    @first
    def read_transcript(self, data: bytes) -> ForeignRun:
        """Make trials of a transcript. Pure. Raises InvalidRequest with every fault, each with its place.

        Nothing is left out: what has no place in an archive (a second result of a case) is a fault.
        """


class ObserverSpec(Protocol):
    """Is told how a run goes, and can't change it: traces, a dashboard, a bell."""

    @first
    def open_observer(self, run: RunOutline) -> AbstractContextManager[Observer]:
        """Begin to observe a run. Leaving the context is the last call.

        What it is told are names, counts and times; it opens no file of the run. What it sends goes only where its
        options say. An exception ends its part, is told to the user, and changes neither result nor exit code.
        """


class RendererSpec(Protocol):
    """Writes a report in another form."""

    @first
    def render_report(self, report: Report, inputs: RunInputs) -> bytes:
        """Write the report. Pure: the same report gives the same bytes.

        What a report does not hold is said to be unknown, never made up. Raises InvalidRequest for a report that this
        form can't tell (a rehearsal's).
        """
