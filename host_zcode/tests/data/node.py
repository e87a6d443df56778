#!/usr/bin/env python3
"""Plays Node for the contract kit: a server of the protocol around a program that only plays scripts.

`node.py PROGRAM app-server --stdio` answers what opens a session; a prompt starts PROGRAM with the conversation so far as
its argument and the prompt on its standard input. What it prints goes out as it comes, and it ends as that ends.
"""

import json
import os
import subprocess
import sys


def main(arguments):
    if arguments == ["--version"]:
        print("v24.14.0")
        return 0
    program, *rest = arguments
    if rest == ["-v"]:
        return subprocess.run([program, *rest], check=False).returncode
    said = []
    for line in sys.stdin:
        said.append(line)
        message = json.loads(line)
        method, params, id = message.get("method"), message.get("params", {}), message.get("id")
        if method == "session/create":
            session = "sess_" + os.path.basename(os.path.dirname(params["workspace"]["workspacePath"]))
            answer(id, {"session": {"sessionId": session}, "settings": {"model": {"current": params.get("model")}}})
        elif method == "session/resume":
            answer(id, {"session": {"sessionId": params["sessionId"]}})
        elif method == "session/subscribe":
            answer(id, {"sessionId": params["sessionId"], "eventSeq": 0, "events": []})
        elif method == "skills/referenceCatalog":
            folder = os.path.join(params["workspace"]["workspacePath"], ".agents/skills")
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            skills = [{"name": name, "path": f"{folder}/{name}/SKILL.md", "enabled": True} for name in names]
            answer(id, {"authority": "session", "skills": skills})
        elif method == "session/send":
            answer(id, {"sessionId": params["sessionId"], "accepted": True, "stateRevision": 1})
            code = play([program, *rest, "".join(said)], params["content"], params["sessionId"])
            if code is not None:
                return code
        elif method is not None:
            answer(id, {})
    return 0


def play(argv, prompt, session):
    """Start the program, and let its lines speak of this session. What it exited with; None where its turn ended."""
    ended = False
    running = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    running.stdin.write(prompt.encode("utf-8", "surrogatepass"))
    running.stdin.close()
    for line in running.stdout:
        ended = ended or b'"prompt_completed"' in line
        sys.stdout.buffer.write(line.replace(b"KIT-SESSION", session.encode()))
        sys.stdout.buffer.flush()
    code = running.wait()
    return None if ended and not code else code


def answer(id, result):
    sys.stdout.write(json.dumps({"id": id, "result": result}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
