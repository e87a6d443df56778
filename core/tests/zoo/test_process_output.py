"""What programs print arrives whole, in time and within its limits."""

from __future__ import annotations

import time

import pytest

from skilltrial.model.notes import Exited, LimitHit, Spawned
from skilltrial.model.part import Part
from skilltrial.model.suite import Limits
from skilltrial.model.words import Source


def test_a_flood_before_the_exit_arrives_whole(zoo) -> None:
    finished, kept = zoo.run("floods_and_exits")
    assert finished.code == 0
    assert kept.of(Source.STDOUT) == ["x" * 99] * 60_000


@pytest.mark.parametrize(("stream", "setting", "limit"), [("1", "stdout", 1_000_050), ("2", "stderr", 300_000)])
def test_a_flood_without_end_hits_its_limit_and_keeps_what_fits(zoo, stream: str, setting: str, limit: int) -> None:
    finished, kept = zoo.run("floods_without_end", stream, limits=Limits(stdout=1_000_050, stderr=300_000))
    assert finished.ending == LimitHit(limit=setting, value=limit)  # type: ignore[arg-type]
    lines = kept.of(Source(setting))
    assert len("\n".join(lines)) in (limit, limit - 1)
    assert set(lines[:-1]) == {"y" * 99}


def test_a_line_without_end_hits_the_limit_too(zoo) -> None:
    finished, kept = zoo.run("floods_with_a_line_without_end", limits=Limits(stdout=2_000_000))
    assert finished.ending == LimitHit(limit="stdout", value=2_000_000)
    assert kept.of(Source.STDOUT) == ["z" * 2_000_000]


@pytest.mark.parametrize(("limit", "ending"), [(6, Exited(code=0)), (5, LimitHit(limit="stdout", value=5))])
def test_exactly_the_limit_is_not_over_it(zoo, limit: int, ending: Part) -> None:
    finished, _ = zoo.start(("/bin/echo", "12345"), limits=Limits(stdout=limit))
    assert finished.ending == ending


def test_what_is_no_utf8_survives_byte_for_byte(zoo) -> None:
    _, kept = zoo.run("invalid_utf8")
    came = "\n".join(kept.of(Source.STDOUT)).encode("utf-8", "surrogateescape")
    assert came == b"good\n\xff\xfe bad \xc3\n\xe2\x82\nnul\0in\0it\n\xed\xa0\x80\r\n"


def test_a_line_of_five_megabytes_is_one_line(zoo) -> None:
    _, kept = zoo.run("one_long_line")
    assert kept.of(Source.STDOUT) == ["a" * 5_000_000, "end"]


def test_a_last_line_without_newline_is_kept(zoo) -> None:
    _, kept = zoo.run("no_final_newline")
    assert kept.lines == [(Source.STDOUT, "one"), (Source.STDOUT, "two"), (Source.STDERR, "three")]


def test_a_program_that_closes_its_streams_is_still_waited_for(zoo) -> None:
    begun = time.monotonic()
    finished, kept = zoo.run("closes_stdout")
    assert (finished.code, kept.of(Source.STDOUT)) == (0, ["before"])
    assert time.monotonic() - begun > 0.2


def test_lines_arrive_while_the_program_runs(zoo) -> None:
    at: list[tuple[str, float]] = []
    begun = time.monotonic()
    zoo.run("slow_lines", on_line=lambda line: at.append((line, time.monotonic() - begun)))
    assert [line for line, _ in at] == ["0", "1", "2", "3", "4"]
    assert at[-1][1] - at[0][1] > 0.25


def test_a_program_that_opens_its_stdout_anew_takes_nothing_back(zoo) -> None:
    _, kept = zoo.run("reopens_its_streams")
    assert kept.of(Source.STDOUT)[0] == "first"


def test_a_prompt_of_a_megabyte_arrives_whole(zoo) -> None:
    _, kept = zoo.run("counts_stdin", stdin=b"p" * 1_000_000)
    assert kept.of(Source.STDOUT) == ["1000000"]


def test_a_program_that_never_reads_its_prompt_is_not_waited_for(zoo) -> None:
    finished, kept = zoo.run("reads_nothing", stdin=b"p" * 1_000_000)
    assert (finished.code, kept.of(Source.STDOUT)) == (0, ["did not look"])


def test_a_program_without_prompt_reads_an_end(zoo) -> None:
    _, kept = zoo.run("counts_stdin")
    assert kept.of(Source.STDOUT) == ["0"]


def test_a_program_gets_its_environment_and_a_mark_and_nothing_of_ours(zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    _, kept = zoo.start(("/usr/bin/env",))
    assert {line.partition("=")[0] for line in kept.of(Source.STDOUT)} == {"PATH", "SESSION_MARK"}


def test_the_record_of_a_start_names_the_place_by_placeholders(zoo) -> None:
    folders = zoo.folders
    _, kept = zoo.start(("/bin/true", f"--cd={folders.project}/x", str(folders.home), f"{folders.tmp}:{folders.tmp}"))
    assert kept.notes[0] == Spawned(
        argv=("/bin/true", "--cd={project}/x", "{home}", "{tmp}:{tmp}"), environment=("PATH",)
    )
