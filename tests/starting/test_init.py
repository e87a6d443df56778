"""`skilltrial init`: a first suite of what is there, placeholders that lint refuses, and nothing overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

SUITE = "skills/greeter.trial.yaml"
ON = ("--host", "portable", "--")


def test_a_bare_skill_gets_two_cases_and_one_that_must_not_open_it(
    skilltrial: Command, project: Path, read: Any, fill: Any
) -> None:
    began = skilltrial("init", "skills/greeter")

    assert began.code == 0, began.err
    assert began.out.splitlines() == [f"wrote {SUITE}", f"9 places are left to you: skilltrial lint {SUITE}"]
    suite = read(project / SUITE)
    assert suite["allow"] == ["Read", "Bash(git *)"]
    assert [case.get("polarity", "positive") for case in suite["cases"].values()] == [
        "positive",
        "positive",
        "negative",
    ]
    assert suite["cases"]["not-its-business"]["expect"][0] == {"calls": {"opens_skill": "never"}}

    linted = skilltrial("lint", SUITE)
    lines = (project / SUITE).read_text().splitlines()
    told = [int(line.split(":")[1]) for line in linted.err.removeprefix("error: ").splitlines()]
    assert linted.code == 2
    assert sorted(told) == sorted(
        number for number, line in enumerate(lines, 1) for _ in range(line.count("<TODO: ")) if not line.startswith("#")
    )
    for command in ("run", "rehearse"):
        assert skilltrial(command, SUITE, *ON, "true").code == 2

    fill(project / SUITE)
    assert skilltrial("lint", SUITE, "--strict").code == 0


def test_nothing_is_ever_overwritten(skilltrial: Command, project: Path) -> None:
    (project / SUITE).write_text("mine")

    again = skilltrial("init", "skills/greeter")

    assert again.code == 2
    assert "is there already, and nothing is overwritten" in again.err
    assert (project / SUITE).read_text() == "mine"


EVALS = {
    "skill_name": "greeter",
    "evals": [
        {
            "id": 1,
            "prompt": "Greet Ada.\nAnd # her: cat.",
            "expected_output": "A file with a greeting",
            "files": ["evals/files/names.txt"],
            "expectations": ["It names Ada", "No more than one line"],
        },
        {"id": 2, "prompt": "Greet Bob.", "assertions": ["It names Bob"], "files": []},
    ],
}


def test_cases_of_skill_creator_and_agentskills_io_are_taken_over(
    skilltrial: Command, project: Path, lay: Lay, read: Any
) -> None:
    lay({"skills/greeter/evals/evals.json": json.dumps(EVALS), "skills/greeter/evals/files/names.txt": "Ada\nBob\n"})

    assert skilltrial("init", "skills/greeter").code == 0

    cases = read(project / SUITE)["cases"]
    assert list(cases) == ["greet-ada-and-her", "greet-bob", "not-its-business"]
    assert cases["greet-ada-and-her"]["prompt"] == "Greet Ada.\nAnd # her: cat."
    assert cases["greet-ada-and-her"]["workspace"] == {"names.txt": "Ada\nBob\n"}
    text = (project / SUITE).read_text()
    for told in ("Expected: A file with a greeting", "To be checked: It names Ada", "To be checked: It names Bob"):
        assert f"  # {told}" in text


def test_queries_that_should_not_trigger_become_negative_cases(
    skilltrial: Command, project: Path, lay: Lay, read: Any
) -> None:
    rows = [{"query": "Hi there", "should_trigger": True}, {"query": "Say goodbye", "should_trigger": False}]
    lay({"skills/greeter/evals/evals.json": json.dumps(rows)})

    assert skilltrial("init", "skills/greeter").code == 0

    cases = read(project / SUITE)["cases"]
    assert {name: case.get("polarity", "positive") for name, case in cases.items()} == {
        "hi-there": "positive",
        "say-goodbye": "negative",
        "second-use": "positive",
    }
    assert cases["say-goodbye"]["expect"][0] == {"calls": {"opens_skill": "never"}}


def test_folders_of_claude_plugin_eval_are_taken_over(skilltrial: Command, project: Path, lay: Lay, read: Any) -> None:
    below = "skills/greeter/evals"
    lay(
        {
            f"{below}/first/prompt.md": "---\nmax_turns: 10\n---\n\nGreet everybody.\n",
            f"{below}/first/graders/criteria.md": "---\ntype: llm\nweight: 1\n---\n\nThe tone is warm\n",
            f"{below}/second/case.yaml": "execution: {prompt: Greet nobody.}\ngraders: [{type: regex, pattern: hi}]\n",
            f"{below}/results/old/prompt.md": "not a case",
        }
    )

    assert skilltrial("init", "skills/greeter").code == 0

    cases = read(project / SUITE)["cases"]
    assert {name: case["prompt"] for name, case in cases.items() if name in ("first", "second")} == {
        "first": "Greet everybody.",
        "second": "Greet nobody.",
    }
    assert len(cases) == 3
    assert "To be checked (criteria): The tone is warm" in (project / SUITE).read_text()


def test_input_files_that_are_many_or_no_text_lie_beside_the_suite(
    skilltrial: Command, project: Path, lay: Lay, read: Any, fill: Any
) -> None:
    evals = {"evals": [{"prompt": "Look.", "files": ["evals/files/a.bin"]}]}
    lay({"skills/greeter/evals/evals.json": json.dumps(evals), "skills/greeter/evals/files/a.bin": ""})
    (project / "skills/greeter/evals/files/a.bin").write_bytes(b"\xff\x00")

    assert skilltrial("init", "skills/greeter").code == 0

    assert read(project / SUITE)["cases"]["look"]["workspace"] == "greeter.workspaces/look"
    assert (project / "skills/greeter.workspaces/look/a.bin").read_bytes() == b"\xff\x00"
    fill(project / SUITE)
    assert skilltrial("lint", SUITE).code == 0


@pytest.mark.parametrize(
    ("evals", "told"),
    [
        ("{", "can't be read as JSON"),
        ('"x"', "neither a list of cases nor an object with `evals`"),
        ('[{"query": ""}]', "case 1 has no `prompt`"),
        ("[3]", "case 1 has no `prompt`"),
        ('[{"query": "x", "files": ["../../SKILL.md"]}]', "plain relative paths"),
        ('[{"query": "x", "files": ["none.txt"]}]', "there is no input file none.txt"),
    ],
)
def test_cases_that_can_not_be_read_are_one_error(
    skilltrial: Command, project: Path, lay: Lay, evals: str, told: str
) -> None:
    lay({"skills/greeter/evals/evals.json": evals})

    began = skilltrial("init", "skills/greeter")

    assert (began.code, told in began.err) == (2, True), began.err
    assert not (project / SUITE).exists()


AGENT = """\
#!/bin/sh
cat > /dev/null
echo same > both.txt
rm -f old.txt
printf 'greeting\\n' > greeting.txt
if [ -f .agents/skills/greeter/SKILL.md ]; then printf 'hello!\\n' >> greeting.txt; rm -f gone.txt; fi
"""


def test_a_try_becomes_a_case(skilltrial: Command, project: Path, lay: Lay, read: Any, fill: Any) -> None:
    lay({"agent.sh": AGENT, "app/gone.txt": "x", "app/old.txt": "y", "app/greeting.txt": ""})
    tried = skilltrial("try", "skills/greeter", "Greet the user.", "--workspace", "app", *ON, project / "agent.sh")
    assert tried.code == 0, tried.err

    assert skilltrial("init", "skills/greeter", "--from", "last").code == 0

    case = read(project / SUITE)["cases"]["greet-the-user"]
    assert case["prompt"] == "Greet the user."
    assert case["workspace"] == {"gone.txt": "x", "greeting.txt": "", "old.txt": "y"}
    assert [{key: check[key] for key in check if key != "contains"} for check in case["expect"]] == [
        {"files": "gone.txt", "exists": False},
        {"files": "greeting.txt"},
    ]
    text = (project / SUITE).read_text()
    assert "#     hello!" in text
    assert "#     greeting\n" not in text, "what was written without the skill too shows no difference"
    assert "both.txt became the same without the skill" in text
    fill(project / SUITE)
    ran = skilltrial("run", SUITE, "--case", "greet-the-user", "--quiet", *ON, project / "agent.sh")
    assert ran.code == 0, ran.out + ran.err


OTHER_SUITE = """\
skills: [{id: other, folder: skills/other}]
cases: {a: {prompt: x, expect: [{files: a, exists: true}]}}
"""


def test_only_a_try_of_this_skill_becomes_a_case(skilltrial: Command, project: Path, lay: Lay) -> None:
    other = (project / "skills/greeter/SKILL.md").read_text("utf-8").replace("name: greeter", "name: other")
    lay({"agent.sh": AGENT, "skills/other/SKILL.md": other})
    skilltrial("try", "skills/other", "Greet.", "--out", "tried", *ON, project / "agent.sh")
    lay({"other.trial.yaml": OTHER_SUITE})
    skilltrial("run", "other.trial.yaml", "--out", "run", *ON, project / "agent.sh")

    for archive, told in (("tried", "tried the skill 'other', not 'greeter'"), ("run", "run is no `try`")):
        began = skilltrial("init", "skills/greeter", "--from", archive)
        assert (began.code, told in began.err) == (2, True), began.err
    assert skilltrial("init", "skills/greeter", "--from", "nowhere").code == 4
    assert not (project / SUITE).exists()


def drafting(*cases: dict[str, Any]) -> str:
    text = json.dumps({"cases": cases})
    return f"#!/bin/sh\ncat > prompt.txt\nls skill > seen.txt\ncat > cases.json <<'END'\n{text}\nEND\n"


DRAFT = ("init", "skills/greeter", "--draft", "portable", "--yes", "--host-command")


def test_an_agent_may_propose_cases_and_what_it_copied_is_left_to_the_author(
    skilltrial: Command, project: Path, lay: Lay, read: Any
) -> None:
    good = {
        "prompt": "Please welcome Ada.",
        "files": {"ada.txt": "Ada"},
        "checks": [{"path": "hi.txt", "contains": "!"}],
    }
    copied = {"prompt": "Please write hello into greeting.txt, always with one exclamation mark.", "checks": []}
    named = {"polarity": "negative", "prompt": "Use the greeter skill.", "checks": [{"path": "../x", "contains": "y"}]}
    lay({"agent.sh": drafting(good, copied, named), "skills/greeter/evals/answers.txt": "secret"})

    began = skilltrial(*DRAFT, json.dumps([str(project / "agent.sh")]))

    assert began.code == 0, began.err
    assert "1 session" in began.err, "it is announced"
    cases = read(project / SUITE)["cases"]
    assert cases["please-welcome-ada"]["prompt"] == "Please welcome Ada."
    assert cases["please-welcome-ada"]["workspace"] == {"ada.txt": "Ada"}
    assert cases["please-welcome-ada"]["expect"] == [{"files": "hi.txt", "contains": "!"}]
    assert cases["please-write-hello-into"]["prompt"].startswith("<TODO: ")
    assert cases["use-the-greeter-skill"]["prompt"].startswith("<TODO: ")
    text = " ".join((project / SUITE).read_text().split())
    assert "Its prompt had 10 words of the skill's own" in text
    assert "Its prompt named the skill" in text
    assert "Left out, as they can not be used: 1 files or checks." in text
    (run,) = (project / ".skilltrial/runs").iterdir()
    assert skilltrial("verify", run).code == 0
    changed = [path.read_text() for path in (run / "trials/try/draft/1/changed").iterdir()]
    assert "SKILL.md\n" in changed, "no answer key lies where the agent looks"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("#!/bin/sh\ncat > /dev/null\n", "the agent wrote no cases.json"),
        ("#!/bin/sh\ncat > /dev/null\necho no > cases.json\n", "has not the form that was asked for"),
        ("#!/bin/sh\ncat > /dev/null\nexit 9\n", "did not go to its end"),
    ],
)
def test_a_draft_that_shows_nothing_writes_nothing(
    skilltrial: Command, project: Path, lay: Lay, agent: str, told: str
) -> None:
    lay({"agent.sh": agent})

    began = skilltrial(*DRAFT, json.dumps([str(project / "agent.sh")]))

    assert (began.code, told in began.err) == (3, True), began.err
    assert not (project / SUITE).exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--ci", "github"), "lies in no git repository"),
        (("--ci", "github", "--ci-host", "other"), "lies in no git repository"),
        (("--draft", "nobody"), "no host called 'nobody'"),
    ],
)
def test_what_can_not_be_begun_is_an_error(
    skilltrial: Command, project: Path, arguments: tuple[str, ...], told: str
) -> None:
    began = skilltrial("init", "skills/greeter", *arguments)

    assert (began.code, told in began.err) == (2, True), began.err
    assert not (project / SUITE).exists()
