"""One trial at its server: requests in, outcomes out, everything on record before it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from skilltrial.replies import notes
from skilltrial.replies.strictjson import canonical

from .answers import Answer
from .envelopes import unsupported
from .passing import UpstreamFailed, passed_on, refused
from .playing import UNKNOWN, Decision, Play, Scene, decide
from .revisions import (
    CALL_IDS,
    CLIENT_KEY,
    HANDSHAKE,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MODERN,
    SERVER_KEY,
)
from .routes import Page, Visit, routed, visit_page
from .rpc import Failure, Params, Request

if TYPE_CHECKING:
    from pydantic import JsonValue

    from skilltrial.api import Answerer, Remarks

    from .plain import Fault, Keeper, Speaks
    from .tools import Catalog
    from .upstream import Upstream

Transport = Literal["http", "stdio"]


class About(NamedTuple):
    """What the server says of itself, alike in all trials of a run."""

    name: str
    version: str
    instructions: str | None = None
    speaks: Speaks = "both"


class Done(NamedTuple):
    """The members of a result, and how many seconds they are held back."""

    result: Params
    delay: float = 0.0
    untold: bool = False
    """Whether the list of tools has changed and no stream was open to say so."""


class Broken(NamedTuple):
    """A fault that takes the answer's place, after some seconds."""

    fault: Fault
    delay: float = 0.0


class Listening(NamedTuple):
    """A stream of notifications that the client asked for; `honored` are the kinds it will get."""

    honored: Params


class Passing(NamedTuple):
    """A call that a real server answers (see `ServedTrial.forward`)."""

    number: int
    name: str
    arguments: JsonValue
    request: Request
    revision: str


Outcome = Done | Broken | Listening | Failure


@dataclass(slots=True)
class ServedTrial:
    """The server's side of one trial. Requests come from one thread; once closed nothing more is recorded."""

    about: About
    catalog: Catalog
    play: Play
    scene: Scene
    recorder: Keeper
    answerer: Answerer | None = None
    upstream: Upstream | None = None
    """The real server that answers in place of the script."""
    listeners: set[Callable[[], None]] = field(default_factory=set)
    """Who hears that the list of tools has changed."""
    revision: str | None = None
    """The revision of the latest handshake."""
    _calls: int = 0
    _met: set[tuple[str, str | None, Transport]] = field(default_factory=set)
    _closed: bool = False
    _broken: Exception | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def handle(self, request: Request, revision: str, transport: Transport) -> Outcome | Passing:
        """Put a request on record and decide what it gets. `revision` is MODERN, or one of the handshake's."""
        if request.method == "initialize" and revision != MODERN:
            return self._initialize(request, transport)
        self._meet(revision, _client(request.meta.get(CLIENT_KEY)), transport)
        outcome = self._call(request, revision) if request.method == "tools/call" else self._answer(request, revision)
        if isinstance(outcome, Failure) and outcome.data is not UNKNOWN.recorded:
            self.refuse(outcome.why)
        elif isinstance(outcome, Done) and revision == MODERN:
            return Done(self._stamped(outcome.result), outcome.delay, outcome.untold)
        return outcome

    async def forward(self, passing: Passing) -> Outcome:
        """Let the real server answer. What it was asked and said is on record first, then the answer."""
        if self.upstream is None:
            raise RuntimeError("there is no real server here")
        sent: Params = {"name": passing.name, "arguments": passing.arguments}
        # Before it is sent: should nobody live to hear the answer, what it may have left is known.
        self._tell_left(passing.number, self._remarks(passing, None, is_error=True))
        try:
            said = await self.upstream.call(passing.name, passing.arguments)
        except UpstreamFailed as failed:
            # Without an answer on record: a call that nobody answered says nothing about the agent.
            self._record(notes.forwarded(passing.number, sent, failed=failed.why))
            return Failure(INTERNAL_ERROR, "The real server did not answer", failed.why, id=passing.request.id)
        self._record(notes.forwarded(passing.number, sent, said.result or {"error": said.error}))
        answer = passed_on(said)
        remarks = self._remarks(passing, answer.recorded, is_error=answer.is_error)
        self._settle(passing.number, Decision("forwarded", self.scene, answer, marks=remarks.marks))
        self._tell_left(passing.number, remarks)
        if said.error is not None:
            return refused(said.error, passing.request.id)
        members = dict(answer.sent)
        return Done(self._stamped(members) if passing.revision == MODERN else members)

    def _remarks(self, passing: Passing, result: JsonValue, *, is_error: bool) -> Remarks:
        """What the answerer says of a call that went to the real server; without one, that it may have left what."""
        if self.answerer is not None:
            given = passing.arguments if isinstance(passing.arguments, dict) else {}
            return self.answerer.remark(passing.name, given, result, is_error, self.scene.state)
        from skilltrial.api import Remarks  # only where a real server answers: a process of its own has no models

        tool = self.catalog.tools.get(passing.name)
        return (
            Remarks() if tool is None or tool.reads_only else Remarks(left=(f"{passing.name} may have left something",))
        )

    def _tell_left(self, number: int, remarks: Remarks) -> None:
        for what in remarks.left:
            self._record(notes.left(number, what))

    def visit(self, visit: Visit) -> Page:
        """Decide a request over plain HTTP, and put it on record."""
        page = visit_page(self.play.routes, self.scene.state, visit)
        self.scene = Scene(page.state, self.scene.hidden)
        self._record(routed(visit, page))
        return page

    def refuse(self, why: str) -> None:
        """Put on record that something was not served."""
        self._record(notes.refused(why))

    def broke(self, error: Exception) -> None:
        """Remember that something failed that is no fault of the program's (see `check`)."""
        self._broken = self._broken or error

    def close(self) -> None:
        """Record nothing from now on."""
        with self._lock:
            self._closed = True

    def check(self) -> None:
        """Raise what broke while the trial was served, if anything did."""
        if self._broken is not None:
            raise self._broken

    def _answer(self, request: Request, revision: str) -> Outcome:
        match request.method:
            case "tools/list":
                return self._list(request, revision)
            case "ping" if revision != MODERN:
                return Done({})
            case "server/discover" if revision == MODERN:
                return Done(self._described() | {"supportedVersions": [MODERN]} | _FRESH)
            case "subscriptions/listen" if revision == MODERN:
                wanted = request.params.get("notifications")
                if not isinstance(wanted, dict):
                    return _invalid_params(request, "`notifications` must be an object")
                return Listening({"toolsListChanged": True} if wanted.get("toolsListChanged") is True else {})
        return Failure(METHOD_NOT_FOUND, "Method not found", "unknown_method", id=request.id)

    def _initialize(self, request: Request, transport: Transport) -> Outcome:
        asked = request.params.get("protocolVersion")
        if not isinstance(asked, str):
            self.refuse("invalid_params")
            return _invalid_params(request, "`protocolVersion` must be a string")
        if self.about.speaks == MODERN:
            self.refuse("unsupported_version")
            return unsupported(asked, request)
        self.revision = asked if asked in HANDSHAKE else HANDSHAKE[-1]
        client = _client(request.params.get("clientInfo"))
        self._met.add((self.revision, None, transport))
        self._record(notes.connected(self.revision, client, transport))
        return Done(
            self._described() | {"protocolVersion": self.revision, "serverInfo": self._server()},
        )

    def _meet(self, revision: str, client: str | None, transport: Transport) -> None:
        """Put on record who speaks in which revision, once each: the stateless revision knows no connections."""
        who = (revision, client, transport)
        if who not in self._met:
            self._met.add(who)
            self._record(notes.connected(revision, client, transport))

    def _list(self, request: Request, revision: str) -> Outcome:
        if request.params.get("cursor") is not None:
            return _invalid_params(request, "there is one page only, and no cursor")
        tools = [dict(tool.raw) for name, tool in self.catalog.tools.items() if name not in self.scene.hidden]
        result: Params = {"tools": [*tools]}
        self._record(notes.tools_listed(len(tools), sha256(canonical(result["tools"])).hexdigest()))
        return Done(result | _FRESH if revision == MODERN else result)

    def _call(self, request: Request, revision: str) -> Outcome | Passing:
        name, arguments = request.params.get("name"), request.params.get("arguments", {})
        if not isinstance(name, str):
            return _invalid_params(request, "`name` must be a string")
        self._calls += 1
        number = self._calls
        told = notes.called(number, request.id, name, arguments, _call_id(request.meta))
        if self.upstream is not None:
            self._record(told)
            return Passing(number, name, arguments, request, revision)
        decision = self._decide(name, arguments, told)
        changed = decision.scene.hidden != self.scene.hidden
        # Nothing could come between the two of a script: they are written as one.
        self._settle(number, decision, *(() if self.answerer is not None else (told,)))
        if changed:
            for hear in tuple(self.listeners):
                hear()
        if decision.answer is not None:
            return Done(dict(decision.answer.sent), decision.delay, untold=changed and not self.listeners)
        if decision.fault is not None:
            return Broken(decision.fault, decision.delay)
        return Failure(INVALID_PARAMS, "Unknown tool", "unknown_tool", UNKNOWN.recorded, request.id)

    def _decide(self, name: str, arguments: JsonValue, told: str) -> Decision:
        """Decide a call. It is on record before others' code sees it, and where deciding fails."""
        if self.answerer is not None:
            self._record(told)
        try:
            return decide(self.catalog, self.play, self.scene, name, arguments, self.answerer)
        except Exception:
            if self.answerer is None:
                self._record(told)
            raise

    def _settle(self, number: int, decision: Decision, *before: str) -> None:
        """Put the answer on record, after what comes before it and before it is sent; let its consequences happen."""
        answer = decision.answer or (UNKNOWN if decision.fault is None else Answer(None, {}, is_error=True))
        self.scene = decision.scene
        self._record(
            *before,
            notes.answered(
                number,
                answer.recorded,
                is_error=answer.is_error,
                because=decision.because,
                state=decision.scene.state,
                marks=decision.marks,
            ),
        )

    def _described(self) -> Params:
        described: Params = {"capabilities": {"tools": {"listChanged": True}}}
        return described if self.about.instructions is None else described | {"instructions": self.about.instructions}

    def _server(self) -> JsonValue:
        return {"name": self.about.name, "version": self.about.version}

    def _stamped(self, result: Params) -> Params:
        meta = result.get("_meta")
        told = meta if isinstance(meta, dict) else {}
        return {**result, "resultType": "complete", "_meta": {**told, SERVER_KEY: self._server()}}

    def _record(self, *lines: str) -> None:
        with self._lock:
            if not self._closed:
                self.recorder.record(notes.WIRE, *lines)


_FRESH: Params = {"ttlMs": 0, "cacheScope": "private"}
"""Nothing that this server lists may be kept."""


def _call_id(meta: Params) -> str | None:
    """The id that the host's own events use for a call, where it says so."""
    for key in CALL_IDS if meta else ():
        if isinstance(id := meta.get(key), str):
            return id
    return None


def _client(info: JsonValue) -> str | None:
    if not isinstance(info, dict) or not isinstance(info.get("name"), str):
        return None
    return " ".join(part for part in (info["name"], info.get("version")) if isinstance(part, str))


def _invalid_params(request: Request, what: str) -> Failure:
    return Failure(INVALID_PARAMS, f"Invalid params: {what}", "invalid_params", id=request.id)
