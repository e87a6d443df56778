"""A trial in the order of its happening: both witnesses beside each other, refusals marked, nothing invented."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from skilltrial.judge.filediff import file_diffs
from skilltrial.judge.timeline import timeline
from skilltrial.model.evidence import Change, ChangeKind, Entry, FileKind, Files
from skilltrial.model.notes import Exited, LimitHit, Spawned
from skilltrial.model.wire import Answered, Called, Connected, ToolsListed


@pytest.fixture
def told(world, w):
    """The moments of a trial of these events, with a fixture `memory` that received these notes."""

    def given(*happened, wire=()):
        world.fixtures = ("memory",)
        trial = w.replace(w.trial(*happened), fixtures={"memory": w.wire(*wire)} if wire else {})
        return timeline(trial, w.normalizer(), world.archive().plan.host, world.fixtures)

    return given


SAVE: JsonValue = {"text": "x"}


def test_a_call_stands_beside_what_the_fixture_received(told, w):
    moments = told(
        w.event("ToolRequested", turn=1, call="c1", tool="remember", server="memory", input=SAVE),
        w.event("ToolResult", turn=1, call="c1", content="saved"),
        w.ANSWER,
        w.COMPLETED,
        wire=(
            Connected(era="2025-06-18", client="agent"),
            ToolsListed(count=1),
            Called(number=1, tool="remember", arguments=SAVE, joins="c1"),
            Answered(number=1, result="saved"),
        ),
    )

    (call,) = [one for one in moments if one.host.startswith("calls memory.remember")]
    assert call.host == 'calls memory.remember {"text": "x"}'
    assert call.wire == 'memory received remember {"text": "x"}; answer (rule): saved'
    assert call.record == "host.jsonl:1"
    alone = [one.wire for one in moments if one.wire and not one.host]
    assert alone == ["memory connected era 2025-06-18, client agent, transport http", "memory tools listed count 1"]


def test_a_call_that_only_one_side_saw_is_told_by_that_side(told, w):
    moments = told(w.ANSWER, w.COMPLETED, wire=(Called(number=1, tool="remember", arguments=SAVE),))

    (one,) = [one for one in moments if "remember" in one.wire]
    assert (one.host, one.wire) == ("", 'memory received remember {"text": "x"} and did not answer')


@pytest.mark.parametrize(
    ("event", "fields", "says"),
    [
        ("ToolRejected", {"call": "c1", "reason": "permission"}, "REFUSED (permission)"),
        ("PermissionDecided", {"call": "c1", "tool": "Bash", "decision": "denied"}, "REFUSED: Bash, by host"),
    ],
)
def test_a_refusal_is_marked(told, w, event, fields, says):
    refused = [one for one in told(w.event(event, turn=1, **fields), w.COMPLETED) if one.refused]

    assert [one.host for one in refused] == [says]


def test_what_the_runner_knows_is_told_by_the_runner(told, w):
    hosts = [
        one.host for one in told(Spawned(argv=("agent", "--x")), LimitHit(limit="seconds", value=9), Exited(code=1))
    ]

    assert hosts == [
        "[runner] starts agent --x",
        "[runner] limits.seconds (9) ended the session",
        "[runner] the program ended with 1",
    ]


def test_records_that_can_not_be_read_are_said_to_be_so(told):
    (first, *_) = told("boom")

    assert first.host == "records that the normalizer can't read (RuntimeError)"


def entry(path: str, digest: str, kind: FileKind = FileKind.FILE) -> Entry:
    return Entry(path=path, kind=kind, sha256=digest * 64, size=1)


def test_files_are_told_as_a_diff_and_what_is_no_text_is_not_shown():
    files = Files(
        before={"a": entry("a", "1"), "gone": entry("gone", "1")},
        after={"a": entry("a", "2"), "raw": entry("raw", "3"), "lost": entry("lost", "4")},
        changes=(
            Change(path="a", change=ChangeKind.CHANGED),
            Change(path="gone", change=ChangeKind.REMOVED),
            Change(path="raw", change=ChangeKind.CREATED),
            Change(path="lost", change=ChangeKind.CREATED),
        ),
        contents={"1" * 64: b"one\n", "2" * 64: b"one\ntwo\n", "3" * 64: b"\xff\xfe"},
        complete=False,
    )

    assert list(file_diffs(files)) == [
        "changed: a",
        "@@ -1 +1,2 @@",
        " one",
        "+two",
        "removed: gone",
        "@@ -1 +0,0 @@",
        "-one",
        "created: raw",
        "  (no text)",
        "created: lost",
        "  (its bytes are not shown: not kept)",
        "the project had too many files to list: what is not here may have changed all the same",
    ]


def test_a_long_diff_is_cut_unless_all_of_it_is_wanted():
    data = {"1" * 64: b"", "2" * 64: b"x\n" * 1000}
    change = (Change(path="a", change=ChangeKind.CHANGED),)
    files = Files(before={"a": entry("a", "1")}, after={"a": entry("a", "2")}, changes=change, contents=data)

    assert list(file_diffs(files))[-1] == "... and 801 lines more (--full)"
    assert len(list(file_diffs(files, whole=True))) == 1002
