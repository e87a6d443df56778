"""A stand-in for an agent program: acts a script, calls a real MCP server, and prints skilltrial's events.

Usage: stand_in_agent.py ACTS TURN [SERVER URL]; the prompt stands on standard input. The standard library alone.
"""

import hashlib
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

SKILLS = Path(".agents/skills")
ERA = "2025-06-18"


class Server:
    """One MCP server over HTTP, by the handshake."""

    def __init__(self, url):
        self.url = url
        self.number = 0
        self.ask("initialize", {"protocolVersion": ERA, "capabilities": {}, "clientInfo": {"name": "stand-in"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = self.ask("tools/list", {})["tools"]

    def send(self, message):
        body = json.dumps(message).encode()
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        request = urllib.request.Request(self.url, data=body, headers=headers | {"mcp-protocol-version": ERA})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def ask(self, method, params):
        self.number += 1
        answer = self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return json.loads(answer)["result"]

    def call(self, tool, arguments, id):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": {"callId": id}})
        text = result["content"][0]["text"] if result["content"] else ""
        return text, bool(result.get("isError"))


def say(kind, **fields):
    """Print one event."""
    print(json.dumps({"type": kind, **fields}), flush=True)


def main():
    """Act the script's acts of one turn."""
    script, turn, *servers = sys.argv[1:]
    sys.stdin.read()
    acts = json.loads(Path(script).read_text("utf-8"))
    found = {name: Server(url) for name, url in zip(servers[::2], servers[1::2], strict=True)}
    if turn == "1":
        say("SessionStarted", session="stand-in", version="1", model="stand-in-1")
        names = sorted(path.parent.name for path in SKILLS.glob("*/SKILL.md"))
        say("Offered", skills=names, tools=["read_skill"], servers=sorted(found))
    say("ModelRequested", provider="stand-in", model="stand-in-1", messages=1)
    for at, act in enumerate(acts):
        (name, given) = next(iter(act.items()))
        id = f"call-{turn}-{at}"
        if name == "say":
            say("TurnEnded", answer=given)
        elif name == "read_skill":
            read_skill(given, id)
        else:
            arguments = given.get("arguments", {})
            say("ToolRequested", call=id, tool=given["tool"], server=given["server"], input=arguments)
            say("ToolStarted", call=id)
            text, failed = found[given["server"]].call(given["tool"], arguments, id)
            say("ToolResult", call=id, content=text, is_error=failed)
    say("Usage", input=100, output=10)
    say("SessionEnded", ending="completed")


def read_skill(name, id):
    """Read a skill where there is one; a program whose model asks for another says that it has none."""
    path = SKILLS / name / "SKILL.md"
    if not path.is_file():
        return
    body = path.read_bytes()
    claim = {"skill": name, "path": path.as_posix(), "sha256": hashlib.sha256(body).hexdigest()}
    say("ToolRequested", call=id, tool="read_skill", input={"name": name})
    say("SkillStep", step="requested", **claim)
    say("ToolResult", call=id, content=body.decode("utf-8"), is_error=False)
    say("SkillStep", step="read", **claim)


main()
