"""The suite is sound, tells nothing too early, and its scripts do what they promise."""

import json
import re
import subprocess
import sys

import pytest

LETTERS = re.compile(r"[^\W\d_]+")
POSITIVE = ("policy-english", "gateway-russian")
NEGATIVE = ("typo-english", "typo-russian")


@pytest.fixture(params=[*POSITIVE, *NEGATIVE])
def case(suite, request):
    (found,) = [case for case in suite["cases"] if case["id"] == request.param]
    return found


def fails(check, files, changed):
    """Whether a check of the forms that this suite uses fails: said once more here, in plain words."""
    within = check["files"]
    if isinstance(within, dict):
        roots = within["changed_within"]
        return not changed or any(
            not any(path == root or path.startswith(f"{root}/") for root in roots) for path in changed
        )
    text = files.get(within)
    if text is None:
        return True
    if "pointer" in check:
        return json.loads(text).get(check["pointer"].removeprefix("/")) != check["equals"]
    return check["contains"] not in text if "contains" in check else check["lacks"] in text


def test_the_suite_has_no_fault():
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial", "lint", "organization"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_both_polarities_are_asked_in_both_languages(suite):
    assert {case["id"]: case["polarity"] for case in suite["cases"]} == {
        **dict.fromkeys(POSITIVE, "positive"),
        **dict.fromkeys(NEGATIVE, "negative"),
    }
    for case in suite["cases"]:
        cyrillic = sum("а" <= letter <= "я" for letter in "".join(case["turns"]).lower())
        assert (cyrillic > 40) == case["id"].endswith("russian")


def test_each_case_has_an_honest_script_and_two_that_fail_for_a_named_reason(case):
    promised = [rehearsal["expect"] for rehearsal in case["rehearsals"]]
    checks = {check["id"] for check in case["checks"]}

    assert promised.count("passed") == 1
    assert promised.count("failed") >= 2
    for rehearsal in case["rehearsals"]:
        because = rehearsal.get("because", [])
        assert bool(because) == (rehearsal["expect"] == "failed")
        assert set(because) <= checks


def test_each_script_fails_exactly_the_checks_that_it_names(case, play):
    for rehearsal in case["rehearsals"]:
        files, changed = play(case, rehearsal)

        failed = [check["id"] for check in case["checks"] if fails(check, files, changed)]

        assert failed == rehearsal.get("because", []), rehearsal["id"]


def test_each_check_but_the_guards_of_what_exists_is_failed_by_some_script(case):
    named = {check for rehearsal in case["rehearsals"] for check in rehearsal.get("because", [])}

    assert {check["id"] for check in case["checks"]} - named <= {"old_entries_kept", "old_exports_kept"}


def test_r35_an_agent_that_does_nothing_passes_no_case(case, play):
    files, changed = play(case, {"id": "nothing", "script": [{"say": "Done."}]})

    assert any(fails(check, files, changed) for check in case["checks"])


def test_each_script_ends_with_a_word(case, acts):
    for rehearsal in case["rehearsals"]:
        assert "say" in type(acts(rehearsal)[-1]).model_fields


def test_no_prompt_quotes_the_skill(suite, skill):
    """No four words in a row, and none of the names that only the skill tells."""
    told = [word.lower() for word in LETTERS.findall(skill)]
    runs = {tuple(told[at : at + 4]) for at in range(len(told))}
    for case in suite["cases"]:
        for prompt in case["turns"]:
            words = [word.lower() for word in LETTERS.findall(prompt)]
            assert not runs & {tuple(words[at : at + 4]) for at in range(len(words) - 3)}, case["id"]
            for name in (
                "src/",
                "policies",
                "gateways",
                "entities",
                "index.ts",
                "class-map",
                "class-placement",
                "skill",
            ):
                assert name not in prompt.lower()


def test_no_prompt_holds_what_its_checks_look_for(case):
    for check in case["checks"]:
        for wanted in (check.get("contains"), check.get("equals")):
            assert wanted is None or wanted not in " ".join(case["turns"])


def test_no_workspace_shows_where_a_new_class_goes(folder):
    for path in (folder / "workspaces").rglob("*.*"):
        assert not re.search(r"policies|gateways|entities|-policy|-gateway", f"{path.name}\n{path.read_text('utf-8')}")


def test_the_skill_does_not_know_the_classes_that_are_asked_for(skill):
    assert not re.search("renewal|station", skill, re.IGNORECASE)
    assert "name: class-placement\n" in skill
