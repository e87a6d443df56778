"""Importing what others recorded: an archive like any other, or a refusal that leaves nothing behind."""

from __future__ import annotations

import json

import pytest

READER = """
import json
from datetime import UTC, datetime
from skilltrial.api import EvidenceKind, ForeignRun, ForeignTrial, HostIdentity, InvalidRequest

class Reader:
    \"\"\"Reads a JSON object: the keyword arguments of what it gives, some of them.\"\"\"

    def read_transcript(self, data):
        try:
            said = json.loads(data)
        except ValueError:
            raise InvalidRequest("/: is no JSON") from None
        case = lambda id: {"id": id, "turns": ["Please."], "checks": [{"id": "there", "grader": "acme", "exists": "x"}]}
        suite = {"id": "talks", "arms": [{"id": "told"}], "gate": {"arm": "told"}, "cases": [case("one"), case("two")]}
        host = HostIdentity(name="someone", records="acme", evidence_kind=EvidenceKind(said.get("kind", "imported")))
        trials = tuple(ForeignTrial(**{**one, "lines": tuple(one.get("lines", ()))}) for one in said["trials"])
        return ForeignRun({**suite, **said.get("suite", {})}, host, datetime(2026, 7, 14, tzinfo=UTC), trials)
"""
NORMALIZER = """
from skilltrial.api import Ending, SessionEnded

class Normalizer:
    \"\"\"Sees nothing but an end.\"\"\"

    def normalize(self, records):
        return [SessionEnded(seq=len(records), ending=Ending.COMPLETED)]
"""


SILENT = "    exists: str\n"
SAYING = SILENT + "\n    def sentence(self):\n        return self.exists\n"


@pytest.fixture
def take_in(site, grader_source, tmp_path):
    """Import a transcript with the reader above; the folder where the archive would lie, and what was said."""
    points = {
        "skilltrial.transcripts.v1": {"acme": "acme_reader:Reader"},
        "skilltrial.normalizers.v1": {"acme": "acme_normalizer:Normalizer"},
        "skilltrial.graders.v1": {"acme": "acme_grader:Grader"},
    }
    modules = {
        "acme_reader": READER,
        "acme_normalizer": NORMALIZER,
        "acme_grader": grader_source.replace(SILENT, SAYING),
    }
    site.add("acme", points, modules)

    def run(said: object, *more: str):
        file, out = tmp_path / "talk.json", tmp_path / "archive"
        file.write_text(said if isinstance(said, str) else json.dumps(said))
        return out, site.cli("import", str(file), "--from", "acme", "--out", str(out), "--format", "json", *more)

    return run


ONE, TWO = {"case": "one", "lines": ["hello", "\ud800"]}, {"case": "two"}


def test_what_was_told_becomes_an_archive_that_is_judged(take_in, site):
    out, done = take_in({"trials": [ONE, TWO]})
    report = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert report["evidence_kind"] == "imported"
    assert [trial["verdict"]["kind"] for trial in report["trials"]] == ["passed", "passed"]
    assert any("imported" in line for line in report["limitations"])
    assert site.cli("grade", str(out), "--format", "json").stdout == done.stdout
    records = (out / "trials/one/told/1/host.jsonl").read_text().splitlines()
    assert [json.loads(line)["raw"] for line in records][1:] == ["hello", "\ud800"]


def test_what_was_told_is_shown_as_a_run_and_as_a_trial(take_in, site):
    out, _ = take_in({"trials": [ONE, {"case": "two", "skipped": "not_wanted"}]})

    run, trial, skipped = (site.cli("show", f"{out}{more}") for more in ("", "/one/told/1", "/two/told/1"))

    assert [done.returncode for done in (run, trial, skipped)] == [0, 0, 0], run.stderr + trial.stderr + skipped.stderr
    assert "CAN'T TELL (nothing to compare with)" in run.stdout
    assert "one/told/1: passed" in trial.stdout
    assert "skipped (not wanted)" in skipped.stdout


def test_a_case_that_nobody_ran_is_no_pass_and_a_skip_is_a_skip(take_in):
    _, done = take_in({"trials": [{"case": "two", "skipped": "not_wanted"}]})
    kinds = {trial["key"]["case"]: trial["verdict"]["kind"] for trial in json.loads(done.stdout)["trials"]}

    assert done.returncode == 3
    assert kinds == {"one": "incomplete", "two": "skipped"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("no json", "/: is no JSON"),
        ({"trials": [ONE, ONE]}, "not one for each"),
        ({"trials": [{"case": "three"}]}, "not one for each"),
        ({"trials": [ONE], "kind": "live-server"}, "evidence `imported`"),
        ({"trials": [ONE], "suite": {"attempts": 2}}, "one attempt"),
        ({"trials": [ONE], "suite": {"arms": [{"id": "told"}, {"id": "other"}]}}, "one arm"),
        ({"trials": [ONE], "suite": {"cases": []}}, "does not hold"),
        ({"trials": [ONE], "suite": {"id": "Not a slug"}}, "does not hold at id"),
    ],
)
def test_what_does_not_hold_is_refused_and_nothing_is_written(take_in, said, told):
    out, done = take_in(said)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert not out.exists()


def test_an_archive_is_never_written_over_another(take_in):
    first, _ = take_in({"trials": [ONE]})
    before = sorted(path.name for path in first.rglob("*"))

    _, done = take_in({"trials": [ONE, TWO]})

    assert done.returncode == 2
    assert sorted(path.name for path in first.rglob("*")) == before


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_is_none_is_refused(site, take_in, tmp_path, name):
    done = site.cli("import", str(tmp_path / name), "--from", "acme", "--out", str(tmp_path / "out"))

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_unknown_reader_is_answered_with_those_there_are(site, take_in, tmp_path):
    (tmp_path / "talk.json").write_text("{}")

    done = site.cli("import", str(tmp_path / "talk.json"), "--from", "acmee")

    assert done.returncode == 2
    assert "did you mean 'acme'?" in done.stderr
