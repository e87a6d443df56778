"""An agent of no intelligence: it speaks the protocol by hand and does what SCRIPT says."""

import json
import os
import sys

ABLE = json.loads(os.environ["ABLE"])


def out(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**fields):
    out({"method": "session/update", "params": {"sessionId": "s-1", "update": fields}})


def said(text):
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def play(number):
    for act in json.loads(os.environ["SCRIPT"]):
        match act:
            case {"say": text}:
                said(text)
            case {"update": fields}:
                update(**fields)
            case {"ask": call, "kind": kind, "title": title, "paths": paths}:
                locations = [{"path": path} for path in paths]
                update(sessionUpdate="tool_call", toolCallId=call, title=title, kind=kind, rawInput={"a": 1})
                options = [
                    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ]
                told = {"toolCallId": call, "title": title, "kind": kind, "locations": locations}
                params = {"sessionId": "s-1", "toolCall": told, "options": options}
                out({"id": f"ask-{call}", "method": "session/request_permission", "params": params})
                answer = json.loads(sys.stdin.readline())["result"]["outcome"]
                done = answer.get("optionId") == "yes"
                if done:
                    update(sessionUpdate="tool_call_update", toolCallId=call, status="completed", rawOutput={"ok": 1})
            case {"error": error}:
                return out({"id": number, "error": error})
            case {"stop": reason}:
                return out({"id": number, "result": {"stopReason": reason}})
            case {"raw": text}:
                sys.stdout.write(text + "\n")
                sys.stdout.flush()
            case {"die": code}:
                sys.exit(code)
    return out({"id": number, "result": {"stopReason": "end_turn"}})


for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message.get("method")
    if method == "initialize":
        able = {"loadSession": ABLE.get("load", True), "mcpCapabilities": {"http": ABLE.get("http", True)}}
        info = {"name": "small", "version": "1.2.3"}
        out({"id": number, "result": {"protocolVersion": 1, "agentCapabilities": able, "agentInfo": info}})
    elif method == "session/new":
        out({"id": number, "result": {"sessionId": "s-1"}})
    elif method == "session/load":
        said("What was said before.")
        update(sessionUpdate="tool_call", toolCallId="old", title="shell", status="completed", rawInput={"c": "old"})
        out({"id": number, "result": {}})
    elif method == "session/prompt":
        play(number)
