"""A process of its own that holds one turn with `zcode app-server`.

`python -m skilltrial_host_zcode.bridge PROGRAM ARGUMENT...` with a Job on standard input. What the program prints is
printed as it came, what is sent to it on lines of the bridge's own. It is watched and ended like any other agent
program.
"""

from __future__ import annotations

import itertools
import signal
import sys
import time
import uuid
from pathlib import Path
from types import FrameType
from typing import Any

from .answers import answer
from .following import Following
from .job import Fault, Job
from .lines import NOTHING, Object, inner, number, text
from .wire import Gone, Silent, Wire, say

_BUSY = -32010
_TRIES = 20
_BETWEEN = 0.5
"""Seconds between two tries to give a prompt to a session that is not ready yet."""
_CLOSING = 10.0
_ENDING = 0.4
"""Seconds for the program's end where the bridge itself is told to end: who told it kills soon after."""


class Failed(Exception):
    """The turn did not end as turns do."""

    def __init__(self, why: Fault, about: str = "") -> None:
        super().__init__(why)
        self.why: Fault = why
        self.about = about


class Told(Exception):
    """The bridge was told to end."""


def main() -> int:
    """Hold the turn; return the exit code: 0 where the program answered the prompt and ended by itself."""
    job = Job.read(sys.stdin.buffer.read())
    signal.signal(signal.SIGTERM, _told)
    wire = Wire(sys.argv[1:], Path.cwd())
    talk = Talk(wire, job)
    well, patience = False, min(_CLOSING, job.patience)
    try:
        well = talk.hold()
    except Failed as failed:
        say("failed", word=failed.why, about=failed.about)
    except Told:
        say("failed", word="stopped", about="")
        talk.stop()
        patience = _ENDING
    code = wire.close(patience)
    say("closed", code=code)
    return 0 if well and code in (0, None) else 1


class Talk:
    """The conversation of one turn."""

    def __init__(self, wire: Wire, job: Job) -> None:
        self._wire = wire
        self._job = job
        self._project = Path.cwd()
        self._ids = itertools.count(1)
        self._answered = False
        self._following: Following | None = None

    def hold(self) -> bool:
        """Open or take up the conversation and give it the prompt; whether the turn completed. Raises Failed."""
        job = self._job
        workspace = {"workspacePath": str(self._project), "workspaceKey": "skilltrial"}
        if job.plugin is not None:
            # Its servers are connected before the session is, as its users' are.
            self._ask("plugins/list", {"workspace": workspace})
            self._ask("mcp/list", {"workspace": workspace})
        session = self._opened(workspace)
        self._ask("session/subscribe", {"sessionId": session, "deliveryKind": "desktop-continuous"})
        about = {"workspace": workspace, "sessionId": session}
        # What was offered is worth knowing; a program that does not say goes on all the same.
        self._ask("skills/referenceCatalog", about, needed=False)
        if job.plugin is not None:
            self._ask("plugins/referenceCatalog", about, needed=False)
        following = self._following = Following(session, uuid.uuid4().hex, job.prompt)
        self._send(following)
        self._follow(following)
        self._ask("session/close", {"sessionId": session}, needed=False)
        return following.completed

    def stop(self) -> None:
        """Ask for the end of a turn that goes on. Nobody waits for an answer."""
        if self._following is not None:
            self._request("session/stop", {"sessionId": self._following.session})

    def _opened(self, workspace: Object) -> str:
        job = self._job
        always: dict[str, Any] = {"workspace": workspace, "mcpServers": [server.told() for server in job.servers]}
        if job.effort is not None:
            always["thoughtLevel"] = job.effort
        if job.session is not None:
            self._ask("session/resume", {"sessionId": job.session, **always})
            return job.session
        given = {**always, "mode": job.mode, "titleGenerationEnabled": False}
        if job.model:
            given["model"] = job.model
        session = text(inner(self._ask("session/create", given), "session"), "sessionId")
        if session is None:
            raise Failed("refused", "session/create")
        return session

    def _send(self, following: Following) -> None:
        """Give the prompt. A session that is still busy with something is asked again, for a while."""
        given: dict[str, Any] = {
            "sessionId": following.session,
            "content": following.prompt,
            "inputId": following.input,
        }
        if self._job.model:
            given["modelSelection"] = self._job.model
        reply = self._reply("session/send", given)
        for _ in range(_TRIES):
            if number(inner(reply, "error"), "code") != _BUSY:
                break
            self._wait(_BETWEEN)
            reply = self._reply("session/send", given)
        if "error" in reply:
            raise Failed("refused", "session/send")

    def _follow(self, following: Following) -> None:
        """Look at what comes until the turn is over. Only its trial bounds a turn."""
        while not following.over:
            until = float("inf")
            if following.end is not None or following.settled is not None:
                until = time.monotonic() + min(_CLOSING, self._job.patience)
            try:
                self._look(until)
            except Silent:
                raise Failed("turn_end_lost" if following.end is None else "unsettled") from None

    def _ask(self, method: str, params: dict[str, Any], *, needed: bool = True) -> Object:
        """The result of a request; empty where it failed and is not needed. Raises Failed."""
        reply = self._reply(method, params)
        if "error" in reply and needed:
            raise Failed("refused", method)
        return inner(reply, "result")

    def _reply(self, method: str, params: dict[str, Any]) -> Object:
        """The answer to a request, a result or an error. Raises Failed."""
        until, id = time.monotonic() + self._job.patience, self._request(method, params)
        try:
            while True:
                message = self._look(until)
                if "method" not in message and message.get("id") == id:
                    self._answered = True
                    return message
        except Silent:
            raise Failed("no_answer", method) from None

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        try:
            while True:
                self._look(until)
        except Silent:
            return

    def _request(self, method: str, params: dict[str, Any]) -> int:
        id = next(self._ids)
        self._wire.send({"id": id, "method": method, "params": params})
        return id

    def _look(self, until: float) -> Object:
        """Take the next message, and answer it where it is a request. Raises Silent, Failed."""
        try:
            message = self._wire.hear(until) or NOTHING
        except Gone:
            raise Failed("gone" if self._answered else "no_start") from None
        method, id = text(message, "method"), message.get("id")
        if method is None:
            return message
        params = inner(message, "params")
        if isinstance(id, str | int):
            self._wire.send({"id": id, **answer(method, params, self._job, self._project)})
        elif self._following is not None:
            self._following.hear(method, params)
        return message


def _told(number: int, frame: FrameType | None) -> None:
    raise Told


if __name__ == "__main__":
    sys.exit(main())
