"""Before each prompt: resolve the scope, and put it and the scope script's path into the model's context.

Reads a JSON object with `cwd` and `session_id` from standard input. Asks the server which scope is bound, and whether
it has context for the prompt. Captures nothing, flushes nothing, and has nothing generated: `powercontext.json` says
that these are off, and this plugin has no code for them. Needs Python 3.8 or later, and nothing beside it.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
SCOPE_SCRIPT = ROOT / "scripts" / "scope.py"
sys.path.insert(0, str(SCOPE_SCRIPT.parent))

from scope import Unresolved, ask, resolve  # noqa: E402

MOST_BYTES = 8000


def main() -> int:
    """Print what the host adds to the context. 1 where the scope could not be resolved."""
    given = json.load(sys.stdin)
    switched_on = [name for name, on in json.loads((ROOT / "powercontext.json").read_text("utf-8")).items() if on]
    if switched_on:
        sys.stderr.write(f"powercontext.json switches on {', '.join(switched_on)}, which this plugin does not have\n")
        return 1
    session, folder = str(given.get("session_id", "")), str(given.get("cwd", ""))
    try:
        scope = resolve(folder, session)["scope_id"]
        query = str(given.get("prompt", ""))
        prepared = ask("/v1/context/prepare", {"scope_id": scope, "query": query, "max_bytes": MOST_BYTES})
    except Unresolved as error:
        sys.stderr.write(f"powercontext: {error}\n")
        return 1
    binding = {
        "schema": "powercontext.request-binding.v1",
        "scope_id": scope,
        "session_id": session,
        "scope_script": str(SCOPE_SCRIPT),
    }
    context = f"PowerContext, for this request:\n{json.dumps(binding)}"
    if prepared.get("status") != "empty" and isinstance(prepared.get("content"), str):
        context += f"\n{prepared['content']}"
    told = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
    sys.stdout.write(json.dumps({"hookSpecificOutput": told}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
