"""A provider on the loopback whose model behaves otherwise when the skill's body is in the conversation.

Nobody tells the agent program that it is no provider: it is reached by the variables of a live run.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from skilltrial.api import Act, ReadSkill, Say, WriteFile
from skilltrial.model.suite import FileText
from skilltrial_host_claude.dialect import ClaudeDialect
from skilltrial_host_codex.dialect import CodexDialect
from skilltrial_model_scripted.conversation import NEUTRAL, Answer, Conversation, Reply, tokens
from skilltrial_model_scripted.player import due
from skilltrial_model_scripted.sides import is_side
from skilltrial_model_scripted.wires.messages import CountTokens, Messages
from skilltrial_model_scripted.wires.responses import Responses

SKILL = "changelog"
OFFERED = "How entries of this project's changelog are written"
BODY = "CHANGELOG-BODY-7"
SKILL_MD = f"""\
---
name: {SKILL}
description: {OFFERED}. Use it for every changelog entry.
---
{BODY}: write every new entry into CHANGELOG.md below a heading `## Unreleased`.
"""
PROMPT = "Add an entry for the dark mode to the list of changes."
OTHER = "Note in the list of changes that the old menu is gone."
ELSEWHERE = "Say which year it is."
PROMPTS = (PROMPT, OTHER, ELSEWHERE)
WIRES = (Messages(), CountTokens(), Responses())


@dataclass
class Provider:
    """A provider that is none. `obeys` says whether its model does what a skill says that it has read."""

    url: str
    obeys: bool = True
    asked: int = 0
    """Requests that belonged to a turn."""

    def acts(self, asked: Conversation, prompt: str) -> list[Act]:
        """What the model does in this conversation."""
        if prompt == ELSEWHERE:
            return [WriteFile(write_file=FileText(path="year.txt", text="2026\n")), Say(say="It is in year.txt.")]
        said = "\n".join(one.text for one in asked.said)
        read: list[Act] = [ReadSkill(read_skill=SKILL)] if OFFERED in said else []
        heading = "## Unreleased" if BODY in said and self.obeys else "## Changes"
        file = FileText(path="CHANGELOG.md", text=f"# Changelog\n\n{heading}\n\n- {prompt}\n")
        return [*read, WriteFile(write_file=file), Say(say="The entry is in CHANGELOG.md.")]


@pytest.fixture
def provider() -> Iterator[Provider]:
    """The provider, running."""

    class Answering(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            wire = next((one for one in WIRES if self.path.partition("?")[0].endswith(one.path)), None)
            if wire is None:
                self._send(404, b"{}", "application/json")
                return
            asked = wire.read(json.loads(body))
            reply = Reply(NEUTRAL)
            prompt = next((one for one in PROMPTS if asked.asks(one)), "")
            if not wire.side and prompt and not is_side(asked, 1, prompt):
                found.asked += 1
                dialect = ClaudeDialect() if wire.name == Messages.name else CodexDialect()
                acts, step = found.acts(asked, prompt), asked.step(prompt)
                reply = due(acts, step, lambda act: dialect.spell(act, asked.tools)).reply
            answer = Answer(f"{abs(hash(body)):024x}"[:24], reply, tokens(len(body)), 7)
            if asked.stream:
                data = b"".join(event.line() for event in wire.events(asked, answer))
                self._send(200, data, "text/event-stream")
            else:
                self._send(200, json.dumps(wire.whole(asked, answer)).encode(), "application/json")

        def do_GET(self) -> None:
            self._send(404, b"{}", "application/json")

        def _send(self, status: int, data: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    found = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def live(program: Any, desk: Any, provider: Provider) -> Callable[..., Any]:
    """Run `skilltrial` on the real program as for a provider; the flags of the host come before `arguments`."""
    env = {program.key: "sk-not-a-key-4711", program.address: f"{provider.url}{program.below}"}
    flags = (*program.flags, "--pass-env", program.key, "--pass-env", program.address)

    def run(command: str, *arguments: str) -> Any:
        return desk.run(command, *arguments, *flags, env=env)

    skill = desk.folder / "skills" / SKILL / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL_MD, "utf-8")
    return run
