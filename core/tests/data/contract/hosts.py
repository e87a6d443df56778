"""A good host twice, one that shows everything and one that shows nothing; and a broken one for each contract test."""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from acme import AcmeHost, AcmeNormalizer, AcmeRendering, AcmeSession, Reading
from matrix import broken

from skilltrial.api import (
    Can,
    Ending,
    Exited,
    HostIdentity,
    Lending,
    Offered,
    PermissionDecided,
    Sees,
    SessionStarted,
    SessionStopped,
    SkillStep,
    Source,
    Spawned,
    Step,
    ToolRequested,
    ToolResult,
    TurnEnded,
    Usage,
)
from skilltrial.testing.hosts import HostContract, HostSubject


def subject_of(host=AcmeHost, normalizer=AcmeNormalizer, rendering=AcmeRendering) -> HostSubject:
    return HostSubject(host, lambda program, **options: host(program, **options), rendering(), normalizer())


class TestGood(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        return subject_of()


class QuietSession(AcmeSession):
    """Tells no answer and takes one prompt."""

    def send(self, prompt: str) -> str:
        if self.session:
            raise SessionStopped("one prompt only")
        super().send(prompt)
        return ""


class QuietHost:
    """Runs acme, and claims nothing."""

    def __init__(self, binary: Path) -> None:
        self.binary, self.model, self.effort = binary, None, None

    def describe_host(self) -> HostIdentity:
        return HostIdentity(name="quiet", records="quiet")

    probe_host = AcmeHost.probe_host
    lend_host = AcmeHost.lend_host
    place_skill = AcmeHost.place_skill
    open_session = AcmeHost.open_session

    def _session(self, place, offers, model, recorder):
        from contextlib import nullcontext

        return nullcontext(QuietSession(self, place, dict(place.environment), recorder))


class QuietReading(Reading):
    def add(self, event):
        if isinstance(event, TurnEnded):
            event = replace(event, answer=None)
        if isinstance(event, SessionStarted):
            event = replace(event, model=None)
        told = (Offered, PermissionDecided, SkillStep, ToolRequested, ToolResult, Usage)
        if not isinstance(event, told):
            super().add(event)


class QuietNormalizer(AcmeNormalizer):
    """Reads that the program ran."""

    def _reading(self):
        return QuietReading()


class TestGoodQuiet(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        return subject_of(QuietHost, QuietNormalizer)


def host(test: str, **parts):
    """The test class of a broken double."""
    return broken(HostContract, test, lambda: subject_of(**parts), globals())


def with_session(session):
    class Broken(AcmeHost):
        """Broken."""

        def _session(self, place, offers, model, recorder):
            from contextlib import nullcontext

            return nullcontext(session(self, place, self._told(place, offers, model), recorder))

    return Broken


def with_identity(**changes):
    class Broken(AcmeHost):
        """Broken."""

        def describe_host(self):
            return super().describe_host().model_copy(update=changes)

    return Broken


# What it says of itself


class NoProbe(AcmeHost):
    """Broken."""

    def prob_host(self):
        return None


class Undecided(AcmeHost):
    """Broken."""

    def describe_host(self):
        return super().describe_host().model_copy(update={"version": str(random.random())})


class SameForAll(AcmeHost):
    """Broken."""

    def describe_host(self):
        return super().describe_host().model_copy(update={"program_sha256": "0" * 64})


class ProbeRaises(AcmeHost):
    """Broken."""

    def probe_host(self):
        self.binary.stat()
        return super().probe_host()


class BareError(AcmeHost):
    """Broken."""

    def describe_host(self):
        self.binary.read_bytes()
        return super().describe_host()


class MakesFolders(AcmeHost):
    """Broken."""

    def place_skill(self, skill, place):
        folder = super().place_skill(skill, place)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder


class TellsTheKey(AcmeHost):
    """Broken."""

    def lend_host(self, passed, seconds):
        return Lending(dict(passed), (f"a key is present: {passed['KIT_KEY']}",))


host("test_fits_its_hook_spec", host=NoProbe)
host("test_describes_itself_alike_each_time", host=Undecided)
host("test_knows_the_program_by_its_bytes", host=SameForAll)
host("test_probing_never_raises", host=ProbeRaises)
host("test_a_missing_program_is_told_in_a_sentence", host=BareError)
host("test_naming_a_skills_folder_is_pure", host=MakesFolders)
host("test_lending_tells_no_secret", host=TellsTheKey)


# Sessions


class NeverDone(Reading):
    def outcome(self):
        return Ending.INVALID_EVENTS, None, None


class Strips(AcmeSession):
    def send(self, prompt):
        return super().send(prompt.strip())


class Strict(AcmeSession):
    def send(self, prompt):
        prompt.encode()
        return super().send(prompt)


class Elsewhere(AcmeSession):
    def send(self, prompt):
        self.place = replace(self.place, project=self.place.home)
        return super().send(prompt)


class Inherits(AcmeSession):
    def send(self, prompt):
        self.environment = {**os.environ, **self.environment}
        return super().send(prompt)


class Filters(AcmeSession):
    def send(self, prompt):
        recorder, kept = self.recorder, self.recorder

        class Filter:
            turn = recorder.turn

            def record(self, source, *lines):
                kept.record(source, *(line.strip().replace("\udcff", "?") for line in lines))

            def note(self, note):
                kept.note(note)

        self.recorder = Filter()
        try:
            return super().send(prompt)
        finally:
            self.recorder = recorder


class Echoes(AcmeSession):
    def send(self, prompt):
        super().send(prompt)
        return prompt


class Litters(AcmeSession):
    def send(self, prompt):
        (self.place.project / "ACME.md").write_text("instructions")
        return super().send(prompt)


class Remembers(AcmeSession):
    last: list[str] = []

    def send(self, prompt):
        self.session = self.session or next(iter(self.last), None)
        try:
            return super().send(prompt)
        finally:
            self.last[:] = [self.session or ""]


class LastPlace(AcmeSession):
    opened: list[AcmeSession] = []

    def __init__(self, *given):
        super().__init__(*given)
        self.opened.append(self)

    def send(self, prompt):
        self.place = self.opened[-1].place
        return super().send(prompt)


class Anew(AcmeSession):
    def argv(self):
        return (str(self.host.binary), "run")


def with_reading(reading):
    class Broken(AcmeNormalizer):
        """Broken."""

        def _reading(self):
            return reading()

    return Broken


host("test_a_good_session_is_completed", normalizer=with_reading(NeverDone))
host("test_the_prompt_arrives_as_it_is", host=with_session(Strips))
host("test_a_prompt_of_odd_characters_harms_nobody", host=with_session(Strict))
host("test_the_program_works_in_the_project", host=with_session(Elsewhere))
host("test_the_environment_is_the_places", host=with_session(Inherits))
host("test_every_line_is_recorded_as_it_came", host=with_session(Filters))
host("test_the_answer_comes_back_only_where_it_is_seen", host=with_session(Echoes))
host("test_the_project_is_left_as_it_was", host=with_session(Litters))
host("test_sessions_share_nothing", host=with_session(Remembers))
host("test_two_sessions_at_once_do_not_mix", host=with_session(LastPlace))
host("test_each_turn_is_told", host=with_session(Anew))
host("test_each_turn_is_told", host=with_identity(can=frozenset(Can) - {Can.MULTI_TURN}))


# Faults


class ByItself(AcmeSession):
    """Starts its program without the launcher."""

    def send(self, prompt):
        self.recorder.note(Spawned(argv=self.argv()))
        try:
            done = subprocess.run(
                self.argv(),
                cwd=self.place.project,
                env=self.environment,
                input=prompt.encode(),
                capture_output=True,
                timeout=3,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SessionStopped("too late") from error
        for line in done.stdout.decode().splitlines():
            self.recorder.record(Source.STDOUT, line)
            self.hear(line)
        self.recorder.note(Exited(code=done.returncode))
        if done.returncode:
            raise SessionStopped("it failed")
        return self.answer


class Raises(AcmeSession):
    def send(self, prompt):
        try:
            return super().send(prompt)
        except SessionStopped as error:
            raise RuntimeError("acme failed") from error


class Trusting(Reading):
    def outcome(self):
        return (Ending.COMPLETED, None, None) if not any(self.codes) else super().outcome()


class Leaks(AcmeSession):
    def send(self, prompt):
        answer = super().send(prompt)
        (self.place.project / "last-answer.txt").write_text(answer)
        return answer


class LooksFirst(AcmeSession):
    def send(self, prompt):
        self.host.binary.stat()
        return super().send(prompt)


host("test_a_crash_is_an_ending", host=with_session(Raises))
host("test_an_early_end_is_no_success", normalizer=with_reading(Trusting))
host("test_a_program_that_hangs_ends_at_the_time_limit", host=with_session(ByItself))
host("test_a_flood_ends_at_the_output_limit", host=with_session(ByItself))
host("test_a_program_that_is_gone_is_an_ending", host=with_session(LooksFirst))
host("test_nothing_outlives_a_turn", host=with_session(ByItself))
host("test_nothing_is_written_after_a_turn", host=with_session(ByItself))
host("test_a_secret_that_is_printed_reaches_no_record", host=with_session(Leaks))


# Claims: each shown and not claimed, and claimed and not shown


def without(*kinds, **changes):
    """A normalizer that leaves events out, or changes a field of them."""

    class Lacking(Reading):
        def add(self, event):
            if isinstance(event, kinds):
                if not changes:
                    return
                event = replace(event, **changes)
            super().add(event)

    return with_reading(Lacking)


CLAIMS = {
    Sees.ANSWERS: ("test_sees_answers", without(TurnEnded, answer=None)),
    Sees.TOOL_CALLS: ("test_sees_tool_calls", without(ToolRequested, input={"text": "another"})),
    Sees.TOOL_RESULTS: ("test_sees_tool_results", without(ToolResult)),
    Sees.SKILL_OFFERS: ("test_sees_skill_offers", without(Offered, skills=())),
    Sees.SKILL_READS: ("test_sees_skill_reads", without(SkillStep)),
    Sees.PERMISSIONS: ("test_sees_permissions", without(PermissionDecided)),
    Sees.TOKENS: ("test_sees_tokens", without(Usage, input=None)),
    Sees.COST: ("test_sees_cost", without(Usage, cost=None)),
    Sees.MODEL_IDS: ("test_sees_model_ids", without(SessionStarted, model=None)),
}
for _sees, (_test, _normalizer) in CLAIMS.items():
    host(_test, normalizer=_normalizer)
    host(_test, host=with_identity(sees=frozenset(Sees) - {_sees}))


class BelievesProse(Reading):
    def add(self, event):
        if isinstance(event, TurnEnded) and "SKILL.md" in (event.answer or ""):
            super().add(SkillStep(seq=event.seq, turn=event.turn, skill="kit-notes", step=Step.READ))
        super().add(event)


def telling(**changes):
    """A host that tells its program less."""

    class Broken(AcmeHost):
        """Broken."""

        def _told(self, place, offers, model):
            return {**super()._told(place, offers, model), **changes}

    return Broken


host("test_no_skill_is_read_where_none_was", normalizer=with_reading(BelievesProse))
host("test_can_scripted_model", host=telling(ACME_URL=""))
host("test_can_programs", host=telling(PATH=os.environ["PATH"]))
host("test_can_plugins", host=telling(ACME_PLUGIN=""))
host("test_can_mcp_http", host=telling(ACME_SERVERS=""))
host("test_can_mcp_stdio", host=telling(ACME_SERVERS=""))
host("test_can_model", host=telling(ACME_MODEL=""))
host("test_can_effort", host=telling(ACME_EFFORT=""))
for _can in Can:
    if _can not in (Can.MULTI_TURN, Can.PROGRAMS):
        host(f"test_can_{_can.value}", host=with_identity(can=frozenset(Can) - {_can}))
