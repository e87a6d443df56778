"""What a run looks like: at any width, in any encoding, and with nothing said that was not seen."""

from __future__ import annotations

import pytest

from skilltrial.judge.board import ASCII, ROUND, opened, usable
from skilltrial.judge.rendering import render
from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Step
from skilltrial.model.report import Ran
from skilltrial.model.trial import TrialKey

P, F = "passed", "failed"


@pytest.fixture
def run(world, w):
    """A run of cases: for each, the verdicts of its attempts without and with the skill (`!` is a broken session)."""

    def given(cases, gate=None):
        world.cases, world.trials = [], {}
        for at, arms in enumerate(cases):
            id = f"case-{at}-of-a-suite-with-a-rather-long-name"
            checks = []
            for arm, letters in zip(("without_skill", "with_skill"), arms, strict=True):
                for n, letter in enumerate(letters, start=1):
                    broken = w.trial(w.ANSWER, w.event("SessionEnded", ending="host_failed"))
                    read = w.trial(w.ANSWER, w.step(Step.OFFERED), w.step(Step.READ), w.COMPLETED)
                    here = w.trial() if arm == "without_skill" else read
                    world.trials[w.key(id, arm, str(n))] = broken if letter == "!" else here
                gives = {"P": P, "F": F}.get(letters[0], P)
                checks.append(w.check(f"{arm.replace('_', '-')}-told", gives, arms=[arm]))
            world.cases.append(w.case(id, checks))
        return world.grade()

    return given


MIXED = [("FF", "PP"), ("PP", "FF"), ("FF", "FF"), ("PP", "P!")]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("form", ["plain", "terminal"])
@pytest.mark.parametrize("marks", [ROUND, ASCII], ids=["round", "ascii"])
def test_a_page_fits_its_width_and_a_plain_one_has_no_escape(run, width, form, marks):
    judged = run(MIXED)

    page = render(judged.report, form, judged.details, width=width, marks=marks)

    bare = page if form == "plain" else _without_colour(page)
    assert max(map(len, bare.splitlines())) <= width
    assert ("\x1b" in page) is (form == "terminal")
    assert page.isascii() is (marks is ASCII)


def _without_colour(page: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", page)


def test_the_table_shows_every_trial_with_its_counts_and_what_changed(run):
    page = render(run(MIXED).report, "plain", width=120, marks=ROUND)
    rows = [" ".join(line.split()) for line in page.splitlines() if line.startswith(("case-", "all "))]

    name = "of-a-suite-with-a-rather-long-name"
    assert rows[:5] == [
        f"case-0-{name} ○○ 0/2 ●● 2/2 better 2/2",
        f"case-1-{name} ●● 2/2 ○○ 0/2 worse 2/2",
        f"case-2-{name} ○○ 0/2 ○○ 0/2 same 2/2",
        f"case-3-{name} ●● 2/2 ●! 1/2 same 1/1 1?",
        "all 4/8 3/8",
    ]


def test_the_headline_is_one_of_a_closed_set_with_its_numbers(run):
    page = render(run([("F", "P")] * 6).report, "plain")

    assert "\nHELPS\n" in page
    assert "6 better, 0 worse, 0 alike, of 6 pairs." in page
    assert "come in 3.12 % of runs" in " ".join(page.split())
    assert "\nPROVES NOTHING (host failed, owner host)\n" in render(run(MIXED).report, "plain")
    assert "\nCAN'T TELL (too few trials)\n" in render(run([("F", "P")]).report, "plain")
    assert "4 attempts a case could" in render(run([("F", "P")]).report, "plain")
    assert "\nNO DIFFERENCE SEEN\n" in render(run([("P", "P")]).report, "plain")


def test_no_difference_is_told_from_cases_that_leave_none_to_be_seen(run):
    told = [" ".join(render(run(pairs).report, "plain").split()) for pairs in ([("P", "P")], [("F", "F")])]
    mixed = " ".join(render(run([("P", "P"), ("F", "F")]).report, "plain").split())

    assert "Every trial passed in without_skill too: on these cases nothing is left for a skill to add." in told[0]
    assert "No trial passed in either arm: nothing is known of what the skill is worth" in told[1]
    assert "NO DIFFERENCE SEEN" in mixed
    assert "nothing is" not in mixed


def test_a_failed_check_is_told_with_what_was_expected_seen_and_why(run, w):
    judged = run([("F", "F")])

    text = " ".join(render(judged.report, "plain", judged.details).split())

    assert (
        "with_skill/1: xyzzy canary: the answer is failed; expected: xyzzy canary; seen: xyzzy canary; because: told"
        in text
    )
    assert "without_skill/1:" not in text, "an arm without the skill may fail"
    assert "and 1 failed in other arms, as they may" in text


def test_the_arm_without_the_skill_is_never_red(run):
    page = render(run([("F", "P")]).report, "terminal", marks=ROUND)

    (row,) = [line for line in page.splitlines() if "○" in line and "0/1" in line]
    assert "\x1b[31m" not in row
    (row,) = [line for line in render(run([("P", "F")]).report, "terminal", marks=ROUND).splitlines() if "0/1" in line]
    assert "\x1b[31m○" in row


@pytest.mark.parametrize("form", ["plain", "markdown"])
def test_r52_every_form_says_the_same_numbers_from_the_same_fields(run, form):
    report = run([("F", "P")] * 3 + [("P", "F")]).report

    page = render(report, form, width=120).replace("\\", "")

    told = report.headline
    assert (told.better, told.worse) == (report.pair_summary[0].improved, report.pair_summary[0].regressed) == (3, 1)
    assert "3 better, 1 worse, 0 alike, of 4 pairs." in page
    assert "1/4" in page
    assert "3/4" in page


def test_a_markdown_page_holds_no_text_of_the_archive(run, w):
    judged = run(MIXED)

    assert "xyzzy" not in render(judged.report, "markdown", judged.details)


@pytest.mark.parametrize("ending", ["time_limit", "output_limit", "host_failed"])
def test_a_session_that_was_cut_short_never_shows_that_a_skill_was_not_opened(world, w, ending):
    cut = w.trial(w.ANSWER, w.event("SessionEnded", ending=ending))
    world.trials = {w.key(): w.trial(), w.key(label="2"): cut}
    report = world.grade().report

    assert opened(report.trials, "with_skill", report) == "0/1 1?"
    (row,) = report.trials[1].trigger
    assert row.reason != "not_observed"


def test_a_host_that_shows_no_reads_is_not_said_to_open_nothing(world, w):
    world.sees = frozenset({Sees.ANSWERS})
    world.trials = {w.key(): w.trial()}
    report = world.grade().report

    assert opened(report.trials, "with_skill", report) == "not shown"


def test_usable_says_what_was_not_seen_instead_of_nothing(run, world, w):
    judged = run([("F", "P")]).report
    seen = " ".join(render(judged, "plain", width=120).split())
    alike = "what the arms ran with is not shown"
    assert f"usable: complete (2 of 2 trials); {alike}; one model; the baseline never saw the skill; no call" in seen

    certified = tuple(one.model_copy(update={"ran": Ran(argv="0" * 64)}) for one in judged.trials)
    assert "arms differ only in the skill" in usable(judged.model_copy(update={"trials": certified}))
    (pair,) = judged.pairs
    other = pair.model_copy(update={"differs": ("argv", "tools")})
    assert "ARMS DIFFER IN argv, tools" in usable(judged.model_copy(update={"trials": certified, "pairs": (other,)}))

    world.sees = frozenset()
    blind = " ".join(render(world.grade().report, "plain", width=120).split())
    assert "models not shown; what the baseline saw is not shown; refused calls not shown" in blind

    key = next(key for key in world.trials if key.arm == "without_skill")
    world.sees = frozenset(Sees)
    world.trials[key] = w.trial(w.ANSWER, w.step(Step.READ), w.COMPLETED)
    assert "THE BASELINE SAW THE SKILL" in render(world.grade().report, "plain", width=120)


def test_many_attempts_are_counted_and_not_drawn(world, w):
    world.trials = {TrialKey(case="one", arm="with_skill", label=str(n)): w.trial() for n in range(1, 13)}

    page = render(world.grade().report, "plain", marks=ROUND)

    assert "12/12" in page
    assert "●●" not in page
