"""What a user names by mistake: one clear error, exit code 2, nothing written, and no waiting for what never comes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.cli.judging import judge
from skilltrial.model.errors import PluginNotFound
from skilltrial.plugins.discovery import Discovery

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

FILES = {
    "greeter/SKILL.md": "---\nname: greeter\ndescription: How to greet.\n---\nWrite greeting.txt.\n",
    "greeter.trial.yaml": "cases:\n  a:\n    prompt: Greet.\n    expect: [{files: greeting.txt, exists: true}]\n",
    "agent.sh": "#!/bin/sh\ncat > /dev/null\n",
}
SUITE = "greeter.trial.yaml"


@pytest.fixture
def project(tmp_path: Path, lay: Lay) -> Path:
    lay(FILES)
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe.json")
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refused(told: Any, says: str) -> None:
    assert told.code == 2, told.out + told.err
    assert says in " ".join(told.err.split())
    assert told.err.count("rror: ") == 1
    assert told.out == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("try", "greeter", "Greet.", "--workspace", "loop"), "loop; --workspace names a project's folder"),
        (("try", "greeter", "Greet.", "--out", "loop"), "loop"),
        (("run", SUITE, "--out", "loop"), "loop"),
        (("run", SUITE, "--policy", "pipe.json"), "pipe.json can't be read: it is no regular file"),
        (("run", "./pipe.json"), "pipe.json can't be read: it is no regular file"),
        (("run", SUITE, "--profile", "./pipe.json"), "it is no regular file"),
    ],
)
def test_a_link_to_itself_and_a_pipe_are_no_input(
    skilltrial: Command, project: Path, arguments: tuple[str, ...], says: str
) -> None:
    before = names(project)
    program = () if "--profile" in arguments else ("--", project / "agent.sh")

    told = skilltrial(*arguments, "--quiet", "--host", "portable", *program, within=30)

    refused(told, says)
    assert names(project) - before <= {".skilltrial"}
    assert not list(project.glob(".skilltrial/runs/*"))


@pytest.mark.parametrize("file", ["pipe.json", "/dev/zero", "loop", "agent.sh", "greeter", "nope"])
def test_a_transcript_that_can_not_be_read_leaves_nothing(skilltrial: Command, project: Path, file: str) -> None:
    before = names(project)

    told = skilltrial("import", file, "--from", "kody", within=30)

    refused(told, "" if file == "agent.sh" else file)
    assert names(project) == before


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.symlink_to("SKILL.md"), "greeter/odd is a link; put the file itself there"),
        (os.mkfifo, "greeter/odd is a pipe, a socket or a device; only files and folders can be copied"),
    ],
)
def test_try_names_what_of_a_skill_can_not_be_copied(
    skilltrial: Command, project: Path, make: Callable[[Path], None], says: str
) -> None:
    make(project / "greeter" / "odd")

    told = skilltrial("try", "greeter", "Greet.", "--host", "portable", "--", project / "agent.sh")

    refused(told, says)


def test_a_script_that_has_the_name_of_a_built_in_agent_never_runs(skilltrial: Command, project: Path) -> None:
    script = "    rehearsals: [{id: wrecker, expect: failed, script: [{say: Done.}]}]\n"
    (project / SUITE).write_text(FILES[SUITE] + script, "utf-8")

    told = skilltrial("rehearse", SUITE, "--out", "run", "--records", "events", "--", "skilltrial-agent")

    refused(told, "5:23: `wrecker` is one of the agents that play in every case; call the script otherwise")
    assert not (project / "run").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("show", "{}"),
        ("verify", "{}"),
        ("run", "--resume", "{}"),
        ("init", "{}"),
        ("try", "{}", "Greet."),
        ("try", "greeter", "Greet.", "--workspace", "{}", "--", "true"),
        ("run", SUITE, "--skill", "{}", "--", "true"),
        ("import", "{}", "--from", "kody"),
    ],
)
def test_a_path_that_no_system_takes_is_the_users_to_mend(
    skilltrial: Command, project: Path, command: tuple[str, ...]
) -> None:
    told = skilltrial(*(part.format("x" * 5000) for part in command))

    assert told.code == 2
    assert "can't be " in told.err
    assert "File name too long" in told.err


@pytest.mark.parametrize(
    "command",
    [
        ("show", "a\x1b[31mb"),
        ("try", "a\x1b[31mb", "Greet."),
        ("import", "a\x1b[31mb", "--from", "kody"),
        ("schema", "a\x1b[31mb"),
    ],
)
def test_r57_a_name_in_a_message_steers_no_terminal(
    skilltrial: Command, project: Path, command: tuple[str, ...]
) -> None:
    told = skilltrial(*command)

    assert told.code in (2, 4)
    assert "a\\x1b[31mb" in told.err
    assert "\x1b" not in told.err


def test_where_a_part_that_judges_is_missing_its_distribution_is_named(skilltrial: Command, project: Path) -> None:
    skilltrial("run", SUITE, "--out", "run", "--quiet", "--host", "portable", "--", project / "agent.sh")
    without = Discovery(tuple(one for one in Discovery().installed if "portable" not in one.distribution))

    with pytest.raises(PluginNotFound, match="was made, the normalizer portable of skilltrial-host-portable") as told:
        judge(project / "run", without)

    assert "grader files" not in str(told.value)


def test_a_name_that_is_no_text_is_written_all_the_same(skilltrial: Command, project: Path) -> None:
    folder = project / "x\udcff"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")

    told = skilltrial("lint", folder / SUITE, env={"PYTHONIOENCODING": "utf-8"})

    assert told.code == 0, told.err
    assert "x\\udcff/greeter.trial.yaml: sound" in told.out


def test_a_remark_steers_no_terminal(skilltrial: Command, project: Path) -> None:
    skilltrial("run", SUITE, "--out", "run", "--quiet", "--host", "portable", "--", project / "agent.sh")
    skilltrial("note", "run", "first\x1b]0;title\x07\nsecond")

    told = skilltrial("show", "run")

    assert "first\\x1b]0;title\\x07\\nsecond" in told.err
    assert "\x1b" not in told.err
