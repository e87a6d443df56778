"""A pytest plugin (`-p skilltrial.testing.reporting --contract-results FILE`): keeps what became of contract tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .contracts import Contract


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the results go."""
    parser.addoption("--contract-results", metavar="FILE", help="write what became of contract tests, as JSON")
    parser.addoption("--contract-only", action="store_true", help="run no other tests than those of contracts")


def pytest_configure(config: pytest.Config) -> None:
    """Listen only where results are wanted."""
    if path := config.getoption("--contract-results"):
        config.pluginmanager.register(_Results(Path(path)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is no contract, where that is asked for."""
    if config.getoption("--contract-only"):
        items[:] = [item for item in items if issubclass(getattr(item, "cls", None) or object, Contract)]


class _Results:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the worst phase of each contract test."""
        told = {name: str(value) for name, value in report.user_properties}
        if "skilltrial_kind" not in told and report.passed:
            return
        owner, _, test = report.nodeid.rpartition("::")
        row = self._rows.setdefault(report.nodeid, {"class": owner.rpartition("::")[2], "test": test.partition("[")[0]})
        row |= {name.removeprefix("skilltrial_"): value for name, value in told.items()}
        if report.when == "call" or not report.passed:
            row["outcome"] = _outcome(report)
            row["why"] = str(getattr(report, "wasxfail", "")) or _said(report)

    def pytest_sessionfinish(self) -> None:
        """Write them."""
        self._path.write_text(json.dumps(list(self._rows.values()), indent=1), encoding="utf-8")


def _outcome(report: pytest.TestReport) -> str:
    if report.skipped:
        return "waived" if hasattr(report, "wasxfail") else "skipped"
    return "passed" if report.passed else "failed"


def _said(report: pytest.TestReport) -> str:
    if report.passed:
        return ""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(getattr(crash, "message", report.longrepr)).partition("\n")[0]
