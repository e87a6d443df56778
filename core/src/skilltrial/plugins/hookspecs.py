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

from skilltrial.model.answering import Answerer, Heard, Question, Readiness, Remarks, ToolAnswer
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
        """Say what the program is, what it can and what it shows.

        Called once per run, before anything starts, and by `--dry-run`.

        Must give the same identity for the same program and options, claim no more than its sessions show,
        and raise InvalidRequest for a program that is missing or an option that it does not take.

        Must not open a session, write anything, or ask for more than the program's version and lists.
        """

    @first
    def probe_host(self) -> Probe:
        """Look for the program on this machine: is it installed, which version, is a login present, what to do.

        Called by `doctor`, and where a run has to find the one agent that is installed.

        Must say in sentences what it found and what the user should do.

        Must not raise for what it finds, open a session, write anything, or show a credential.
        """

    @first
    def lend_host(self, passed: Mapping[str, str], seconds: int) -> Lending:
        """Say what live sessions will be lent.

        Called once before a live run, never before a rehearsal. `passed` are the environment variables that
        the user passes on; `seconds` is the longest that the run can take.

        Must raise InvalidRequest where the sessions could not log in, or a login would end meanwhile; every
        credential that is lent stands in `secrets`, so that no file ever holds it.

        Must not ask a provider, or tell a credential's value in `told` or in an error.
        """

    @first
    def place_skill(self, skill: Skill, place: Place) -> Path:
        """Say where in `place` this program looks for the skill: a folder below `place.project`.

        Called for each skill before any session; the core copies the skill there.

        Must be pure, and name a folder whose last name is the skill's own id.

        Must not make or look at anything.
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
        """Open one fresh conversation in `place`.

        Called for each trial, from several threads at once. `offers` are the fixtures that serve it; `model`
        is None where the program's own provider is used. `send` of the session is then called once per turn.

        Must start programs by `place.launcher.run` only, in `place.project`, with `place.environment` and
        what the program needs beside it; everything the program prints goes to `recorder` as it comes. Where
        no further turn is possible `Session.send` raises SessionStopped, and the records say why. Leaving
        the context ends whatever still runs.

        Must not make an exception of a crash, a limit or an interrupt; write into the project; or share
        anything between sessions.
        """


class FixtureSpec(Protocol):
    """A controlled surrounding of trials: a scripted server. Its fields are what a suite's `fixtures` entry may set."""

    @first
    def fixture_assets(self) -> Sequence[str]:
        """Name the files beside the suite that it needs.

        Called when a suite is read. The files go into the archive and come back as `assets`.

        Must name plain paths below the suite's folder, the same each time.
        """

    @first
    def fixture_needs(self) -> frozenset[Can]:
        """Say what a host must be able to do, one of these, for a case that uses it. Empty: nothing.

        Called when a run is planned: cases that the host can't be offered are skipped with this reason.

        Must be the same each time.
        """

    @first
    def check_fixture(
        self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue], answerer: Answerer | None
    ) -> Sequence[str]:
        """Tell the faults of its files, and of the `options` that one case sets: a sentence each, none where all is
        right.

        Called for each case before anything starts. `answerer` is the one that the suite's entry names; a
        fixture without this parameter takes none.

        Must be pure, and take any bytes: a damaged file is a sentence, not an exception.

        Must not put text of a file into a sentence.
        """

    @first
    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """Say what it offers to every trial of a run.

        Called once per run, only where `check_fixture` found no fault.

        Must be pure, and name every tool that it offers.
        """

    @first
    def open_fixtures(
        self, run: RunInfo, assets: Mapping[str, bytes], answerer: Answerer | None
    ) -> AbstractContextManager[FixtureRun]:
        """Start what serves all trials of a run; `answerer` as in `check_fixture`.

        Called once per run. `start` of what it gives is then called for each trial, from several threads.

        Must serve on loopback, each trial on a path of its own that can't be guessed; record each call when
        it arrives and its answer before it is sent; and be gone, with its threads, when the context is left.

        Must not let state pass from one trial to another.
        """


class AnswererSpec(Protocol):
    """Answers a fixture's calls by what they ask for, where fixed replies can't know: an inventory that is searched.

    The state is the suite's (what scripts and cases set); all hooks are pure functions of it. Where a real server
    answers in the fixture's place, an answerer answers nothing: it says what to ask there before a session, and notes
    of each call what it means.
    """

    @first
    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        """Tell the faults of the state in which trials begin: a sentence each, none where all is right.

        Called for each case before anything starts.

        Must be pure.

        Must not show a value of the state.
        """

    @first
    def check_ready(self, state: Mapping[str, JsonValue], heard: Sequence[Heard] | None) -> Readiness:
        """Say whether what the trial presupposes is there.

        Called before each session; its answer goes on record. `heard` is what a real server answered the questions
        of `list_questions`, None where the state is all there is.

        Must be a pure function of both, and take any answer: one that tells nothing is no readiness.
        """

    @first
    def list_questions(self, state: Mapping[str, JsonValue]) -> Sequence[Question]:
        """Name the calls that tell whether what the trial presupposes is there, where a real server answers.

        Called for each case before anything starts, and before each session. None at all: it can't be used there.

        Must be a pure function of the state, and ask for nothing that changes the server.
        """

    @first
    def remark(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        is_error: bool,
        state: Mapping[str, JsonValue],
    ) -> Remarks:
        """Note of a call that a real server answered what graders need, and what it left there.

        Called for each such call, from several threads; `result` is None where no answer came.

        Must be pure and total, and name what may have been left rather than leave it out.
        """

    @first
    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """Say what a call is answered. `arguments` fit the tool's input schema.

        Called for each call that the fixture leaves to it, from several threads.

        Must be a pure function of arguments and state, and total: a call that can't be decided is answered
        too, and marked as not `scripted`.
        """


class ModelSpec(Protocol):
    """Where hosts get a scripted model."""

    @first
    def open_models(self, run: RunInfo, dialect: DialectSpec) -> AbstractContextManager[ModelRun]:
        """Start the server that serves all trials of a run; `dialect` spells the acts for the host's program.

        Called once per rehearsal. `start` of what it gives is then called for each trial, from several
        threads.

        Must serve on loopback, each trial on a path of its own that can't be guessed; choose the reply from
        the conversation, never by counting requests; record each request before it is answered; and be gone
        when the context is left.
        """


class DialectSpec(Protocol):
    """How one program's model asks for an act."""

    @first
    def spell(self, act: Act, tools: Sequence[ToolOffer]) -> ToolCall:
        """Turn an act into a call of one of the `tools` that this request offers.

        Called by the scripted model for each act but those that end a turn or are faults of the wire.

        Must be pure, and raise ActNotPossible where the program has no tool for it, ActAbsent where the
        tools list skills and this one is not among them.

        Must not make up a tool.
        """


class NormalizerSpec(Protocol):
    """One record format → events. Named by the records' own archive, so judging never imports the host."""

    @first
    def normalize(self, records: Sequence[Record]) -> Iterable[Event]:
        """Turn the records of one trial into its trajectory.

        Called when a trial has ended, and each time an archive is judged.

        Must be pure and total: any input gives events, the unknown becomes `Unrecognized`, and exactly one
        `SessionEnded` stands at the end. The runner's own facts (`ending_by_notes`) beat what the program
        printed; what is missing is never a success. A skill is known by its path and the digest of its
        SKILL.md.

        The records may lie in a file and be read each time they are gone through or asked for by index: hold none of
        them, and yield events as they are known. What was large is then never held; it is asked for again.

        Must not import the host, or take prose for an act.
        """


class GraderSpec(Protocol):
    """Answers one kind of question on the evidence."""

    @first
    def check_models(self) -> Sequence[type[CheckOptions]]:
        """Give the option models of its checks, most usual first. A check is read by the model whose keys it has.

        Called when a suite is read.

        Must give models that refuse unknown keys, and whose `sentence` says on one line what the check
        demands.
        """

    @first
    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """Say what the host must show to decide this check. Where it does not, the core answers `unverified`.

        Called before `grade`.

        Must name everything without which the answer could be turned round.
        """

    @first
    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """Answer one check on the evidence of one trial.

        Called for each check, and each time an archive is judged.

        Must be pure and total: undecidable evidence is `unverified`, and the reason is a word of a closed
        set.

        Must not look at the clock, a file or the network, or take what an agent said for what it did.
        """


class FormatSpec(Protocol):
    """Reads suites that were written for another tool. Its fields are what a command line may set (`--root` ...)."""

    @first
    def read_suite(self, path: Path, document: JsonValue) -> ForeignSuite:
        """Make the long form of a foreign suite, and say what was lost on the way.

        Called where `--format` names it. `path` is the suite file, links resolved; `document` holds its
        values, read as JSON where the name ends in `.json`, else as YAML.

        Must take any document: faults are `misfits`, all of them at once; the core adds line and column. It
        may look at the folders that the suite names.

        Must not write or start anything, or put a prompt or a file's content into a sentence.
        """


class TranscriptSpec(Protocol):
    """Reads a transcript: what somebody else recorded of a suite's cases."""

    @first
    def read_transcript(self, data: bytes) -> ForeignRun:
        """Make trials of a transcript.

        Called by `import --from`.

        Must be pure, and raise InvalidRequest with every fault, each with its place, for anything that is no
        whole transcript.

        Must not leave anything out: what has no place in an archive (a second result of a case) is a fault.
        """


class ObserverSpec(Protocol):
    """Is told how a run goes, and can't change it: traces, a dashboard, a bell."""

    @first
    def open_observer(self, run: RunOutline) -> AbstractContextManager[Observer]:
        """Begin to observe a run. Leaving the context is the last call.

        Called once per run, where `--observe` names it. What it is told are names, counts and times, by one thread at
        a time.

        Must send what it sends only where its options say. An exception ends its part, is told to the user, and changes
        neither result nor exit code.

        Must not open a file of the run, or keep what ends a run from ending it.
        """


class RendererSpec(Protocol):
    """Writes a report in another form."""

    @first
    def render_report(self, report: Report, inputs: RunInputs) -> bytes:
        """Write the report.

        Called where `--report` names it.

        Must be pure: the same report gives the same bytes. What a report does not hold is said to be
        unknown. A report that this form can't tell (a rehearsal's) raises InvalidRequest.

        Must not make anything up, or tell a prompt.
        """
