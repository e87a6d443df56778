"""The contract of the grader, on each of its checks."""

from __future__ import annotations

import pytest

from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial_grader_answers.grader import AnswersGrader

SCHEMA = {"schema.json": b'{"type": "object", "required": ["a"]}'}


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self, answered) -> GraderSubject:
        def example(options, good, bad):
            return CheckExample(
                options, answered(good, assets=SCHEMA), answered(bad, assets=SCHEMA), answered(None, assets=SCHEMA)
            )

        return GraderSubject(
            AnswersGrader(),
            [
                example({"contains": "hello"}, "hello you", "goodbye"),
                example({"list": ["a", "b"]}, '["a", "b"]', '["a"]'),
                example({"pointer": "/a", "equals": 1}, '{"a": 1}', '{"a": 2}'),
                example({"schema": "schema.json"}, '{"a": 1}', "{}"),
            ],
        )
