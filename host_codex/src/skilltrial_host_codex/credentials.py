"""What live sessions are lent to reach their provider: never more than can be lost.

A key comes by the variables that the run passes on. Without one, a copy of the operator's `auth.json` is lent whose
refresh token is emptied: refresh tokens are used up by use, so a copy that refreshed would log the operator out.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skilltrial.api import InvalidRequest, Lending

from .lines import inner, number, text
from .login import Login

KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
"""Variables that hold a key. The program itself reads the first."""
ADDRESS = "OPENAI_BASE_URL"
"""The variable that names another address of the provider; the program itself only reads it from its configuration."""
REMEDY = "run `codex login`, or set a key and pass it on with --pass-env CODEX_API_KEY"
_MARGIN = 60
"""Seconds that a login must outlive the run."""
_REFRESHES = re.compile(r"refresh[_-]?token", re.I)
_SECRET = re.compile(r"token|key|secret|password|credential", re.I)


@dataclass(frozen=True, slots=True)
class Loan:
    """What to write as each session's `auth.json` (None: nothing), and the values that must reach no file, by name."""

    auth: bytes | None = None
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class Wallet:
    """What a run's sessions are lent, once decided: all of them the same, so that all of it is known as secret."""

    loan: Loan = field(default_factory=Loan)


def key_of(environment: Mapping[str, str]) -> str | None:
    """The key among a trial's variables."""
    return next((environment[name] for name in KEYS if environment.get(name)), None)


def operators_home() -> Path:
    """The operator's own CODEX_HOME. Only read, never written."""
    home = os.environ.get("CODEX_HOME")
    return Path(home) if home else Path.home() / ".codex"


def decide(passed: Mapping[str, str], seconds: int, now: datetime, login: Login, home: Path) -> tuple[Loan, Lending]:
    """What the sessions of a run get that begins `now` and lasts `seconds` at most. Raises InvalidRequest.

    `login` is what the program says of the login in `home`.
    """
    names = [name for name in KEYS if passed.get(name)]
    if names:
        return Loan(), Lending(told=(f"sessions log in with the key in {names[0]} (present; nobody asked if valid)",))
    if passed.get(ADDRESS):
        raise InvalidRequest(
            f"{ADDRESS} is passed on without a key: a login goes to the provider's own address only; add --pass-env "
            f"{KEYS[0]}"
        )
    lent = loan(home / "auth.json", seconds, now)
    if lent.auth is not None:
        told = f"sessions get a copy of your Codex login that can't renew itself ({login.told}; nobody asked if valid)"
        return lent, Lending({f"codex {name}": value for name, value in lent.secrets.items()}, (told,))
    if login.present and not (home / "auth.json").exists():
        raise InvalidRequest(
            f"your Codex login ({login.told}) lies in the system's credential store, from which no copy can be lent; "
            f'set `cli_auth_credentials_store = "file"` in Codex\'s configuration and {REMEDY}'
        )
    raise InvalidRequest(
        f"Codex has nothing to log in with: neither {' nor '.join(KEYS)} is passed on, and {home / 'auth.json'} does "
        f"not hold a login; {REMEDY}"
    )


def loan(login: Path, seconds: int, now: datetime) -> Loan:
    """What a run of so many `seconds` that begins `now` is lent of the file `login`; nothing where it holds no login.

    Raises InvalidRequest where the login would expire during the run, or can't be read.
    """
    try:
        value = json.loads(login.read_bytes())
    except FileNotFoundError:
        return Loan()
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidRequest("the Codex login (auth.json) can't be read; log in again with `codex login`") from error
    if not isinstance(value, dict):
        raise InvalidRequest("the Codex login (auth.json) is no JSON object; log in again with `codex login`")
    access, key = text(inner(value, "tokens"), "access_token"), text(value, "OPENAI_API_KEY")
    if not access and not key:
        return Loan()
    expires = _expires(access) if access else None
    if expires is not None and expires < now.timestamp() + seconds + _MARGIN:
        raise InvalidRequest(
            f"the Codex login would expire before the run's end (it can take {seconds} s), and a session can't renew "
            "it without logging you out; run `codex` once to renew it, take a shorter run, or pass a key by "
            f"--pass-env {KEYS[0]}"
        )
    lent = {**_without_refresh(value), "last_refresh": now.astimezone(UTC).isoformat()}
    return Loan(json.dumps(lent, indent=2).encode(), dict(_secrets(value)))


def _without_refresh(value: Any) -> Any:
    """The value with every refresh token emptied, wherever it stands."""
    if isinstance(value, dict):
        return {key: "" if _REFRESHES.search(key) else _without_refresh(one) for key, one in value.items()}
    return [_without_refresh(one) for one in value] if isinstance(value, list) else value


def _secrets(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every text whose key speaks of a token, a key or a secret, by its place in the file."""
    if isinstance(value, str):
        # The last name counts: what stands below `tokens` is not secret for that alone.
        if value and path and _SECRET.search(path[-1]):
            yield " ".join(path), value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _secrets(one, (*path, str(key)))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _secrets(one, (*path[:-1], str(place), *path[-1:]))


def _expires(token: str) -> int | None:
    """When a JSON web token expires, in seconds since 1970; None where it does not say."""
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (IndexError, ValueError, RecursionError):
        return None
    return number(claims, "exp")
