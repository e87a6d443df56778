"""The stand-in's server: requests one after another, notifications, questions to the client."""

import json
import os
import queue
import sys
import threading
import time
from itertools import count
from pathlib import Path

from .rules import Refused, check, envelope, preferences
from .session import Session, catalog, plugins
from .tools import HttpServer, ToolFailed


class Server:
    """One process of it."""

    def __init__(self, switches):
        self.switches = switches
        self.lock = threading.Lock()
        self.numbers = count(1)
        self.asked = {}
        self.requests = queue.SimpleQueue()
        self.sessions = {}
        self.ended = threading.Event()
        self.home = Path(os.environ.get("ZCODE_DATA_BASE_DIR") or os.environ["HOME"])

    def serve(self):
        """Serve until standard input ends."""
        for _ in range(self.switches.noise):
            sys.stderr.write("x" * 1023 + "\n")
        sys.stderr.flush()
        for number, phase in enumerate(("checking", "ready"), 1):
            state = {"schemaVersion": 1, "sequence": number, "databaseKind": "session", "phase": phase, "elapsedMs": 0}
            self.notify("startup/storageState", state)
        worker = threading.Thread(target=self._work, daemon=True)
        worker.start()
        for line in sys.stdin.buffer:
            self._take(line)
        self.ended.set()
        time.sleep(0.02)
        sys.stdout.flush()
        os._exit(self.switches.code)

    def write(self, message):
        """One line, whole."""
        with self.lock:
            sys.stdout.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n")
            sys.stdout.flush()

    def notify(self, method, params):
        self.write({"method": method, "params": params})

    def died(self, what):
        """Where this is what it dies of, it is dead."""
        if what and self.switches.die_after == what:
            os._exit(7)

    def ask(self, method, params, patience=None, again=None):
        """Ask the client; None where it does not answer in time. Asked again, it is under another number."""
        slot = queue.SimpleQueue()
        until = None if patience is None else time.monotonic() + patience
        pause = again
        while not self.ended.is_set():
            number = f"server-{next(self.numbers)}"
            self.asked[number] = slot
            self.write({"id": number, "method": method, "params": params})
            while not self.ended.is_set():
                left = 0.05 if until is None else min(0.05, until - time.monotonic())
                begun = time.monotonic()
                try:
                    return slot.get(timeout=max(0.001, left if pause is None else min(left, pause)))
                except queue.Empty:
                    pass
                if until is not None and time.monotonic() >= until:
                    return None
                if pause is not None:
                    pause -= time.monotonic() - begun
                    if pause <= 0:
                        again = min(again * 2, 10 * self.switches.again)
                        pause = again
                        break
        return None

    def _take(self, line):
        try:
            message = envelope(line)
        except Refused as refused:
            self.write({"id": refused.error.get("data", {}).get("id", "invalid-message"), "error": refused.error})
            return
        if "method" not in message:
            slot = self.asked.pop(message["id"], None)
            if slot is not None and not self.switches.mute:
                slot.put(message)
        elif message["method"] == "session/stop":
            self._handle(message)
        else:
            self.requests.put(message)

    def _work(self):
        while True:
            self._handle(self.requests.get())

    def _handle(self, message):
        method, params = message["method"], message.get("params", {})
        if method == self.switches.swallow:
            return
        try:
            check(method, params)
            if method == "skills/referenceCatalog" and self.switches.no_catalog:
                raise Refused(-32601, f"Method not found: {method}")
            result = getattr(self, "_" + method.replace("/", "_").lower())(params)
        except Refused as refused:
            self.write({"id": message["id"], "error": refused.error})
            return
        except Exception as error:  # noqa: BLE001 - as ZCode does
            fault = {"code": -32603, "message": str(error), "data": {"name": type(error).__name__}}
            self.write({"id": message["id"], "error": fault})
            return
        if method == "session/send" and self.switches.raw:
            with self.lock:
                sys.stdout.write(self.switches.raw + "\n")
        self.write({"id": message["id"], "result": result})
        self.died(method)
        if method == "session/send":
            self.sessions[params["sessionId"]].go()

    def _runtime_capabilities(self, params):
        return {"independentPlanState": True}

    def _session_create(self, params):
        session = Session.new(self, params)
        self._prepare(session)
        self.sessions[session.id] = session
        return session.snapshot(fresh=True)

    def _session_resume(self, params):
        session = Session.kept(self, params)
        if session is None:
            raise Refused(-32004, f"Session not found: {params['sessionId']}")
        self._prepare(session)
        self.sessions[session.id] = session
        return session.snapshot()

    def _prepare(self, session):
        """What blocks a session's begin: its servers' shapes, and an answer of the client's."""
        about = {"sessionId": session.id, "scope": "runtime-materialization"}
        answer = self.ask("session/requestRuntimePreferences", about, patience=self.switches.patience)
        if answer is None or not preferences(answer):
            raise Refused(-32022, "session/requestRuntimePreferences timed out")

    def _session_list(self, params):
        return {"sessions": []}

    def _session_subscribe(self, params):
        session = self._active(params)
        session.subscribed = True
        return {"sessionId": session.id, "eventSeq": session.seq, "events": []}

    def _session_send(self, params):
        session = self._active(params)
        if session.running or self.switches.busy > 0:
            self.switches.busy -= 1
            raise Refused(-32010, "A prompt is already running for this session")
        session.admit(params)
        return {"sessionId": session.id, "accepted": True, "stateRevision": session.revision}

    def _session_events(self, params):
        session = self._active(params)
        return {"events": [one for one in session.events if one["seq"] > params.get("afterSeq", 0)]}

    def _session_stop(self, params):
        self._active(params).stopped.set()
        return {}

    def _session_close(self, params):
        return {"closed": self.sessions.pop(params["sessionId"], None) is not None}

    def _skills_referencecatalog(self, params):
        return {"authority": "session" if "sessionId" in params else "workspace", "skills": catalog(self.home, params)}

    def _plugins_list(self, params):
        return plugins(self.home)

    def _plugins_referencecatalog(self, params):
        found = plugins(self.home)["plugins"]
        keep = ("name", "marketplace", "enabled", "mcpServerNames", "skillQualifiedNames")
        entries = [{"pluginId": one["id"], **{key: one[key] for key in keep}} for one in found]
        return {"authority": "session", "plugins": entries}

    def _mcp_list(self, params):
        statuses = {}
        for one in plugins(self.home)["plugins"]:
            for name, url in one["servers"].items():
                try:
                    told = {"status": "connected", "toolCount": len(HttpServer(url).tools)}
                except (OSError, ValueError, ToolFailed) as error:
                    told = {"status": "failed", "toolCount": 0, "error": type(error).__name__}
                statuses[name] = {**told, "transport": "http", "updatedAt": 0}
        return {"statuses": statuses}

    def _active(self, params):
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise Refused(-32004, f"Session is not active: {params['sessionId']}")
        return session
