"""A stand-in for `zcode.cjs`: it speaks the app-server's protocol as it is written down, asks a real model endpoint and
calls real MCP servers. It is not ZCode and says so where it is asked for its version.

What it should do wrong is said in the variable ZCODE_STANDIN (see `switches.py`). The standard library alone.
"""

import os
import sys
from pathlib import Path

from .server import Server
from .switches import Switches

VERSION = "stand-in 0.16.9"
BUILTIN, PERSONAL = "ZCODE_BUILTIN_PROVIDER_CONFIG_FILE", "ZCODE_PERSONAL_PROVIDER_CONFIG_FILE"


def refused():
    """Why it does not start, as ZCode says it; None where it does."""
    builtin, personal = os.environ.get(BUILTIN), os.environ.get(PERSONAL)
    if not builtin and not personal:
        return f"无法定位 CLI ZCode Built-in Provider Config：{BUILTIN}"
    if not builtin or not personal:
        return "ZCode Built-in 与 Personal Provider Config 路径必须同时提供"
    if not Path(builtin).is_file():
        return "Bundled 与 Active ZCode Built-in Release 均不可用"
    return None


def main(arguments):
    """As the program's own command line: the version, or the server."""
    if arguments == ["-v"]:
        print(VERSION)
        return 0
    if arguments[:1] not in (["app-server"], ["agent-server"]) or set(arguments[1:]) - {"--stdio"}:
        print(f"Error: Unknown option {' '.join(arguments)}", file=sys.stderr)
        return 1
    switches = Switches.read()
    if switches.refuses is not None:
        print(f"Error: {switches.refuses}", file=sys.stderr)
        return 1
    if (why := refused()) is not None:
        print(f"Error: {why}", file=sys.stderr)
        return 1
    return Server(switches).serve()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
