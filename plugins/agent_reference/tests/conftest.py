"""A chat-completions endpoint on loopback, a project, and a way to run the agent in it."""

import io
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from skilltrial_agent_reference import memory
from skilltrial_agent_reference.events import Events
from skilltrial_agent_reference.model import Model
from skilltrial_agent_reference.running import Asked, run

SKILL = """---
name: note-style
description: >
  How notes
  are written.
---

# Notes

Begin each note with a star.
"""


def say(text, **more):
    return {"content": text, **more}


def call(name, arguments, id_="call-1"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}


def completion(message, usage=True, finish="stop"):
    body: dict[str, Any] = {
        "model": "small-1",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {
            "prompt_tokens": 10,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 1},
        }
    return 200, {}, body


@dataclass
class Endpoint:
    """Answers request after request with what lies in `answers`; `None` drops the connection."""

    url: str = ""
    answers: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    headers: list = field(default_factory=list)

    def says(self, *messages):
        self.answers += [completion(message) for message in messages]

    def calls(self, *calls):
        self.says({"content": None, "tool_calls": list(calls)})


@pytest.fixture
def endpoint():
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            state.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            state.headers.append((self.path, dict(self.headers.items())))
            answer = state.answers.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, headers, body = answer
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder.resolve()


@pytest.fixture
def skilled(project):
    """The project with a skill."""
    place = project / ".agents/skills/note-style"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(SKILL)
    return project


class Outcome:
    """What a run of the agent told."""

    def __init__(self, answered, text):
        self.answered = answered
        self.events = [json.loads(line) for line in text.splitlines()]

    def of(self, type_):
        return [event for event in self.events if event["type"] == type_]

    def one(self, type_):
        (event,) = self.of(type_)
        return event

    @property
    def answer(self):
        return self.one("TurnEnded")["answer"]

    @property
    def steps(self):
        return [event["step"] for event in self.of("SkillStep")]


@pytest.fixture
def ask(endpoint, project, tmp_path):
    """Run the agent in this process: `ask(prompt)` → Outcome."""

    def run_it(prompt="Work.", *, conversation=None, steps=20, retries=2, seconds=5.0):
        out = io.StringIO()
        with Model(endpoint.url, "small", None, retries=retries) as model:
            answered = run(
                Asked(project, prompt, seconds, steps, frozenset({"OPENAI_API_KEY"})),
                model,
                conversation or memory.Conversation(),
                tmp_path / "kept.json",
                Events(out),
            )
        return Outcome(answered, out.getvalue())

    return run_it


@pytest.fixture
def command(endpoint, project, tmp_path):
    """Run `skilltrial-agent` as a process."""

    def run_it(*arguments, prompt="Work.", environment=None):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        base = {"PATH": os.environ["PATH"], "HOME": str(home), "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "small"}
        program = str(Path(sys.executable).with_name("skilltrial-agent"))
        return subprocess.run(
            [program, *arguments],
            check=False,
            input=prompt.encode(),
            capture_output=True,
            cwd=project,
            env={**base, **(environment or {})},
            timeout=60,
        )

    return run_it


@pytest.fixture
def wire():
    """The little builders of a model's answers."""
    return SimpleNamespace(say=say, call=call, completion=completion)
