"""What live sessions are lent: keys by name, or a copy of the login that can hurt nobody."""

from __future__ import annotations

import base64
import json
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import InvalidRequest, Lending, Limits, ModelEndpoint, Place, SessionStopped, Trial, TrialKey
from skilltrial.testing import HostFacade, MemoryRecorder, bind
from skilltrial_host_codex.credentials import loan
from skilltrial_host_codex.host import CodexHost

TRIAL = Trial(TrialKey(case="c", arm="a", label="1"), ("Hello",), Limits())
ENDPOINT = ModelEndpoint(url="http://127.0.0.1:1/x", model="scripted-1", key="dummy")
PASSED = ("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")


def token(expires: float) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": int(expires)}).encode()).decode().rstrip("=")
    return f"head-canary.{claims}.tail"


def login(expires: float | None = None, **more: Any) -> dict[str, Any]:
    tokens = {
        "id_token": "id-canary",
        "access_token": token(expires or time.time() + 90_000),
        "refresh_token": "refresh-canary",
        "account_id": "account",
    }
    return {"OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z", **more}


@pytest.fixture
def logged_in(operator: Path) -> Callable[..., Path]:
    """Write the operator's login."""

    def write(value: object) -> Path:
        path = operator / "auth.json"
        path.write_text(json.dumps(value), "utf-8")
        return path

    return write


@pytest.fixture
def run(fake: Any, place: Place) -> Callable[..., tuple[Lending, MemoryRecorder]]:
    """A live run of one session, as the core carries it out: lend, open, send, close."""

    def carry_out(prompt: str = "Hello", seconds: int = 600, **environment: str) -> tuple[Lending, MemoryRecorder]:
        host = bind(HostFacade, "codex", CodexHost(binary=str(fake.path)))
        passed = {name: value for name, value in environment.items() if name in PASSED}
        lent = host.lend_host(passed, seconds)
        live = replace(place, live=True, environment={**place.environment, **environment})
        recorder = MemoryRecorder()
        with host.open_session(TRIAL, live, (), None, recorder) as session:
            session.send(prompt)
        return lent, recorder

    return carry_out


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "CODEX_API_KEY"])
def test_a_key_that_is_passed_reaches_the_program_and_not_its_commands(
    name: str, fake: Any, run: Any, logged_in: Any
) -> None:
    logged_in(login())

    lent, _ = run(**{name: "key-1"})

    (start,) = fake.starts
    assert start["env"]["CODEX_API_KEY"] == "key-1"
    assert start["auth"] is None, "with a key no login is lent"
    config = tomllib.loads(start["config"])
    assert "model_provider" not in config
    assert {"OPENAI_API_KEY", "CODEX_API_KEY"} <= set(config["shell_environment_policy"]["exclude"])
    assert name in lent.told[0]
    assert "key-1" not in " ".join(lent.told)


def test_a_key_may_come_with_another_address_of_the_provider(fake: Any, run: Any, operator: Path) -> None:
    run(CODEX_API_KEY="key-1", OPENAI_BASE_URL="http://127.0.0.1:9/v1")

    assert tomllib.loads(fake.starts[0]["config"])["openai_base_url"] == "http://127.0.0.1:9/v1"


def test_a_login_goes_to_no_other_address(fake: Any, run: Any, logged_in: Any) -> None:
    logged_in(login())

    with pytest.raises(InvalidRequest, match="OPENAI_BASE_URL is passed on without a key"):
        run(OPENAI_BASE_URL="http://127.0.0.1:9/v1")

    assert fake.starts == []


def test_a_login_is_lent_without_what_could_renew_it(fake: Any, place: Place, run: Any, logged_in: Any) -> None:
    original = login(nested=[{"refresh_token": "refresh-canary-2"}])
    path = logged_in(original)
    before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)

    lent, _ = run()

    (start,) = fake.starts
    copy = json.loads(start["auth"])
    assert copy["tokens"] == {**original["tokens"], "refresh_token": ""}
    assert "refresh-canary" not in start["auth"]
    assert copy["last_refresh"] > "2026-02"
    assert start["mode"] == "0o600"
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before, "the original is never written"
    assert not list(place.home.rglob("auth.json")), "the copy goes with the session"
    assert "nobody asked if valid" in lent.told[0]


def test_every_token_is_a_secret_also_the_one_that_is_not_lent(run: Any, logged_in: Any) -> None:
    original = login(OPENAI_API_KEY="sk-canary", agent={"private_key": "pk-canary", "tokens": ["t-canary"]}, plan="pro")
    logged_in(original)

    lent, _ = run()

    tokens = original["tokens"]
    assert sorted(lent.secrets.values()) == sorted(
        [
            *(tokens[name] for name in ("access_token", "id_token", "refresh_token")),
            "sk-canary",
            "pk-canary",
            "t-canary",
        ]
    )
    assert len(lent.secrets) == 6, "each under a name of its own"
    assert all(name.startswith("codex ") for name in lent.secrets)
    assert "canary" not in " ".join((*lent.told, *lent.secrets, repr(lent)))


def test_a_login_renewed_during_the_run_is_not_what_later_sessions_get(fake: Any, place: Place, logged_in: Any) -> None:
    logged_in(login())
    host = bind(HostFacade, "codex", CodexHost(binary=str(fake.path)))
    host.lend_host({}, 600)
    logged_in(login(id_token="renewed-canary"))

    with host.open_session(TRIAL, replace(place, live=True), (), None, MemoryRecorder()) as session:
        session.send("Hello")

    assert "renewed-canary" not in fake.starts[0]["auth"], "no redaction knows of it"


@pytest.mark.parametrize("prompt", ["crash", "fail"])
def test_the_copy_goes_also_when_the_session_breaks(prompt: str, place: Place, run: Any, logged_in: Any) -> None:
    logged_in(login())

    with pytest.raises(SessionStopped):
        run(prompt)

    assert not list(place.home.rglob("auth.json"))


@pytest.mark.parametrize("live", [True, False])
def test_a_rehearsal_is_lent_nothing(live: bool, fake: Any, place: Place, logged_in: Any) -> None:
    logged_in(login())
    host = bind(HostFacade, "codex", CodexHost(binary=str(fake.path)))

    with host.open_session(TRIAL, replace(place, live=live), (), ENDPOINT, MemoryRecorder()) as session:
        session.send("Hello")

    assert fake.starts[0]["auth"] is None


@pytest.mark.parametrize(("left", "seconds"), [(300, 600), (30, 1), (-5, 1), (3_600, 3_590)])
def test_a_login_that_would_expire_during_the_run_is_refused_beforehand(
    left: int, seconds: int, fake: Any, run: Any, logged_in: Any
) -> None:
    logged_in(login(time.time() + left))

    with pytest.raises(InvalidRequest, match="would expire before the run's end"):
        run(seconds=seconds)

    assert fake.starts == []


@pytest.mark.parametrize("access", ["opaque", "a.b.c", "a..", "", "x." + "e30" + ".y"])
def test_a_token_that_does_not_say_when_it_ends_is_lent_and_an_empty_one_is_no_login(
    access: str, tmp_path: Path
) -> None:
    path = tmp_path / "auth.json"
    path.write_text(json.dumps({"tokens": {"access_token": access}}), "utf-8")

    assert (loan(path, 600, datetime.now(UTC)).auth is not None) == bool(access)


@pytest.mark.parametrize("text", ["{", "[]", "\xff", '"text"', "[" * 100_000])
def test_a_login_that_cannot_be_read_is_said_without_its_content(text: str, tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InvalidRequest, match=r"the Codex login \(auth\.json\)"):
        loan(path, 1, datetime.now(UTC))


@pytest.mark.parametrize("value", [None, {}, {"tokens": None}, {"tokens": {"refresh_token": "refresh-canary"}}])
def test_without_a_login_nothing_starts_and_the_error_says_what_to_do(
    value: object, fake: Any, run: Any, logged_in: Any, operator: Path
) -> None:
    if value is not None:
        logged_in(value)
    expected = "nothing to log in with: neither CODEX_API_KEY nor OPENAI_API_KEY"

    with pytest.raises(InvalidRequest, match=expected) as refused:
        run()

    assert "codex login" in str(refused.value)
    assert "--pass-env CODEX_API_KEY" in str(refused.value)
    assert "canary" not in str(refused.value)
    assert fake.starts == []


def test_a_login_in_the_systems_credential_store_is_recognised(fake: Any, run: Any, operator: Path) -> None:
    (fake.path.parent / "credential-store").touch()

    with pytest.raises(InvalidRequest, match=r"credential store.*cli_auth_credentials_store = \"file\""):
        run()

    assert fake.starts == []


def test_what_the_program_prints_of_a_key_is_not_passed_on(run: Any, logged_in: Any) -> None:
    logged_in({"OPENAI_API_KEY": "sk-1234567890"})

    lent, _ = run()

    assert "an API key is present" in lent.told[0]
    assert "sk-" not in lent.told[0]
    assert dict(lent.secrets) == {"codex OPENAI_API_KEY": "sk-1234567890"}
