"""What the bridge allows an agent: by whole names and by where a file really lies (`test_gap_16`: a gap of before)."""

from __future__ import annotations

from pathlib import Path

import pytest
from acp.schema import ToolCallLocation, ToolCallUpdate

from skilltrial_host_acp.client import Client
from skilltrial_host_acp.job import Job

JOB = Job(prompt="Do it.", tools=("remember_memory",), programs=("gh",), allow=("Bash", "fetch"))


@pytest.mark.parametrize(
    ("title", "kind", "allowed"),
    [
        ("remember_memory", "other", True),
        ("powercontext_remember_memory", "other", True),
        ("Remember_Memory", "other", False),
        ("remember_memory_all", "other", False),
        ("forremember_memory", "other", False),
        ("remember_memory; rm -rf x", "other", False),
        ("Bash", "other", True),
        ("bash", "other", False),
        ("Bashful", "other", False),
        ("page", "fetch", True),
        ("gh pr create", "execute", True),
        ("GH pr create", "execute", False),
        ("ghost", "execute", False),
        ("gh pr create", "other", False),
        ("ls; gh pr create", "execute", False),
    ],
)
def test_gap_16_a_call_is_allowed_by_the_whole_name_of_its_tool_in_its_own_letters(
    tmp_path: Path, title: str, kind: str, allowed: bool
) -> None:
    call = ToolCallUpdate.model_validate({"tool_call_id": "1", "title": title, "kind": kind})

    assert Client(JOB, str(tmp_path)).allows(call) is allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("notes.md", True), ("a/../notes.md", True), ("../notes.md", False), ("/etc/hosts", False), ("out/x", False)],
)
def test_gap_16_a_file_counts_by_where_it_really_lies(tmp_path: Path, path: str, allowed: bool) -> None:
    project = tmp_path / "Project"
    project.mkdir()
    (project / "out").symlink_to(tmp_path)
    (tmp_path / "project").mkdir()
    call = ToolCallUpdate(tool_call_id="1", title="Write", kind="edit", locations=[ToolCallLocation(path=path)])
    other = call.model_copy(update={"locations": [ToolCallLocation(path=str(tmp_path / "project/notes.md"))]})

    assert Client(JOB, str(project)).allows(call) is allowed
    assert not Client(JOB, str(project)).allows(other), "letters count in paths too"
