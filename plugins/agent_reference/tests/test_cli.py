"""The command: exit codes, keys that are named and never given, conversations that go on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_an_answered_prompt_ends_with_zero(command, endpoint, wire):
    endpoint.says(wire.say("Готово."))

    done = command(prompt="Скажи слово.")

    assert done.returncode == 0
    assert lines(done)[-2] == {"type": "TurnEnded", "answer": "Готово."}
    assert endpoint.requests[0]["messages"][-1]["content"] == "Скажи слово."
    assert endpoint.headers[0][0] == "/v1/chat/completions"


def test_a_model_that_fails_for_good_ends_with_one(command, endpoint):
    endpoint.answers.append((401, {}, {}))

    done = command()

    assert done.returncode == 1
    assert lines(done)[-1] == {"type": "SessionEnded", "ending": "host_failed", "cause": "auth"}
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "prompt"),
    [
        ((), {"OPENAI_BASE_URL": ""}, "x"),
        ((), {"OPENAI_MODEL": ""}, "x"),
        (("--base-url", "ftp://x"), {}, "x"),
        ((), {}, "  \n"),
        (("--continue",), {}, "x"),
        (("--key-env", "MISSING"), {}, "x"),
        (("--key-file", "missing"), {}, "x"),
        (("--key-env", "A", "--key-file", "b"), {"A": "k"}, "x"),
        (("--max-steps", "0"), {}, "x"),
        (("--key", "abc"), {}, "x"),
        (("surplus",), {}, "x"),
    ],
)
def test_wrong_usage_ends_with_two_and_one_sentence(command, endpoint, arguments, environment, prompt):
    done = command(*arguments, environment=environment, prompt=prompt)

    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Error: " in done.stderr
    assert b"Traceback" not in done.stderr
    assert not endpoint.requests


def test_the_key_comes_from_the_variable_or_file_that_is_named(command, endpoint, wire, tmp_path):
    (tmp_path / "key").write_text("from-file\n")
    for _ in range(4):
        endpoint.says(wire.say("Done."))

    command(environment={"OPENAI_API_KEY": "usual"})
    command("--key-env", "MINE", environment={"MINE": "named", "OPENAI_API_KEY": "usual"})
    command("--key-file", str(tmp_path / "key"), environment={"OPENAI_API_KEY": "usual"})
    command()

    told = [
        {name.lower(): value for name, value in headers.items()}.get("authorization") for _, headers in endpoint.headers
    ]
    assert told == ["Bearer usual", "Bearer named", "Bearer from-file", None]


def test_r57_the_key_reaches_neither_a_command_nor_the_output(command, endpoint, wire):
    endpoint.calls(wire.call("run_command", {"command": "env"}))
    endpoint.says(wire.say("Done."))

    done = command("--key-env", "MINE", environment={"MINE": "canary-value", "OTHER": "seen"})

    assert b"OTHER=seen" in done.stdout
    assert b"canary-value" not in done.stdout + done.stderr


def test_a_conversation_goes_on_in_the_next_process(command, endpoint, wire, project, tmp_path):
    for word in ("First.", "Second.", "Third."):
        endpoint.says(wire.say(word))

    first = command(prompt="Remember the word pear.")
    second = command("--continue", prompt="Which word?")
    third = command(prompt="Something new.")

    assert [message["role"] for message in endpoint.requests[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert endpoint.requests[1]["messages"][1]["content"] == "Remember the word pear."
    assert [message["role"] for message in endpoint.requests[2]["messages"]] == ["system", "user"]
    sessions = [lines(done)[0]["session"] for done in (first, second, third)]
    assert sessions[0] == sessions[1] != sessions[2]
    assert list(project.iterdir()) == []
    (kept,) = (tmp_path / "home/.local/state/agent").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_failed_turn_does_not_spoil_the_conversation(command, endpoint, wire):
    endpoint.says(wire.say("First."))
    endpoint.answers.append((401, {}, {}))
    endpoint.says(wire.say("Third."))

    command(prompt="one")
    command("--continue", prompt="two")
    command("--continue", prompt="three")

    assert [message["role"] for message in endpoint.requests[2]["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_agent_that_is_ended_takes_its_command_along(endpoint, wire, project, tmp_path, number, code):
    endpoint.calls(wire.call("run_command", {"command": "touch begun; sleep 1; touch late"}))
    program = str(Path(sys.executable).with_name("skilltrial-agent"))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m",
    }  # fmt: skip
    pipe = subprocess.PIPE
    # Whoever starts the tests in the background may have told them to ignore SIGINT; the agent would inherit that.
    heard = ["env", "--default-signal=INT", program]
    with subprocess.Popen(heard, stdin=pipe, stdout=pipe, stderr=pipe, cwd=project, env=environment) as agent:
        assert agent.stdin is not None
        assert agent.stderr is not None
        agent.stdin.write(b"Work.")
        agent.stdin.close()
        deadline = time.monotonic() + 20
        while not (project / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.02)

        agent.send_signal(number)

        assert agent.wait(10) == code
        assert b"Traceback" not in agent.stderr.read()
    time.sleep(1.2)
    assert not (project / "late").exists()


def test_the_agent_starts_without_skilltrial_and_what_it_brings():
    imported = "import sys, skilltrial_agent_reference.cli, skilltrial_agent_reference.running; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True, check=True)

    assert not set(done.stdout.split()) & {"skilltrial", "pydantic", "pluggy", "stevedore", "ruamel.yaml"}
