"""A report in EmbrAIon's shape: key by key, and null where the evidence says nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import InvalidRequest, Report, RunInputs, Suite
from skilltrial.testing import RendererFacade, bind
from skilltrial_format_embraion.digests import case_digest, folder_digest
from skilltrial_format_embraion.renderer import EmbraionRenderer

SHA = "0" * 64
ARMS = ("without_skill", "with_skill", "previous")
SOURCE: dict[str, Any] = {
    "schema-version": 1,
    "id": "greetings",
    "skills": [{"id": "greeter", "candidate": "now", "previous": "then"}],
    "cases": [
        {
            "id": "greet",
            "polarity": "negative",
            "fixture": "start",
            "prompt": "Приветствуй.",
            "checks": [{"type": "file-exists", "path": "a"}, {"type": "file-absent", "path": "b"}],
        }
    ],
}
LONG: dict[str, Any] = {
    "id": "greetings",
    "skills": [{"id": "greeter", "folder": "now", "previous": "then"}],
    "arms": [
        {"id": "without_skill"},
        {"id": "with_skill", "skills": ["greeter"]},
        {"id": "previous", "skills": ["greeter@previous"]},
    ],
    "gate": {"arm": "with_skill"},
    "attempts": 1,
    "cases": [
        {
            "id": "greet",
            "turns": ["Приветствуй."],
            "polarity": "negative",
            "checks": [
                {"id": "file-exists-0", "grader": "files", "path": "a", "exists": True},
                {"id": "file-absent-1", "grader": "files", "path": "b", "exists": False},
            ],
        }
    ],
}


def trial(arm: str, kind: str = "passed", ending: str | None = "completed", **more: Any) -> dict[str, Any]:
    asked = kind in ("passed", "failed", "unverified")
    last = {"passed": "passed", "failed": "failed", "unverified": "unverified"}.get(kind)
    return {
        "key": {"case": "greet", "arm": arm, "label": "1"},
        "polarity": "negative",
        "verdict": {"kind": kind},
        "ending": ending,
        "exit_codes": [0],
        "checks": [
            {"id": "file-exists-0", "grader": "files", "outcome": "passed", "reason": "holds"},
            {"id": "file-absent-1", "grader": "files", "outcome": last, "reason": "holds"},
        ]
        if asked
        else [],
        "trigger": [{"skill": "greeter", "present": True, "evidence": "unverified"}],
        "agent_seconds": 1.23456,
        **more,
    }


Render = Callable[..., dict[str, Any]]


@pytest.fixture
def render() -> Render:
    """The rendered report of trials."""

    def make(*trials: Mapping[str, Any], kind: str = "live-portable-subprocess", **more: Any) -> dict[str, Any]:
        report = {
            "mode": "run",
            "evidence_kind": kind,
            "suite": "greetings",
            "run": "r",
            "archive": SHA,
            "gate": {"arm": "with_skill", "decision": "passed", "exit": 0},
            "limitations": [],
            "host": {"name": "some", "records": "portable"},
            "scripted_model": None,
            "seed": 1,
            "attempts": 1,
            "narrowed": False,
            "digests": {"suite": SHA, "cases": {}, "workspaces": {}, "skills": []},
            "counts": [],
            "trials": list(trials),
            "judge": [],
            **{key: value for key, value in more.items() if key != "source"},
        }
        inputs = RunInputs(
            source=more.get("source", json.dumps(SOURCE).encode()),
            suite=Suite.read(json.dumps(LONG)),
            workspaces={"greet": {"input.txt": b"original"}},
            skills={"greeter": {"SKILL.md": b"now"}, "greeter@previous": {"SKILL.md": b"then"}},
        )
        front = bind(RendererFacade, "embraion", EmbraionRenderer())
        written = front.render_report(Report.read(json.dumps(report)), inputs)
        assert front.render_report(Report.read(json.dumps(report)), inputs) == written
        found: dict[str, Any] = json.loads(written)
        return found

    return make


def test_the_keys_come_in_embraions_order_and_nothing_of_the_suite_is_told(render: Render) -> None:
    told = render(*(trial(arm) for arm in ARMS))

    assert list(told) == [
        "schema-version", "evidence-kind", "suite", "suite-digest", "host", "model", "effort", "attempts",
        "skill-identities", "summary", "pair-summary", "pairs", "runs", "notes",
    ]  # fmt: skip
    assert list(told["runs"][0]) == [
        "case", "case-digest", "fixture-digest", "polarity", "attempt", "variant", "host", "checks", "behavior-passed",
        "trigger-evidence",
    ]  # fmt: skip
    assert [run["variant"] for run in told["runs"]] == ["baseline", "candidate", "previous"]
    assert "Приветствуй" not in json.dumps(told, ensure_ascii=False)


def test_digests_are_embraions_own(render: Render) -> None:
    told = render(trial("with_skill"))

    fixture = "75a1ed0cf9be210c0987227a8b278d588ee46a87fa95dac1585013f7dcfd777f"
    case = {"case": SOURCE["cases"][0], "fixture": fixture}
    text = json.dumps(case, sort_keys=True, ensure_ascii=False)
    assert told["runs"][0]["fixture-digest"] == fixture
    assert told["runs"][0]["case-digest"] == hashlib.sha256(text.encode()).hexdigest()
    assert told["skill-identities"] == {
        "greeter": {
            "candidate": hashlib.sha256(b"SKILL.md\0now\0").hexdigest(),
            "previous": hashlib.sha256(b"SKILL.md\0then\0").hexdigest(),
        }
    }


def test_a_folder_is_digested_in_the_order_of_its_steps_not_of_its_characters() -> None:
    # `.` sorts before `/`, but the step `a` before the step `a.txt`.
    assert folder_digest({"a.txt": b"1", "a/b": b"2"}) == hashlib.sha256(b"a/b\x002\x00a.txt\x001\x00").hexdigest()


@given(st.dictionaries(st.text("ab/.", min_size=1), st.binary()))
def test_a_digest_does_not_depend_on_the_order_in_which_files_are_given(files: dict[str, bytes]) -> None:
    turned = dict(reversed(files.items()))

    assert folder_digest(files) == folder_digest(turned)
    assert case_digest({"a": 1, "b": 2}, SHA) == case_digest({"b": 2, "a": 1}, SHA)


def test_embraion_11_pairs_of_three_variants_are_counted_with_all_five_outcomes(render: Render) -> None:
    counts = {"improved": 0, "regressed": 0, "tied_pass": 1, "tied_fail": 0, "unavailable": 0, "n": 1}
    told = render(
        *(trial(arm) for arm in ARMS),
        pairs=[{"case": "greet", "label": "1", "reference": arm, "outcome": "tied-pass"} for arm in (ARMS[0], ARMS[2])],
        pair_summary=[{"reference": arm, **counts} for arm in (ARMS[0], ARMS[2])],
    )

    assert told["pairs"] == [
        {"case": "greet", "attempt": 1, "candidate-vs": {"baseline": "tied-pass", "previous": "tied-pass"}}
    ]
    zeros = {"improved": 0, "regressed": 0, "tied-pass": 1, "tied-fail": 0, "unavailable": 0}
    assert told["pair-summary"] == {"baseline": zeros, "previous": zeros}


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("completed", "completed"),
        ("time_limit", "timeout"),
        ("output_limit", "output-limit"),
        ("host_unavailable", "host-unavailable"),
        ("invalid_events", "invalid-host-events"),
        ("host_failed", "host-failed"),
        ("interrupted", None),
        (None, None),
    ],
)
def test_every_ending_has_embraions_word_or_none_and_no_verdict_is_made_up(
    render: Render, ending: str | None, status: str | None
) -> None:
    kind = "passed" if ending == "completed" else "incomplete"
    told = render(trial("with_skill", kind, ending, exit_codes=[]))

    (run,) = told["runs"]
    assert run["host"]["status"] == status
    assert run["behavior-passed"] == {"completed": True, None: None}.get(status, False)
    assert [one["passed"] for one in run["checks"]] == ([True, True] if ending == "completed" else [None, None])
    assert [one["type"] for one in run["checks"]] == ["file-exists", "file-absent"]
    assert ("exit-code" in run["host"]) is (ending != "host_unavailable")
    if ending == "host_unavailable":
        assert run["host"] == {"status": status, "duration-seconds": 0.0}
    known = run["behavior-passed"] is not None
    assert told["summary"]["candidate"] == {"total": 1, "behavior-passed": int(kind == "passed") if known else None}


@pytest.mark.parametrize("kind", ["unverified", "incomplete"])
def test_a_completed_session_that_shows_nothing_has_neither_passed_nor_failed(render: Render, kind: str) -> None:
    told = render(trial("with_skill", kind))

    assert told["runs"][0]["behavior-passed"] is None
    assert told["runs"][0]["checks"][1]["passed"] is None
    assert told["summary"]["candidate"]["behavior-passed"] is None
    assert any("`behavior-passed` is null" in note for note in told["notes"])


def test_embraion_02_a_codex_run_tells_its_tokens_and_the_skill_that_was_read(render: Render) -> None:
    told = render(
        trial(
            "with_skill",
            tool_calls=2,
            usage={"input": 12, "output": 3},
            trigger=[{"skill": "greeter", "present": True, "evidence": "read-observed"}],
        ),
        kind="live-codex-subprocess",
    )

    assert (told["host"], told["evidence-kind"]) == ("codex", "live-codex-subprocess")
    (run,) = told["runs"]
    assert run["host"] == {
        "status": "completed",
        "duration-seconds": 1.235,
        "exit-code": 0,
        "completed": True,
        "failed": False,
        "tool-calls": 2,
        "tokens": {"input_tokens": 12, "output_tokens": 3},
        "usage-complete": True,
        "observed-reads": ["greeter"],
    }
    assert run["trigger-evidence"] == {"greeter": "read-observed"}


def test_embraion_12_a_claude_code_run_maps_its_cached_tokens(render: Render) -> None:
    usage = {"input": 5, "output": 3, "cached": 40}
    told = render(trial("with_skill", tool_calls=1, usage=usage), kind="live-claude-code-subprocess")

    assert told["host"] == "claude-code"
    tokens = {"input_tokens": 5, "output_tokens": 3, "cached_input_tokens": 40}
    assert told["runs"][0]["host"]["tokens"] == tokens


def test_embraion_13_a_failed_claude_code_session_is_host_failed_and_its_last_event_unknown(render: Render) -> None:
    told = render(trial("with_skill", "incomplete", "host_failed", exit_codes=[1]), kind="live-claude-code-subprocess")

    host = told["runs"][0]["host"]
    assert (host["status"], host["exit-code"], host["completed"], host["failed"]) == ("host-failed", 1, None, None)
    assert host["usage-complete"] is False


def test_embraion_15_missing_tokens_are_not_zero_tokens(render: Render) -> None:
    told = render(trial("with_skill", usage={"input": 7}), kind="live-claude-code-subprocess")

    host = told["runs"][0]["host"]
    assert (host["tokens"], host["usage-complete"], host["tool-calls"]) == ({"input_tokens": 7}, False, None)


def test_embraion_81_13_a_model_may_have_any_name(render: Render) -> None:
    host = {"name": "claude", "records": "x", "model": "eu.vendor/model:2[1m]", "effort": "minimal"}

    told = render(trial("with_skill"), host=host)

    assert (told["model"], told["effort"]) == ("eu.vendor/model:2[1m]", "minimal")


@pytest.mark.parametrize("source", [b"cases: {}", b"{}", b"\xff", b"[" * 100_000])
def test_a_suite_that_was_not_embraions_has_no_kinds_and_no_case_digest(render: Render, source: bytes) -> None:
    told = render(trial("with_skill"), source=source)

    (run,) = told["runs"]
    assert run["case-digest"] is None
    assert [one["type"] for one in run["checks"]] == [None, None]
    assert sum("not written for EmbrAIon" in note for note in told["notes"]) == 2


def test_a_rehearsal_has_no_such_report(render: Render) -> None:
    with pytest.raises(InvalidRequest, match="rehearsal"):
        render(trial("with_skill"), mode="rehearse")
