"""The contract of the grader, on each of its checks."""

from __future__ import annotations

import pytest

from skilltrial.api import PermissionDecided, SkillStep, Step
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial_grader_calls.grader import CallsGrader


def step(kind):
    return SkillStep(seq=99, turn=1, skill="notes", step=kind)


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self, saw, did) -> GraderSubject:
        one = did("remember", {"text": "a"}, result="ok")
        other = did("remember", {"text": "b"}, result="ok")
        failed = did("remember", {"text": "a"}, result="no", is_error=True)
        refused = did("remember", {"text": 1}, rejected="schema")
        unknown = did("forget_all", {}, rejected="unknown_tool")
        denied = PermissionDecided(seq=98, turn=1, call=None, tool="remember", decision="denied", by="user")

        def example(options, good, bad):
            # What a server received is evidence whatever the host shows; what it was never asked is not.
            received = "server" in options and "rejections" not in options
            return CheckExample(options, good, bad, unseen=None if received else saw(sees=frozenset()))

        return GraderSubject(
            CallsGrader(),
            [
                example({"server": "memory", "tool": "remember", "arguments": {"text": "a"}}, saw(one), saw(other)),
                example({"server": "memory", "exactly": [{"tool": "remember"}]}, saw(one), saw(one, other)),
                example({"server": "memory", "retries": "never"}, saw(one), saw(failed, one)),
                example({"reads_skill": "notes"}, saw(events=[step(Step.READ)]), saw()),
                example({"opens_skill": "never"}, saw(), saw(events=[step(Step.READ)])),
                example({"server": "memory", "rejections": "never"}, saw(one), saw(refused)),
                example({"skill_step": "read", "skill": "notes"}, saw(events=[step(Step.READ)]), saw()),
                example({"unknown_tools": "never"}, saw(one), saw(unknown)),
                example({"denials": "never"}, saw(one), saw(one, events=[denied])),
            ],
        )
