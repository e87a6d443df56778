"""The archive of an EmbrAIon suite, judged again and taken up again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")


def test_the_archive_keeps_the_suite_as_written_its_long_form_the_losses_and_the_format(
    run: Command, skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path, canary: str
) -> None:
    suite = greetings()

    assert run(suite, "--attempts", "1").code == 0

    inputs = tmp_path / "run" / "inputs"
    assert (inputs / "suite.source").read_bytes() == suite.read_bytes()
    assert json.loads((inputs / "suite.json").read_text())["cases"][0]["turns"] == [f"Greet the user. {canary}"]
    conversion = json.loads((inputs / "conversion.json").read_text())
    assert conversion["format"]["distribution"] == "skilltrial-format-embraion"
    assert conversion["changed"]
    assert canary not in json.dumps(conversion)
    parts = json.loads((tmp_path / "run" / "parts.json").read_text())
    assert [one["name"] for one in parts if one["kind"] == "format"] == ["embraion"]
    assert skilltrial("verify", "run").code == 0
    assert any(
        "converted from the format embraion" in one
        for one in skilltrial("grade", "run", "--format", "json").report["limitations"]
    )


WITHOUT = """\
import sys
for name in ("skilltrial_format_embraion", "skilltrial_format_embraion.format", "skilltrial_format_embraion.renderer"):
    sys.modules[name] = None
from skilltrial.__main__ import main
sys.exit(main())
"""
"""A command line on which the format can't be imported."""


def test_an_archive_is_judged_again_where_the_format_is_not_installed(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    first = run(greetings(), "--attempts", "1")

    again = subprocess.run(
        [sys.executable, "-c", WITHOUT, "grade", "run", "--format", "json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert first.code == again.returncode == 0, again.stderr
    assert again.stdout.encode() == (tmp_path / "run" / "report.json").read_bytes()


def test_a_run_is_taken_up_from_its_archive_alone(
    run: Command, skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings()
    assert run(suite, "--attempts", "2", "--max-sessions", "1", "--jobs", "1").code == 3
    suite.unlink()

    refused = skilltrial("run", "--resume", "run", "--format", "embraion", "--", "./agent.sh")
    ran = skilltrial("run", "--resume", "run", "--report", "embraion", "--", "./agent.sh")

    assert refused.code == 2
    assert ran.code == 0, ran.err
    assert ran.report["summary"]["candidate"] == {"total": 2, "behavior-passed": 2}


def test_grading_again_prints_the_same_embraion_report(
    run: Command, skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    ran = run(greetings())

    assert skilltrial("grade", "run", "--report", "embraion").out == ran.out


def test_a_suite_of_ours_has_an_embraion_report_without_what_only_embraion_has(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--report", "embraion", *AGENT)

    assert ran.code == 0, ran.err
    assert {one["case-digest"] for one in ran.report["runs"]} == {None}
    assert ran.report["pairs"][0]["candidate-vs"] == {"baseline": "improved"}
