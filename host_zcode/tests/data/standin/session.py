"""A session of the stand-in: what it keeps from one process to the next, and what it tells."""

import json
import os
import threading
import time
import uuid
from pathlib import Path

from .tools import find_skills
from .turn import Turn

PERSONAL = "ZCODE_PERSONAL_PROVIDER_CONFIG_FILE"


class Session:
    """One conversation."""

    def __init__(self, server, id, kept, params):
        self.server = server
        self.id = id
        self.kept = kept
        self.servers = params.get("mcpServers", [])
        self.events = []
        self.revision = 0
        self.subscribed = False
        self.running = False
        self.stopped = threading.Event()
        self.admitted = {}

    @classmethod
    def new(cls, server, params):
        kept = {
            "workspace": params["workspace"],
            "mode": params.get("mode", "build"),
            "model": params.get("model") or _default_model(),
            "titled": params.get("titleGenerationEnabled", True),
            "messages": [],
            "seq": 0,
            "turns": 0,
        }
        return cls(server, f"sess_{uuid.uuid4()}", kept, params)

    @classmethod
    def kept(cls, server, params):
        """A session of an earlier process that was used; None where there is none."""
        file = _file(server, params["sessionId"])
        return cls(server, params["sessionId"], json.loads(file.read_text("utf-8")), params) if file.is_file() else None

    @property
    def seq(self):
        return self.kept["seq"]

    @property
    def project(self):
        return Path(self.kept["workspace"]["workspacePath"])

    def snapshot(self, *, fresh=False):
        told = self.server.switches.another or self.id
        session = {"sessionId": told, "workspace": self.kept["workspace"], "mode": self.kept["mode"], "status": "idle"}
        return {
            "protocol": {"name": "ZCode Protocol", "version": 1},
            "session": {**session, "sessionKind": "interactive", "title": "", "createdAt": 0, "updatedAt": 0},
            "settings": {"model": {"current": self.kept["model"], "available": []}, "mode": {"current": "build"}},
            "projection": {"sessionId": "unknown" if fresh else self.id, "status": "idle", "turnCount": 0},
            "runtime": {"eventSeq": self.seq, "stateRevision": self.revision, "pendingRequestIds": []},
            "messages": [],
        }

    def admit(self, params):
        """Take a prompt; the turn begins when that was answered."""
        self.running = True
        self.revision += 1
        self.admitted = params
        self.stopped.clear()

    def go(self):
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        self.state("prompt_started", "running")
        first = self.kept["turns"] == 0
        file = _file(self.server, self.id)
        file.parent.mkdir(parents=True, exist_ok=True)
        if first:
            title = {"title": self.admitted["content"][:40], "source": "first_input"}
            self.event("session.titleUpdated", title)
        well = Turn(self, self.admitted).run()
        file.write_text(json.dumps(self.kept), "utf-8")
        self.running = False
        self.state("prompt_completed" if well else "prompt_failed", "idle")

    def state(self, reason, status):
        self.revision += 1
        if reason not in self.server.switches.drop:
            told = {"type": "state.updated", "scope": "session", "sessionId": self.id, "revision": self.revision}
            patch = {"status": status}
            self.server.notify(
                "state.updated", {**told, "workspace": self.kept["workspace"], "reason": reason, "patch": patch}
            )
        self.server.died(reason)

    def event(self, kind, payload, turn=None, *, session=None):
        """Tell an event, where somebody has subscribed; its number is used up all the same."""
        self.kept["seq"] += session is None
        told = {"eventId": f"evt_{uuid.uuid4()}", "sessionId": session or self.id, "seq": self.kept["seq"]}
        told |= {"timestamp": int(time.time() * 1000), "deliveryKind": "desktop-continuous", "type": kind}
        if turn is not None:
            told["turnId"] = turn
        told["payload"] = payload
        self.events.append(told)
        switches = self.server.switches
        if self.subscribed and kind not in switches.drop:
            for _ in range(2 if kind == switches.twice else 1):
                self.server.notify("session/event", told)
        self.server.died(kind)


def catalog(home, params):
    """The skills that a session has."""
    found = find_skills(_roots(home, Path(params["workspace"]["workspacePath"])))
    return [
        {"id": name, "name": name, "description": "", "path": str(folder / "SKILL.md"), "scope": "workspace",
         "enabled": True}
        for name, folder in found.items()
    ]  # fmt: skip


def skills(home, project):
    """Skill → its folder."""
    return find_skills(_roots(home, project))


def _roots(home, project):
    user = Path(os.environ["HOME"])
    folders = (user / ".zcode/skills", user / ".agents/skills", project / ".zcode/skills", project / ".agents/skills")
    yield from (("", folder) for folder in folders)
    for one in plugins(home)["plugins"]:
        yield f"{one['name']}:", Path(one["rootPath"]) / "skills"


def plugins(home):
    """The plugins that the configuration names."""
    file = Path(os.environ["HOME"]) / ".zcode/cli/config.json"
    settings = json.loads(file.read_text("utf-8")).get("plugins", {}) if file.is_file() else {}
    found, faults = [], []
    for folder in map(Path, settings.get("dirs", []) if settings.get("enabled") else []):
        manifest = next(
            (
                folder / kind / "plugin.json"
                for kind in (".zcode-plugin", ".claude-plugin", ".codex-plugin")
                if (folder / kind / "plugin.json").is_file()
            ),
            None,
        )
        try:
            told = json.loads(manifest.read_text("utf-8")) if manifest else {}
            name = told["name"]
        except (ValueError, KeyError):
            faults.append({"code": "plugin_manifest_invalid", "message": "no name", "severity": "error"})
            continue
        servers = _servers(folder, name)
        held = find_skills([(f"{name}:", folder / "skills")])
        found.append(
            {
                "id": f"{name}@inline", "name": name, "version": told.get("version", "0.0.0"), "enabled": True,
                "source": "directory", "marketplace": "inline", "rootPath": str(folder), "skillCount": len(held),
                "mcpServerNames": list(servers), "servers": servers, "skillQualifiedNames": list(held),
            }
        )  # fmt: skip
    return {"plugins": found, "diagnostics": faults}


def _servers(folder, name):
    file = folder / ".mcp.json"
    told = json.loads(file.read_text("utf-8")).get("mcpServers", {}) if file.is_file() else {}
    return {f"plugin:{name}:{server}": one["url"] for server, one in told.items() if "url" in one}


def personal():
    """The personal table of providers; None where there is none."""
    file = Path(os.environ[PERSONAL])
    return json.loads(file.read_text("utf-8"))["config"] if file.is_file() else None


def _default_model():
    told = personal()
    return told.get("defaultModelSelection") if told else None


def _file(server, id):
    return server.home / ".zcode/cli/sessions" / f"{id}.json"
