"""The conversation of a fake agent: what the protocol asks of it, and a turn's steps as updates. Imports no library."""

import json
import sys
import uuid


def talk(take, play):
    """Answer the client until it says no more; the exit code."""
    session, told = "", []
    for line in sys.stdin:
        message = json.loads(line)
        number, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method == "initialize":
            able = {"loadSession": True, "mcpCapabilities": {"http": True}}
            out(id=number, result={"protocolVersion": 1, "agentCapabilities": able, "agentInfo": INFO})
        elif method == "session/new":
            session = str(uuid.uuid4())
            told += ["a new session", json.dumps(params)]
            out(id=number, result={"sessionId": session})
        elif method == "session/load":
            session = params["sessionId"]
            told += [f"session {session}", json.dumps(params)]
            out(id=number, result={})
        elif method == "session/prompt":
            text = "".join(block["text"] for block in params["prompt"])
            for verb, *words in take(text, told):
                code = step(session, verb, *words) if verb in ("update", "ask") else play(verb, *words)
                if code is not None:
                    return code
            # What a line of another's own left open ends here.
            sys.stdout.write("\n")
            out(id=number, result={"stopReason": "end_turn"})
    return 0


INFO = {"name": "kit-agent", "version": "1.2.3"}


def step(session, verb, words):
    """Tell an update, or ask for a permission and wait for the answer."""
    told = {"sessionId": session, **json.loads(words)}
    if verb == "update":
        out(method="session/update", params=told)
        return
    out(id="ask", method="session/request_permission", params=told)
    sys.stdin.readline()


def out(**message):
    """Say a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()
