"""A full disk, a folder that can't be written, a place that vanished: one clear error, what was sealed is kept."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.archive.journal import Journal

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
FILLS = "#!/bin/sh\ncat > /dev/null\nhead -c 400000 /dev/urandom > big.bin\necho hello > greeting.txt\n"


def one_error(err: str) -> bool:
    """Whether exactly one line of standard error says that something is wrong."""
    return sum(line.startswith(("error:", "Error:")) for line in err.splitlines()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> tuple[str, ...]:
    """The start of a command that sees a disk of 1 MB at `small`, in a name space of its own."""
    (tmp_path / "small").mkdir()
    script = 'mount -t tmpfs -o size=1m none "$0" && exec "$@"'
    for rights in (("unshare", "-m"), ("unshare", "-rm")):
        under = (*rights, "sh", "-c", script, str(tmp_path / "small"))
        if (
            shutil.which("unshare")
            and not subprocess.run([*under, "true"], capture_output=True, check=False).returncode
        ):
            return under
    pytest.skip("this system lets nobody mount a small disk")


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_full_disk_ends_the_run_with_one_error_and_what_was_sealed_is_whole(
    skilltrial: Command, greeter: Callable[..., Path], small_disk: tuple[str, ...], tmp_path: Path, jobs: str
) -> None:
    suite = greeter(FILLS)
    keep = 'set +e; "$@"; code=$?; cp -r "$0/run" "$0/../kept"; exit $code'
    under = (*small_disk, "sh", "-c", keep, str(tmp_path / "small"))

    ran = skilltrial(
        "run", suite, "--out", tmp_path / "small" / "run", "--attempts", "3", "--jobs", jobs, *AGENT, under=under
    )

    assert ran.code == 3, ran.err
    assert one_error(ran.err), ran.err
    assert "No space left" in ran.err
    kept = tmp_path / "kept"
    seals = {
        seal.parent.relative_to(kept).as_posix(): seal.read_bytes() for seal in kept.glob("trials/*/*/*/seal.json")
    }
    # The disk may be full just between a seal and the line that tells it, so the journal may know less, never more.
    digests = {trial: hashlib.sha256(seal).hexdigest() for trial, seal in seals.items()}
    assert Journal(kept).read().items() <= digests.items()
    # On a bigger disk it is taken up as if nothing had been: no sealed trial is run again, told or not.
    done = skilltrial("run", "--resume", "kept")
    assert done.code == 0, done.err
    assert {trial: (kept / trial / "seal.json").read_bytes() for trial in seals} == seals
    assert len(Journal(kept).read()) == len(list(kept.glob("trials/*/*/*/seal.json"))) == 6
    assert skilltrial("verify", "kept").code == 0


def test_a_full_disk_under_the_places_is_not_the_agents_fault(
    skilltrial: Command, greeter: Callable[..., Path], small_disk: tuple[str, ...], tmp_path: Path
) -> None:
    suite = greeter()
    (tmp_path / "start" / "big.bin").write_bytes(os.urandom(700_000))

    ran = skilltrial(
        "run", suite, "--out", "run", "--jobs", "4", "--format", "json", *AGENT,
        under=small_disk, env={"TMPDIR": str(tmp_path / "small")},
    )  # fmt: skip

    assert ran.code in (0, 3), ran.err
    if ran.code == 3:
        assert one_error(ran.err), ran.err
        assert "No space left" in ran.err
    assert ran.verdicts["greet/with_skill/1"] in ("passed", "incomplete")
    assert ran.verdicts["greet/without_skill/1"] in ("failed", "incomplete")
    assert list((tmp_path / "small").iterdir()) == []


@pytest.mark.parametrize("blocks", [8, 120])
def test_a_disk_that_takes_no_more_is_told_apart_from_the_skill(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, blocks: int
) -> None:
    # A limit on the size of a file is the disk that refuses of those who may not mount one.
    under = ("sh", "-c", f'ulimit -f {blocks} && exec "$@"', "sh")

    suite = greeter("#!/bin/sh\ncat > /dev/null\nhead -c 40000 /dev/zero; echo hello > greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", *AGENT, under=under)

    assert ran.code in (2, 3), ran.err
    assert one_error(ran.err), ran.err
    assert "too large" in ran.err


@pytest.mark.parametrize("out", ["taken/run", "/proc/run", "/dev/null/run", "/sys/run", "whole", "", "long" * 80])
def test_r63_a_folder_that_can_not_keep_an_archive_is_found_before_the_first_session(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, out: str
) -> None:
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "thesis.txt").write_text("years of work")
    suite = greeter('#!/bin/sh\necho called >> "$CALLS"\necho hello > greeting.txt\n')
    calls = tmp_path / "calls"

    refused = skilltrial("run", suite, "--out", out, "--pass-env", "CALLS", *AGENT, env={"CALLS": str(calls)})

    assert refused.code == 2, refused.err
    assert one_error(refused.err), refused.err
    assert not calls.exists()
    assert (tmp_path / "whole" / "thesis.txt").read_text() == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "greeter", "greeter.trial.yaml", "start", "taken", "whole",
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for the superuser")
def test_r63_a_read_only_folder_is_found_before_the_first_session(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()
    (tmp_path / "locked").mkdir(mode=0o500)

    refused = skilltrial("run", suite, "--out", "locked/run", *AGENT)

    assert refused.code == 2
    assert "Permission denied" in refused.err


@pytest.mark.parametrize("place", ["/nowhere/at/all", "a file"])
def test_places_that_can_not_be_made_are_an_error_of_the_operator(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    suite = greeter()
    (tmp_path / "a file").write_text("")
    folder = place if place.startswith("/") else str(tmp_path / place)

    ran = skilltrial("run", suite, "--out", "run", *AGENT, env={"TMPDIR": folder})

    # Python looks for another folder for temporary files where this one is not usable.
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("what", ["run", "run/trials", "run/unsealed", "run/plan.json"])
def test_an_archive_that_is_taken_away_while_it_is_made_is_one_error(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, what: str
) -> None:
    suite = greeter(f'#!/bin/sh\nrm -rf "$ROOT/{what}"\necho hello > greeting.txt\n')

    ran = skilltrial(
        "run", suite, "--out", "run", "--jobs", "1", "--pass-env", "ROOT", *AGENT, env={"ROOT": str(tmp_path)}
    )

    assert ran.code in (3, 4), (ran.code, ran.err)
    # Where only the trials were taken, those that are gone are told as not run.
    assert one_error(ran.err) or "1 of 2 planned trials left no seal" in " ".join(ran.out.split()), ran.err
    assert "a fault of skilltrial itself" not in ran.err


@pytest.mark.parametrize(
    ("agent", "verdict"),
    [
        ("rm -rf ../project", "failed"),
        ("cd ..; rm -rf project home tmp", "failed"),
        ('here=$(dirname "$PWD"); cd /; rm -rf "$here"', "failed"),
        ("echo hello > greeting.txt; chmod 0 ../project ../home", "passed"),
        ("echo hello > greeting.txt; chmod 0500 . ; chmod 0 agent.sh", "passed"),
    ],
    ids=["the project", "all folders", "the place", "takes all rights away", "read-only"],
)
def test_a_place_that_an_agent_destroyed_costs_no_other_trial_and_is_judged_as_it_lies(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, verdict: str
) -> None:
    suite = greeter(f"#!/bin/sh\n[ -d .agents ] || {{ echo hello > greeting.txt; exit 0; }}\n{agent}\n")
    places = tmp_path / "places"
    places.mkdir()

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "2", "--format", "json", *AGENT, env={"TMPDIR": str(places)}
    )

    if agent.startswith("echo hello > greeting.txt; chmod 0 ") and os.geteuid() != 0:
        verdict = "unverified"  # what nobody can look into was not seen
    assert ran.code == {"failed": 1, "unverified": 3, "passed": 0}[verdict], ran.err
    assert {key.split("/")[1]: kind for key, kind in ran.verdicts.items()} == {
        "with_skill": verdict, "without_skill": "passed",
    }  # fmt: skip
    assert list(places.iterdir()) == []
    assert skilltrial("verify", "run").code == 0
