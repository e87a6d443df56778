"""Nothing of a contract can be forgotten, overridden or skipped without a word."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.testing.contracts import contract_tests, watched
from skilltrial.testing.dialects import DialectContract
from skilltrial.testing.hosts import HostContract

HEAD = '''
import pytest
from skilltrial.testing.renderers import RendererContract, RendererSubject

class Plain:
    """Writes one word per verdict."""
    def render_report(self, report, inputs):
        return f"{report.mode} {[trial.verdict.kind for trial in report.trials]}".encode()

@pytest.fixture
def subject():
    return RendererSubject(Plain())
'''
GIVEN = """
    @pytest.fixture
    def subject(self):
        return RendererSubject(Plain())
"""
Run = Callable[[str], tuple[dict[str, str], str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a test module below HEAD; what became of each contract test, and what pytest printed."""

    def played(text: str) -> tuple[dict[str, str], str]:
        (tmp_path / "test_it.py").write_text(HEAD + text)
        results = tmp_path / "results.json"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "skilltrial.testing.reporting"),
                *("--contract-results", str(results), "-ra", str(tmp_path / "test_it.py")),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        rows: list[dict[str, Any]] = json.loads(results.read_bytes()) if results.exists() else []
        return {row["test"]: row["outcome"] for row in rows}, done.stdout

    return played


def test_one_class_and_one_fixture_are_all(run: Run) -> None:
    outcomes, _ = run(f"class TestPlain(RendererContract):{GIVEN}")

    assert set(outcomes.values()) == {"passed"}
    assert len(outcomes) == 6


def test_a_class_without_its_fixture_fails_every_test(run: Run) -> None:
    """A fixture of the same name elsewhere does not count: it could be another class's."""
    outcomes, told = run("class TestPlain(RendererContract):\n    pass\n")

    assert set(outcomes.values()) == {"failed"}
    assert len(outcomes) == 6
    assert "TestPlain must give the fixture `subject`" in told


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    def test_no_prompt_is_told(self): pass", "can't be overridden"),
        ("    test_no_prompt_is_told = None", "can't be overridden"),
        ("    @pytest.fixture\n    def renderer(self): return None", "can't be overridden"),
        ("    def _told(self): pass", "can't be overridden"),
        ("    pytestmark = pytest.mark.skip", "could keep tests of the contract from running"),
        ("    __test__ = False", "could keep tests of the contract from running"),
        ("    def __init__(self): pass", "could keep tests of the contract from running"),
        ("    waive = {'test_no_prompt_is_tolt': 'x'}", "which is no test of the contract"),
        ("    waive = {'test_no_prompt_is_told': ' '}", "needs a reason"),
    ],
)
def test_taking_a_test_away_is_an_error(run: Run, body: str, said: str) -> None:
    outcomes, told = run(f"class TestPlain(RendererContract):{GIVEN}{body}\n")

    assert outcomes == {}
    assert said in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"@pytest.mark.skip(reason='no')\nclass TestPlain(RendererContract):{GIVEN}", "can't be skipped"),
        (f"@pytest.mark.xfail\nclass TestPlain(RendererContract):{GIVEN}", "can't be skipped"),
        (
            f"class TestPlain(RendererContract):{GIVEN}\nTestPlain.test_no_prompt_is_told = lambda self: None",
            "can't be replaced",
        ),
        (
            f"class Mixin:\n    test_no_prompt_is_told = None\n\nclass TestPlain(Mixin, RendererContract):{GIVEN}",
            "can't be overridden",
        ),
        (f"class Plainly(RendererContract):{GIVEN}", "call it TestPlainly"),
    ],
)
def test_taking_it_away_from_outside_is_one_too(run: Run, text: str, said: str) -> None:
    outcomes, told = run(text)

    assert outcomes == {}
    assert said in told


def test_a_class_may_have_contract_tests_its_own(run: Run) -> None:
    _, told = run(f"@pytest.mark.acme\nclass TestPlain(RendererContract):{GIVEN}\n    def test_more(self): pass\n")

    assert "7 passed" in told


def test_a_waived_test_is_an_expected_failure_with_its_reason(run: Run) -> None:
    waived = "    waive = {'test_verdicts_are_told_apart': 'acme knows two verdicts'}\n"
    broken = "class Two(Plain):\n    def render_report(self, report, inputs):\n        return report.mode.encode()\n"

    outcomes, told = run(f"{broken}class TestPlain(RendererContract):{GIVEN.replace('Plain', 'Two')}{waived}")

    assert outcomes.pop("test_verdicts_are_told_apart") == "waived"
    assert set(outcomes.values()) == {"passed"}
    assert "acme knows two verdicts" in told


def test_a_waived_test_that_holds_is_a_failure(run: Run) -> None:
    """Or reasons would outlive what they were for."""
    outcomes, told = run(
        f"class TestPlain(RendererContract):{GIVEN}    waive = {{'test_no_prompt_is_told': 'it is told'}}\n"
    )

    assert outcomes.pop("test_no_prompt_is_told") == "failed"
    assert set(outcomes.values()) == {"passed"}
    assert "XPASS(strict)" in told


def test_every_contract_test_says_what_it_asks() -> None:
    for contract in (HostContract, DialectContract):
        for name in contract_tests(contract):
            assert (getattr(contract, name).__doc__ or "").strip(), name


def test_what_a_pure_hook_must_not_do_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")

    with watched() as acts:
        file.read_text()
        subprocess.run(["true"], check=True)
        list(tmp_path.iterdir())
    before = list(acts)
    file.read_text()

    assert acts == before
    assert any(act.startswith("open") and "a.txt" in act for act in acts)
    assert any(act.startswith("subprocess.Popen") for act in acts)
    assert any(act.startswith(("os.listdir", "os.scandir")) for act in acts)
