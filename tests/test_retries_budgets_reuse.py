"""Trying again, stopping early, spending no more than allowed, and taking over what was sealed before."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
EVENTS = ("--host", "portable", "--records", "events", "--", "./agent.sh")
COUNTS = 'echo started >> "$COUNT"; n=$(wc -l < "$COUNT")\n'
"""How an agent of these tests knows how often it was started: its place is a fresh one each time."""


def started_times(tmp_path: Path) -> int:
    """How often a counting agent was started."""
    counter = tmp_path / "count"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


@pytest.fixture
def counting(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a counting agent."""
    return {"COUNT": str(tmp_path / "count")}


def test_an_agent_that_fails_twice_and_then_works_passes_at_the_third_try(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path
) -> None:
    suite = greeter(f"#!/bin/sh\n{COUNTS}[ $n -gt 2 ] || exit 9\necho hello > greeting.txt\n")

    ran = skilltrial(
        "run", suite, "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT", *AGENT,
        env=counting,
    )  # fmt: skip

    assert ran.code == 0, ran.err
    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["tries"], trial["exit_codes"]) == ("passed", 3, [0])
    folder = tmp_path / "run" / "trials" / "greet" / "with_skill" / "1"
    for earlier in ("1", "2"):
        assert '\\"code\\": 9' in (folder / "tries" / earlier / "host.jsonl").read_text()


@pytest.mark.parametrize(
    ("agent", "kind"),
    [("exit 9", "incomplete"), ("true", "failed"), ("sleep 5", "incomplete")],
    ids=["host failed", "agent failed", "too slow"],
)
def test_without_retries_every_trial_is_one_session_and_what_the_agent_did_is_never_tried_again(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path, agent: str,
    kind: str,
) -> None:  # fmt: skip
    suite = greeter(f"#!/bin/sh\n{COUNTS}{agent}\n")
    suite.write_text("limits: {seconds: 1}\n" + suite.read_text())
    # What is the agent's own is not tried again even where retries are allowed.
    retries = ("--retries", "0") if agent == "exit 9" else ("--retries", "2")

    ran = skilltrial(
        "run", suite, "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT", *retries,
        *AGENT, env=counting,
    )  # fmt: skip

    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["tries"]) == (kind, 1)
    assert started_times(tmp_path) == 1


@pytest.mark.parametrize(
    "agent", [("no-such-agent-anywhere",), ("./not-there.sh",), ("./greeting-program",), ("/etc",)],
    ids=["not on PATH", "not in the project", "not executable", "a folder"],
)  # fmt: skip
def test_r41_a_program_that_can_not_be_started_stops_the_run_at_once(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: tuple[str, ...]
) -> None:
    suite = greeter()
    (tmp_path / "start" / "greeting-program").write_text("#!/bin/sh\n")
    begun = time.monotonic()

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "5", "--jobs", "1", "--format", "json", "--host", "portable", "--",
        *agent,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    endings = [trial["ending"] for trial in ran.trials.values()]
    assert endings.count("host_unavailable") == 1
    assert endings.count(None) == 9
    assert "stopped:" in ran.err
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("agent", ["exit 2", "kill -9 $$", "echo 'unknown option --flag' >&2; exit 64"])
def test_r41_three_trials_in_a_row_that_show_nothing_stop_the_run(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path, agent: str
) -> None:
    suite = greeter(f"#!/bin/sh\n{COUNTS}{agent}\n")

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "5", "--jobs", "1", "--retries", "0", "--format", "json",
        "--pass-env", "COUNT", *AGENT, env=counting,
    )  # fmt: skip

    assert ran.code == 3
    assert started_times(tmp_path) == 3
    assert [trial["ending"] for trial in ran.trials.values()].count(None) == 7
    assert any("The run stopped early: 3 trials in a row" in one for one in ran.report["limitations"])


def test_a_rehearsal_neither_tries_again_nor_stops(
    skilltrial: Command, lay: Lay, counting: Mapping[str, str], tmp_path: Path
) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\nexit 9\n",
            "s.trial.yaml": "arms: [{id: bare}]\ngate: {arm: bare}\ncases:\n  c:\n    prompt: Do it.\n"
            "    workspace: start\n    expect: [{files: a.txt, exists: true}]\n"
            "    rehearsals: [{id: honest, expect: passed, script: [{say: Fine.}]}]\n",
        }
    )

    ran = skilltrial(
        "rehearse", "s.trial.yaml", "--out", "run", "--format", "json", "--dialect", "skilltrial-agent", "--jobs", "1",
        *AGENT,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    assert len(ran.trials) == 4
    assert {(trial["ending"], trial["tries"]) for trial in ran.trials.values()} == {("host_failed", 1)}


def events(*lines: str, code: int = 0, work: str = "echo hello > greeting.txt") -> str:
    """An agent that prints events and ends with a code."""
    return f"#!/bin/sh\n{COUNTS}{work}\ncat <<'EOF'\n" + "\n".join(lines) + f"\nEOF\nexit {code}\n"


@pytest.mark.parametrize(
    ("agent", "ending", "owner"),
    [
        (events('{"type": "SessionEnded", "ending": "host_failed", "cause": "auth"}'), "host_failed", "operator"),
        (events('{"type": "SessionEnded", "ending": "completed"}'), "completed", "model"),
        (events('{"type": "SessionEnded", "ending": "host_failed", "cause": "server"}'), "host_failed", "model"),
        (events('{"type": "TurnEnded", "answer": "Done."}'), "invalid_events", "host"),
        (events("plain talk"), "invalid_events", "host"),
    ],
    ids=["login refused, exit 0", "no turn of a model", "error told, exit 0", "no end", "no events"],
)
def test_r42_a_refused_model_is_never_a_pass_whatever_lies_in_the_project(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], agent: str, ending: str, owner: str
) -> None:
    ran = skilltrial(
        "run", greeter(agent), "--out", "run", "--format", "json", "--retries", "0", "--pass-env", "COUNT", *EVENTS,
        env=counting,
    )  # fmt: skip

    assert ran.code == 3
    for trial in ran.trials.values():
        assert trial["ending"] == ending
        assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == ("incomplete", owner)


@pytest.mark.parametrize(
    ("first", "earlier", "last"),
    [
        ('{"type": "Usage", "input": 100, "output": 7}', (100, 7), (10, 1)),
        ('{"type": "Usage", "input": 100, "output": 7}\n{"type": "Usage", "input": 5, "output": 2}', (105, 9), (10, 1)),
        ('{"type": "Usage", "input": 100}', (100, None), (10, 1)),
    ],
    ids=["one", "two turns", "one count unknown"],
)
def test_r59_what_failed_tries_cost_is_in_the_ledger_and_apart_from_the_result(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], first: str,
    earlier: tuple[int | None, int | None], last: tuple[int, int],
) -> None:  # fmt: skip
    broken = first + '\n{"type": "SessionEnded", "ending": "host_failed", "cause": "server"}'
    works = (
        '{"type": "Usage", "input": 10, "output": 1}\n{"type": "TurnEnded", "answer": "Done."}\n'
        '{"type": "SessionEnded", "ending": "completed"}'
    )
    agent = (
        f"#!/bin/sh\n{COUNTS}if [ $n = 1 ]; then cat <<'EOF'\n{broken}\nEOF\nelse echo hello > greeting.txt; "
        f"cat <<'EOF'\n{works}\nEOF\nfi\n"
    )

    ran = skilltrial(
        "run", greeter(agent), "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT",
        *EVENTS, env=counting,
    )  # fmt: skip

    assert ran.code == 0, ran.err
    trial = ran.trials["greet/with_skill/1"]
    assert trial["tries"] == 2
    assert tuple(trial["usage"][name] for name in ("input", "output")) == last
    assert tuple(trial["usage_of_earlier_tries"][name] for name in ("input", "output")) == earlier


# --- Budgets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "agent", "flag"),
    [
        (("--max-sessions", "3"), "true", "--max-sessions"),
        (("--max-sessions", "3", "--jobs", "4"), "sleep 0.2", "--max-sessions"),
        (("--max-time", "0.4"), "sleep 0.3", "--max-time"),
        (("--max-tokens", "250"), "true", "--max-tokens"),
    ],
)
def test_a_budget_is_kept_and_what_was_not_run_is_told(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path,
    *, arguments: tuple[str, ...], agent: str, flag: str,
) -> None:  # fmt: skip
    told = events(
        '{"type": "Usage", "input": 90, "output": 10}', '{"type": "TurnEnded", "answer": "Done."}',
        '{"type": "SessionEnded", "ending": "completed"}', work=f"{agent}; echo hello > greeting.txt",
    )  # fmt: skip
    jobs = () if "--jobs" in arguments else ("--jobs", "1")

    ran = skilltrial(
        "run", greeter(told), "--out", "run", "--attempts", "4", "--format", "json", "--pass-env", "COUNT", *jobs,
        *arguments, *EVENTS, env=counting,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    endings = [trial["ending"] for trial in ran.trials.values()]
    ran_at_all = len(endings) - endings.count(None)
    assert 1 <= ran_at_all <= 3
    if flag == "--max-tokens":
        assert ran_at_all == 2, "two of 100 tokens each; a third could go over 250"
    elif flag == "--max-sessions":
        assert ran_at_all == 3
    assert flag in ran.err
    reasons = {trial["verdict"]["reason"] for trial in ran.trials.values() if trial["ending"] is None}
    assert reasons == {"not_run"}
    assert any(flag in one for one in ran.report["limitations"])


def test_a_run_whose_budget_ended_is_finished_by_resume(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    skilltrial("run", greeter(), "--out", "run", "--max-sessions", "1", *AGENT)

    done = skilltrial("run", "--resume", "run", "--format", "json")

    assert done.code == 0, done.err
    assert not any("stopped early" in one for one in done.report["limitations"])


@pytest.mark.parametrize("budget", [("--max-cost", "5"), ("--max-tokens", "1000")])
def test_a_budget_of_what_the_host_does_not_show_is_refused(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, budget: tuple[str, str]
) -> None:
    refused = skilltrial("run", greeter(), "--out", "run", *budget, *AGENT)

    assert refused.code == 2
    assert budget[0] in refused.err
    assert "does not show" in refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("value", ["0", "-1", "much", "nan", "inf"])
@pytest.mark.parametrize("flag", ["--max-cost", "--max-sessions", "--max-time"])
def test_a_budget_of_nothing_is_no_budget(
    skilltrial: Command, greeter: Callable[..., Path], flag: str, value: str
) -> None:
    refused = skilltrial("run", greeter(), "--dry-run", flag, value, *AGENT)

    assert refused.code == 2
    assert flag in refused.err


# --- Reuse -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def earlier(skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path) -> Path:
    """A suite that was run once, into `first`, with two sessions."""
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\n{COUNTS}[ -d .agents ] && echo hello > greeting.txt\nexit 0\n")
    ran = skilltrial("run", suite, "--out", "first", "--pass-env", "COUNT", "--jobs", "1", *AGENT, env=counting)
    assert (ran.code, started_times(tmp_path)) == (0, 2)
    return suite


AGAIN = ("--out", "second", "--reuse", "first", "--pass-env", "COUNT", "--format", "json")


def test_a_reference_arm_is_taken_over_and_the_gates_arm_never(
    skilltrial: Command, earlier: Path, counting: Mapping[str, str], tmp_path: Path
) -> None:
    ran = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 3
    ages = {key: trial["reused_days"] for key, trial in ran.trials.items()}
    assert ages == {"greet/with_skill/1": None, "greet/without_skill/1": 0.0}
    assert any("taken over from an earlier run" in one for one in ran.report["limitations"])
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first / "trials/greet/without_skill/1").rglob("*"):
        assert path.is_dir() or (second / path.relative_to(first)).read_bytes() == path.read_bytes()
    assert skilltrial("verify", "second").code == 0


def age(archive: Path, days: int) -> None:
    """Make an archive older, seal and all."""
    import hashlib

    provenance = archive / "provenance.json"
    facts = json.loads(provenance.read_text())
    facts["started"] = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    provenance.write_text(json.dumps(facts))
    manifest = archive / "manifest.json"
    value = json.loads(manifest.read_text())
    value["files"]["provenance.json"] = hashlib.sha256(provenance.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("prompt", "case greet differs"),
        ("workspace", "workspace of case greet differs"),
        ("limits", "limits differ"),
        ("env", "`env`"),
        ("options", ""),
        ("age", "older than 14 days"),
    ],
)
def test_a_trial_of_something_else_is_not_taken_over(
    skilltrial: Command, earlier: Path, counting: Mapping[str, str], tmp_path: Path, change: str, says: str
) -> None:
    more: tuple[str, ...] = ()
    if change == "prompt":
        earlier.write_text(earlier.read_text().replace("Greet the user.", "Greet everybody."))
    elif change == "workspace":
        (tmp_path / "start" / "more.txt").write_text("more")
    elif change == "limits":
        earlier.write_text("limits: {seconds: 60}\n" + earlier.read_text())
    elif change == "env":
        earlier.write_text("env: [COUNT]\n" + earlier.read_text())
    elif change == "options":
        more = ("--loud",)
    else:
        age(tmp_path / "first", 15)

    ran = skilltrial("run", earlier, *AGAIN, *AGENT, *more, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 4, ran.err
    assert {trial["reused_days"] for trial in ran.trials.values()} == {None}
    assert "not taken over" in ran.err
    assert says in ran.err


def test_a_changed_skill_leaves_the_arm_without_it_as_it_was(
    skilltrial: Command, earlier: Path, counting: Mapping[str, str], tmp_path: Path
) -> None:
    skill = tmp_path / "greeter" / "SKILL.md"
    skill.write_text(skill.read_text() + "Be brief.\n")

    ran = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == 3


@pytest.mark.parametrize(("accept", "sessions"), [((), 4), (("--accept-host-change",), 3)])
def test_another_program_is_another_host_unless_it_is_accepted(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path,
    accept: tuple[str, ...], sessions: int,
) -> None:  # fmt: skip
    suite, program = greeter(), tmp_path / "agent"
    text = f"#!/bin/sh\n{COUNTS}echo hello > greeting.txt\n"
    program.write_text(text)
    program.chmod(0o755)
    host = ("--host", "portable", "--", str(program))
    skilltrial("run", suite, "--out", "first", "--pass-env", "COUNT", *host, env=counting)
    program.write_text(text + "# version 2\n")

    ran = skilltrial("run", suite, *AGAIN, *accept, *host, env=counting)

    assert ran.code == 0, ran.err
    assert started_times(tmp_path) == sessions


def test_a_changed_archive_is_not_reused(
    skilltrial: Command, earlier: Path, counting: Mapping[str, str], tmp_path: Path
) -> None:
    records = tmp_path / "first" / "trials/greet/without_skill/1/host.jsonl"
    records.write_bytes(records.read_bytes().replace(b"exited", b"Exited"))

    refused = skilltrial("run", earlier, *AGAIN, *AGENT, env=counting)

    assert refused.code == 4
    assert "host.jsonl" in refused.err
    assert not (tmp_path / "second").exists()
    assert started_times(tmp_path) == 2
