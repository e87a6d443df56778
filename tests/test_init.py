"""`skilltrial init`: a first suite of what is there, placeholders that lint refuses, and nothing overwritten."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

SKILL = """\
---
name: greeter
description: "How to greet: warmly."
allowed-tools: Read Bash(git *)
---
Write hello into greeting.txt, always with one exclamation mark and never with more than one of them.
"""
SUITE = "skills/greeter.trial.yaml"
ON = ("--host", "portable", "--")


@pytest.fixture
def project(tmp_path: Path, lay: Lay) -> Path:
    lay({"skills/greeter/SKILL.md": SKILL})
    return tmp_path


def read(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


def fill(path: Path) -> None:
    """Fill in every placeholder: prompts, and files that nothing holds yet."""
    text = path.read_text("utf-8")
    text = re.sub(r'files: "<TODO: [^>]*>"', 'files: "greeting.txt"', text)
    text = re.sub(r'contains: "<TODO: [^>]*>"', 'contains: "hello"', text)
    path.write_text(re.sub(r'prompt: "<TODO: [^>]*>"', 'prompt: "Say good morning."', text), "utf-8")


def test_a_bare_skill_gets_two_cases_and_one_that_must_not_open_it(skilltrial: Command, project: Path) -> None:
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


def test_cases_of_skill_creator_and_agentskills_io_are_taken_over(skilltrial: Command, project: Path, lay: Lay) -> None:
    lay({"skills/greeter/evals/evals.json": json.dumps(EVALS), "skills/greeter/evals/files/names.txt": "Ada\nBob\n"})

    assert skilltrial("init", "skills/greeter").code == 0

    cases = read(project / SUITE)["cases"]
    assert list(cases) == ["greet-ada-and-her", "greet-bob", "not-its-business"]
    assert cases["greet-ada-and-her"]["prompt"] == "Greet Ada.\nAnd # her: cat."
    assert cases["greet-ada-and-her"]["workspace"] == {"names.txt": "Ada\nBob\n"}
    text = (project / SUITE).read_text()
    for told in ("Expected: A file with a greeting", "To be checked: It names Ada", "To be checked: It names Bob"):
        assert f"  # {told}" in text


def test_queries_that_should_not_trigger_become_negative_cases(skilltrial: Command, project: Path, lay: Lay) -> None:
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


def test_folders_of_claude_plugin_eval_are_taken_over(skilltrial: Command, project: Path, lay: Lay) -> None:
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
    skilltrial: Command, project: Path, lay: Lay
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


def test_a_try_becomes_a_case(skilltrial: Command, project: Path, lay: Lay) -> None:
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
    other = SKILL.replace("name: greeter", "name: other")
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
    skilltrial: Command, project: Path, lay: Lay
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


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(project: Path) -> Path:
    """A clone whose `origin/main` has the skill."""
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "skills")
    git(project, "commit", "-q", "-m", "x")
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    return project


def test_a_workflow_gates_changes_without_a_key_for_forks(skilltrial: Command, repository: Path) -> None:
    began = skilltrial("init", "skills/greeter", "--ci", "github")

    assert began.code == 0, began.err
    suite = read(repository / SUITE)
    assert suite["gate"] == {"arm": "with_skill", "majority_of": 5}
    assert suite["skills"][0]["previous"] == "merge-base:origin/main:skills/greeter"
    assert suite["arms"][-1] == {"id": "previous", "from": "previous"}
    workflow = read(repository / ".github/workflows/skilltrial-greeter.yml")
    rehearse, live = workflow["jobs"]["rehearse"], workflow["jobs"]["live"]
    assert "secrets." not in json.dumps(rehearse)
    assert "head.repo.full_name == github.repository" in live["if"]
    assert live["needs"] == "rehearse"
    assert [step["with"]["fetch-depth"] for job in (rehearse, live) for step in job["steps"][:1]] == [0, 0]
    commands = [step["run"] for job in (rehearse, live) for step in job["steps"] if "run" in step]
    assert not [one for one in commands if "|| true" in one or "set +e" in one or " | " in one], "no exit code is lost"
    assert "continue-on-error" not in json.dumps(workflow)
    uses = {step["uses"]: step for step in live["steps"] if "uses" in step}
    saved, restored = uses["actions/cache/save@v4"], uses["actions/cache/restore@v4"]
    assert saved["if"] == "always()"
    assert saved["with"]["path"] == restored["with"]["path"] == "${{ env.RUN }}"
    assert saved["with"]["key"].startswith(restored["with"]["restore-keys"])
    assert "run_attempt" not in restored["with"]["restore-keys"]
    assert "--resume" in commands[-1]


def test_the_workflows_own_commands_run(skilltrial: Command, repository: Path, lay: Lay) -> None:
    skilltrial("init", "skills/greeter", "--ci", "github")
    fill(repository / SUITE)
    lay({"agent.sh": "#!/bin/sh\ncat > /dev/null\necho hello > greeting.txt\n"})

    assert skilltrial("lint", SUITE).code == 0
    rehearsed = skilltrial("rehearse", SUITE, "--host", "portable", "--format", "markdown", "--", "skilltrial-agent")
    assert rehearsed.code == 0, rehearsed.out + rehearsed.err
    out = repository / ".skilltrial/ci/greeter"
    flags = ("--max-sessions", "200", "--yes", "--format", "markdown", "--case", "first-use")
    ran = skilltrial("run", SUITE, "--out", out, *flags, *ON, repository / "agent.sh")
    assert ran.code == 0, ran.out + ran.err
    resumed = skilltrial("run", "--resume", out, "--incomplete", "--yes", "--format", "markdown")
    assert resumed.code == 0, resumed.err


def test_a_skill_that_is_not_on_that_branch_yet_has_no_previous_form(
    skilltrial: Command, repository: Path, lay: Lay
) -> None:
    lay({"skills/new/SKILL.md": SKILL.replace("name: greeter", "name: new")})

    assert skilltrial("init", "skills/new", "--ci", "github", "--ci-host", "codex").code == 0

    suite = read(repository / "skills/new.trial.yaml")
    assert "arms" not in suite
    assert "#     previous: " in (repository / "skills/new.trial.yaml").read_text()
    assert "CODEX_API_KEY" in (repository / ".github/workflows/skilltrial-new.yml").read_text()


def test_a_suite_that_is_there_is_left_and_only_the_workflow_is_written(skilltrial: Command, repository: Path) -> None:
    skilltrial("init", "skills/greeter")
    before = (repository / SUITE).read_bytes()

    began = skilltrial("init", "skills/greeter", "--ci", "github")

    assert began.code == 0, began.err
    assert (repository / SUITE).read_bytes() == before
    assert "gate: {arm: with_skill, majority_of: 5}" in began.out
    again = skilltrial("init", "skills/greeter", "--ci", "github")
    assert (again.code, "nothing is overwritten" in again.err) == (2, True)


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


def test_a_shallow_clone_says_what_would_be_right(skilltrial: Command, repository: Path, tmp_path: Path) -> None:
    skilltrial("init", "skills/greeter", "--ci", "github")
    fill(repository / SUITE)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "y")
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository}", "shallow"], cwd=tmp_path, check=True)
    git(tmp_path / "shallow", "update-ref", "-d", "refs/remotes/origin/main")

    ran = skilltrial("run", "shallow/" + SUITE, *ON, "true")

    assert ran.code == 2
    assert "the clone is shallow: fetch its whole history (`fetch-depth: 0`)" in ran.err
