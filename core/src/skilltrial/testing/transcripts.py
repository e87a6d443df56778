"""The contract of transcript readers: give the reader, and a transcript that it reads."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.foreign import ForeignRun
from skilltrial.model.part import canonical
from skilltrial.model.suite import Suite
from skilltrial.model.words import EvidenceKind
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import TranscriptFacade
from skilltrial.plugins.kinds import TRANSCRIPT

from .contracts import Contract, demand, documented, watched

_CUTS = 60


@dataclass(frozen=True)
class TranscriptSubject:
    """A reader, and the bytes of a good transcript. `doubled` are the bytes of one that has two results for one case,
    where the format can say that.
    """

    part: object
    good: bytes
    doubled: bytes | None = None


class TranscriptContract(Contract):
    """What every transcript reader must do. Give `subject`, a TranscriptSubject."""

    kind = TRANSCRIPT

    @pytest.fixture
    def read(self, subject: TranscriptSubject) -> Callable[[bytes], ForeignRun]:
        """The hook, held to its spec."""
        return bind(TranscriptFacade, "subject", subject.part).read_transcript

    def test_fits_its_hook_spec(self, subject: TranscriptSubject) -> None:
        """One hook; the class says whose transcripts it reads."""
        bind(TranscriptFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_its_suite_is_a_suite(self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]) -> None:
        """`suite` is a whole suite in the long form: one arm, one attempt."""
        suite = Suite.read(canonical(dict(read(subject.good).suite)))
        demand(len(suite.arms) == 1 and suite.attempts == 1, "a transcript is of one arm and one attempt")

    def test_each_trial_is_of_a_case(self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]) -> None:
        """Cases of the suite, each at most once; a skipped one has a word and no lines."""
        run = read(subject.good)
        cases = {case.id for case in Suite.read(canonical(dict(run.suite))).cases}
        told = [trial.case for trial in run.trials]
        demand(set(told) <= cases and told, f"trials of {sorted(set(told) - cases)} are of no case of the suite")
        demand(len(told) == len(set(told)), "two trials are of one case; that is a fault of the transcript")
        for trial in run.trials:
            demand(not (trial.skipped and trial.lines), f"{trial.case} was skipped and has lines")
            demand(trial.skipped or trial.lines, f"{trial.case} was neither run nor skipped; leave it out")

    def test_it_is_told_to_be_imported(self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]) -> None:
        """The evidence kind is `imported`, a normalizer is named, and the time has its zone."""
        run = read(subject.good)
        demand(run.host.evidence_kind is EvidenceKind.IMPORTED, "evidence that others recorded is `imported`")
        demand(run.host.records, "the host names no normalizer for the lines")
        demand(run.began.tzinfo is not None, "`began` has no time zone")

    def test_is_pure(self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]) -> None:
        """The same bytes give the same trials; no file, program or socket is touched."""
        first = read(subject.good)
        with watched() as acts:
            second = read(subject.good)
        demand(first == second, "one transcript was read in two ways")
        demand(not acts, f"read_transcript is pure; it did: {', '.join(acts[:3])}")

    def test_anything_else_is_refused(self, read: Callable[[bytes], ForeignRun]) -> None:
        """Bytes that are no transcript raise InvalidRequest, and nothing else."""
        for data in (b"", b"\xff\xfe\x00", b"null", b"[]", b"{}", b"words", b"[" * 5000, b'{"a": 1e999}', b"\n\n\n"):
            self._refused(read, data, repr(data[:12]))

    def test_damage_is_refused_or_harmless(
        self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]
    ) -> None:
        """A transcript that was cut, or has a byte changed, is refused with a sentence or still read: never a crash."""
        draw = random.Random(4)  # noqa: S311 - where it is cut
        for at in sorted(draw.sample(range(len(subject.good)), min(_CUTS, len(subject.good)))):
            for data in (subject.good[:at], subject.good[:at] + b"\x00" + subject.good[at + 1 :]):
                self._refused(read, data, f"cut or changed at byte {at}", must=False)

    def test_a_second_result_is_a_fault(self, subject: TranscriptSubject, read: Callable[[bytes], ForeignRun]) -> None:
        """What has no place in an archive is refused, not left out."""
        if subject.doubled is not None:
            self._refused(read, subject.doubled, "with two results for one case")

    def _refused(self, read: Callable[[bytes], ForeignRun], data: bytes, what: str, *, must: bool = True) -> None:
        try:
            read(data)
        except InvalidRequest as error:
            demand(str(error).strip(), f"a transcript {what} was refused without a word")
            return
        except Exception as error:
            raise AssertionError(f"a transcript {what} raised {type(error).__name__}; raise InvalidRequest") from error
        demand(not must, f"a transcript {what} was read as if it were whole")
