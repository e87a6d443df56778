"""The report as a document: pure, free of texts, and true to its schema."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from skilltrial.judge.diff import verdict_diff
from skilltrial.judge.rendering import render
from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.errors import PluginNotFound
from skilltrial.model.events import Step
from skilltrial.model.notes import Exited, NotBegun, Spawned
from skilltrial.model.plan import Skip
from skilltrial.model.report import Report, report_schema
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind, Outcome, VerdictKind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.judging import core_judge
from skilltrial.plugins.normalizers import Normalizers


@pytest.fixture
def full(world, w):
    """A run in which everything that can carry text carries a canary."""
    loud = [
        Spawned(argv=("agent", w.CANARY)),
        w.event("TurnEnded", turn=1, answer=w.CANARY, native_turn=w.CANARY),
        w.event("SessionStarted", session=w.CANARY, version=w.CANARY, model=w.CANARY),
        w.event("ModelRequested", model=w.CANARY, provider=w.CANARY, request=w.CANARY),
        w.event("Offered", skills=[w.CANARY], tools=[w.CANARY]),
        w.event("ToolRequested", turn=1, call=w.CANARY, tool=w.CANARY, input={"x": w.CANARY}),
        w.event("ToolError", turn=1, call=w.CANARY, message=w.CANARY),
        w.event("Unrecognized", why=w.CANARY),
        w.event("Truncated", where=w.CANARY),
        w.event("Usage", turn=1, input=3, output=4),
        w.step(Step.READ),
        Exited(code=0),
        w.COMPLETED,
    ]
    checks = [
        w.check("good"),
        w.check("bad", "failed", reason=w.CANARY),
        w.check("open", "unverified", reason=w.CANARY),
        w.check("broken", "raises"),
        {"id": "text", "grader": "tell", "answered": w.CANARY + "?"},
    ]
    world.cases = [w.case("a", checks), w.case("b", workspace={"files": {w.CANARY: w.CANARY}})]
    world.host = {"can": frozenset(Can), "model": "some-model"}
    world.trials = {
        w.key("a"): w.trial(*loud),
        w.key("a", "without_skill"): w.trial("boom"),
        w.key("b"): w.trial(facts={"redacted_paths": (w.CANARY,)}),
        w.key("b", "without_skill"): None,
    }
    return world


def test_the_same_archive_gives_the_same_bytes(full):
    first, second = full.grade(), full.grade()
    assert first.report.write() == second.report.write()
    assert Report.read(first.report.write()) == first.report


def test_sets_have_one_order(full):
    report = full.grade().report
    assert list(report.host.can) == sorted(Can)
    assert list(report.host.sees) == sorted(Sees)


def test_a_report_holds_no_prompt_answer_path_or_reason_of_a_strangers(full, w):
    judged = full.grade()
    assert "xyzzy" not in judged.report.write().decode()
    assert "xyzzy" not in render(judged.report, "markdown", judged.details)


def test_the_texts_of_the_checks_are_there_for_those_who_hold_the_archive(full, w):
    judged = full.grade()
    details = judged.details[w.key("a")]
    assert [detail.outcome for detail in details][:2] == [Outcome.PASSED, Outcome.FAILED]
    assert w.CANARY in details[1].sentence
    page = render(judged.report, "plain", judged.details, width=100)
    assert f"expected: {w.CANARY}" in page
    assert "xyzzy" not in render(judged.report, "plain")


def test_the_schema_takes_every_report(full, world, w):
    schema = report_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(full.grade().report.write()), schema)
    world.cases = [w.case(rehearsals=[{"id": "s", "expect": "passed", "script": []}])]
    world.trials = {w.key(label="s"): w.trial(), w.key(label="null"): w.trial()}
    jsonschema.validate(json.loads(world.rehearse().report.write()), schema)


def test_the_shipped_schema_is_the_generated_one():
    shipped = resources.files("skilltrial").joinpath("schemas/report.schema.json").read_bytes()
    assert json.loads(shipped) == report_schema()


@pytest.mark.parametrize("lost", ["archive", "gate", "trials", "judge"])
def test_a_report_without_what_it_must_name_is_refused(full, lost):
    value = json.loads(full.grade().report.write())
    del value[lost]
    with pytest.raises(ValueError, match=lost):
        Report.read(json.dumps(value))


def test_a_report_names_what_it_is_about(full):
    report = full.grade().report
    assert report.archive == "a" * 64
    assert [(part.kind, part.name) for part in report.judge] == [
        ("core", "judge"),
        ("normalizer", "events"),
        ("grader", "tell"),
    ]
    assert report.evidence_kind is EvidenceKind.LIVE_PORTABLE
    assert set(report.digests.cases) == {"a", "b"}


def _import(world, w):
    world.skips = SKIPS
    world.host.update(evidence_kind=EvidenceKind.IMPORTED)


SKIPS = (Skip(key=TrialKey(case="a", arm="with_skill", label="9"), reason="needs_mcp_http"),)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda world, w: world.plan.update(narrowed=True), "Only some cases"),
        (lambda world, w: world.plan.update(model="scripted"), "The model was scripted"),
        (lambda world, w: setattr(world, "sees", frozenset()), "only exit codes and files"),
        (lambda world, w: setattr(world, "sees", frozenset({Sees.ANSWERS})), "does not show: model ids, skill reads"),
        (lambda world, w: world.host.update(ambient=("home",)), "state of the operator's: home"),
        (lambda world, w: setattr(world, "parts", world.parts[:1]), "grader tell, which the run did not record"),
        (
            lambda world, w: setattr(world, "parts", (w.part("core", "judge", "1" * 64), *world.parts[1:])),
            "another version of the core judge",
        ),
        (
            lambda world, w: world.trials.update(
                {w.key("b"): w.trial(w.ANSWER, w.event("ModelRequested", model="m-2"), w.COMPLETED)}
            ),
            "not all trials were answered by the same model",
        ),
        (lambda world, w: world.trials.update({w.key("a"): w.trial()}), "suspect the instrument"),
        (lambda world, w: world.trials.update({w.key("a"): w.trial()}), "was not offered"),
        (lambda world, w: setattr(world, "skips", SKIPS), "skipped because the host can't run it: 1 trial."),
        (_import, "skipped by whoever recorded the transcript: 1 trial."),
        (
            lambda world, w: world.trials.update({w.key("a"): w.trial(NotBegun(why="value_missing"))}),
            "not begun, since what they presuppose was not there: 1 trial.",
        ),
        (lambda world, w: None, "1 of 4 planned trials left no seal"),
        (lambda world, w: None, "Output was cut in 1 trial."),
        (lambda world, w: None, "One attempt per case"),
    ],
)
def test_what_limits_a_report_is_said_in_it(full, w, change, sentence):
    change(full, w)
    lines = full.grade().report.limitations
    assert any(sentence.lower() in line.lower() for line in lines), lines


def test_a_clean_run_has_no_limitation(world, w):
    world.trials = {
        w.key(label=label): w.trial(w.ANSWER, w.step(Step.OFFERED), w.step(Step.READ), w.COMPLETED) for label in "12"
    }
    world.plan = {"attempts": 2}
    assert world.grade().report.limitations == ()


@pytest.mark.parametrize("silent", ["negative", "broken", "scripted"])
def test_r1_an_instrument_is_suspected_only_where_a_skill_should_have_been_read(world, w, silent):
    offered = [w.ANSWER, w.step(Step.OFFERED)]
    world.cases = [w.case(polarity="negative" if silent == "negative" else "positive")]
    end = w.event("SessionEnded", ending="host_failed") if silent == "broken" else w.COMPLETED
    world.trials = {w.key(): w.trial(*offered, end)}
    world.plan = {"model": "scripted"} if silent == "scripted" else {}
    assert not any("suspect" in line for line in world.grade().report.limitations)


def test_r56_judging_again_shows_what_changed(world, w):
    world.trials = {w.key(): w.trial(), w.key(label="2"): w.trial("boom")}
    before = world.grade().report
    world.cases = [w.case(checks=[w.check("told", "failed")])]
    world.trials = {w.key(): w.trial(), w.key(label="2"): w.trial("boom"), w.key(label="3"): w.trial()}
    after = world.grade().report
    assert verdict_diff(before, before) == ()
    changes = verdict_diff(before, after)
    assert [(one.key.label, one.before and one.before.kind, one.after and one.after.kind) for one in changes] == [
        ("1", VerdictKind.PASSED, VerdictKind.FAILED),
        ("3", None, VerdictKind.FAILED),
    ]
    assert [one.key.label for one in verdict_diff(after, before)] == ["1", "3"]


def test_a_grader_that_is_not_installed_is_told_before_anything_is_judged(full):
    class Nobody:
        def find(self, name):
            raise PluginNotFound(f"no grader called {name!r}")

    full.graders = Nobody()
    with pytest.raises(PluginNotFound):
        full.grade()


def test_a_normalizer_that_is_not_installed_is_an_invalid_request():
    with pytest.raises(PluginNotFound, match="no normalizer called 'events'"):
        Normalizers(Discovery(())).find("events")


def test_the_core_that_judges_is_known_by_its_sources():
    one = core_judge()
    assert (one.kind, one.distribution) == ("core", "skilltrial")
    assert one == core_judge()


def lines(text):
    return text.rstrip("\n").split("\n")


def test_a_page_fits_80_columns_of_ascii(full):
    page = render(full.grade().report, "plain")
    assert page.isascii()
    assert max(map(len, lines(page))) <= 80
    assert lines(page)[-1].startswith("gate with_skill: incomplete")


def test_a_terminal_is_not_steered_by_what_an_agent_said(world, w):
    text = "\x1b[2J\x07[bold]\u202e end"
    world.cases = [w.case(checks=[{"id": "told", "grader": "tell", "answered": text}])]
    world.trials = {w.key(): w.trial()}
    judged = world.grade()
    for form in ("plain", "terminal"):
        page = render(judged.report, form, judged.details)
        assert "\x1b[2J" not in page
        assert "\u202e" not in page
        assert "[bold]" in page


def test_a_plain_page_has_no_colour_and_a_terminals_has(full):
    report = full.grade().report
    assert "\x1b" not in render(report, "plain")
    assert "\x1b[" in render(report, "terminal")


def test_long_texts_and_many_trials_are_cut_and_say_so(world, w):
    world.cases = [w.case(checks=[{"id": "told", "grader": "tell", "answered": "x" * 5000}])]
    world.trials = {w.key(label=str(n)): w.trial() for n in range(1, 31)}
    judged = world.grade()
    page = render(judged.report, "plain", judged.details)
    assert "[cut]" in page
    assert "and 10 more" in page
    assert len(page) < 30_000
