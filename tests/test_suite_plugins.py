"""A suite with a packaged plugin, from the command line: installed by a host that can, left out by one that can't."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
SUITE = """\
plugin: {folder: plug, programs: [sh]}
cases:
  greet:
    prompt: Greet the user.
    expect:
      - {files: greeting.txt, contains: hello}
"""
MANIFEST = '{"name": "atlas", "version": "1.2.0", "skills": "./skills/"}'
HOST = '''\
"""A host in one file, which installs plugins."""
from contextlib import contextmanager
from pydantic.dataclasses import dataclass
from skilltrial.api import Can, Command, HostIdentity, Lending, Probe, SessionStopped

SCRIPT = """
skills=$(cd "$PLUGIN" && find . -name SKILL.md | sed 's#.*skills/#"#; s#/SKILL.md#"#')
if [ -n "$skills" ]; then echo hello > greeting.txt; fi
echo '{"type": "PluginFound", "plugin": "'$FINDS'", "enabled": true, "skills": ['$skills']}'
echo '{"type": "SessionEnded", "ending": "completed"}'
"""


@dataclass(frozen=True)
class Acme:
    """Runs the shell, which says what it finds."""
    finds: str = "atlas"

    def describe_host(self):
        return HostIdentity(name="acme", records="events", can=frozenset({Can.PLUGINS}))

    def probe_host(self):
        return Probe(program=None)

    def lend_host(self, passed, seconds):
        return Lending()

    def place_skill(self, skill, place):
        return place.project / ".acme" / skill.id

    @contextmanager
    def open_session(self, trial, place, offers, model, recorder):
        yield Session(self.finds, place, recorder)


class Session:
    def __init__(self, finds, place, recorder):
        self.finds, self.place, self.recorder = finds, place, recorder

    def send(self, prompt):
        plugin = {"PLUGIN": str(self.place.plugin.folder), "FINDS": self.finds}
        command = Command(("/bin/sh", "-c", SCRIPT), self.place.project, {**self.place.environment, **plugin})
        if self.place.launcher.run(command, self.recorder).code != 0:
            raise SessionStopped("it ended badly")
        return ""
'''
ACME = ("--host", "./acme.py:Acme")


@pytest.fixture
def suite(lay: Callable[..., None], greeter: Callable[..., Path]) -> Path:
    lay({"acme.py": HOST, "plug/.claude-plugin/plugin.json": MANIFEST, "plug/hooks/hooks.json": "{}\n"})
    return greeter(text=SUITE)


def laid(archive: Path, arm: str) -> dict[str, Any]:
    """The note of the plugin in a trial."""
    lines = (archive / f"trials/greet/{arm}/1/host.jsonl").read_text("utf-8").splitlines()
    notes = [json.loads(json.loads(line)["raw"]) for line in lines if '"source":"runner"' in line]
    found: dict[str, Any] = next(note for note in notes if note["note"] == "plugin_placed")
    return found


def test_arms_have_the_same_plugin_but_for_the_skill(skilltrial: Command, suite: Path, tmp_path: Path) -> None:
    ran = skilltrial("run", suite, *ACME, "--out", "run", "--format", "json")

    assert ran.verdicts == {"greet/with_skill/1": "passed", "greet/without_skill/1": "failed"}, ran.err
    plugin = ran.report["plugin"]
    assert (plugin["name"], plugin["version"], plugin["delivery"]) == ("atlas", "1.2.0", "plugin")
    assert plugin["skills"] == {"with_skill": ["greeter"], "without_skill": []}
    files = {arm: laid(tmp_path / "run", arm)["files"] for arm in ("with_skill", "without_skill")}
    assert files["with_skill"].keys() - files["without_skill"].keys() == {"skills/greeter/SKILL.md"}
    assert files["with_skill"].items() >= files["without_skill"].items()
    (pair,) = ran.report["pairs"]
    assert pair["differs"] == []
    assert skilltrial("grade", "run", "--format", "json").out == ran.out


def test_a_program_that_finds_another_one_shows_nothing(skilltrial: Command, suite: Path) -> None:
    ran = skilltrial("run", suite, *ACME, "--host-option", "finds=other", "--out", "run", "--format", "json")

    assert ran.code == 3
    assert {one["verdict"]["reason"] for one in ran.trials.values()} == {"invalid_native_plugin_discovery"}


@pytest.mark.parametrize("host", [ACME, ("--host", "portable", "--", "sh", "-c", "exit 0")], ids=["acme", "portable"])
def test_a_run_that_stopped_is_taken_up_with_the_plugin_of_its_archive(
    skilltrial: Command, suite: Path, tmp_path: Path, host: tuple[str, ...]
) -> None:
    stopped = skilltrial("run", suite, "--out", "run", "--max-sessions", "1", "--jobs", "1", *host)
    assert "stopped:" in stopped.err
    assert (tmp_path / "run/inputs/plugin.json").is_file()
    (tmp_path / "plug/hooks/hooks.json").write_text('{"another": "one"}', "utf-8")

    whole = skilltrial("run", "--resume", "run", "--format", "json", *(host if host is ACME else ()))

    assert len(whole.verdicts) == 2, whole.err
    assert "incomplete" not in whole.verdicts.values()
    assert whole.report["plugin"]["delivery"] == ("plugin" if host is ACME else "folder")


def test_a_host_that_installs_none_gets_the_skill_by_itself_and_the_report_says_so(
    skilltrial: Command, suite: Path, tmp_path: Path
) -> None:
    agent = "cat .agents/skills/greeter/SKILL.md && echo hello > greeting.txt; exit 0"
    portable = ("--host", "portable", "--", "sh", "-c", agent)

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *portable)
    refused = skilltrial("run", suite, "--out", "other", "--delivery", "plugin", *portable)

    assert ran.verdicts == {"greet/with_skill/1": "passed", "greet/without_skill/1": "failed"}, ran.err
    assert any("atlas 1.2.0 was not installed" in one for one in ran.report["limitations"])
    assert refused.code == 2
    assert refused.err == (
        "error: host 'portable' installs no plugins; --delivery folder gives it the skill by itself\n"
    )
    assert not (tmp_path / "other").exists()


def test_the_way_can_be_chosen_and_is_said_before_anything_starts(skilltrial: Command, suite: Path) -> None:
    default = skilltrial("run", suite, *ACME, "--dry-run")
    chosen = skilltrial("run", suite, *ACME, "--dry-run", "--delivery", "folder")
    taken_up = skilltrial("run", "--resume", "run", "--delivery", "folder")

    assert "plugin atlas 1.2.0: installed by the host (delivery: plugin)" in default.out
    assert "plugin atlas 1.2.0: not installed (delivery: folder)" in chosen.out
    assert (taken_up.code, "--delivery can't be given with --resume" in taken_up.err) == (2, True)
