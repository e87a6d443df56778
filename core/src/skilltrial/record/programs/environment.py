"""The environment of a trial's programs, built from nothing: what is not named here does not get in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE")
"""Where programs look for the certificates that they trust."""
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
"""Each is also read in lower case."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""What is never reached through a proxy: fixtures and scripted models live there."""


def base_environment(
    home: Path, tmp: Path, passed: Mapping[str, str], live: bool, ours: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The variables of a program in a place; `passed` wins over everything but HOME and TMPDIR.

    `ours` is where PATH, certificates and, in a live run only, proxies come from.
    """
    environment = {
        "PATH": _absolute(ours.get("PATH", os.defpath)),
        "LANG": "C.UTF-8",
        **{name: ours[name] for name in CERTIFICATES if ours.get(name)},
        **(_proxies(ours) if live else {}),
        **passed,
    }
    return environment | {"HOME": str(home), "TMPDIR": str(tmp)}


def proxy_secrets(ours: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The credentials in our proxies' addresses, each under a name for its redaction mark."""
    secrets: dict[str, str] = {}
    for name, address in _proxies(ours).items():
        login, at, _ = (address.partition("://")[2] or address).partition("/")[0].rpartition("@")
        if "NO_PROXY" in name.upper() or not at:
            continue
        password = login.partition(":")[2]
        for what, value in (("login", login), ("password", password)):
            for value_as, text in ((what, value), (f"{what} decoded", unquote(value))):
                if text and text not in secrets.values():
                    secrets[f"{name} {value_as}"] = text
    return secrets


def _proxies(ours: Mapping[str, str]) -> dict[str, str]:
    found = {name: ours[name] for name in (*PROXIES, *map(str.lower, PROXIES)) if ours.get(name)}
    if not found:
        return {}
    for name, other in (("NO_PROXY", "no_proxy"), ("no_proxy", "NO_PROXY")):
        hosts = (ours.get(name) or ours.get(other) or "").split(",")
        found[name] = ",".join(dict.fromkeys((*(host.strip() for host in hosts if host.strip()), *LOOPBACK)))
    return found


def _absolute(path: str) -> str:
    """PATH without entries that would mean another folder in a project."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if os.path.isabs(entry))  # noqa: PTH117
