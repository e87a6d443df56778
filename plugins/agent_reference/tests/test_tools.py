"""The tools: what they do, and that none of the file tools leaves the project."""

import contextlib
import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial_agent_reference.tools.base import ToolFailed
from skilltrial_agent_reference.tools.command import Commands
from skilltrial_agent_reference.tools.files import Files
from skilltrial_agent_reference.tools.search import Search


class Called:
    """The file tools of a project, called as the conversation calls them."""

    def __init__(self, project):
        self._tools = {tool.name: tool for tool in Files(project).tools()}

    def read(self, path):
        return self._tools["read_file"].call({"path": path})

    def write(self, path, text):
        return self._tools["write_file"].call({"path": path, "text": text})

    def edit(self, path, old, new):
        return self._tools["edit_file"].call({"path": path, "old": old, "new": new})


@pytest.fixture
def files(project):
    return Called(project)


@pytest.fixture
def run(project):
    """Run a command; its text, whether it failed or not. A text that could not even be tried is raised."""

    def do(command):
        try:
            return Commands(project, {"PATH": os.environ["PATH"]}, 1.0).run(command)
        except ToolFailed as error:
            if str(error).startswith(("exit code", "ended after")):
                return str(error)
            raise

    return do


@pytest.mark.parametrize(
    "path", ["../outside.txt", "/etc/hostname", "link/x.txt", "a/../../outside.txt", "out.txt", "\0", ""]
)
def test_no_file_outside_of_the_project_is_read_or_written(files, project, tmp_path, path):
    (tmp_path / "outside.txt").write_text("secret")
    (project / "a").mkdir()
    (project / "link").symlink_to(tmp_path)
    (project / "out.txt").symlink_to(tmp_path / "outside.txt")

    for act in (files.read, lambda path: files.write(path, "x"), lambda path: files.edit(path, "secret", "x")):
        with pytest.raises(ToolFailed):
            act(path)
    assert (tmp_path / "outside.txt").read_text() == "secret"
    assert not (tmp_path / "x.txt").exists()


@given(st.lists(st.sampled_from(["..", ".", "a", "link", "/", "~", ""]), max_size=6).map("/".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_path_is_written_nothing_appears_outside(project, tmp_path, path):
    if not (project / "link").is_symlink():
        (project / "link").symlink_to(tmp_path)
    before = set(tmp_path.iterdir())

    with contextlib.suppress(ToolFailed):
        Called(project).write(path, "x")

    assert set(tmp_path.iterdir()) == before


def test_an_absolute_path_inside_of_the_project_is_fine(files, project):
    files.write(str(project / "a.txt"), "x")

    assert (project / "a.txt").read_text() == "x"


@pytest.mark.parametrize(("text", "found"), [("a b", 0), ("x x", 2), ("xx", 2)])
def test_an_edit_needs_a_piece_that_occurs_exactly_once(files, project, text, found):
    (project / "a.txt").write_text(text)

    with pytest.raises(ToolFailed, match=f"{found} times"):
        files.edit("a.txt", "x", "y")
    assert (project / "a.txt").read_text() == text


def test_an_edit_leaves_line_ends_and_letters_as_they_are(files, project):
    (project / "a.txt").write_bytes("один\r\nдва\r\n".encode())

    files.edit("a.txt", "два", "три")

    assert (project / "a.txt").read_bytes() == "один\r\nтри\r\n".encode()


def test_what_is_no_text_file_is_refused_in_a_sentence(files, project):
    (project / "folder").mkdir()
    (project / "binary").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(project / "pipe")

    for path in ("folder", "binary", "pipe", "missing"):
        with pytest.raises(ToolFailed):
            files.read(path)
    with pytest.raises(ToolFailed):
        files.write("pipe", "x")
    with pytest.raises(ToolFailed):
        files.write("binary/below", "x")


@pytest.mark.parametrize("path", ["x" * 300, "a/" * 3000, "\0", "circle/x"])
def test_a_path_that_the_system_refuses_is_a_sentence_for_the_model(files, project, path):
    (project / "circle").symlink_to("circle")

    for act in (files.read, lambda path: files.write(path, "x")):
        with pytest.raises(ToolFailed):
            act(path)


def test_a_listing_and_a_search_stay_in_the_project(project, tmp_path):
    (tmp_path / "outside.txt").write_text("needle")
    (project / "src").mkdir()
    (project / "src/a.txt").write_text("one\nneedle here\n")
    (project / "link").symlink_to(tmp_path)
    (project / "out.txt").symlink_to(tmp_path / "outside.txt")
    search = Search(project)

    assert search.search("needle", ".") == "src/a.txt:2: needle here"
    assert search.search("nothing", ".") == "no matches"
    assert "src/a.txt" in search.list(".").splitlines()
    assert "outside" not in search.list(".")
    with pytest.raises(ToolFailed):
        search.list("..")
    with pytest.raises(ToolFailed):
        search.search("needle", "link")


def test_a_command_returns_its_exit_code_and_both_streams(run):
    assert run("echo out; echo err >&2; exit 3").splitlines()[0] == "exit code 3"
    assert set(run("echo out; echo err >&2").splitlines()) == {"exit code 0", "out", "err"}


@pytest.mark.parametrize(("command", "fails"), [("true", False), ("false", True), ("exit 3", True), ("sleep 30", True)])
def test_only_a_command_with_exit_code_0_is_no_error(project, command, fails):
    commands = Commands(project, {"PATH": os.environ["PATH"]}, 0.5)

    with pytest.raises(ToolFailed) if fails else contextlib.nullcontext():
        commands.run(command)


def test_a_command_that_never_ends_is_ended(run):
    begun = time.monotonic()

    result = run("echo begun; sleep 30")

    assert time.monotonic() - begun < 5
    assert result.startswith("ended after 1 seconds")
    assert "begun" in result


@pytest.mark.parametrize(
    "command",
    ["(sleep 30; touch late) & echo x", "(sleep 30; touch late) >/dev/null 2>&1 & echo x", "sleep 30 & exec echo x"],
)
def test_what_a_command_left_running_is_ended_too(run, command, project):
    begun = time.monotonic()

    result = run(f"{command}\n")

    assert time.monotonic() - begun < 5
    assert "x" in result
    assert not (project / "late").exists()


def test_a_flood_of_output_is_cut_and_its_size_is_told(run):
    result = run("head -c 200000 /dev/zero | tr '\\0' a")

    assert len(result) < 60_000
    assert "150000 more bytes" in result


def test_output_that_is_not_utf8_is_shown_with_marks(run):
    assert "\ufffd" in run("printf '\\377'")
