"""What doubles do when they are called, and what is recorded of it before they do."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import InvalidRequest, Source, wire_calls
from skilltrial.testing import MemoryRecorder

PUSH = '{program: git, begins: [push], reply: {stdout: "out\\n", stderr: "err\\n", exit: 3}}'


def test_a_call_prints_and_ends_as_its_rule_says(shell: Any) -> None:
    run = shell(PUSH)

    assert run("git", "push", "origin") == (3, "out\n", "err\n")

    placed, called, answered = run.notes
    assert placed == {"wire": "placed", "programs": ["git", "gh", "npm"]}
    assert (called["tool"], called["arguments"]) == (
        "git",
        {"argv": ["push", "origin"], "cwd": ".", "stdin": None},
    )
    assert (answered["result"], answered["is_error"], answered["because"]) == (
        {"exit": 3, "stdout": "out\n", "stderr": "err\n"},
        True,
        "rule",
    )
    (call,) = wire_calls("tools", run.recorder.records)
    assert (call.tool, call.answered, call.turn) == ("git", True, 1)


@pytest.mark.parametrize(
    ("rule", "argv", "fits"),
    [
        ("argv: [push]", ["push"], True),
        ("argv: [push]", ["push", "-f"], False),
        ("argv: []", [], True),
        ("begins: [push]", ["push", "-f"], True),
        ("begins: [push, -f]", ["push"], False),
        ("arguments: {properties: {argv: {contains: {const: -f}}}}", ["push", "-f"], True),
        ("arguments: {properties: {cwd: {const: sub}}}", ["push"], False),
        ("state: {required: [none]}", ["push"], False),
        ("program: [gh, npm]", ["push"], False),
    ],
)
def test_a_rule_fits_by_program_arguments_and_state(shell: Any, rule: str, argv: list[str], fits: bool) -> None:
    run = shell(f"{{{rule}, reply: {{}}}}")

    code, out, err = run("git", *argv)

    assert (code, out) == ((0, "") if fits else (1, ""))
    assert ("FIXTURE_UNEXPECTED_OPERATION" in err) is not fits
    assert [note["because"] for note in run.of("answered")] == ["rule" if fits else "unexpected"]


def test_state_passes_from_call_to_call_and_values_are_taken_from_both(shell: Any) -> None:
    run = shell(
        "scripts: {one: {state: {branch: main}, rules: ["
        "{program: git, begins: [switch], set: {branch: {$argument: /argv/1}}, reply: {}},"
        "{program: git, argv: [branch], reply: {stdout: ['* ', {$state: /branch}, \"\\n\"]}},"
        "{program: gh, reply: {json: {head: {$state: /branch}, n: 1}}}]}}"
    )

    assert run("git", "branch")[1] == "* main\n"
    assert run("git", "switch", "topic")[0] == 0
    assert run("git", "branch")[1] == "* topic\n"
    assert run("gh", "pr", "view")[1] == '{"head":"topic","n":1}\n'
    assert [note["state"]["branch"] for note in run.of("answered")] == ["main", "topic", "topic", "topic"]


def test_a_case_chooses_script_and_state(shell: Any) -> None:
    replies = "scripts: {a: {rules: []}, b: {state: {n: 1}, rules: [{reply: {stdout: [{$state: /n}]}}]}}"

    assert shell(replies, case={"script": "b", "state": {"n": 7}})("npm")[1] == "7"


def test_files_are_written_where_it_was_called(shell: Any) -> None:
    run = shell("{program: npm, reply: {files: {dist/a.txt: ['made by ', {$argument: /argv/0}], b.txt: ''}}}")
    (run.place.project / "sub").mkdir()

    assert run("npm", "build", cwd="sub")[0] == 0

    assert (run.place.project / "sub/dist/a.txt").read_text(encoding="utf-8") == "made by build"
    assert (run.place.project / "sub/b.txt").read_bytes() == b""
    assert run.of("answered")[0]["result"]["files"] == ["dist/a.txt", "b.txt"]
    assert run.of("called")[0]["arguments"]["cwd"] == "sub"


def test_standard_input_is_read_where_the_suite_says_so(shell: Any) -> None:
    run = shell("{reply: {stdout: [{$argument: /stdin, else: none}]}}", stdin=("gh",))

    assert run("gh", "api", stdin="héllo\n")[1] == "héllo\n"
    assert run("git", "commit", stdin="a message")[1] == "null"
    assert [note["arguments"]["stdin"] for note in run.of("called")] == ["héllo\n", None]


def test_a_program_outside_the_project_is_recorded_with_its_whole_folder(shell: Any) -> None:
    run = shell("{reply: {}}")

    run("git", cwd="../tmp")

    assert run.of("called")[0]["arguments"]["cwd"] == str(run.place.tmp.resolve())


@pytest.mark.parametrize(("fault", "code"), [("crash", -9), ("missing", 127)])
def test_faults_that_end(shell: Any, fault: str, code: int) -> None:
    run = shell(f"{{program: npm, fault: {fault}}}")

    assert run("npm", "test")[0] == code
    (answered,) = run.of("answered")
    assert (answered["because"], answered["is_error"]) == ("fault", True)


def test_a_program_that_hangs_is_answered_for_the_record_and_ends_when_it_is_killed(shell: Any) -> None:
    run = shell("{program: npm, fault: hang}")

    with run.begin("npm", "start") as hanging:
        with pytest.raises(subprocess.TimeoutExpired):
            hanging.wait(1)
        hanging.kill()

    assert run.of("answered")[0]["result"] == {"exit": None, "stdout": "", "stderr": ""}


def test_a_real_program_answers_and_is_recorded_first(shell: Any) -> None:
    run = shell("{program: git, forward: true}")

    code, out, err = run("git", "init", "-q", "x")
    again = run("git", "rev-parse", "--git-dir", cwd="x")
    wrong = run("git", "no-such-command")

    assert (code, out, err) == (0, "", "")
    assert again == (0, ".git\n", "")
    assert wrong[0] == 1
    assert (run.place.project / "x/.git").is_dir()
    results = [(note["result"]["exit"], note["is_error"], note["because"]) for note in run.of("answered")]
    assert results == [(0, False, "forwarded"), (0, False, "forwarded"), (1, True, "forwarded")]
    assert run.of("answered")[1]["result"]["stdout"] == ".git\n"


def test_a_real_program_gets_what_was_typed(shell: Any) -> None:
    run = shell("{program: git, forward: true}", stdin=())
    taken = shell("{program: git, forward: true}", stdin=("git",))

    hashed = "257cc5642cb1a054f08cc83f2d943e56fd3ebe99\n"
    assert run("git", "hash-object", "--stdin", stdin="foo\n")[1] == hashed
    assert taken("git", "hash-object", "--stdin", stdin="foo\n")[1] == hashed
    assert taken.of("called")[0]["arguments"]["stdin"] == "foo\n"


def test_a_real_program_that_is_not_there_is_recorded_as_missing(shell: Any, tmp_path: Path) -> None:
    run = shell("{program: gh, forward: true}")
    empty = tmp_path / "bin"
    empty.mkdir()
    environment = {**run.environment, "PATH": f"{run.offer.programs}{os.pathsep}{empty}"}

    ran = subprocess.run([f"{run.offer.programs}/gh"], env=environment, capture_output=True, timeout=60, check=False)

    assert ran.returncode == 127
    assert b"not found" in ran.stderr
    assert run.of("answered")[0]["result"]["exit"] == 127


def test_a_real_program_that_has_not_ended_is_recorded_at_the_end(in_trial: Any, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "npm").write_text("#!/bin/sh\necho began > begun\nsleep 60\n", encoding="utf-8")
    (slow / "npm").chmod(stat.S_IRWXU)

    with in_trial("{program: npm, forward: true}") as run:
        run.place.environment["PATH"] = f"{slow}{os.pathsep}{run.place.environment['PATH']}"
        with run.begin("npm", "start") as going:
            while not run.of("called") and going.poll() is None:
                pass
            going.kill()

    (answered,) = run.of("answered")
    assert (answered["result"]["exit"], answered["is_error"], answered["because"]) == (None, True, "forwarded")


def test_many_at_once_are_each_answered(shell: Any) -> None:
    run = shell("{reply: {stdout: [{$argument: /argv/0}]}}")

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: run("git", str(n))[1], range(24)))

    assert said == [str(n) for n in range(24)]
    assert [note["number"] for note in run.of("answered")] == list(range(1, 25))


def test_words_that_are_no_text_are_recorded_as_far_as_they_are(shell: Any) -> None:
    run = shell("{reply: {}}")

    done = subprocess.run([b"git", b"a\xffb"], env=run.environment, timeout=60, check=False)

    assert done.returncode == 0
    assert run.of("called")[0]["arguments"]["argv"] == ["a\ufffdb"]


@pytest.mark.parametrize(
    "question",
    [
        b"{",
        b"[]",
        b'{"program": "rm", "argv": [], "cwd": "/", "stdin": null}',
        b'{"program": "git", "argv": [1], "cwd": "/", "stdin": null}',
        b'{"exit": 0, "stdout": "", "stderr": "", "cut": false}',
        None,
    ],
)
def test_what_no_program_of_ours_wrote_is_refused_on_record(in_trial: Any, question: bytes | None) -> None:
    with in_trial("{reply: {}}") as run:
        (bell,) = run.place.tmp.glob("*/bell")
        if question is not None:
            (bell.parent / "0123456789abcdef.asked").write_bytes(question)
        with bell.open("ab", buffering=0) as ring:
            ring.write(b"0123456789abcdef\n../x\n\xff\n")
        run("git")

    assert run.of("refused") == [{"wire": "refused", "why": "not_asked"}] * 3
    assert len(run.of("called")) == 1


def test_an_agent_that_takes_the_way_away_makes_the_trial_incomplete(in_trial: Any) -> None:
    def remove() -> None:
        with in_trial("{reply: {}}") as run:
            shutil.rmtree(next(run.place.tmp.iterdir()))
            assert run("git")[0] == 126

    with pytest.raises(RuntimeError) as raised:
        remove()

    assert type(raised.value).__name__ == "SpoolGone"


class FullDisk(MemoryRecorder):
    """A recorder whose disk is full after the first record."""

    def record(self, source: Source, *lines: str) -> None:
        if self.records:
            raise OSError(28, "No space left on device")
        super().record(source, *lines)


def test_a_record_that_cannot_be_written_is_an_error_of_the_run_and_no_answer(in_trial: Any) -> None:
    def call() -> None:
        with in_trial("{reply: {stdout: answered}}", recorder=FullDisk()) as run:
            assert run("git")[:2] == (126, "")
            assert run("git")[:2] == (126, "")

    with pytest.raises(OSError, match="No space left"):
        call()


def test_a_program_that_is_called_after_the_trial_gets_no_answer(in_trial: Any) -> None:
    with in_trial("{reply: {}}") as run:
        pass

    code, out, err = run("git")

    assert (code, out) == (126, "")
    assert err.startswith("git: can't do this here")
    assert run.of("called") == []


def test_the_programs_and_their_places_tell_nothing(shell: Any) -> None:
    run = shell("{reply: {}}")

    assert run.offer.tools == ("git", "gh", "npm")
    assert run.offer.programs is not None
    assert not run.offer.is_server
    assert sorted(path.name for path in run.offer.programs.iterdir()) == ["gh", "git", "npm"]
    told = "".join(path.read_text(encoding="utf-8") for path in run.offer.programs.parent.rglob("*") if path.is_file())
    assert "skilltrial" not in told.lower()
    assert "fixture" not in told.lower()


def test_a_case_with_faulty_options_does_not_start(in_trial: Any) -> None:
    with pytest.raises(InvalidRequest, match="no such `script`"), in_trial("{reply: {}}", case={"script": "two"}):
        pass
