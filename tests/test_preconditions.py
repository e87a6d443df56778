"""Where what a case presupposes is not there, no session is opened: the trial is incomplete or skipped, not failed."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Command = Callable[..., Any]
HOST = '''\
"""A host that opens no session; whoever asks it to is told on stderr."""
from __future__ import annotations
import sys
from pydantic.dataclasses import dataclass
from skilltrial.api import Can, HostIdentity, Lending, Probe

@dataclass(frozen=True)
class Closed:
    """Takes MCP servers."""

    def describe_host(self):
        return HostIdentity(name="closed", records="portable", can=frozenset({Can.MCP_HTTP}))

    def probe_host(self):
        return Probe(program=None)

    def lend_host(self, passed, seconds):
        return Lending()

    def place_skill(self, skill, place):
        return place.project / skill.id

    def open_session(self, trial, place, offers, model, recorder):
        print("opened", trial.key.case, file=sys.stderr)
        raise RuntimeError
'''
REUSE, COUNT, BRIEF = (
    "reuse-release-note-helper",
    "one-off-saved-automation-count",
    "author-reusable-scheduled-brief",
)


@pytest.fixture
def spoiled(tmp_path: Path) -> Path:
    """Three cases of the routing suite: nothing to reuse, an exact result where there must be none, no value."""
    spec = importlib.util.find_spec("skilltrial_grader_kody")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = tmp_path / "routing"
    shutil.copytree(Path(spec.submodule_search_locations[0]) / "live", folder)
    yaml = YAML(typ="safe", pure=True)
    suite = yaml.load((folder / "suite.yaml").read_text("utf-8"))
    suite["cases"] = [case for case in suite["cases"] if case["id"] in (REUSE, COUNT, BRIEF)]
    states = {case["id"]: case["fixtures"]["kody"]["state"] for case in suite["cases"]}
    states[COUNT]["saved"] = list(states[REUSE]["saved"])
    states[REUSE]["saved"] = []
    states[BRIEF]["values"] = {}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    (tmp_path / "host.py").write_text(HOST)
    return folder / "suite.yaml"


def test_no_session_is_opened_and_the_report_says_why(skilltrial: Command, spoiled: Path, tmp_path: Path) -> None:
    ran = skilltrial("run", spoiled, "--host", "./host.py:Closed", "--out", "run", "--format", "json")

    assert "opened" not in ran.err
    assert ran.code == 3, ran.err
    verdicts = {
        trial["key"]["case"]: (trial["verdict"]["kind"], trial["verdict"]["reason"], trial["verdict"]["owner"])
        for trial in ran.report["trials"]
    }
    assert verdicts == {
        REUSE: ("skipped", "skipped_no_eligible_match", "operator"),
        COUNT: ("incomplete", "exact_result_present", "operator"),
        BRIEF: ("incomplete", "value_missing", "operator"),
    }
    assert {trial["ending"] for trial in ran.report["trials"]} == {"not_begun"}
    assert skilltrial("grade", "run", "--format", "json").out == ran.out

    (record,) = (tmp_path / "run" / "trials" / COUNT / "kody" / "1" / "fixture-kody.jsonl").read_text().splitlines()
    note = json.loads(json.loads(record)["raw"])
    assert (note["wire"], note["holds"], note["why"]) == ("presupposed", False, "exact_result_present")
    assert note["found"]["exact"] == ["@me/release-update"]


def test_the_answerer_is_on_record_among_the_parts(skilltrial: Command, spoiled: Path, tmp_path: Path) -> None:
    skilltrial("run", spoiled, "--host", "./host.py:Closed", "--out", "run")

    parts = json.loads((tmp_path / "run" / "parts.json").read_bytes())
    assert [part["name"] for part in parts if part["kind"] == "answerer"] == ["kody"]


def test_a_state_that_does_not_fit_is_refused_before_anything_starts(
    skilltrial: Command, spoiled: Path, tmp_path: Path
) -> None:
    suite = json.loads(spoiled.read_text())
    suite["cases"][0]["fixtures"]["kody"]["state"] = {"saved": [{"name": "canary"}], "stock": []}
    spoiled.write_text(json.dumps(suite))

    ran = skilltrial("run", spoiled, "--host", "./host.py:Closed", "--out", "run")

    assert ran.code == 2
    for fault in ("state/saved/0/id: ", "state/saved/0/title: ", "state/stock: "):
        assert f"case 'reuse-release-note-helper', fixture 'kody': {fault}" in ran.err
    assert "canary" not in ran.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"answerer": "kodi"}, "the fixture names an unknown answerer `kodi`; did you mean `kody`?"),
        ({"answerer": 7}, "answerer"),
    ],
)
def test_a_wrong_answerer_is_told_with_its_place(skilltrial: Command, spoiled: Path, entry: Any, says: str) -> None:
    suite = json.loads(spoiled.read_text())
    suite["fixtures"]["kody"] |= entry
    spoiled.write_text(json.dumps(suite))

    ran = skilltrial("lint", spoiled)

    assert ran.code == 2
    assert says in ran.err + ran.out
