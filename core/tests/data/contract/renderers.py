"""A good renderer, and a broken one for each contract test."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import InvalidRequest
from skilltrial.testing.renderers import RendererContract, RendererSubject


class AcmeRenderer:
    """Writes a line per trial."""

    def render_report(self, report, inputs):
        lines = [f"{report.mode} of {report.suite}, exit {report.gate.exit}"]
        lines += [f"{trial.key}: {self._verdict(trial.verdict)}" for trial in report.trials]
        return "\n".join(lines).encode()

    def _verdict(self, verdict):
        return verdict.kind


class TestGood(RendererContract):
    @pytest.fixture
    def subject(self):
        return RendererSubject(AcmeRenderer())


def renderer(test, part, **more):
    broken(RendererContract, test, lambda: RendererSubject(part(), **more), globals())


class Undocumented:
    render_report = AcmeRenderer.render_report


class NeedsTrials(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        assert report.trials[0].ending
        return super().render_report(report, inputs)


class Draws(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        return super().render_report(report, inputs) + str(random.random()).encode()


class Opens(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        Path(__file__).read_bytes()
        return super().render_report(report, inputs)


class TwoValued(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        good = all(trial.verdict.kind in ("passed", "skipped") for trial in report.trials)
        return f"{report.mode} {good}".encode()


class Prompts(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        return super().render_report(report, inputs) + inputs.source


class AsARun(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        return super().render_report(report, inputs).replace(b"rehearse", b"run")


class Refuses(AcmeRenderer):
    """Broken."""

    def render_report(self, report, inputs):
        if report.mode != "run":
            raise InvalidRequest("no rehearsals")
        return super().render_report(report, inputs)


renderer("test_fits_its_hook_spec", Undocumented)
renderer("test_every_report_is_rendered", NeedsTrials)
renderer("test_the_same_report_gives_the_same_bytes", Draws)
renderer("test_the_same_report_gives_the_same_bytes", Opens)
renderer("test_verdicts_are_told_apart", TwoValued)
renderer("test_no_prompt_is_told", Prompts)
renderer("test_a_rehearsal_is_told_as_one_or_refused", AsARun)
renderer("test_a_rehearsal_is_told_as_one_or_refused", Refuses)
