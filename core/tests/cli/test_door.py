"""The door: fast help, one sentence for every error, and no exit code that says more than is known."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys

import click
import pytest

import skilltrial
from skilltrial.cli.commands import COMMANDS, LazyGroup
from skilltrial.cli.commands import cli as group
from skilltrial.cli.main import main
from skilltrial.model.errors import (
    ArchiveRefused,
    Exit,
    InvalidRequest,
    RunIncomplete,
    RunInterrupted,
    SkilltrialError,
)

HEAVY = ("pydantic", "stevedore", "pluggy", "importlib.metadata", "httpx", "jsonschema", "ruamel", "asyncio", "rich")
OF_SOME_RUNS = (
    *("ruamel", "regex", "jsonschema", "tomllib", "asyncio", "httpx", "ssl", "skilltrial.testing", "skilltrial.doctor"),
    *("skilltrial.record.routing.policy", "skilltrial.record.resuming", "skilltrial.record.reusing"),
)
"""What reads YAML, patterns, schemas and policies, goes on with an earlier run, or belongs to tests or the doctor."""
SECRET = "the prompt of a case"


def imported(stderr: str) -> set[str]:
    """The modules in the output of `-X importtime`."""
    return {line.rpartition("|")[2].strip() for line in stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("-h",), (), ("--version",), ("-V",), ("nonsense-command", "--help")]
)
def test_help_and_version_import_nothing_heavy(cli, arguments):
    done = cli(*arguments, python=("-X", "importtime"))
    loaded = imported(done.stderr)

    assert "skilltrial.cli.main" in loaded
    heavy = {name for name in loaded if name.startswith(HEAVY)}
    if arguments != ("nonsense-command", "--help"):
        assert heavy == set()
    if arguments[:1] in {("--version",), ("-V",)}:
        assert "click" not in loaded


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_imports_no_plugin_and_no_model(cli, name):
    done = cli(name, "--help", python=("-X", "importtime"))

    assert done.returncode == 0
    assert {
        one for one in imported(done.stderr) if one.startswith(("stevedore", "pluggy", "ruamel", "asyncio"))
    } == set()


def test_a_run_imports_nothing_that_only_some_runs_need():
    code = "import sys, skilltrial.cli.run, skilltrial.cli.several; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = done.stdout.split()

    assert "skilltrial.record.runs" in loaded
    assert [one for one in loaded if one.startswith(OF_SOME_RUNS)] == []


def test_version_is_the_packages(cli):
    for flag in ("--version", "-V"):
        assert cli(flag).stdout == f"skilltrial {skilltrial.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_says_of_itself_what_the_list_says_of_it(name):
    command = importlib.import_module(f"skilltrial.cli.{COMMANDS[name].module}").command

    assert command.get_short_help_str(200) == COMMANDS[name].help
    assert command.name == name
    assert command.help
    assert all(option.help for option in command.params if isinstance(option, click.Option))


def test_help_lists_every_command_and_every_exit_code(cli):
    text = cli("--help").stdout

    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(entry.help[:20])}", text, re.M), name
    for code in Exit:
        assert re.search(rf"\b{code.value} ", text), code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rnu",), "no command 'rnu'; did you mean 'run'?"),
        (("garde", "x"), "no command 'garde'; did you mean 'grade'?"),
        (("zzzzz",), "no command 'zzzzz'; commands: try, init, run, "),
        (("--nonsense",), "No such option"),
        (("verify", "--nonsense"), "No such option"),
        (("run", "--jobs", "0", "x.trial.yaml"), "--jobs"),
        (("run", "--max-cost", "nan", "x.trial.yaml"), "--max-cost"),
    ],
)
def test_what_is_no_command_is_answered_with_what_is(cli, arguments, said):
    done = cli(*arguments)

    assert done.returncode == Exit.INVALID
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


class Part(click.Command):
    """A command that raises."""

    def __init__(self, error: BaseException) -> None:
        super().__init__("part")
        self._error = error

    def invoke(self, ctx: click.Context) -> None:
        raise self._error


@pytest.fixture
def raising(monkeypatch, capsys):
    """What `main` prints and exits with where a command raises."""

    def run(error: BaseException) -> tuple[object, str]:
        monkeypatch.setattr(LazyGroup, "get_command", lambda self, ctx, name: Part(error))
        with pytest.raises(SystemExit) as caught:
            main(["verify"])
        captured = capsys.readouterr()
        assert captured.out == ""
        return caught.value.code, captured.err

    monkeypatch.setenv("PYDANTIC_DISABLE_PLUGINS", "__all__")
    return run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidRequest("not so"), 2),
        (RunIncomplete("not so"), 3),
        (ArchiveRefused("not so"), 4),
        (RunInterrupted("not so"), 130),
        (SkilltrialError("not so"), 70),
    ],
)
def test_our_errors_are_their_sentence_and_their_exit_code(raising, error, code):
    assert raising(error) == (code, "error: not so\n")


@pytest.mark.parametrize(
    "error", [ValueError(SECRET), KeyError(SECRET), RecursionError(SECRET), MemoryError(), OSError(5, SECRET)]
)
def test_a_fault_of_our_own_is_one_line_without_what_it_held(raising, error):
    code, said = raising(error)

    assert code == 70
    assert said.startswith(f"error: a fault of skilltrial itself: {type(error).__name__} in ")
    assert said.count("\n") == 1
    assert SECRET not in said


@pytest.mark.parametrize("code", [0, None, 1, "bye"])
def test_a_part_that_ends_the_program_does_not_choose_its_exit_code(raising, code):
    told, said = raising(SystemExit(code))

    assert told == 70
    assert "SystemExit" in said


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_is_130(raising, error):
    code, said = raising(error)

    assert (code, said.strip()) == (130, "interrupted")


def test_with_a_wish_for_more_a_fault_shows_where_it_came_from(cli, tmp_path):
    """Also for a part of somebody else's that raises when it is called."""
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[skilltrial.commands.v1]\nacme = acme_it:command\n")
    (tmp_path / "site/acme_it.py").write_text(
        f"import click\n@click.command()\ndef command():\n    raise ValueError({SECRET!r})\n"
    )

    plain = cli("acme", path=tmp_path / "site")
    more = cli("acme", path=tmp_path / "site", SKILLTRIAL_TRACE="1")

    assert plain.returncode == 70
    assert plain.stderr == (
        "error: a fault of skilltrial itself: ValueError in acme_it:4; "
        "SKILLTRIAL_TRACE=1 shows more. Please report it.\n"
    )
    assert "Traceback" in more.stderr


@pytest.mark.parametrize("body", ["raise KeyboardInterrupt", "raise SystemExit(0)", "raise RuntimeError('x')"])
def test_a_part_that_breaks_off_while_it_is_imported_gives_no_green_exit(cli, tmp_path, body):
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[skilltrial.graders.v1]\nacme = acme_it:Grader\n")
    (tmp_path / "site/acme_it.py").write_text(body)

    done = cli("plugins", "acme", path=tmp_path / "site")

    assert done.returncode == (130 if "Keyboard" in body else 2)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("schema", "suite"), ("--help",), ("plugins",)])
def test_a_reader_that_leaves_early_gets_no_traceback_and_no_claim(tmp_path, arguments):
    """`skilltrial ... | head -1`: nothing is printed about it, and it is not called a passed gate."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial", *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    os.close(write)

    assert done.stderr == ""
    assert done.returncode == 141


def test_the_group_has_no_command_that_the_list_lacks():
    context = click.Context(group)

    assert group.list_commands(context) == list(COMMANDS)
    for name in COMMANDS:
        assert group.get_command(context, name) is not None
