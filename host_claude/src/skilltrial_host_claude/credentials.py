"""What live sessions reach their provider with: variables that the user passes on, never a stored login.

A stored login is renewed by use: a copy that renewed itself would log the operator out. So it is only recognised, and
answered with the token that is made for such uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from skilltrial.api import InvalidRequest

from .lines import inner

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
"""Each is enough by itself."""
_BEDROCK, _VERTEX = "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"
SWITCHES = (_BEDROCK, _VERTEX)
"""Each turns to another provider, which needs variables of its own."""
_NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    _BEDROCK: (
        ("AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK"),
        ("AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ),
    _VERTEX: (("CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS"),),
}
_TOKEN = "make a token with `claude setup-token` and pass it on by --pass-env CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105


def lent(passed: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """The sentence about what sessions are lent of `passed`. Raises InvalidRequest where they could not log in.

    `ours` is the operator's own environment: it says what could be passed on.
    """
    for switch in SWITCHES:
        if _on(passed, switch):
            return _provider(switch, passed)
    for name in KEYS:
        if passed.get(name, "").strip():
            return f"{name} is passed on: present, not checked"
    raise InvalidRequest(f"Claude Code has no credential for its provider: {_remedy(ours)}")


def present(ours: Mapping[str, str]) -> Iterator[str]:
    """Sentences about the credentials that the operator has: present, nobody asked whether they are valid."""
    found = [f"{name} is set" for name in KEYS if ours.get(name, "").strip()]
    found += [f"{switch} is on" for switch in SWITCHES if _on(ours, switch)]
    found += ["a login is stored, which trials can not use"] * stored(ours)
    yield from found or ("no login",)


def advice(ours: Mapping[str, str]) -> str:
    """What the operator should do to run live sessions."""
    return f"for live runs: {_remedy(ours)}"


def stored(ours: Mapping[str, str]) -> bool:
    """Whether the operator has logged in, in a file or in the system's keychain. Only looks, and writes nothing."""
    home = Path(ours.get("HOME") or Path.home())
    state = Path(ours["CLAUDE_CONFIG_DIR"]) if ours.get("CLAUDE_CONFIG_DIR") else home / ".claude"
    if (state / ".credentials.json").is_file():
        return True
    # Where a keychain holds the login itself, the account's name is in the settings all the same.
    settings = state / ".claude.json" if ours.get("CLAUDE_CONFIG_DIR") else home / ".claude.json"
    try:
        return bool(inner(json.loads(settings.read_bytes()), "oauthAccount"))
    except (OSError, ValueError, RecursionError):
        return False


def _provider(switch: str, passed: Mapping[str, str]) -> str:
    for names in _NEEDED[switch]:
        if all(passed.get(name, "").strip() for name in names):
            return f"{switch} with {', '.join(names)} are passed on: present, not checked"
    sets = " or ".join(", ".join(names) for names in _NEEDED[switch])
    raise InvalidRequest(
        f"{switch} is passed on, but not what it needs: {sets}; pass them on by --pass-env (profiles and logins in "
        "your home folder are not seen by trials)"
    )


def _remedy(ours: Mapping[str, str]) -> str:
    for name in (*KEYS, *SWITCHES):
        if ours.get(name, "").strip():
            return f"{name} is set, pass it on by --pass-env {name}"
    if stored(ours):
        return f"your login is stored, and a trial that used it could log you out; {_TOKEN}"
    return f"set ANTHROPIC_API_KEY and pass it on by --pass-env ANTHROPIC_API_KEY, or {_TOKEN}"


def _on(variables: Mapping[str, str], name: str) -> bool:
    return variables.get(name, "").strip().lower() not in ("", "0", "false", "no", "off")
