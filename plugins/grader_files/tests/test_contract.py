"""The contract of the grader, on each of its checks."""

from __future__ import annotations

import pytest

from skilltrial.api import Entry, FileKind
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial_grader_files.grader import FilesGrader

TEXT = "hello you\n"
ASSETS = {"golden.txt": TEXT.encode(), "schema.json": b'{"type": "object", "required": ["a"]}'}


def script(*, executable):
    return Entry(path="run.sh", kind=FileKind.FILE, executable=executable, size=0, sha256="0" * 64)


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self, happened) -> GraderSubject:
        def example(options, good, bad, before=None):
            # An agent made so many files that the listing ended before it came to any of these.
            cut = happened({}, before or {}, complete=False, assets=ASSETS)
            return CheckExample(
                options, happened(good, before, assets=ASSETS), happened(bad, before, assets=ASSETS), unseen=cut
            )

        said, longer = {"note.txt": TEXT}, {"note.txt": "a\nb\nc\n"}
        return GraderSubject(
            FilesGrader(),
            [
                example({"path": "note.txt", "contains": "hello"}, said, {"note.txt": "bye"}),
                example({"path": "note.txt", "exists": True}, said, {}),
                example({"path": "note.txt", "unchanged": True}, said, {"note.txt": "bye"}, said),
                example({"changed_within": ["note.txt"]}, said, {"other.txt": "x"}, {}),
                example({"nothing_changed": True}, said, {"note.txt": "bye"}, said),
                example({"path": "note.txt", "equals_file": "golden.txt"}, said, {"note.txt": "bye"}),
                example({"path": "a.json", "pointer": "/a", "equals": 1}, {"a.json": '{"a": 1}'}, {"a.json": "{}"}),
                example({"path": "a.json", "pointer": "/a", "present": True}, {"a.json": '{"a": 1}'}, {"a.json": "{}"}),
                example({"path": "a.json", "schema": "schema.json"}, {"a.json": '{"a": 1}'}, {"a.json": "{}"}),
                example({"glob": "*.txt", "count": 1}, said, {**said, "b.txt": "b"}),
                example({"path": "note.txt", "diff_lines": {"max": 1}}, said, longer, {"note.txt": ""}),
                example(
                    {"path": "run.sh", "executable": True},
                    {"run.sh": script(executable=True)},
                    {"run.sh": script(executable=False)},
                ),
            ],
        )
