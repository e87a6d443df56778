"""What calls left on real servers is listed: of sealed trials, of running ones, and of those that were forgotten."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skilltrial.archive.redaction import Redactor
from skilltrial.archive.remains import remains
from skilltrial.archive.reopening import reopen
from skilltrial.archive.writing import ArchiveWriter, TrialWriter
from skilltrial.model.trial import TrialKey
from skilltrial.model.wire import Answered, Called, Left
from skilltrial.model.words import Source


@pytest.fixture
def archive(world: Any) -> ArchiveWriter:
    writer: ArchiveWriter = world.begin()
    return writer


def begin(archive: ArchiveWriter, case: str, *notes: Called | Answered | Left, killed: bool = False) -> TrialWriter:
    trial = archive.open_trial(TrialKey(case=case, arm="plain", label="1"), Redactor({}))
    recorder = trial.fixture("kody")
    for note in notes:
        recorder.record(Source.WIRE, note.model_dump_json())
    if killed:
        recorder.close()
    return trial


CALLED, MAY = Called(number=1, tool="save"), Left(number=1, what="save may have left something")
ANSWERED, DID = Answered(number=1), Left(number=1, what="save left a note")


def told(archive: ArchiveWriter) -> list[str]:
    return [str(one) for one in remains(archive.root)]


def test_what_a_call_left_takes_the_place_of_what_it_may_have_left(archive: ArchiveWriter) -> None:
    begin(archive, "one", CALLED, MAY, ANSWERED, DID, killed=True)
    begin(archive, "two", CALLED, MAY, killed=True)
    begin(archive, "three", CALLED, MAY, ANSWERED, killed=True)

    assert told(archive) == [
        "one/plain/1: kody: save left a note",
        "two/plain/1: kody: save may have left something",
    ]


def test_a_trial_that_is_forgotten_is_still_listed_and_sealed_with_the_run(archive: ArchiveWriter) -> None:
    begin(archive, "one", CALLED, MAY, ANSWERED, DID).discard()
    begin(archive, "two", CALLED).discard()
    begin(archive, "three", CALLED, MAY, killed=True)

    archive.seal()

    assert told(archive) == [
        "one/plain/1: kody: save left a note",
        "three/plain/1: kody: save may have left something",
    ]
    manifest = json.loads((archive.root / "manifest.json").read_bytes())
    assert "left.jsonl" in manifest["files"]


def test_a_killed_run_that_is_taken_up_keeps_the_list(archive: ArchiveWriter) -> None:
    begin(archive, "one", CALLED, MAY, killed=True)
    torn = archive.root / "unsealed/trials~one~plain~1/fixture-kody.jsonl"
    torn.write_bytes(torn.read_bytes() + b'{"seq": 3')

    reopen(archive.root)

    assert not list((archive.root / "unsealed").iterdir())
    assert told(archive) == ["one/plain/1: kody: save may have left something"]


def test_a_run_without_real_servers_left_nothing(archive: ArchiveWriter) -> None:
    begin(archive, "one", CALLED, ANSWERED).discard()

    archive.seal()

    assert told(archive) == []
    assert not (archive.root / "left.jsonl").exists()
