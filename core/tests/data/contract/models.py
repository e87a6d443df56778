"""A good scripted model over plain HTTP, and a broken one for each contract test."""

from __future__ import annotations

import json
import secrets
import threading
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from matrix import broken

from skilltrial.api import ModelEndpoint, Say, Source, ToolOffer
from skilltrial.testing.models import TOOL, ModelContract, ModelSubject, Said


def ask(endpoint, said):
    body = json.dumps(list(said)).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(endpoint.url, data=body), timeout=20) as answer:
        value = json.loads(answer.read())
    return Said(value.get("text", ""), value.get("tool"), json.dumps(value.get("arguments", "")))


class AcmeModel:
    """Answers lists of texts."""

    address = "127.0.0.1"
    _token = staticmethod(lambda: secrets.token_urlsafe(24))

    @contextmanager
    def open_models(self, run, dialect):
        model, trials = self, {}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                trial = trials.get(self.path)
                code, value = (200, model._answer(trial, said, dialect)) if trial else (404, {})
                data = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer((self.address, 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=self._daemon())
        thread.start()
        try:
            yield Running(self, server, trials)
        finally:
            self._close(server, thread)

    def _daemon(self):
        return False

    def _close(self, server, thread):
        server.shutdown()
        thread.join()
        server.server_close()

    def _answer(self, trial, said, dialect):
        trial.recorder.record(Source.MODEL, json.dumps(said))
        act = trial.acts[min(self._at(trial, said), len(trial.acts) - 1)]
        if isinstance(act, Say):
            return {"text": act.say}
        call = dialect.spell(act, [ToolOffer(TOOL)])
        return {"tool": call.name, "arguments": call.arguments}

    def _at(self, trial, said):
        return len(said) - 1

    def _url(self, server, path):
        return f"http://127.0.0.1:{server.server_port}{path}"


@dataclass
class Trial:
    acts: tuple
    recorder: object
    asked: int = 0


@dataclass
class Running:
    model: AcmeModel
    server: object
    trials: dict

    @contextmanager
    def start(self, trial, script, recorder):
        path = f"/{self.model._token()}"
        self.trials[path] = Trial(script.turns[0], recorder)
        try:
            yield ModelEndpoint(self.model._url(self.server, path), "acme-model")
        finally:
            self.end(path)

    def end(self, path):
        if not getattr(self.model, "forgetful", False):
            del self.trials[path]


def subject_of(part):
    return ModelSubject(part, {"plain": ask})


class TestGood(ModelContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeModel())


def model(test, part):
    broken(ModelContract, test, lambda: subject_of(part()), globals())


class NoDialect:
    """Broken."""

    def open_model(self, run, dialect):
        return None


class Public(AcmeModel):
    """Broken."""

    def _url(self, server, path):
        return f"http://0.0.0.0:{server.server_port}{path}"


class Guessable(AcmeModel):
    """Broken."""

    _token = staticmethod(lambda: secrets.token_hex(2))


class Talks(AcmeModel):
    """Broken."""

    def _answer(self, trial, said, dialect):
        return {**super()._answer(trial, said, dialect), "text": "something"}


class OwnWords(AcmeModel):
    """Broken."""

    def _answer(self, trial, said, dialect):
        answer = super()._answer(trial, said, dialect)
        return {"tool": "bash", "arguments": {}} if "tool" in answer else answer


class Counts(AcmeModel):
    """Broken."""

    def _at(self, trial, said):
        trial.asked += 1
        return trial.asked - 1


class LastTrial(AcmeModel):
    """Broken."""

    latest = None

    def _answer(self, trial, said, dialect):
        type(self).latest = type(self).latest or trial
        return super()._answer(type(self).latest, said, dialect)


class Silent(AcmeModel):
    """Broken."""

    def _answer(self, trial, said, dialect):
        trial.recorder = type("Deaf", (), {"record": lambda *_: None})()
        return super()._answer(trial, said, dialect)


class Forgetful(AcmeModel):
    """Broken."""

    forgetful = True


class Immortal(AcmeModel):
    """Broken."""

    forgetful = True

    def _daemon(self):
        return True

    def _close(self, server, thread):
        pass


model("test_fits_its_hook_spec", NoDialect)
model("test_serves_on_loopback_only", Public)
model("test_a_trial_has_a_path_of_its_own", Guessable)
model("test_says_what_the_script_says", Talks)
model("test_an_act_becomes_a_call", OwnWords)
model("test_a_repeated_request_gets_the_same", Counts)
model("test_trials_at_once_do_not_mix", LastTrial)
model("test_what_was_asked_is_on_record", Silent)
model("test_an_ended_trial_is_not_served", Forgetful)
model("test_an_ended_run_serves_nobody", Immortal)
