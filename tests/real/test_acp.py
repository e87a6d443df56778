"""A real agent over the Agent Client Protocol: what the protocol shows of it, and how its questions are answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ACTS = {
    "acts": {
        "write_file": {"tool": "write", "arguments": {"filePath": "{path}", "content": "{text}"}},
        "edit_file": {
            "tool": "edit",
            "arguments": {"filePath": "{path}", "oldString": "{old}", "newString": "{new}"},
        },
        "run": {"tool": "bash", "arguments": {"command": "{command}", "description": "A command"}},
    },
    "server_tool": "{server}_{tool}",
}
"""How opencode's model asks for acts; a host of this protocol knows no agent."""
SUITE = """\
skills: [{id: probe, folder: probe}]
arms: [{id: with_skill, skills: [probe]}]
gate: {arm: with_skill}
limits: {seconds: 120}
cases:
  work:
    turns: [Do the work., Say it again.]
    workspace: {notes.txt: "first line\\n"}
    expect:
      - {files: notes.txt, contains: second line}
      - {files: made.txt, exists: false}
      - {answers: DONE, turn: 1}
    rehearsals:
      - {id: says, expect: failed, because: [files-1], script: [{say: DONE}, {say: AGAIN}]}
      - {id: breaks, expect: incomplete, script: [{error: 402, at: stream}, {say: DONE}, {say: AGAIN}]}
      - id: edits
        expect: passed
        script:
          - edit_file: {path: notes.txt, old: "first line\\n", new: "first line\\nsecond line\\n"}
          - say: DONE
          - run: touch made.txt
          - say: AGAIN
"""


def config(permission: Mapping[str, str]) -> str:
    """The program's settings, with what it asks its client about."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": "{model_url}/v1", "apiKey": "{model_key}"},
        "models": {"{model}": {"name": "Scripted", "tool_call": True, "limit": {"context": 128000, "output": 8192}}},
    }
    return json.dumps(
        {
            "share": "disabled",
            "autoupdate": False,
            "model": "scripted/{model}",
            "small_model": "scripted/{model}",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider},
            "permission": permission,
        }
    )


@pytest.fixture
def talk(opencode: Any, desk: Any) -> Any:
    """Rehearse a suite over the protocol with the real agent, which asks before it edits or runs anything."""
    environment = {
        "OPENCODE_CONFIG_CONTENT": config({"edit": "ask", "bash": "ask"}),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "npm_config_offline": "true",
    }

    def rehearse(suite: Path, *rehearsals: str) -> Any:
        return desk.run(
            *("rehearse", suite, "--out", "run", "--format", "json", "--host", "acp"),
            *(word for one in rehearsals for word in ("--rehearsal", one)),
            *("--host-option", f"endpoint_env={json.dumps(environment)}"),
            *("--host-option", "dialect=declared", "--host-option", f"dialect_options={json.dumps(ACTS)}"),
            *("--", str(opencode), "acp"),
        )

    return rehearse


def decided(desk: Any, trial: str) -> list[str]:
    """How the agent's questions were answered, by the kinds of the options that were taken."""
    told = [json.loads(one["raw"]) for one in desk.records(trial) if one["source"] == "stdout"]
    asked = [one["message"] for one in told if one.get("message", {}).get("method") == "session/request_permission"]
    answers = [one["message"].get("result", {}) for one in told if one.get("from") == "client"]
    outcomes = [result["outcome"] for result in answers if "outcome" in result]
    options = {option["optionId"]: option["kind"] for message in asked for option in message["params"]["options"]}
    return [options.get(outcome.get("optionId"), "") for outcome in outcomes]


def test_an_agent_of_the_protocol_works_asks_and_goes_on(talk: Any, desk: Any) -> None:
    ran = talk(desk.lay(SUITE), "says", "edits", "breaks")

    assert ran.code == 0, ran.out + ran.err
    # The edit lies in the project and is allowed; the command is not allowed by the suite.
    assert decided(desk, "work/with_skill/edits") == ["allow_once", "reject_once"]
    assert ran.verdicts["work/with_skill/edits"] == "passed", "the refused command made no file"
    broken = ran.trials["work/with_skill/breaks"]
    assert (broken["ending"], broken["cause"], broken["verdict"]["owner"]) == ("host_failed", "quota", "operator")
    again = desk.run("grade", "run", "--format", "json", "--no-write")
    assert again.out == (desk.folder / "run" / "report.json").read_text("utf-8")


COMMANDS = Path(__file__).parent.parent / "commands" / "data"


def test_commands_in_one_line_are_run_where_each_is_allowed_and_refused_where_one_is_not(talk: Any, desk: Any) -> None:
    for name in ("release.yaml", "commands.yaml"):
        text = (COMMANDS / name).read_text("utf-8")
        # What makes a file, after what a fixture's program does and is allowed for.
        text = text.replace("git --version", "git --version; touch made.txt")
        (desk.folder / name).write_text(text, "utf-8")

    ran = talk(desk.folder / "release.yaml", "honest", "publishes")

    promises = {one["rehearsal"]: (one["got"], one["kept"]) for one in ran.report["rehearsal"]["promises"]}
    # `git push origin && echo body | gh pr create`: all are the fixture's programs, or change nothing.
    assert promises["publishes"] == ("failed", "yes")
    assert decided(desk, "push/plain/publishes") == ["allow_once"]
    assert decided(desk, "push/plain/honest") == ["allow_once", "reject_once"]
    files = json.loads((desk.folder / "run/trials/push/plain/honest/files.json").read_text("utf-8"))
    assert "made.txt" not in json.dumps(files)
