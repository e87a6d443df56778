"""The command `skilltrial-agent`: a prompt on standard input, events on standard output.

Exit codes: 0 answered, 1 the model failed for good (the last event says why), 2 wrong usage, 130 interrupted, 143
terminated.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType

import click

from . import memory
from .events import Events

ANSWERED, FAILED, INTERRUPTED, TERMINATED = 0, 1, 130, 143
KEY_ENV = "OPENAI_API_KEY"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--base-url", envvar="OPENAI_BASE_URL", help="The endpoint, up to its /v1. Else: OPENAI_BASE_URL.")
@click.option("--model", envvar="OPENAI_MODEL", help="The model's name. Else: OPENAI_MODEL.")
@click.option("--key-env", metavar="NAME", help=f"The environment variable that holds the key. Else: {KEY_ENV}.")
@click.option("--key-file", type=click.Path(path_type=Path), help="A file that holds the key.")
@click.option("--continue", "resume", is_flag=True, help="Go on with the last conversation held in this folder.")
@click.option("--max-steps", type=click.IntRange(1, 1000), default=50, show_default=True, help="Requests per turn.")
@click.option(
    "--max-retries", type=click.IntRange(0, 20), default=4, show_default=True, help="Further attempts per request."
)
@click.option(
    "--command-seconds", type=click.FloatRange(0.1, 3600), default=120, show_default=True, help="Limit of one command."
)
@click.option(
    "--mcp",
    "servers",
    metavar="JSON",
    envvar="MCP_SERVERS",
    default="{}",
    help='MCP servers over HTTP: {"name": "http://..."}. Else: MCP_SERVERS.',
)
@click.version_option(package_name="skilltrial-agent-reference")
def main(  # noqa: PLR0913, PLR0917 - one parameter per option is how click hands them over
    base_url: str | None,
    model: str | None,
    key_env: str | None,
    key_file: Path | None,
    resume: bool,
    max_steps: int,
    max_retries: int,
    command_seconds: float,
    servers: str,
) -> None:
    """Work in the current folder on the prompt that standard input holds.

    A small coding agent for any chat-completions endpoint. It reads, writes, edits, lists and searches files of the
    folder, runs shell commands, and loads the skills below .agents/skills. What it does is printed as one JSON object
    per line. No option takes a key: name the variable or the file that holds it.
    """
    if not base_url or not base_url.startswith(("http://", "https://")):
        raise click.UsageError("give the endpoint, an http or https address, with --base-url or OPENAI_BASE_URL")
    if not model:
        raise click.UsageError("give the model's name with --model or OPENAI_MODEL")
    key = _key(key_env, key_file)
    known = _servers(servers)
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not prompt.strip():
        raise click.UsageError("standard input holds no prompt")
    project = Path.cwd().resolve()
    kept = memory.place(project, os.environ)
    try:
        conversation = memory.recall(kept) if resume else memory.Conversation()
    except memory.NothingToContinue as error:
        raise click.UsageError(str(error)) from error

    # After the arguments are known to be right: a usage error should not wait for an HTTP client.
    from .model import Model
    from .running import Asked, run

    signal.signal(signal.SIGTERM, _terminated)
    asked = Asked(project, prompt, command_seconds, max_steps, frozenset({key_env or KEY_ENV, "MCP_SERVERS"}), known)
    try:
        with Model(base_url, model, key, retries=max_retries) as endpoint:
            answered = run(asked, endpoint, conversation, kept, Events(sys.stdout))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Nobody reads any more. Python would complain once again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    sys.exit(ANSWERED if answered else FAILED)


def _terminated(number: int, frame: FrameType | None) -> None:
    """Leave by way of every `finally`, so that a command that still runs is ended too."""
    sys.exit(TERMINATED)


def _servers(text: str) -> dict[str, str]:
    """Names and addresses of MCP servers."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(
        isinstance(url, str) and url.startswith(("http://", "https://")) for url in value.values()
    ):
        raise click.UsageError('--mcp takes a JSON object of names and addresses: {"name": "http://..."}')
    return value


def _key(key_env: str | None, key_file: Path | None) -> str | None:
    """The key, or None where an endpoint needs none. What was named must be there."""
    if key_env and key_file:
        raise click.UsageError("--key-env and --key-file exclude each other")
    if key_file:
        try:
            key = key_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError("the file that --key-file names can't be read") from error
        if not key:
            raise click.UsageError("the file that --key-file names is empty")
    else:
        key = os.environ.get(key_env or KEY_ENV, "").strip()
        if key_env and not key:
            raise click.UsageError(f"the environment variable {key_env}, which --key-env names, is not set")
    if not key.isascii() or not key.isprintable():
        raise click.UsageError("the key has characters that no key has")
    return key or None
