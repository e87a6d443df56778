"""The environment of a trial's programs is built from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.record.programs.environment import base_environment, proxy_secrets

HOME, TMP = Path("/place/home"), Path("/place/tmp")
OURS = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/me",
    "LANG": "de_DE.UTF-8",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "ANTHROPIC_API_KEY": "sk-ours",
    "OPENAI_API_KEY": "sk-theirs",
    "VIRTUAL_ENV": "/venv",
    "SSL_CERT_FILE": "/ca.pem",
    "NODE_EXTRA_CA_CERTS": "",
    "HTTPS_PROXY": "http://me:pa%40ss-word@proxy.example:3128/",
    "no_proxy": "intranet.example, 127.0.0.1",
}


def test_only_what_is_named_gets_in() -> None:
    assert base_environment(HOME, TMP, {}, live=False, ours=OURS) == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/place/home",
        "TMPDIR": "/place/tmp",
        "LANG": "C.UTF-8",
        "SSL_CERT_FILE": "/ca.pem",
    }


def test_passed_variables_get_in_but_never_move_the_home() -> None:
    passed = {"OPENAI_API_KEY": "sk-theirs", "LANG": "C", "HOME": "/home/me", "CLAUDECODE": "1"}
    environment = base_environment(HOME, TMP, passed, live=False, ours=OURS)
    assert environment["OPENAI_API_KEY"] == "sk-theirs"
    assert environment["LANG"] == "C"
    assert environment["CLAUDECODE"] == "1"
    assert environment["HOME"] == "/place/home"


def test_proxies_are_for_live_runs_and_never_for_loopback() -> None:
    environment = base_environment(HOME, TMP, {}, live=True, ours=OURS)
    assert environment["HTTPS_PROXY"] == OURS["HTTPS_PROXY"]
    for name in ("NO_PROXY", "no_proxy"):
        assert environment[name] == "intranet.example,127.0.0.1,localhost,::1"


def test_without_a_proxy_nothing_is_said_about_proxies() -> None:
    ours = {"PATH": "/bin", "NO_PROXY": "x.example"}
    assert not [name for name in base_environment(HOME, TMP, {}, live=True, ours=ours) if "proxy" in name.lower()]


@pytest.mark.parametrize("path", ["relative:/bin", ":/bin", "/bin:", ".:/bin", "../x:/bin"])
def test_a_search_path_never_leads_into_the_project(path: str) -> None:
    assert base_environment(HOME, TMP, {}, live=False, ours={"PATH": path})["PATH"] == "/bin"


def test_without_a_search_path_there_is_the_default_one() -> None:
    assert "/bin" in base_environment(HOME, TMP, {}, live=False, ours={})["PATH"]


@pytest.mark.parametrize(
    ("address", "values"),
    [
        (
            "http://me:pa%40ss-word@proxy.example:3128/",
            {"me:pa%40ss-word", "me:pa@ss-word", "pa%40ss-word", "pa@ss-word"},
        ),
        ("http://token-only@proxy.example", {"token-only"}),
        ("me:secret@proxy.example:3128", {"me:secret", "secret"}),
        ("http://proxy.example:3128", set()),
        ("socks5://a:b@c:d@proxy.example", {"a:b@c:d", "b@c:d"}),
    ],
)
def test_credentials_of_a_proxy_are_secrets(address: str, values: set[str]) -> None:
    assert set(proxy_secrets({"ALL_PROXY": address}).values()) == values


@given(st.dictionaries(st.sampled_from([*OURS, "ALL_PROXY", "http_proxy", "X"]), st.text(min_size=1)))
def test_no_other_name_ever_gets_in(ours: dict[str, str]) -> None:
    names = set(base_environment(HOME, TMP, {}, live=True, ours=ours))
    assert not names & {
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "VIRTUAL_ENV",
        "X",
    }
