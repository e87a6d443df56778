"""The answerer `kody`, held to the kit's contract."""

from __future__ import annotations

import pytest

from skilltrial.testing.answerers import AnswererContract, AnswererSubject
from skilltrial_grader_kody.answerer import KodyAnswerer


class TestKody(AnswererContract):
    @pytest.fixture
    def subject(self) -> AnswererSubject:
        return AnswererSubject(
            KodyAnswerer(),
            state={"values": {"team": {"value": 3}}},
            unready={"presupposes": {"values": ["team"]}},
            tool="execute",
            arguments={"code": "await kody.packageSave({ name: '@me/new' });", "params": {"a": 1}},
            undecided={"code": "eval(atob(params.secret));"},
        )
