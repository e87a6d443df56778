"""Acts as the native calls of each of the program's sets of tools; what a shell does is tried in a shell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from skilltrial.api import (
    Act,
    ActNotPossible,
    Call,
    EditFile,
    ReadFile,
    ReadSkill,
    Run,
    ToolCall,
    ToolOffer,
    WriteFile,
)
from skilltrial.testing import DialectFacade, bind
from skilltrial_host_codex.dialect import CodexDialect
from skilltrial_host_codex.scripts import spelled_calls

CLASSIC = ("exec_command", "write_stdin", "apply_patch", "view_image", "tool_search")
UNKNOWN = ("exec_command", "write_stdin", "mcp__orders/lookup")
CODE = ("functions/exec", "functions/wait", "collaboration/spawn_agent")


def spell(act: Act, *names: str) -> ToolCall:
    return bind(DialectFacade, "codex", CodexDialect()).spell(act, tuple(ToolOffer(name) for name in names))


def write(path: str, text: str) -> WriteFile:
    return WriteFile.model_validate({"write_file": {"path": path, "text": text}})


def edit(path: str, old: str, new: str) -> EditFile:
    return EditFile.model_validate({"edit_file": {"path": path, "old": old, "new": new}})


CALL = Call.model_validate({"call": {"server": "orders", "tool": "lookup", "arguments": {"id": "A 'x'"}}})
PATCH = "*** Begin Patch\n*** Add File: a/b.txt\n+one\n+\n+two\n*** End Patch\n"


def test_classic_tools():
    assert spell(Run(run="ls"), *CLASSIC) == ToolCall("exec_command", {"cmd": "ls"})
    assert spell(ReadSkill(read_skill="tidy"), *CLASSIC) == ToolCall(
        "exec_command",
        {"cmd": "cat .agents/skills/tidy/SKILL.md || cat ../plugins/*/*/*/skills/tidy/SKILL.md"},
    )
    assert spell(ReadFile(read_file="a b.txt"), *CLASSIC) == ToolCall("exec_command", {"cmd": "cat -- 'a b.txt'"})
    assert spell(write("a/b.txt", "one\n\ntwo\n"), *CLASSIC) == ToolCall("apply_patch", PATCH)
    assert spell(edit("a.txt", "x\n", "y\n"), *CLASSIC) == ToolCall(
        "apply_patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
    )
    assert spell(CALL, *CLASSIC) == ToolCall("lookup", {"id": "A 'x'"}, "mcp__orders")


def test_names_are_written_as_the_program_writes_them():
    act = Call.model_validate({"call": {"server": "my-memory", "tool": "remember-it.now", "arguments": {}}})

    assert spell(act, *CLASSIC) == ToolCall("remember_it_now", {}, "mcp__my_memory")
    assert spell(act, *CODE).arguments == "text(await tools.mcp__my_memory__remember_it_now({}));"


def test_a_model_that_the_program_does_not_know_has_no_patch_tool():
    call = spell(write("a/b.txt", "one\n"), *UNKNOWN)

    assert call.name == "exec_command"
    assert spell(CALL, *UNKNOWN) == ToolCall("lookup", {"id": "A 'x'"}, "mcp__orders")


@pytest.mark.parametrize(
    "act", [Run(run='echo "a"; ls'), write("a/b.txt", "one\n\ntwo\n"), ReadSkill(read_skill="tidy"), CALL]
)
def test_code_mode_is_the_same_call_inside_a_script(act: Act):
    classic, call = spell(act, *CLASSIC), spell(act, *CODE)

    assert call.name == "exec"
    assert call.namespace is None
    assert isinstance(call.arguments, str)
    (spelled,) = spelled_calls(call.arguments)
    assert (spelled.tool, spelled.input) == (classic.name, classic.arguments)
    assert spelled.server == ("orders" if act is CALL else None)


def test_an_act_without_a_tool_is_not_possible_here():
    with pytest.raises(ActNotPossible, match="no tool that runs commands"):
        spell(Run(run="ls"), "view_image")
    with pytest.raises(ActNotPossible, match="no tool of the server 'orders'"):
        spell(CALL, "exec_command", "mcp__other/lookup")


@pytest.mark.parametrize("text", ["", "no newline", "windows\r\n", "quote ' \" $HOME `x` \\\n", "\n", "tab\tend\n\n"])
@pytest.mark.parametrize("path", ["new.txt", "deep/er/new.txt", "odd 'name'.txt"])
def test_a_file_written_by_a_command_has_exactly_its_text(text: str, path: str, tmp_path: Path):
    call = spell(write(path, text), *UNKNOWN)

    assert isinstance(call.arguments, dict)
    subprocess.run(["sh", "-c", str(call.arguments["cmd"])], cwd=tmp_path, check=True)
    assert (tmp_path / path).read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("say teh word", "teh", "the", "say the word"),
        ("a*b\n", "a*b", "a[b]", "a[b]\n"),
        ("one\ntwo\nthree\n", "e\ntwo\nt", "-", "on-hree\n"),
        ("end\n\n", "end", "$x `y` \\ 'z'", "$x `y` \\ 'z'\n\n"),
        ("текст", "екс", "о", "тот"),
    ],
)
def test_a_piece_of_a_line_is_replaced_and_nothing_else(before: str, old: str, new: str, after: str, tmp_path: Path):
    (tmp_path / "f 1.txt").write_bytes(before.encode())
    call = spell(edit("f 1.txt", old, new), *CLASSIC)

    assert isinstance(call.arguments, dict)
    subprocess.run(["sh", "-c", str(call.arguments["cmd"])], cwd=tmp_path, check=True)
    assert (tmp_path / "f 1.txt").read_bytes() == after.encode()


@pytest.mark.parametrize("present", [True, False])
def test_an_edit_of_what_is_not_there_fails_and_changes_nothing(present: bool, tmp_path: Path):
    if present:
        (tmp_path / "a.txt").write_text("something", "utf-8")
    call = spell(edit("a.txt", "else", "x"), *CLASSIC)

    assert isinstance(call.arguments, dict)
    done = subprocess.run(["sh", "-c", str(call.arguments["cmd"])], cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == 1
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == (["something"] if present else [])


def test_a_script_with_branches_is_not_read_for_its_calls():
    assert spelled_calls('if (x) { await tools.exec_command({"cmd": "ls"}) }') == ()
    assert spelled_calls(json.dumps("tools.exec_command({})")) == ()
