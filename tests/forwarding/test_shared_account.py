"""The routing suite on a shared account: one trial at a time, what it presupposes asked there, what it left listed.

The account is a stand-in (`data/account.py`), the agent is the reference agent, its model plays the suite's scripts.
"""

from __future__ import annotations

import http.server
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

DATA = Path(__file__).parent / "data"
TOKEN = "canary-token-a7f1"
SPEC = importlib.util.find_spec("skilltrial_grader_kody")
assert SPEC is not None
assert SPEC.submodule_search_locations is not None
SUITE: dict[str, Any] = YAML(typ="safe", pure=True).load(
    (Path(SPEC.submodule_search_locations[0]) / "live/suite.yaml").read_text("utf-8")
)
CASES: dict[str, Any] = {case["id"]: case for case in SUITE["cases"]}
LAST = {case["id"] for case in SUITE["cases"] if case.get("stage") == "last"}
AGENT = ("--host", "portable", "--records", "events", "--host-option", "mcp_env=MCP_SERVERS")


def held() -> dict[str, Any]:
    """Everything that the cases presuppose, in one account."""
    saved: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for case in SUITE["cases"]:
        state = case["fixtures"]["kody"]["state"]
        values |= state.get("values", {})
        for one in state["saved"]:
            saved[one["name"]] = {**one, "id": f"u-{len(saved)}"} if one["name"] not in saved else saved[one["name"]]
    return {"saved": list(saved.values()), "values": values}


def script_of(messages: list[dict[str, Any]], scripts: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The message with which a conversation goes on."""
    prompt = " ".join(str(next(one["content"] for one in messages if one["role"] == "user")).split())
    case = next(id for id, one in CASES.items() if " ".join(one["turns"][0].split()) == prompt)
    act = scripts[case][sum(one["role"] == "assistant" for one in messages)]
    if "say" in act:
        return {"content": act["say"]}
    function = {"name": f"mcp__kody__{act['call']['tool']}", "arguments": json.dumps(act["call"]["arguments"])}
    return {"content": None, "tool_calls": [{"id": f"c{len(messages)}", "type": "function", "function": function}]}


@pytest.fixture
def model() -> Iterator[tuple[str, dict[str, list[dict[str, Any]]]]]:
    """A stand-in for a model: plays each case's first script; the scripts may be replaced."""
    scripts = {id: case["rehearsals"][0]["script"] for id, case in CASES.items()}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            message = {"role": "assistant", **script_of(asked["messages"], scripts)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            data = json.dumps({"model": "scripted", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{served.server_address[1]}/v1", scripts
        served.shutdown()
        thread.join()


@dataclass
class Account:
    """A running account, and how the suite is pointed at it."""

    port: int
    log: Path
    model: str
    folder: Path
    more: tuple[str, ...] = field(default=("--catalog", "kody=kody.json"))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def words(self, *more: str, out: str = "run") -> tuple[str, ...]:
        """The command that a user gives."""
        options = ("mode=forward", f"url={self.url}", "token_env=KODY_TOKEN")
        return (
            *("run", "package-discovery-routing", *AGENT, "--out", out, "--retries", "0", "--allow-mutations"),
            *(word for one in options for word in ("--fixture-option", f"kody:{one}")),
            *(*self.more, *more, "--", "skilltrial-agent", "--base-url", self.model, "--model", "scripted"),
        )

    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()] if self.log.exists() else []


KEYS = {"KODY_TOKEN": TOKEN, "OPENAI_API_KEY": "none"}
Open = Callable[[dict[str, Any]], Account]


@pytest.fixture
def account(tmp_path: Path, skilltrial: Any, model: Any) -> Iterator[Open]:
    """`account(state)` opens one; its catalog is captured, as a user would."""
    running: list[subprocess.Popen[bytes]] = []

    def start(state: dict[str, Any]) -> Account:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (tmp_path / "state.json").write_text(json.dumps(state), "utf-8")
        one = Account(port, tmp_path / "log.jsonl", model[0], tmp_path)
        words = [sys.executable, *map(str, (DATA / "account.py", port, TOKEN, tmp_path / "state.json", one.log))]
        running.append(subprocess.Popen(words))
        until = time.monotonic() + 120
        while time.monotonic() < until and running[-1].poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        captured = skilltrial(
            *("catalog", "capture", "--url", one.url, "--token-env", "KODY_TOKEN", "--out", "kody.json"), env=KEYS
        )
        assert captured.code == 0, captured.err
        return one

    yield start
    for process in running:
        process.kill()
        process.wait()


def asked_by() -> dict[str, str]:
    """What is asked of the account → the case of whose trial it is."""
    found: dict[str, str] = {}
    for id, case in CASES.items():
        found[case["fixtures"]["kody"]["state"]["presupposes"]["query"]] = id
        for act in case["rehearsals"][0]["script"]:
            if "call" in act:
                given = act["call"]["arguments"]
                found[given.get("query") or given.get("entity") or given.get("code")] = id
    return found


def wire(root: Path, case: str) -> list[dict[str, Any]]:
    lines = (root / f"trials/{case}/kody/1/fixture-kody.jsonl").read_text("utf-8").splitlines()
    return [json.loads(json.loads(line)["raw"]) for line in lines]


def test_two_commands_on_one_account_are_held_apart(account: Open, skilltrial: Any, tmp_path: Path) -> None:
    kody = account(held())
    state = {**KEYS, "XDG_STATE_HOME": str(tmp_path / "state")}
    code = (
        "import sys, time\nfrom skilltrial.api import FixtureIdentity\nfrom skilltrial.record.accounts import alone\n"
        "with alone({'x': FixtureIdentity(exclusive=True, account=sys.argv[1])}, live=True, run='other'):\n"
        "    print('held', flush=True)\n    time.sleep(600)"
    )
    command = [sys.executable, "-c", code, kody.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **state}) as other:
        assert other.stdout is not None
        other.stdout.readline()
        refused = skilltrial(*kody.words("--case", next(iter(CASES))), env=state)
        other.kill()

    told = " ".join(refused.err.split())
    assert refused.code == 2, refused.err
    assert f"another run is on {kody.url}, and all trials share what is there (run other, process {other.pid}," in told
    assert TOKEN not in refused.err
    assert not (tmp_path / "run").exists()


def test_all_cases_run_on_one_account_one_after_the_other(
    account: Open, skilltrial: Any, tmp_path: Path, holders: Any
) -> None:
    kody = account(held())

    ran = skilltrial(*kody.words("--jobs", "8", "--format", "json"), env=KEYS, within=600)

    assert ran.code == 0, ran.out + ran.err
    assert set(ran.verdicts.values()) == {"passed"}
    assert len(ran.verdicts) == len(CASES)
    assert ran.report["evidence_kind"] == "live-server"
    assert "note: all trials share what is behind fixture kody: one runs at a time, not 8" in " ".join(ran.err.split())
    assert json.loads((tmp_path / "run/plan.json").read_text())["jobs"] == 1

    told = kody.told()
    assert [one["what"] for one in told] == ["begins", "ends"] * (len(told) // 2), "calls of two trials overlap"
    whose = [asked_by().get(one["asked"], "?") for one in told if "valueList({});" not in one["asked"]]
    order = [case for at, case in enumerate(whose) if at == 0 or whose[at - 1] != case]
    assert sorted(order) == sorted(CASES), "a case's calls lie between those of another"
    assert set(order[-3:]) == LAST

    note = wire(tmp_path / "run", "reuse-release-note-helper")[0]
    assert (note["wire"], note["holds"], note["found"]["exact"]) == ("presupposed", True, ["@me/release-update"])
    assert note["asked"][0]["arguments"] == {"query": "release update in our standard format"}
    assert "`package:@me/release-update`" in json.dumps(note["asked"][0]["result"])
    assert wire(tmp_path / "run", "author-reusable-scheduled-brief")[0]["asked"][1]["tool"] == "execute"
    assert holders(tmp_path / "run", TOKEN) == []

    assert "left on a real server, to be cleaned up" in ran.err
    left = skilltrial("show", "run", "--left").out.splitlines()
    weekly, once = "schedule-simple-recurring-reminder/kody/1: kody", "schedule-single-reminder/kody/1: kody"
    assert f"{weekly}: execute, line 2: kody.packageSave (@me/timesheet-reminder) left something" in left
    assert f"{once}: execute, line 3: workflows.create left something" in left
    assert not [line for line in left if line.startswith("one-off-")]
    assert skilltrial("grade", "run", "--format", "json").out == ran.out


def test_what_is_not_as_presupposed_opens_no_session(account: Open, skilltrial: Any, tmp_path: Path) -> None:
    state = held()
    state["saved"] = [one for one in state["saved"] if one["name"] != "@me/follow-up-drafts"]
    for name, says in (
        ("@me/release-notes", "Writes the release update of this account."),
        ("@me/launch", "Reminds you to go through the launch checklist."),
    ):
        state["saved"].append({"id": f"x-{name[4:]}", "name": name, "title": name, "description": says})
    del state["values"]["project-updates"]
    wanted = {
        "reuse-recurring-email-drafter": ("skipped", "skipped_no_eligible_match", "operator"),
        "reuse-release-note-helper": ("skipped", "skipped_no_eligible_match", "operator"),
        "schedule-single-reminder": ("incomplete", "exact_result_present", "operator"),
        "author-reusable-scheduled-brief": ("incomplete", "value_missing", "operator"),
    }
    kody = account(state)

    ran = skilltrial(
        *kody.words("--format", "json", *(word for one in wanted for word in ("--case", one))), env=KEYS, within=300
    )

    assert ran.code == 3, ran.err
    found = {
        one["key"]["case"]: tuple(one["verdict"][key] for key in ("kind", "reason", "owner"))
        for one in ran.report["trials"]
    }
    assert found == wanted
    assert {one["tool"] for one in kody.told()} == {"search", "execute"}
    assert sum(one["what"] == "begins" for one in kody.told()) == len(wanted) + 1, "only the questions were asked"
    two = wire(tmp_path / "run", "reuse-release-note-helper")[0]["found"]["exact"]
    none = wire(tmp_path / "run", "reuse-recurring-email-drafter")[0]["found"]["exact"]
    assert (sorted(two), none) == (["@me/release-notes", "@me/release-update"], [])
    assert "left on a real server" not in ran.err


def test_a_run_that_is_interrupted_tells_what_it_left(
    account: Open, started: Any, eventually: Any, skilltrial: Any, model: Any, tmp_path: Path
) -> None:
    code = "await kody.packageSave({ name: '@me/forever', files: {} });"
    script = model[1]["author-validated-cleanup-automation"]
    at = next(at for at, act in enumerate(script) if "call" in act and "code" in act["call"]["arguments"])
    model[1]["author-validated-cleanup-automation"] = [
        *script[:at],
        {"call": {"server": "kody", "tool": "execute", "arguments": {"code": code}}},
    ]
    kody = account(held())
    runner = started(
        *kody.words(
            "--case",
            "schedule-simple-recurring-reminder",
            "--case",
            "author-validated-cleanup-automation",
            "--seed",
            "1",
        ),
        env=KEYS,
    )
    eventually(lambda: any(one["asked"] == code for one in kody.told()), runner, 120)

    runner.send_signal(signal.SIGTERM)
    _, err = runner.communicate(timeout=120)

    assert runner.returncode == 130
    what = "execute, line 1: kody.packageSave (@me/forever) may have left something"
    line = f"author-validated-cleanup-automation/kody/1: kody: {what}"
    assert line in err
    assert line in skilltrial("show", "run", "--left").out
    assert not (tmp_path / "run/trials/author-validated-cleanup-automation").exists()
    assert skilltrial("verify", "run").code == 0


@pytest.mark.parametrize(("key", "why"), [("another", "server_not_authorized"), (TOKEN, "catalog_outdated")])
def test_a_server_that_can_not_be_used_says_why(
    account: Open, skilltrial: Any, tmp_path: Path, key: str, why: str
) -> None:
    kody = account(held())
    kody.more = ()

    ran = skilltrial(
        *kody.words("--format", "json", "--case", "one-off-value-inventory"),
        env={**KEYS, "KODY_TOKEN": key},
        within=300,
    )

    assert ran.code == 3, ran.err
    (verdict,) = [one["verdict"] for one in ran.report["trials"]]
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", why, "operator")
    note = wire(tmp_path / "run", "one-off-value-inventory")[0]
    assert (note["holds"], note["why"]) == (False, why)
    assert note["found"] == ({"takes_other_arguments": ["search", "execute"]} if why == "catalog_outdated" else None)
    assert kody.told() == []


def test_a_run_that_is_taken_up_keeps_to_one_at_a_time_and_to_the_order(
    account: Open, skilltrial: Any, tmp_path: Path
) -> None:
    """A budget ends the run between the stages; the early case is found wanting, and may not go after the last."""
    state = held()
    state["saved"].append(
        {"id": "x-1", "name": "@me/launch", "title": "Launch", "description": "Reminds of the launch checklist."}
    )
    early, late = "schedule-single-reminder", "schedule-simple-recurring-reminder"
    kody = account(state)
    skilltrial(*kody.words("--case", early, "--case", late, "--max-sessions", "1"), env=KEYS, within=300)

    again = skilltrial("run", "--resume", "run", "--jobs", "8", env=KEYS, within=300)
    refused = skilltrial("run", "--resume", "run", "--incomplete", env=KEYS)

    assert again.code == 3, again.err
    assert "one runs at a time, not 8" in " ".join(again.err.split())
    assert (tmp_path / f"run/trials/{late}").is_dir()
    assert refused.code == 2
    assert f"{early} / kody / 1 can't be run again in this run" in refused.err
    assert f"start a new run with --case {early}" in refused.err
