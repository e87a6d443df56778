"""The contract of the renderer."""

from __future__ import annotations

import pytest

from skilltrial.testing.renderers import RendererContract, RendererSubject
from skilltrial_renderer_junit.renderer import JunitRenderer


class TestRenderer(RendererContract):
    @pytest.fixture
    def subject(self) -> RendererSubject:
        return RendererSubject(JunitRenderer())
