"""The two commands as a user calls them: exit codes, what goes where, links, and the way through an archive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def skilltrial(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skilltrial", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def write(kit, tmp_path: Path):
    def writer(name: str, cases: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(cases if "results" in cases else kit.document(cases)), encoding="utf-8")
        return path

    return writer


@pytest.fixture
def files(kit, write):
    """A valid, a failing, an undecidable and two invalid transcripts."""
    failing, unclear = kit.honest(), kit.honest()
    failing[kit.ONE_OFF] = []
    unclear[kit.ONE_OFF][-1]["input"]["code"] = "await kody[params.op]({})"
    invalid = kit.document(kit.honest()) | {"host": "nobody", "model": ""}
    text = write("text.json", kit.honest())
    text.write_text("not json", encoding="utf-8")
    return {
        "valid": write("valid.json", kit.honest()),
        "failing": write("failing.json", failing),
        "unclear": write("unclear.json", unclear),
        "invalid": write("invalid.json", invalid),
        "text": text,
    }


@pytest.mark.parametrize(("which", "code"), [("valid", 0), ("failing", 1), ("unclear", 3)])
def test_a_report_is_on_stdout_and_nothing_on_stderr(files, tmp_path, which, code):
    done = skilltrial("score-kody", files[which], cwd=tmp_path)
    found = json.loads(done.stdout)

    assert done.returncode == code
    assert done.stderr == ""
    assert done.stdout.startswith('{\n  "ok"')
    assert done.stdout.endswith("}\n")
    assert list(found) == ["ok", "host", "model", "totals", "byRoute", "cases", "errors"]
    assert list(found["byRoute"]) == ["existing", "execute-one-off", "package-authoring"]
    assert list(found["cases"][0]) == ["caseId", "route", "status", "errors"]
    assert found["ok"] is (code == 0)


def test_totals_have_the_four_keys_and_a_fifth_only_where_something_is_undecidable(files, tmp_path):
    def keys(which: str) -> list[str]:
        return list(json.loads(skilltrial("score-kody", files[which], cwd=tmp_path).stdout)["totals"])

    assert keys("failing") == ["passed", "failed", "skipped", "total"]
    assert keys("unclear") == ["passed", "failed", "skipped", "total", "undecidable"]


def test_every_fault_of_an_invalid_transcript_is_on_stderr(files, tmp_path):
    done = skilltrial("score-kody", files["invalid"], cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "/host: " in done.stderr
    assert "/model: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["text.json"], ["missing.json"], ["."], [], ["valid.json", "--profile", "none"]])
def test_what_is_no_transcript_is_refused(files, tmp_path, words):
    done = skilltrial("score-kody", *words, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_transcript_may_be_reached_through_links(files, tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()
    (tmp_path / "here").symlink_to(folder)
    (folder / "link.json").symlink_to(files["valid"])

    assert skilltrial("score-kody", "here/link.json", cwd=tmp_path).returncode == 0


def test_the_profile_original_goes_by_the_text(kit, write, tmp_path):
    cases = kit.honest()
    cases[kit.REMINDER][-1]["input"]["code"] = "// workflows.create"
    path = write("text-only.json", cases)

    assert skilltrial("score-kody", path, "--profile", "original", cwd=tmp_path).returncode == 0
    assert skilltrial("score-kody", path, cwd=tmp_path).returncode == 1


def test_explain_tells_what_was_recognised_and_where(files, kit, tmp_path):
    done = skilltrial("score-kody", files["valid"], "--explain", cwd=tmp_path)
    told = {one["caseId"]: one["events"] for one in json.loads(done.stdout)["explain"]}

    (seen,) = told[kit.REMINDER][1]["recognised"]
    assert (seen["name"], seen["runAt"], seen["line"], seen["column"]) == ("workflows.create", "given", 1, 7)
    (run,) = told[kit.EXISTING][2]["recognised"]
    assert (run["what"], run["line"]) == ("package", 2)


def test_another_suite_can_be_scored(kit, write, tmp_path):
    value = json.loads(kit.suite.model_dump_json())
    value["cases"] = value["cases"][2:4]
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps(value), encoding="utf-8")
    path = write("some.json", {name: kit.honest()[name] for name in (kit.ONE_OFF, kit.VALUES)})

    done = skilltrial("score-kody", path, "--suite", suite, cwd=tmp_path)

    assert (done.returncode, json.loads(done.stdout)["totals"]["total"]) == (0, 2)


class TestImport:
    def test_an_imported_transcript_is_judged_and_judged_again_alike(self, files, tmp_path):
        done = skilltrial(
            "import", files["valid"], "--from", "kody", "--out", "archive", "--format", "json", cwd=tmp_path
        )
        report = json.loads(done.stdout)
        again = skilltrial("grade", "archive", "--format", "json", cwd=tmp_path)

        assert done.returncode == again.returncode == 0
        assert again.stdout == done.stdout
        assert report["evidence_kind"] == "imported"
        assert {trial["verdict"]["kind"] for trial in report["trials"]} == {"passed"}
        assert skilltrial("verify", "archive", cwd=tmp_path).returncode == 0

    @pytest.mark.parametrize(
        ("which", "code", "verdict"), [("failing", 1, ("failed", "r1")), ("unclear", 3, ("unverified", "unclear"))]
    )
    def test_what_fails_or_is_undecidable_is_no_pass(self, files, kit, tmp_path, which, code, verdict):
        done = skilltrial("import", files[which], "--from", "kody", "--out", "a", "--format", "json", cwd=tmp_path)
        trials = {trial["key"]["case"]: trial for trial in json.loads(done.stdout)["trials"]}
        one = trials[kit.ONE_OFF]

        assert done.returncode == code
        assert (one["verdict"]["kind"], one["checks"][0]["reason"]) == verdict

    def test_skips_and_cases_that_were_not_run_are_what_they_are(self, kit, write, tmp_path):
        cases = kit.honest()
        del cases[kit.ONE_OFF]
        for name in (kit.EXISTING, kit.REMINDER):
            cases[name] = {"caseId": name, "outcome": "skipped-no-eligible-match", "note": "none"}

        done = skilltrial(
            "import", write("t.json", cases), "--from", "kody", "--out", "a", "--format", "json", cwd=tmp_path
        )
        kinds = {trial["key"]["case"]: trial["verdict"]["kind"] for trial in json.loads(done.stdout)["trials"]}

        assert done.returncode == 3
        assert (kinds[kit.EXISTING], kinds[kit.REMINDER], kinds[kit.ONE_OFF]) == ("skipped", "failed", "incomplete")

    @pytest.mark.parametrize("case", ["a case twice", "an unknown case", "not json", "faults"])
    def test_what_can_not_be_kept_truthfully_is_refused_and_nothing_is_written(self, kit, files, write, tmp_path, case):
        document = kit.document(kit.honest())
        results = document["results"]
        extra = {"a case twice": results[0], "an unknown case": {**results[0], "caseId": "other"}}
        path = files["text" if case == "not json" else "invalid"]
        if case in extra:
            path = write("extra.json", {**document, "results": [*results, extra[case]]})

        done = skilltrial("import", path, "--from", "kody", "--out", "archive", cwd=tmp_path)

        assert (done.returncode, done.stdout) == (2, "")
        assert not (tmp_path / "archive").exists()

    def test_a_changed_archive_is_refused(self, files, kit, tmp_path):
        skilltrial("import", files["failing"], "--from", "kody", "--out", "archive", cwd=tmp_path)
        (records,) = (tmp_path / "archive/trials" / kit.REMINDER).rglob("host.jsonl")
        records.write_text(records.read_text().replace("workflows.create", "workflows.delete"))

        assert skilltrial("grade", "archive", cwd=tmp_path).returncode == 4

    def test_an_unknown_reader_is_named_with_those_there_are(self, files, tmp_path):
        done = skilltrial("import", files["valid"], "--from", "kodi", cwd=tmp_path)

        assert done.returncode == 2
        assert "'kody'" in done.stderr
