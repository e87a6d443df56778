"""Live runs, as far as they can go without a provider: nothing to log in with, a wrong key, a runner that is killed."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_every_promise_of_the_shipped_suite_is_kept_on_the_real_program(program: Any, desk: Any) -> None:
    ran = desk.run("rehearse", "organization", "--out", "run", "--format", "json", *program.flags)

    assert ran.code == 0, ran.out + ran.err
    promises = ran.report["rehearsal"]["promises"]
    assert {promise["kept"] for promise in promises} == {"yes"}
    assert len(promises) == 56
    assert desk.run("grade", "run", "--format", "json").out == ran.out


@pytest.mark.parametrize("suite", ["organization"])
def test_without_credentials_nothing_starts(program: Any, desk: Any, suite: str) -> None:
    ran = desk.run("run", suite, "--out", "run", *program.flags)

    assert ran.code == 2, ran.out
    assert program.without_login in ran.err
    assert "--pass-env" in ran.err
    assert not (desk.folder / "run").exists()
    assert not list(desk.places.iterdir())


def test_the_installed_version_still_does_what_its_host_relies_on(program: Any, desk: Any) -> None:
    flags = ("--host-binary", str(program.binary))

    ran = desk.run("doctor", program.host, "--deep", *flags, "--format", "json")

    (found,) = json.loads(ran.out)
    assert {row["thing"]: row["why"] for row in found["probes"] if row["state"] != "holds"} == {}
    assert len(found["probes"]) == 23
    assert ran.code == 0
    assert found["version"] == program.version
    assert program.without_login in " ".join(found["todo"])


FEW = "CLAUDE_CODE_MAX_RETRIES"
"""Without it Claude Code asks ten times more, with longer and longer pauses."""


def test_a_wrong_key_stops_the_run_and_is_nobodys_behaviour(program: Any, desk: Any, refusing: Any) -> None:
    ran = desk.run(
        *("run", "organization", "--out", "run", "--format", "json", "--jobs", "3", "--yes"),
        *("--pass-env", program.key, "--pass-env", program.address, "--pass-env", FEW, *program.flags),
        env={program.key: "sk-wrong-key-4711", program.address: f"{refusing.url}{program.below}", FEW: "1"},
    )

    assert ran.code == 3, ran.out + ran.err
    ended = [trial for trial in ran.report["trials"] if trial["ending"]]
    assert 3 <= len(ended) <= 5, "after the third such ending only those that run already come to an end"
    assert {(trial["ending"], trial["cause"]) for trial in ended} == {("host_failed", "auth")}
    assert {trial["verdict"]["owner"] for trial in ended} == {"operator"}
    assert {trial["tries"] for trial in ended} == {1}, "a wrong key is not tried again"
    assert "stopped:" in ran.err
    assert "auth" in ran.err
    assert any("sk-wrong-key-4711" in asked for asked in refusing.asked), "it was the provider that was asked"
    kept = [path for path in (desk.folder / "run").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if holds(path, "sk-wrong-key-4711")]


def holds(path: Path, text: str) -> bool:
    return text.encode() in path.read_bytes()


def login() -> dict[str, Any]:
    """A login as the program keeps it; nobody has it."""
    claims = {"exp": int(time.time()) + 90_000, "email": "nobody@nowhere.invalid"}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    head = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    tokens = {
        "id_token": f"{head}.{body}.id-canary",
        "access_token": f"{head}.{body}.access-canary",
        "refresh_token": "refresh-canary-4711",
        "account_id": "account",
    }
    return {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z"}


@pytest.fixture
def killed(desk: Any, started: Callable[..., Any], comes_true: Callable[..., bool]) -> Callable[..., None]:
    """Start a run, wait until something holds, and SIGKILL the runner."""

    def kill(*arguments: str, env: dict[str, str], when: Callable[[], object]) -> None:
        runner = started(*arguments, env={**desk.env, **env})
        came = comes_true(lambda: when() or runner.poll() is not None, 60)
        assert came, "it never came to the moment"
        assert runner.poll() is None, runner.communicate()
        runner.kill()
        runner.communicate()

    return kill


SLOW = """\
skills: [{id: probe, folder: probe}]
limits: {seconds: 120}
allow: [Bash]
cases:
  slow:
    prompt: Wait.
    expect: [{files: made.txt, exists: true}]
    rehearsals:
      - {id: waits, expect: passed, script: [{run: "until test -e it; do sleep MARK; done"}, {say: DONE}]}
"""
AGENT = ("--host", "portable", "--", "skilltrial-agent")


def test_after_a_killed_runner_no_agent_and_no_tool_child_remains(
    program: Any, desk: Any, killed: Any, comes_true: Any
) -> None:
    mark = f"3000.{time.time_ns() % 10**9}"
    suite = desk.lay(SLOW.replace("MARK", mark))

    killed(
        *("rehearse", str(suite), "--arm", "with_skill", "--rehearsal", "waits", "--out", "killed", *program.flags),
        env={},
        when=lambda: [line for line in desk.processes() if f"sleep {mark}" in line],
    )
    again = desk.run("rehearse", "organization", "--case", "typo-english", "--out", "next", *AGENT)

    assert again.code == 0, again.out + again.err
    assert comes_true(lambda: not desk.processes(), 10), desk.processes()
    assert not list(desk.places.iterdir())


def test_after_a_killed_runner_no_copy_of_a_login_remains_and_the_login_is_as_it_was(
    lender: Any, desk: Any, killed: Any, comes_true: Any, silent: str
) -> None:
    home = Path(desk.env["CODEX_HOME"])
    home.mkdir(parents=True)
    original = home / "auth.json"
    original.write_text(json.dumps(login()), "utf-8")
    before = (original.read_bytes(), original.stat().st_mtime_ns, original.stat().st_ino)

    killed(
        *("run", "organization", "--out", "killed", "--yes", "--jobs", "2", *lender.flags),
        # Everything that would leave this machine ends at a proxy that never answers.
        env=dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"), silent),
        when=lambda: list(desk.places.rglob("auth.json")) and len(desk.processes()) > 1,
    )
    again = desk.run("rehearse", "organization", "--case", "typo-english", "--out", "next", *AGENT)

    assert again.code == 0, again.out + again.err
    assert not list(desk.places.rglob("auth.json"))
    assert comes_true(lambda: not desk.processes(), 10), desk.processes()
    assert (original.read_bytes(), original.stat().st_mtime_ns, original.stat().st_ino) == before
    assert list(home.rglob("*")) == [original], "nothing is laid beside it"
    kept = [path for path in (desk.folder / "killed").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if holds(path, "access-canary") or holds(path, "refresh-canary")]
