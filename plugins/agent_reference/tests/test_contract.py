"""The contract of the dialect."""

from __future__ import annotations

import pytest

from skilltrial.api import ToolOffer
from skilltrial.testing.dialects import DialectContract, DialectSubject
from skilltrial_agent_reference.dialect import ReferenceDialect


def loads(*skills):
    return ToolOffer("load_skill", "", {"properties": {"name": {"enum": list(skills)}}})


class TestDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        own = tuple(ToolOffer(name) for name in ("read_file", "write_file", "edit_file", "run_command"))
        return DialectSubject(
            ReferenceDialect(), (*own, loads("kit-notes")), (*own, loads("other")), cannot=frozenset({"call"})
        )
