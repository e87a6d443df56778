"""The contract of the grader, on each thing that it can ask of a command."""

from __future__ import annotations

import pytest

from skilltrial.api import CommandResult, Ending, Evidence, Files, HostIdentity, TrialKey
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial_grader_command.grader import CommandsGrader


def said(code: int | None = 0, stdout: str = "", *, command: str = "npm test") -> Evidence:
    return Evidence(
        key=TrialKey(case="case", arm="with_skill", label="1"),
        identity=HostIdentity(name="portable", records="portable"),
        sees=frozenset(),
        ending=Ending.COMPLETED,
        events=(),
        files=Files(before={}, after={}, changes=()),
        after=(CommandResult(command, code, stdout, ""),),
    )


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self) -> GraderSubject:
        command, other = "npm test", said(command="npm run lint")
        return GraderSubject(
            CommandsGrader(),
            [
                CheckExample({"command": command}, said(), said(1), unseen=other),
                CheckExample({"command": command}, said(), said(1), unseen=said(None)),
                CheckExample({"command": command, "exits": 3}, said(3), said(), unseen=other),
                CheckExample({"command": command, "prints": "ok"}, said(0, "ok"), said(0, "no"), unseen=other),
                CheckExample(
                    {"command": command, "prints_not": "skipped"},
                    said(0, "ok"),
                    said(0, "1 skipped"),
                    unseen=said(0, "[redacted KEY]"),
                ),
            ],
        )
