"""One server for all trials: paths, borders, order, the end."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from skilltrial.api import Limits, RunInfo, Script, Source, Trial, TrialKey
from skilltrial.testing import ModelFacade, bind
from skilltrial_model_scripted.app import BODY_LIMIT
from skilltrial_model_scripted.model import ScriptedModel

CHAT = "/v1/chat/completions"
PROMPT = {"role": "user", "content": "Do it."}
ASKED = {"model": "m", "messages": [PROMPT]}


def trial(label: str = "1") -> Trial:
    return Trial(TrialKey(case="case", arm="arm", label=label), ("Do it.",), Limits())


def test_it_fits_its_hook_spec_and_its_endpoint_is_what_hosts_expect(act: Any, notebook: Any, dialect: Any) -> None:
    model = bind(ModelFacade, "scripted", ScriptedModel(model="gpt-x"))

    with (
        model.open_models(RunInfo("run"), dialect) as run,
        run.start(trial(), Script(((act(say="One."),),)), notebook) as endpoint,
    ):
        listed = httpx.get(f"{endpoint.url}/v1/models", trust_env=False).json()

    address = urlsplit(endpoint.url)
    assert (address.hostname, address.scheme) == ("127.0.0.1", "http")
    assert len(address.path.removeprefix("/run/")) >= 32
    assert endpoint.model == "gpt-x"
    assert [one["id"] for one in listed["data"]] == ["gpt-x"]


def test_naming_the_model_loads_no_server() -> None:
    heavy = "starlette", "uvicorn", "asyncio"
    code = f"import sys, skilltrial_model_scripted.model; print([name for name in {heavy} if name in sys.modules])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "[]"


def test_trials_that_run_at_once_never_meet(program: Any, act: Any) -> None:
    agents = [program([act(error=500, times=1), act(say=f"word-{n}")]) for n in range(4)]

    def ask(agent: Any) -> list[str]:
        return [agent.post(CHAT, ASKED).text for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, agents))

    for n, (agent, (fault, *words)) in enumerate(zip(agents, answers, strict=True)):
        assert "scripted error 500" in fault
        assert all(f"word-{n}" in word for word in words)
        assert len(agent.notebook.of("request")) == 5


def test_only_a_trials_own_path_reaches_it(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])
    base = agent.endpoint.url.rpartition("/run/")[0]

    for path in (
        "/",
        "/run",
        "/run/",
        "/run/guess/v1/chat/completions",
        "/run/guess/v1/models",
        "/v1/chat/completions",
    ):
        answer = agent.http.post(f"{base}{path}", json=ASKED)
        assert (answer.status_code, "One." in answer.text) == (404, False)
        assert agent.http.get(f"{base}{path}").status_code == 404
    assert agent.notebook.notes == []


def test_what_a_model_does_not_have_is_refused_and_on_record(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])

    assert agent.post("/v1/telemetry?key=secret", {"a": 1}).status_code == 404
    assert agent.http.get(f"{agent.endpoint.url}{CHAT}").status_code == 404

    assert [(note["method"], note["path"]) for note in agent.notebook.of("unserved")] == [
        ("POST", "/v1/telemetry"),
        ("GET", CHAT),
    ]


def test_an_ended_trial_answers_no_more_and_records_no_more(models: Any, act: Any, notebook: Any) -> None:
    with models.start(trial(), Script(((act(say="One."),),)), notebook) as endpoint:
        assert httpx.post(f"{endpoint.url}{CHAT}", json=ASKED, trust_env=False).status_code == 200
    kept = list(notebook.notes)

    for path in (CHAT, "/v1/models", "/v1/else"):
        assert httpx.post(f"{endpoint.url}{path}", json=ASKED, trust_env=False).status_code == 410

    assert notebook.notes == kept


def test_an_answer_that_is_under_way_ends_with_its_trial(models: Any, act: Any, notebook: Any) -> None:
    with ThreadPoolExecutor(1) as pool:
        with models.start(trial(), Script(((act(stall=3600),),)), notebook) as endpoint:
            waiting = pool.submit(httpx.post, f"{endpoint.url}{CHAT}", json=ASKED, timeout=30, trust_env=False)
            while not notebook.of("reply"):
                time.sleep(0.01)

        with pytest.raises(httpx.RemoteProtocolError):
            waiting.result(timeout=5)

    assert [note["note"] for note in notebook.notes] == ["request", "reply"]


def threads_end(before: set[threading.Thread], within: float = 5) -> bool:
    """Whether no thread but those of `before` is left. A worker that was told to end needs a moment to do so."""
    until = time.monotonic() + within
    while not set(threading.enumerate()) <= before:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def test_the_end_of_a_run_frees_port_and_threads(act: Any, notebook: Any, dialect: Any) -> None:
    before = set(threading.enumerate())

    with ScriptedModel().open_models(RunInfo("run"), dialect) as run:
        with (
            run.start(trial(), Script(((act(say="One."),),)), notebook) as endpoint,
            httpx.Client(trust_env=False) as http,
        ):
            # A connection that is kept alive must not keep the server.
            http.post(f"{endpoint.url}{CHAT}", json=ASKED)
        port = urlsplit(endpoint.url).port

    assert threads_end(before)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_the_server_stops_when_the_run_breaks(act: Any, dialect: Any) -> None:
    before = set(threading.enumerate())

    with pytest.raises(ZeroDivisionError), ScriptedModel().open_models(RunInfo("run"), dialect):
        raise ZeroDivisionError

    assert threads_end(before)


def test_requests_and_replies_are_on_record_in_order_and_whole(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")])
    later = {
        **ASKED,
        "messages": [PROMPT, {"role": "assistant", "content": "call"}, {"role": "tool", "content": "denied"}],
    }

    first = agent.post(CHAT, ASKED, authorization="Bearer sk-secret", **{"x-api-key": "sk-secret"}).json()
    agent.post(CHAT, later)

    notes = agent.notebook.notes
    assert [(note["note"], note["number"], note["step"]) for note in notes] == [
        ("request", 1, 0),
        ("reply", 1, 0),
        ("request", 2, 1),
        ("reply", 2, 1),
    ]
    assert notes[0]["body"] == ASKED
    assert notes[1]["body"] == first
    assert notes[2]["body"] == later
    assert [(note["act"], note["kind"]) for note in notes[1::2]] == [(0, "run"), (1, "say")]
    assert agent.notebook.sources == {Source.MODEL}
    assert "sk-secret" not in str(notes)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'"text"', b"null", b"[" * 100_000, b'{"model": "m"}'])
@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/v1/messages"])
def test_a_broken_request_is_the_programs_fault_and_on_record(program: Any, act: Any, path: str, raw: bytes) -> None:
    agent = program([act(say="One.")])

    answer = agent.http.post(f"{agent.endpoint.url}{path}", content=raw)

    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    request, reply = agent.notebook.notes
    assert (request["problem"] is not None, reply["kind"], reply["status"]) == (True, "invalid", 400)


def test_a_request_without_end_is_refused_and_the_next_is_served(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])

    answer = agent.http.post(f"{agent.endpoint.url}{CHAT}", content=b" " * (BODY_LIMIT + 1))

    assert answer.status_code == 413
    assert [note["status"] for note in agent.notebook.of("reply")] == [413]
    assert agent.post(CHAT, ASKED).status_code == 200


def test_text_that_is_no_valid_unicode_passes(program: Any, act: Any) -> None:
    agent = program([act(say="\ud800 lone")])
    raw = b'{"model": "m", "messages": [{"role": "user", "content": "Do it. \\ud83d"}]}'

    for stream in (b"", b', "stream": true'):
        answer = agent.http.post(f"{agent.endpoint.url}{CHAT}", content=raw[:-1] + stream + b"}")
        assert answer.status_code == 200
        assert "\\ud800" in answer.text


def test_a_record_that_can_not_be_written_breaks_the_trial_loudly(models: Any, act: Any, notebook: Any) -> None:
    class FullDisk(type(notebook)):  # type: ignore[misc]
        def record(self, source: Source, *lines: str) -> None:
            raise OSError(28, "No space left on device")

    def run() -> int:
        with models.start(trial(), Script(((act(say="One."),),)), FullDisk()) as endpoint:
            return httpx.post(f"{endpoint.url}{CHAT}", json=ASKED, trust_env=False).status_code

    with pytest.raises(OSError, match="No space left"):
        run()
