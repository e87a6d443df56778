"""A host in a file, while it is being written: named on the command line, and by nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
HOST = '''\
"""A host in one file."""
from __future__ import annotations
from contextlib import contextmanager
from pathlib import Path
from pydantic.dataclasses import dataclass
from skilltrial.api import Command, HostIdentity, Lending, Place, Probe, SessionStopped

@dataclass(frozen=True)
class AcmeHost:
    """Runs the shell."""
    script: str = "if [ -d .acme ]; then echo hello > greeting.txt; fi"
    where: Path | None = None

    def describe_host(self):
        return HostIdentity(name="acme", records="portable")

    def probe_host(self):
        return Probe(program=None)

    def lend_host(self, passed, seconds):
        return Lending()

    def place_skill(self, skill, place):
        return place.project / ".acme" / skill.id

    @contextmanager
    def open_session(self, trial, place, offers, model, recorder):
        yield Session(self.script, place, recorder)


class Session:
    def __init__(self, script, place, recorder):
        self.script, self.place, self.recorder = script, place, recorder

    def send(self, prompt):
        command = Command(("/bin/sh", "-c", self.script), self.place.project, self.place.environment)
        if self.place.launcher.run(command, self.recorder).code != 0:
            raise SessionStopped("it ended badly")
        return ""
'''


@pytest.fixture
def acme(lay: Callable[..., None], greeter: Callable[..., Path]) -> Path:
    """A suite beside a host in `hosts/acme.py`."""
    lay({"hosts/acme.py": HOST})
    return greeter()


def parts(archive: Path) -> list[dict[str, Any]]:
    return [part for part in json.loads((archive / "parts.json").read_bytes()) if part["kind"] == "host"]


def test_a_host_in_a_file_runs_a_suite_and_is_on_record_as_a_file(
    skilltrial: Command, acme: Path, tmp_path: Path, holders: Callable[..., list[str]]
) -> None:
    import hashlib

    ran = skilltrial("run", acme, "--host", "./hosts/acme.py:AcmeHost", "--out", "run")

    assert ran.code == 0, ran.err
    digest = hashlib.sha256(HOST.encode()).hexdigest()
    assert parts(tmp_path / "run") == [
        {
            "kind": "host",
            "name": "acme.py:AcmeHost",
            "distribution": "acme.py",
            "version": "unpackaged",
            "source_sha256": digest,
            "origin": "file",
        }
    ]
    assert "The host was a file of no package: acme.py:AcmeHost." in ran.out
    assert holders(tmp_path / "run", str(tmp_path / "hosts")) == []
    assert list((tmp_path / "hosts").iterdir()) == [tmp_path / "hosts/acme.py"], "nothing is left beside the file"
    assert skilltrial("grade", "run", "--no-write").code == 0, "judging needs no host"


def test_its_options_are_its_fields(skilltrial: Command, acme: Path) -> None:
    ran = skilltrial("run", acme, "--host", "hosts/acme.py:AcmeHost", "--host-option", "script=exit 7")
    wrong = skilltrial("run", acme, "--host", "hosts/acme.py:AcmeHost", "--host-option", "skript=x")

    assert ran.code == 3, ran.err
    assert wrong.code == 2
    assert "did you mean `script`?" in wrong.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hosts/acme.py", "which class of acme.py is the host? write hosts/acme.py:Class; it has AcmeHost, Session"),
        ("hosts/acme.py:", "which class of acme.py is the host?"),
        ("hosts/acme.py:AcmeHos", "acme.py has no 'AcmeHos'; did you mean 'AcmeHost'?"),
        ("hosts/acme.py:annotations", "a class is needed, not _Feature"),
        ("hosts/none.py:AcmeHost", "host file hosts/none.py can't be read: No such file or directory"),
        ("hosts.py:AcmeHost", "host file hosts.py can't be read: Is a directory"),
        ("hosts/broken.py:Acme", "host 'broken.py:Acme' can't be loaded: SyntaxError"),
        ("hosts/leaves.py:Acme", "host 'leaves.py:Acme' can't be loaded: SystemExit: 0"),
        ("hosts/needs.py:Acme", "host 'needs.py:Acme' can't be loaded: ModuleNotFoundError: No module named 'helper'"),
        ("hosts/empty.py:Acme", "hooks describe_host, lend_host, open_session, place_skill, probe_host missing"),
        ("hosts/acme.py:Session", "host 'acme.py:Session' can't be made with these options"),
    ],
)
def test_a_file_that_is_no_host_is_one_clear_error(
    skilltrial: Command, acme: Path, lay: Callable[..., None], tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "hosts.py").mkdir()
    lay(
        {
            "hosts/broken.py": "def f(:\n",
            "hosts/leaves.py": "raise SystemExit(0)\n",
            "hosts/needs.py": "import helper\n",
            "hosts/helper.py": "",
            "hosts/empty.py": "class Acme: pass\n",
        }
    )

    ran = skilltrial("run", acme, "--host", text, "--out", "run")

    assert ran.code == 2
    assert told in ran.err
    assert ran.err.count("error:") == 1
    assert not (tmp_path / "run").exists()


def test_two_files_of_one_name_are_refused(skilltrial: Command, acme: Path, lay: Callable[..., None]) -> None:
    lay({"other/acme.py": HOST})

    ran = skilltrial("run", acme, "--host", "hosts/acme.py:AcmeHost", "--host", "other/acme.py:AcmeHost")

    assert ran.code == 2
    assert "two files are called acme.py" in ran.err


def test_several_hosts_may_be_files(skilltrial: Command, acme: Path, tmp_path: Path, lay: Callable[..., None]) -> None:
    lay({"other/second.py": HOST})
    hosts = ("--host", "hosts/acme.py:AcmeHost", "--host", "other/second.py:AcmeHost")

    ran = skilltrial("run", acme, *hosts, "--out", "all")

    assert ran.code == 0, ran.err
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"acme.py-AcmeHost", "second.py-AcmeHost"}


HOSTILE = """\
fixtures: {{memory: {{use: "{evil}"}}}}
cases:
  greet:
    prompt: Greet the user.
    {more}
    expect:
      - {{{grader}: greeting.txt, contains: hello}}
"""


@pytest.mark.parametrize("evil", ["./evil.py:Evil", "{folder}/evil.py:Evil", "evil:Evil"])
@pytest.mark.parametrize("where", ["fixture", "grader", "host", "format", "policy"])
def test_no_suite_makes_us_import_a_path(
    skilltrial: Command, greeter: Callable[..., Path], lay: Callable[..., None], tmp_path: Path, evil: str, where: str
) -> None:
    """What a suite, a policy or a format's name says is looked for among the installed parts."""
    evil = evil.replace("{folder}", str(tmp_path))
    marker = tmp_path / "imported"
    lay({"evil.py": f"open({str(marker)!r}, 'w').close()\nclass Evil: pass\n", "hosts/acme.py": HOST})
    suite = HOSTILE.format(
        evil=evil if where == "fixture" else "mcp",
        grader=f'"{evil}"' if where == "grader" else "files",
        more=f'host: "{evil}"' if where == "host" else "polarity: positive",
    )
    if where in ("format", "policy"):
        suite = suite.partition("\n")[2]
    path = greeter(text=suite)
    if where == "policy":
        lay({"skilltrial.policy.yaml": f'routes:\n  - {{id: any, hosts: ["{evil}"]}}\n'})
    more = ("--format", evil) if where == "format" else ()

    ran = skilltrial("run", path, *more, "--host", "hosts/acme.py:AcmeHost")

    assert ran.code == 2, ran.out + ran.err

    assert not marker.exists()


def test_an_archive_that_is_taken_up_does_not_either(
    skilltrial: Command, acme: Path, lay: Callable[..., None], tmp_path: Path
) -> None:
    """An unfinished run may come from a stranger: its host is named again, and is the same bytes."""
    cut = skilltrial("run", acme, "--host", "hosts/acme.py:AcmeHost", "--out", "run", "--max-sessions", "1")
    (tmp_path / "acme.py").write_text(HOST + "# another\n")
    again = ("--host", "hosts/acme.py:AcmeHost")

    unnamed = skilltrial("run", "--resume", "run")
    other = skilltrial("run", "--resume", "run", "--host", "acme.py:AcmeHost")
    installed = skilltrial("run", "--resume", "run", "--host", "portable")
    strange = skilltrial("run", "--resume", "run", *again, "--host", "hosts/acme.py:Session")
    whole = skilltrial("run", "--resume", "run", *again)

    assert cut.code == 3, cut.err
    assert unnamed.code == 2
    assert "acme.py:AcmeHost is a host in a file; only a command line names one" in unnamed.err
    assert other.code == 2
    assert "acme.py:AcmeHost is no longer the file that this run began with" in other.err
    assert installed.code == 2
    assert strange.code == 2
    assert "this run began with the host 'acme.py:AcmeHost'" in strange.err
    assert whole.code == 0, whole.err
