"""What the bridge allows an agent: by whole names and by where a file really lies (`test_gap_16`: a gap of before)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp.connection import StreamDirection, StreamEvent
from acp.schema import PermissionOption, ToolCallLocation, ToolCallUpdate

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


COMMANDS = Job(prompt="Do it.", tools=("look_up",), programs=("git", "gh"), allow=("npm test", "make", "a | b > c"))


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("git status", True),
        ('git status && gh pr create --title "It\'s $5"', True),
        ("cd /p && git push 2>&1 | gh issue list || echo 'no; rm x'", True),
        ("git commit -m 'a\nb'\ngit push", True),
        ("bash -lc 'git push; gh pr list'", True),
        ("npm test && git push", True),
        ("make", True),
        *(
            (f"git status{sign}rm -rf x", False)
            for sign in ("; ", ";", " && ", " || ", " | ", " |& ", " & ", "\n", "\r\n")
        ),
        *((f"git status {part}", False) for part in ("$(rm x)", "`rm x`", '"$(rm x)"', "<(rm x)", "${X:-`rm x`}")),
        *(
            (f"git status {part}", False)
            for part in ("> x", ">> x", "> /dev/null/../x", "< x", "<<E\nE\nrm x", "\\\nrm")
        ),
        *(
            (f"{part} git status", False)
            for part in ("PATH=/tmp", "A=1 B=2", "env", "env -i", "sudo", "command", "exec")
        ),
        *((f"{part} git status", False) for part in ("time", "!", "xargs", "eval", "nohup", "(", "{")),
        *((f"{path}git status", False) for path in ("/tmp/", "./", "../", "~/", "$X/", "x/")),
        ("sh -c 'git status; rm x'", False),
        ('sh -c "git \\"\\$(rm x)\\""', False),
        ("bash -c 'git status' x", False),
        ("git() { rm x; }; git", False),
        ("alias git=rm; git x", False),
        ("export PATH=/tmp; git x", False),
        ("GIT status", False),
        ("gitk", False),
        ("git-x", False),
        ("npm", False),
        ("npm install", False),
        ("npm testing", False),
        ("npm test; npm publish", False),
        ("rm x; a | b > c", False),
        ("cat notes.md", False),
        ("rm -rf x/look_up", False),
    ],
)
@pytest.mark.parametrize("way", ["title", "quoted title", "input", "list", "told before"])
def test_a_line_of_commands_is_allowed_where_each_of_them_is(
    tmp_path: Path, command: str, allowed: bool, way: str
) -> None:
    client = Client(COMMANDS, str(tmp_path))
    given: dict[str, Any] = {"toolCallId": "1", "kind": "execute", "title": "git status"}
    if way == "title":
        given["title"] = command
    elif way == "quoted title":
        given["title"] = f"`{command}`"
    elif way == "list":
        given["rawInput"] = {"command": ["bash", "-lc", command]}
    else:
        given["rawInput"] = {"command": command, "description": "git status"}
    if way == "told before":
        update = {"sessionUpdate": "tool_call_update", **given}
        client.heard(StreamEvent(StreamDirection.INCOMING, {"method": "session/update", "params": {"update": update}}))
        given = {"toolCallId": "1"}

    assert client.allows(ToolCallUpdate.model_validate(given)) is allowed


@pytest.mark.parametrize(
    ("title", "kind", "allowed"),
    [
        ("npm test; rm x", None, False),
        ("npm test", None, True),
        ("npm test (all)", "fetch", True),
        ("rm x/look_up", None, False),
        ("rm -rf /look_up", "execute", False),
        ("/bin/look_up", None, False),
        ("x/look_up", "execute", False),
        ("orders/look_up", None, True),
        ("Tool: orders/look_up", None, True),
        ("mcp__orders__look_up", "execute", True),
    ],
)
def test_a_title_that_is_a_command_is_judged_as_one(
    tmp_path: Path, title: str, kind: str | None, allowed: bool
) -> None:
    call = ToolCallUpdate.model_validate({"toolCallId": "1", "title": title, "kind": kind})

    assert Client(COMMANDS, str(tmp_path)).allows(call) is allowed


@pytest.mark.parametrize(
    ("command", "allowed"),
    [("cat x | head", True), ("cat x; rm y", False), ("cat $(rm y)", False), ("rg --pre rm x", False)],
)
def test_a_command_that_is_said_to_read_must_be_a_reading_one(tmp_path: Path, command: str, allowed: bool) -> None:
    fields = {"toolCallId": "1", "title": "Read x", "kind": "read", "rawInput": {"command": command}}

    assert Client(COMMANDS, str(tmp_path)).allows(ToolCallUpdate.model_validate(fields)) is allowed


def test_a_rule_may_be_a_whole_line(tmp_path: Path) -> None:
    def allowed(line: str) -> bool:
        call = {"toolCallId": "1", "title": "Shell", "kind": "execute", "rawInput": {"command": line}}
        return Client(COMMANDS, str(tmp_path)).allows(ToolCallUpdate.model_validate(call))

    assert allowed("a | b > c")
    assert not allowed("a | b > c; rm x")
    assert not allowed("a | b > cc")


def test_what_was_told_of_a_call_is_not_taken_for_the_next_one_of_its_number(tmp_path: Path) -> None:
    client = Client(COMMANDS, str(tmp_path))

    def tell(**fields: Any) -> None:
        update = {"sessionUpdate": "tool_call", "toolCallId": "1", "kind": "execute", **fields}
        client.heard(StreamEvent(StreamDirection.INCOMING, {"method": "session/update", "params": {"update": update}}))

    tell(title="Shell", rawInput={"command": "git push"})
    first = client.allows(ToolCallUpdate.model_validate({"toolCallId": "1"}))
    named = client.allows(ToolCallUpdate.model_validate({"toolCallId": "2", "kind": "execute", "title": "git push"}))
    unasked = client.allows(ToolCallUpdate.model_validate({"toolCallId": "2"}))
    tell(title="rm x")

    assert (first, named, unasked) == (True, True, False)
    assert not client.allows(ToolCallUpdate.model_validate({"toolCallId": "1"}))


def test_a_rule_of_nothing_allows_nothing(tmp_path: Path) -> None:
    job = Job(prompt="Do it.", allow=(" ", ""))
    call = ToolCallUpdate.model_validate({"toolCallId": "1", "title": "rm x", "kind": "execute"})

    assert not Client(job, str(tmp_path)).allows(call)


def test_nothing_is_allowed_for_always_for_nobody_would_be_asked_about_what_comes_then(tmp_path: Path) -> None:
    call = ToolCallUpdate.model_validate({"toolCallId": "1", "title": "git status", "kind": "execute"})
    always = PermissionOption(option_id="a", name="Always", kind="allow_always")
    once = PermissionOption(option_id="o", name="Once", kind="allow_once")

    def answered(*options: PermissionOption) -> str:
        asked = Client(COMMANDS, str(tmp_path)).request_permission("s", call, list(options))
        return asyncio.run(asked).outcome.outcome

    assert answered(always, once) == "selected"
    assert answered(always) == "cancelled"
