"""What the stand-in's model may call: a few tools of its own, and those of MCP servers over HTTP."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

ERA = "2025-06-18"
OWN = {
    "Read": ({"file_path": "string"}, ["file_path"]),
    "Write": ({"file_path": "string", "content": "string"}, ["file_path", "content"]),
    "Edit": (
        {"file_path": "string", "old_string": "string", "new_string": "string"},
        ["file_path", "old_string", "new_string"],
    ),
    "Bash": ({"command": "string"}, ["command"]),
    "Skill": ({"skill": "string", "args": "string"}, ["skill"]),
    "AskUserQuestion": ({"question": "string"}, ["question"]),
}
HARMLESS = frozenset({"Read", "Skill"})
EDITS = frozenset({"Write", "Edit"})
_LOOKS = re.compile(r"(cat|ls|head|tail|pwd)( [\w./-]+)*")


class ToolFailed(Exception):
    """What a tool says in place of a result."""


class Tools:
    """All tools of a session, by the names under which its model is offered them."""

    def __init__(self, project, skills):
        self.project = project
        self.skills = skills
        self.servers = {}

    def offered(self):
        own = [
            _offer(name, name, {"type": "object", "properties": {k: {"type": v} for k, v in given.items()},
                                "required": needed, "additionalProperties": False})
            for name, (given, needed) in OWN.items()
        ]  # fmt: skip
        return [
            *own,
            *(
                _offer(native(server, tool["name"]), tool.get("description", ""), tool["inputSchema"])
                for server, one in self.servers.items()
                for tool in one.tools
            ),
        ]

    def schema(self, name):
        """The schema of a tool; None where there is no such tool."""
        return next((one["function"]["parameters"] for one in self.offered() if one["function"]["name"] == name), None)

    def harmless(self, name, given):
        """Whether a call of it changes nothing."""
        return name in HARMLESS or (name == "Bash" and _LOOKS.fullmatch(given["command"]) is not None)

    def call(self, name, given, id):
        """Carry out a call. Raises ToolFailed."""
        for server, one in self.servers.items():
            for tool in one.tools:
                if native(server, tool["name"]) == name:
                    return one.call(tool["name"], given, id)
        return getattr(self, f"_{name.lower()}")(given)

    def _read(self, given):
        try:
            return self._path(given).read_text("utf-8")
        except (OSError, UnicodeError) as error:
            raise ToolFailed(f"File does not exist or can't be read: {type(error).__name__}") from error

    def _write(self, given):
        path = self._path(given)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(given["content"], "utf-8")
        return "The file was written."

    def _edit(self, given):
        text = self._read(given)
        if text.count(given["old_string"]) != 1:
            raise ToolFailed("String to replace must occur exactly once.")
        self._path(given).write_text(text.replace(given["old_string"], given["new_string"]), "utf-8")
        return "The file was edited."

    def _bash(self, given):
        done = subprocess.run(
            ["/bin/sh", "-c", given["command"]], cwd=self.project, capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode:
            raise ToolFailed(f"Exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def _skill(self, given):
        name = given["skill"].removeprefix("/")
        # Whether a bare name will do for a plugin's skill is not written down; here it does.
        folder = self.skills.get(name) or next(
            (folder for full, folder in self.skills.items() if full.partition(":")[2] == name), None
        )
        if folder is None:
            raise ToolFailed(f"Skill not found: {name}")
        body = (folder / "SKILL.md").read_text("utf-8").partition("\n---\n")[2]
        return f'<skill_content name="{name}">\nBase directory for this skill: {folder}\n\n{body}\n</skill_content>'

    def _path(self, given):
        return self.project / given["file_path"]


class McpServer:
    """One MCP server, by the handshake."""

    def __init__(self):
        self.number = 0
        hello = {"protocolVersion": ERA, "capabilities": {}, "clientInfo": {"name": "zcode-standin", "version": "0"}}
        self._ask("initialize", hello)
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = self._ask("tools/list", {})["tools"]

    def call(self, tool, given, id):
        try:
            result = self._ask("tools/call", {"name": tool, "arguments": given})
        except (OSError, ValueError) as error:
            raise ToolFailed(f"MCP error: {type(error).__name__}") from error
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise ToolFailed(text)
        return text

    def _ask(self, method, params):
        self.number += 1
        answer = self._post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        if "error" in answer:
            raise ToolFailed(f"MCP error {answer['error'].get('code')}: {answer['error'].get('message')}")
        return answer["result"]


class HttpServer(McpServer):
    """One over HTTP."""

    def __init__(self, url):
        self.url = url
        self.headers = {}
        super().__init__()

    def _post(self, message):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers |= {"mcp-protocol-version": ERA, **self.headers}
        request = urllib.request.Request(self.url, data=json.dumps(message).encode(), headers=headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            if (session := answer.headers.get("mcp-session-id")) is not None:
                self.headers["mcp-session-id"] = session
            body = answer.read().decode("utf-8")
        lines = [line[5:] for line in body.splitlines() if line.startswith("data:")] or [body]
        return json.loads(lines[-1]) if lines[-1].strip() else {}


class StdioServer(McpServer):
    """One behind a command, which ends with this process."""

    def __init__(self, argv, variables):
        self.process = subprocess.Popen(
            argv, env={**os.environ, **variables}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        super().__init__()

    def _post(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while "id" in message:
            told = json.loads(self.process.stdout.readline())
            if told.get("id") == message["id"]:
                return told
        return {}


def native(server, tool):
    """A server's tool as the model knows it."""
    return f"mcp__{re.sub(r'[^A-Za-z0-9_-]', '_', server)}__{tool}"


def find_skills(roots):
    """Skills by name, in the order of the roots: the first one of a name is the one."""
    found = {}
    for prefix, root in roots:
        for file in sorted(Path(root).glob("*/SKILL.md")):
            front = file.read_text("utf-8").split("\n---\n")[0]
            name = re.search(r"^name:\s*(\S+)", front, re.M)
            found.setdefault(prefix + (name[1] if name else file.parent.name), file.parent)
    return found


def described(folder):
    """What a skill says of itself."""
    found = re.search(r"^description:\s*(.+)$", (folder / "SKILL.md").read_text("utf-8"), re.M)
    return found[1].strip() if found else ""


def _offer(name, description, parameters):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
