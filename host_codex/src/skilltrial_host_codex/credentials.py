"""What a trial is lent to reach its provider: never more than can be lost.

A key comes by the variables that the run passes on. Without one, a copy of the operator's `auth.json` is lent whose
refresh token is emptied: refresh tokens are used up by use, so a copy that refreshed would log the operator out.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skilltrial.api import InvalidRequest

from .lines import inner, number, text

KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
"""Variables that hold a key. The program itself reads the first."""
_MARGIN = 60


@dataclass(frozen=True, slots=True)
class Loan:
    """What to write as the trial's `auth.json` (None: nothing), and the values that must reach no record."""

    auth: bytes | None = None
    secrets: tuple[str, ...] = ()


def key_of(environment: Mapping[str, str]) -> str | None:
    """The key among a trial's variables."""
    return next((environment[name] for name in KEYS if environment.get(name)), None)


def operators_login() -> Path:
    """Where the operator's own login lies. Only read, never written."""
    home = os.environ.get("CODEX_HOME")
    return (Path(home) if home else Path.home() / ".codex") / "auth.json"


def loan(login: Path, seconds: int, now: datetime) -> Loan:
    """What a trial of so many `seconds` that begins `now` is lent of `login`; nothing where there is no login.

    Raises InvalidRequest where the login would expire during the trial, or can't be read.
    """
    try:
        value = json.loads(login.read_bytes())
    except FileNotFoundError:
        return Loan()
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidRequest("the Codex login (auth.json) can't be read; log in again with `codex login`") from error
    if not isinstance(value, dict):
        raise InvalidRequest("the Codex login (auth.json) is no JSON object; log in again with `codex login`")
    tokens = inner(value, "tokens")
    if not text(tokens, "access_token"):
        key = text(value, "OPENAI_API_KEY")
        return Loan(_written({"OPENAI_API_KEY": key}), (key,)) if key else Loan()
    expires = _expires(text(tokens, "access_token") or "")
    if expires is not None and expires < now.timestamp() + seconds + _MARGIN:
        raise InvalidRequest(
            "the Codex login would expire during a trial, and a trial can't renew it without logging you out; "
            "run `codex` once to renew it, or pass a key by --pass-env CODEX_API_KEY"
        )
    lent = {**value, "tokens": {**tokens, "refresh_token": ""}, "last_refresh": now.astimezone(UTC).isoformat()}
    names = ("access_token", "id_token", "refresh_token")
    secrets = [text(tokens, name) for name in names] + [text(value, "OPENAI_API_KEY")]
    return Loan(_written(lent), tuple(secret for secret in secrets if secret))


def _written(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, indent=2).encode()


def _expires(token: str) -> int | None:
    """When a JSON web token expires, in seconds since 1970; None where it does not say."""
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (IndexError, ValueError, RecursionError):
        return None
    return number(claims, "exp")
