"""The contracts of the format and of the renderer."""

from __future__ import annotations

import pytest

from skilltrial.testing.formats import FormatContract, FormatSubject
from skilltrial.testing.renderers import RendererContract, RendererSubject
from skilltrial_format_embraion.format import EmbraionFormat
from skilltrial_format_embraion.renderer import EmbraionRenderer


class TestFormat(FormatContract):
    @pytest.fixture
    def subject(self, suite, laid) -> FormatSubject:
        return FormatSubject(EmbraionFormat(), laid({"suite.json": "{}"}), suite)


class TestRenderer(RendererContract):
    @pytest.fixture
    def subject(self) -> RendererSubject:
        return RendererSubject(EmbraionRenderer(), rehearsals=False)
