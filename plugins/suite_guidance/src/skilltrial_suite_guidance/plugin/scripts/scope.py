"""`scope.py resolve --cwd DIR --session-id ID`: say which scope is bound to this project and session.

Only reads: it can bind, change and save nothing. The server is at POWERCONTEXT_SERVER_URL. Needs Python 3.8 or later,
and nothing beside it.
"""

import argparse
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request

SERVER = "POWERCONTEXT_SERVER_URL"
SCHEMA = "powercontext.scope-result.v1"
SECONDS = 10


class Unresolved(Exception):
    """Why there is no scope, in a word."""


def ask(path, body=None):
    """What the server answers: the object of `POST path`, or of `GET path` without a body. Raises Unresolved."""
    server = os.environ.get(SERVER, "").rstrip("/")
    if not server:
        raise Unresolved("server_not_configured")
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server + path, data=data, headers=headers)  # noqa: S310 - the user's server
    try:
        # No proxy: the server is the user's own, and may be on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=SECONDS) as reply:
            value = json.load(reply)
    except urllib.error.HTTPError as error:
        raise Unresolved(f"server_answered_{error.code}") from None
    except (OSError, ValueError):
        raise Unresolved("server_unreachable") from None
    if not isinstance(value, dict):
        raise Unresolved("server_answer_unreadable")
    return value


def resolve(folder, session):
    """The scope's id, and by which keys it was asked for. Raises Unresolved."""
    named = (("session", session), ("workspace", os.path.abspath(folder) if folder else ""))
    keys = [
        {"integration": "guidance", "kind": kind, "external_id": hashlib.sha256(name.encode()).hexdigest()}
        for kind, name in named
        if name
    ]
    scope = ask("/v1/scope-bindings/resolve", {"explicit_scope_id": None, "binding_keys": keys}).get("scope_id")
    if not isinstance(scope, str) or not scope:
        raise Unresolved("no_scope_bound")
    used = {key["kind"] for key in keys}
    return {"scope_id": scope, "session_key_used": "session" in used, "workspace_key_used": "workspace" in used}


def main():
    """Print one JSON object; 1 where there is no scope."""
    parser = argparse.ArgumentParser(description="Say which scope is bound to a project and a session.")
    commands = parser.add_subparsers(dest="command", required=True)
    wanted = commands.add_parser("resolve", help="only reads")
    wanted.add_argument("--cwd", required=True)
    wanted.add_argument("--session-id", default="")
    given = parser.parse_args()
    try:
        answer, code = {"status": "resolved", **resolve(given.cwd, given.session_id)}, 0
    except Unresolved as error:
        answer, code = {"status": "failed", "code": str(error)}, 1
    sys.stdout.write(json.dumps({"schema": SCHEMA, **answer}) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
