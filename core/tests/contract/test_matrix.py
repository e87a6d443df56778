"""The kit's own test: the good double passes every contract test, and each test fails on a double broken for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial.testing.answerers import AnswererContract
from skilltrial.testing.contracts import contract_tests
from skilltrial.testing.dialects import DialectContract
from skilltrial.testing.fixtures import FixtureContract
from skilltrial.testing.formats import FormatContract
from skilltrial.testing.graders import GraderContract
from skilltrial.testing.hosts import HostContract
from skilltrial.testing.models import ModelContract
from skilltrial.testing.normalizers import NormalizerContract
from skilltrial.testing.observers import ObserverContract
from skilltrial.testing.renderers import RendererContract
from skilltrial.testing.transcripts import TranscriptContract

DOUBLES = Path(__file__).parents[1] / "data" / "contract"
CONTRACTS = {
    "answerers": AnswererContract,
    "dialects": DialectContract,
    "fixtures": FixtureContract,
    "formats": FormatContract,
    "graders": GraderContract,
    "hosts": HostContract,
    "models": ModelContract,
    "normalizers": NormalizerContract,
    "observers": ObserverContract,
    "renderers": RendererContract,
    "transcripts": TranscriptContract,
}


def played(name: str, results: Path) -> list[dict[str, str]]:
    """What became of the doubles of one kind: each test on the good ones, and on those that are broken for it."""
    settings = results.with_name("pytest.ini")
    settings.write_text("[pytest]\naddopts = --import-mode=importlib\nfilterwarnings = error\nxfail_strict = true\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-c", str(settings), "--rootdir", str(DOUBLES)),
            *("-p", "no:cacheprovider", "-p", "matrix", "-p", "skilltrial.testing.reporting"),
            *("--contract-results", str(results), str(DOUBLES / f"{name}.py")),
        ],
        # The doubles find each other by their plain names.
        env={**os.environ, "PYTHONPATH": str(DOUBLES)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    rows: list[dict[str, str]] = json.loads(results.read_bytes())
    return rows


@pytest.mark.parametrize("name", CONTRACTS)
def test_each_contract_test_fails_on_its_own_broken_double(name: str, tmp_path: Path) -> None:
    rows = played(name, tmp_path / "results.json")
    tests = contract_tests(CONTRACTS[name])
    good = {row["class"] for row in rows if row["class"].startswith("TestGood")}
    table = {
        test: (
            [row["outcome"] for row in rows if row["test"] == test and row["class"] in good],
            [row["outcome"] for row in rows if row["test"] == test and row["class"] not in good],
        )
        for test in tests
    }

    # The matrix: shown by `pytest -s`, or `-rP`.
    print(f"\n{name:<58} {'good':<14} broken")
    for test, (on_good, on_broken) in table.items():
        print(f"  {test:<56} {' '.join(on_good):<14} {' '.join(on_broken)}")

    assert len(tests) >= 6
    assert {row["test"] for row in rows} == set(tests)
    for test, (on_good, on_broken) in table.items():
        assert on_good == ["passed"] * len(good), test
        assert on_broken, f"{test} has no double that it must fail on"
        assert set(on_broken) == {"failed"}, test
    for row in rows:
        if row["class"] not in good:
            # A double that breaks down for another reason would prove nothing.
            own = ("skilltrial.testing.contracts.ContractBroken", "AssertionError", "skilltrial.model.errors.")
            assert row["why"].startswith((*own, "pydantic_core")), row
