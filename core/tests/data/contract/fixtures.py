"""A good fixture over plain HTTP, and a broken one for each contract test."""

from __future__ import annotations

import json
import secrets
import threading
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import Answered, Called, Can, FixtureIdentity, Offer, Source
from skilltrial.testing.fixtures import FixtureContract, FixtureSubject


def call(offer, arguments):
    body = json.dumps(arguments).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(offer.url, data=body), timeout=20) as answer:
        return answer.read().decode()


class AcmeFixture:
    """Counts what it is told."""

    daemon = False

    def fixture_assets(self):
        return ("replies.json",)

    def fixture_needs(self):
        return frozenset({Can.MCP_HTTP})

    def check_fixture(self, assets, options):
        faults = [f"{name} is no option" for name in options]
        try:
            value = json.loads(assets["replies.json"])
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not isinstance(value.get("answer"), str):
            faults.append("replies.json has no answer")
        return faults

    def describe_fixture(self, assets):
        return FixtureIdentity(tools=("remember",))

    @contextmanager
    def open_fixtures(self, run, assets):
        fixture, trials = self, {}
        answer = json.loads(assets["replies.json"])["answer"]

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                trial = trials.get(self.path)
                data = fixture._serve(trial, arguments, answer).encode() if trial else b""
                self.send_response(200 if trial else 404)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=self.daemon)
        thread.start()
        try:
            yield Running(self, server, trials)
        finally:
            self._close(server, thread)

    def _close(self, server, thread):
        server.shutdown()
        thread.join()
        server.server_close()

    def _serve(self, trial, arguments, answer):
        trial.count += 1
        self._note(trial, Called(number=trial.count, tool="remember", arguments=arguments))
        self._note(trial, Answered(number=trial.count, result=answer))
        return f"{answer} {trial.count}"

    def _note(self, trial, note):
        trial.recorder.record(Source.WIRE, json.dumps(note.model_dump(mode="json")))

    def _offer(self, url):
        return Offer("memory", url)

    def _begin(self, recorder):
        return Trial(recorder)

    def _end(self, trials, path):
        del trials[path]


@dataclass
class Trial:
    recorder: object
    count: int = 0


@dataclass
class Running:
    fixture: AcmeFixture
    server: object
    trials: dict

    @contextmanager
    def start(self, trial, options, place, recorder):
        path = f"/{secrets.token_urlsafe(24)}"
        self.trials[path] = self.fixture._begin(recorder)
        try:
            yield self.fixture._offer(f"http://127.0.0.1:{self.server.server_port}{path}")
        finally:
            self.fixture._end(self.trials, path)


def subject_of(part) -> FixtureSubject:
    return FixtureSubject(part, {"replies.json": b'{"answer": "stored"}'}, call, "remember", {"text": "KIT", "n": 1})


class TestGood(FixtureContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeFixture())


def fixture(test, part):
    broken(FixtureContract, test, lambda: subject_of(part()), globals())


class Unready(AcmeFixture):
    """Broken."""

    def ready(self):
        return True


class NamesNothing(AcmeFixture):
    """Broken."""

    def fixture_assets(self):
        return ()


class Strict(AcmeFixture):
    """Broken."""

    def check_fixture(self, assets, options):
        return [*super().check_fixture(assets, options), "it might be better"]


class ReadsAgain(AcmeFixture):
    """Broken."""

    def check_fixture(self, assets, options):
        Path(__file__).read_bytes()
        return super().check_fixture(assets, options)


class TakesAll(AcmeFixture):
    """Broken."""

    def check_fixture(self, assets, options):
        return super().check_fixture(assets, {})


class Raises(AcmeFixture):
    """Broken."""

    def check_fixture(self, assets, options):
        json.loads(assets["replies.json"])
        return super().check_fixture(assets, options)


class Tells(AcmeFixture):
    """Broken."""

    def check_fixture(self, assets, options):
        faults = super().check_fixture(assets, options)
        return [f"{fault}: {assets['replies.json'].decode('latin-1')}" for fault in faults]


class NamesNoTool(AcmeFixture):
    """Broken."""

    def describe_fixture(self, assets):
        return FixtureIdentity(tools=("another",))


class WrongNeeds(AcmeFixture):
    """Broken."""

    def fixture_needs(self):
        return frozenset({Can.MCP_STDIO})


class AnswersFirst(AcmeFixture):
    """Broken."""

    def _note(self, trial, note):
        if isinstance(note, Answered):
            super()._note(trial, note)
            super()._note(trial, Called(number=note.number, tool="remember"))


class Remembers(AcmeFixture):
    """Broken."""

    count = 0

    def _serve(self, trial, arguments, answer):
        type(self).count += 1
        super()._serve(trial, arguments, answer)
        return f"{answer} {self.count}"


class NamesTheTrial(AcmeFixture):
    """Broken."""

    def _offer(self, url):
        return Offer("memory", url, environment={"TRIAL": secrets.token_hex(6)})


class OneForAll(AcmeFixture):
    """Broken."""

    first = None

    def _begin(self, recorder):
        type(self).first = type(self).first or Trial(recorder)
        return self.first


class GoesOn(AcmeFixture):
    """Broken."""

    def _end(self, trials, path):
        pass


class Immortal(GoesOn):
    """Broken."""

    daemon = True

    def _close(self, server, thread):
        pass


fixture("test_fits_its_hook_spec", Unready)
fixture("test_names_its_files", NamesNothing)
fixture("test_good_files_have_no_fault", Strict)
fixture("test_good_files_have_no_fault", ReadsAgain)
fixture("test_wrong_options_are_a_fault", TakesAll)
fixture("test_damaged_files_are_faults", Raises)
fixture("test_damaged_files_are_faults", Tells)
fixture("test_describes_what_it_serves", NamesNoTool)
fixture("test_offers_what_it_needs", WrongNeeds)
fixture("test_a_call_is_on_record_before_its_answer", AnswersFirst)
fixture("test_trials_start_alike", Remembers)
fixture("test_arms_are_offered_alike", NamesTheTrial)
fixture("test_trials_at_once_do_not_mix", OneForAll)
fixture("test_an_ended_trial_is_not_served", GoesOn)
fixture("test_an_ended_run_serves_nobody", Immortal)
