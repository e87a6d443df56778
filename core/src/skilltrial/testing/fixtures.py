"""The contract of fixtures: give the fixture with its files, and a client that calls a tool of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from skilltrial.model.capabilities import Can
from skilltrial.model.likeness import placeheld, unplaced
from skilltrial.model.suite import Limits
from skilltrial.model.trial import FixtureRun, Offer, Place, RunInfo, Trial, TrialKey
from skilltrial.model.wire import Answered, Called, wire_calls, wire_notes
from skilltrial.model.words import Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import FixtureFacade
from skilltrial.plugins.kinds import FIXTURE

from .contracts import Contract, demand, documented, watched
from .recorders import MemoryRecorder

CANARY = "kit-canary-text-0f7c"


@dataclass(frozen=True)
class FixtureSubject:
    """A fixture, made with its options. `assets` are its files; `call(offer, arguments)` calls `tool` of the server as
    a program would, and gives what it returned as text; it raises where nobody serves.
    """

    part: object
    assets: Mapping[str, bytes]
    call: Callable[[Offer, Mapping[str, JsonValue]], str]
    tool: str
    arguments: Mapping[str, JsonValue]
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    """What a case sets."""
    wrong_options: Mapping[str, JsonValue] = field(default_factory=lambda: {"kit_unknown_option": 1})


class FixtureContract(Contract):
    """What every fixture must do. Give `subject`, a FixtureSubject."""

    kind = FIXTURE

    @pytest.fixture
    def fixture(self, subject: FixtureSubject) -> FixtureFacade:
        """The fixture, held to its hook spec."""
        return bind(FixtureFacade, "subject", subject.part)

    @pytest.fixture
    def running(self, subject: FixtureSubject, fixture: FixtureFacade, tmp_path: Path) -> Iterator[_Running]:
        """A run of it."""
        with fixture.open_fixtures(RunInfo("kit", 4), subject.assets) as run:
            yield _Running(run, subject, tmp_path)

    def test_fits_its_hook_spec(self, subject: FixtureSubject) -> None:
        """Every hook is there, and nothing public beside them; the class says what it is."""
        bind(FixtureFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_names_its_files(self, subject: FixtureSubject, fixture: FixtureFacade) -> None:
        """`fixture_assets` are the files that it is then given: they go into the archive."""
        named = set(fixture.fixture_assets())
        demand(named == set(subject.assets), f"fixture_assets names {sorted(named)}, it has {sorted(subject.assets)}")

    def test_good_files_have_no_fault(self, subject: FixtureSubject, fixture: FixtureFacade) -> None:
        """`check_fixture` says nothing where all is right; it touches no file, program or socket."""
        fixture.check_fixture(subject.assets, subject.options)
        with watched() as acts:
            faults = fixture.check_fixture(subject.assets, subject.options)
        demand(not faults, f"good files have faults: {faults}")
        demand(not acts, f"check_fixture is pure; it did: {', '.join(acts[:3])}")

    def test_wrong_options_are_a_fault(self, subject: FixtureSubject, fixture: FixtureFacade) -> None:
        """What a case sets and the fixture does not know is a sentence, before anything starts."""
        faults = fixture.check_fixture(subject.assets, subject.wrong_options)
        demand(faults, f"the options {dict(subject.wrong_options)} were taken without a word")

    def test_damaged_files_are_faults(self, subject: FixtureSubject, fixture: FixtureFacade) -> None:
        """Files that are cut, empty or of another kind are sentences without the files' text; never an exception."""
        for name, data in subject.assets.items():
            for damage in (b"", data[: len(data) // 2] + CANARY.encode(), b"\xff\xfe\x00", b"[" * 5000, b"- 1\n"):
                try:
                    faults = fixture.check_fixture({**subject.assets, name: damage}, subject.options)
                except Exception as error:
                    raise AssertionError(
                        f"a damaged {name} raised {type(error).__name__}; check_fixture tells faults as sentences"
                    ) from error
                demand(faults, f"a damaged {name} ({damage[:8]!r} ...) has no fault")
                demand(not any(CANARY in fault for fault in faults), f"a fault tells text of {name}")
                demand(all("\n" not in fault for fault in faults), "a fault is one sentence, on one line")

    def test_describes_what_it_serves(self, subject: FixtureSubject, fixture: FixtureFacade) -> None:
        """`describe_fixture` names the tool that is called, the same each time, and touches nothing."""
        first = fixture.describe_fixture(subject.assets)
        with watched() as acts:
            second = fixture.describe_fixture(subject.assets)
        demand(first == second, "one fixture was described in two ways")
        demand(not acts, f"describe_fixture is pure; it did: {', '.join(acts[:3])}")
        demand(subject.tool in first.tools, f"describe_fixture does not name the tool {subject.tool}")

    def test_offers_what_it_needs(self, running: _Running, fixture: FixtureFacade) -> None:
        """A URL where hosts need MCP_HTTP, a command for MCP_STDIO, programs for PROGRAMS; a URL is on loopback."""
        needs = fixture.fixture_needs()
        with running.trial() as (offer, _):
            demand(offer.is_server or offer.programs, "the offer has neither a URL, nor a command, nor programs")
            demand(not offer.programs or Can.PROGRAMS in needs, "it offers programs and does not need PROGRAMS")
            demand(not offer.url or Can.MCP_HTTP in needs, "it offers a URL and does not need MCP_HTTP")
            demand(not offer.command or Can.MCP_STDIO in needs, "it offers a command and does not need MCP_STDIO")
            demand(not offer.url or "127.0.0.1" in offer.url or "localhost" in offer.url, "it serves not on loopback")

    def test_a_call_is_on_record_before_its_answer(self, running: _Running, subject: FixtureSubject) -> None:
        """Called with the very arguments, then Answered: the second witness."""
        with running.trial() as (offer, recorder):
            subject.call(offer, subject.arguments)
            told = [note for _, note in wire_notes(recorder.records) if isinstance(note, Called | Answered)]
            sources = {record.source for record in recorder.records}
        demand(
            [type(note) for note in told] == [Called, Answered],
            f"a call must be recorded as Called, then Answered; on record are {[type(note).__name__ for note in told]}",
        )
        called = wire_calls("kit", recorder.records)[0]
        demand(
            (called.tool, called.arguments) == (subject.tool, dict(subject.arguments)),
            f"the call on record is {called.tool} with {called.arguments}",
        )
        demand(called.answered and not called.is_error, "the call on record was not answered well")
        demand(sources == {Source.WIRE}, f"a fixture records with the source `wire`, not {sources}")

    def test_trials_start_alike(self, running: _Running, subject: FixtureSubject) -> None:
        """State never passes from one trial to another: the same call gets the same answer."""
        heard = []
        for _ in range(2):
            with running.trial() as (offer, _):
                heard.append([subject.call(offer, subject.arguments) for _ in range(2)])
        demand(heard[0] == heard[1], f"the second trial was answered in another way: {heard}")

    def test_arms_are_offered_alike(self, running: _Running) -> None:
        """What it offers and lays into the place is the same in every trial, but for paths, loopback ports and ids.

        Arms differ in nothing but skills: what is a trial's own stands behind `127.0.0.1:PORT/`, or looks like an id.
        """
        told = []
        for arm in ("with_skill", "without_skill"):
            folder = running.folder / arm
            folder.mkdir()
            with replace(running, folder=folder).trial(arm) as (offer, _):
                told.append(_alike(offer, folder))
        differ = [one for one, other in zip(*told, strict=False) if one != other] or told[0][len(told[1]) :]
        demand(told[0] == told[1], f"two arms are not offered the same: {differ[:3]}")

    def test_trials_at_once_do_not_mix(self, running: _Running, subject: FixtureSubject) -> None:
        """Each has its own records."""
        with ExitStack() as stack:
            started = [stack.enter_context(running.trial()) for _ in range(4)]
            threads = [threading.Thread(target=subject.call, args=(offer, subject.arguments)) for offer, _ in started]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        counts = [len(wire_calls("kit", recorder.records)) for _, recorder in started]
        demand(counts == [1] * 4, f"four trials made one call each; on record are {counts}")

    def test_an_ended_trial_is_not_served(self, running: _Running, subject: FixtureSubject) -> None:
        """After its context nothing of it is served or recorded."""
        with running.trial() as (offer, recorder):
            subject.call(offer, subject.arguments)
        before = len(recorder.records)
        try:
            subject.call(offer, subject.arguments)
        except Exception:  # noqa: BLE001 - refused in whatever way the client knows
            demand(len(recorder.records) == before, "a trial that has ended was still recorded")
            return
        demand(False, "a trial that has ended was still served")

    def test_an_ended_run_serves_nobody(self, subject: FixtureSubject, fixture: FixtureFacade, tmp_path: Path) -> None:
        """When the run's context ends, its server is gone, and none of its threads runs."""
        before = set(threading.enumerate())
        with (
            fixture.open_fixtures(RunInfo("kit", 1), subject.assets) as run,
            _Running(run, subject, tmp_path).trial() as (offer, _),
        ):
            pass
        left = [one for one in threading.enumerate() if one not in before and not one.daemon and one.is_alive()]
        demand(not left, f"threads outlived the run: {', '.join(one.name for one in left)}")
        try:
            subject.call(offer, subject.arguments)
        except Exception:  # noqa: BLE001 - refused in whatever way the client knows
            return
        demand(False, "the server outlived its run")


def _alike(offer: Offer, folder: Path) -> list[str]:
    """What a host is told and finds, without what is a trial's own."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    told = [
        *(str(one) for one in (offer.url, offer.command, sorted(offer.environment.items()), offer.programs)),
        *(f"{path}: {path.read_text('utf-8', 'surrogateescape')}" for path in files),
    ]
    return [unplaced(placeheld(one, {"place": folder})) for one in told]


class _NoLauncher:
    """Starts nothing."""

    def run(self, *_: object) -> None:
        """Refuse."""
        raise AssertionError("a fixture starts no program in the agent's place")


@dataclass(frozen=True)
class _Running:
    run: FixtureRun
    subject: FixtureSubject
    folder: Path

    @contextmanager
    def trial(self, arm: str = "with_skill") -> Iterator[tuple[Offer, MemoryRecorder]]:
        """One trial of the run."""
        recorder = MemoryRecorder()
        recorder.turn = 1
        trial = Trial(TrialKey(case="kit", arm=arm, label="1"), ("Kit prompt.",), Limits())
        place = Place(self.folder, self.folder, self.folder, {}, _NoLauncher())  # type: ignore[arg-type]
        with self.run.start(trial, self.subject.options, place, recorder) as offer:
            yield offer, recorder
