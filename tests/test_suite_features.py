"""What a suite can ask for, end to end: previous skills, stages, commands, repositories, folders as they are."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
BARE = "arms: [{id: bare}]\ngate: {arm: bare}\n"


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in the test's folder, as nobody in particular."""

    def run(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run


def skill(name: str, body: str) -> str:
    """A SKILL.md."""
    return f"---\nname: {name}\ndescription: About {name}.\n---\n{body}\n"


THREE_ARMS = """\
skills: [{{id: greeter, folder: greeter, previous: "{previous}"}}]
arms:
  - {{id: without_skill}}
  - {{id: with_skill, skills: [greeter]}}
  - {{id: previous, skills: [greeter@previous]}}
cases:
  c:
    prompt: Do it.
    workspace: {{}}
    expect: [{{files: greeting.txt, contains: hello}}]
"""
READS_SKILL = "#!/bin/sh\ncat > /dev/null\ntail -1 .agents/skills/greeter/SKILL.md > greeting.txt 2>/dev/null\nexit 0\n"


@pytest.mark.parametrize("previous", ["before/greeter", "HEAD~1:greeter", "merge-base:main:greeter"])
def test_a_skill_is_measured_against_its_earlier_form(
    skilltrial: Command, lay: Lay, git: Callable[..., str], tmp_path: Path, previous: str
) -> None:
    lay(
        {
            "greeter/SKILL.md": skill("greeter", "Say nothing."),
            "before/greeter/SKILL.md": skill("greeter", "Say nothing."),
            "agent.sh": READS_SKILL,
            "s.trial.yaml": THREE_ARMS.format(previous=previous),
        }
    )
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("checkout", "-q", "-b", "topic")
    lay({"greeter/SKILL.md": skill("greeter", "Say hello.")})
    git("commit", "-q", "-a", "-m", "two")

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--format", "json", "--host", "portable", "--", tmp_path / "agent.sh"
    )

    assert ran.code == 0, ran.err
    assert ran.verdicts == {"c/without_skill/1": "failed", "c/with_skill/1": "passed", "c/previous/1": "failed"}
    assert {(one["reference"], one["outcome"]) for one in ran.report["pairs"]} == {
        ("without_skill", "improved"), ("previous", "improved"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("previous", "says"),
    [
        ("HEAD~9:greeter", "HEAD~9"),
        ("HEAD:elsewhere", "elsewhere"),
        ("nobody:greeter", "nobody"),
        ("gone", ".yaml:1:51"),
    ],
)
def test_an_earlier_form_that_is_not_there_is_named_before_anything_starts(
    skilltrial: Command, lay: Lay, git: Callable[..., str], tmp_path: Path, previous: str, says: str
) -> None:
    lay(
        {
            "greeter/SKILL.md": skill("greeter", "Say hello."),
            "agent.sh": READS_SKILL,
            "s.trial.yaml": THREE_ARMS.format(previous=previous),
        }
    )
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")

    refused = skilltrial("run", "s.trial.yaml", "--out", "run", "--host", "portable", "--", str(tmp_path / "agent.sh"))

    assert refused.code == 2
    assert says in refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_case_of_the_last_stage_starts_when_all_others_have_ended(
    skilltrial: Command, lay: Lay, tmp_path: Path, jobs: str
) -> None:
    case = (
        "  {name}:\n    prompt: {name}\n    workspace: start\n    stage: {stage}\n"
        "    expect: [{{files: done, exists: true}}]\n"
    )
    lay(
        {
            "start/agent.sh": '#!/bin/sh\nname=$(cat); echo "begins $name" >> "$LOG"; sleep 0.1\n'
            'echo "ends $name" >> "$LOG"; touch done\n',
            "s.trial.yaml": BARE
            + "cases:\n"
            + case.format(name="inventory", stage="last")
            + case.format(name="one", stage="any")
            + case.format(name="two", stage="any"),
        }
    )
    log = tmp_path / "log"

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--attempts", "2", "--jobs", jobs, "--pass-env", "LOG", *AGENT,
        env={"LOG": str(log)},
    )  # fmt: skip

    assert ran.code == 0, ran.err
    lines = log.read_text().splitlines()
    assert len(lines) == 12
    assert {line.split()[1] for line in lines[:8]} == {"one", "two"}
    assert {line.split()[1] for line in lines[8:]} == {"inventory"}


COMMANDS = (
    BARE
    + """\
cases:
  c:
    prompt: Do it.
    workspace: start
    setup: ["echo made > made.txt", "true"]
    after: ["cat made.txt answer.txt; echo oops >&2; touch litter.txt", "sh -c 'exit 4'"]
    expect: [{files: answer.txt, contains: made}]
"""
)


def test_commands_of_a_suite_run_only_where_they_were_allowed_and_are_recorded(
    skilltrial: Command, lay: Lay, tmp_path: Path
) -> None:
    lay({"start/agent.sh": "#!/bin/sh\ncat > /dev/null\ncp made.txt answer.txt\n", "s.trial.yaml": COMMANDS})

    for more in ((), ("--dry-run",)):
        refused = skilltrial("run", "s.trial.yaml", "--out", "run", *more, *AGENT)
        assert refused.code == 2
        assert "--allow-commands" in refused.err
    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", "--allow-commands", *AGENT)

    assert ran.code == 0, ran.err
    told = json.loads((tmp_path / "run" / "trials" / "c" / "bare" / "1" / "commands.json").read_text())
    assert [(one["when"], one["code"]) for one in told] == [("setup", 0), ("setup", 0), ("after", 0), ("after", 4)]
    assert told[2]["stdout"].split() == ["made", "made"]
    assert told[2]["stderr"].strip() == "oops"
    assert "oops" not in ran.out
    # What `setup` made is where the agent began, and what `after` makes is not what it did.
    files = json.loads((tmp_path / "run" / "trials" / "c" / "bare" / "1" / "files.json").read_text())
    assert [(one["path"], one["change"]) for one in files["changes"]] == [("answer.txt", "created")]


def test_where_setup_fails_no_session_is_begun_and_the_operator_is_told(
    skilltrial: Command, lay: Lay, tmp_path: Path
) -> None:
    """The agent would have started from another place than the one that the suite means."""
    begun = tmp_path / "begun"
    text = COMMANDS.replace('"true"]', '"exit 3"]')
    lay({"start/agent.sh": f"#!/bin/sh\ntouch '{begun}'\n", "s.trial.yaml": text})

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", "--allow-commands", *AGENT)

    assert ran.code == 3
    verdict = ran.trials["c/bare/1"]["verdict"]
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", "setup_failed", "operator")
    assert not begun.exists()
    told = json.loads((tmp_path / "run" / "trials" / "c" / "bare" / "1" / "commands.json").read_text())
    assert [(one["when"], one["code"]) for one in told] == [("setup", 0), ("setup", 3)]


@pytest.mark.parametrize("ref", ["HEAD", "HEAD~1", "v1"])
def test_a_workspace_may_be_a_revision_of_a_repository(
    skilltrial: Command, lay: Lay, git: Callable[..., str], tmp_path: Path, ref: str
) -> None:
    lay(
        {
            "text.txt": "one\n",
            "agent.sh": "#!/bin/sh\ncat > /dev/null\ncp text.txt seen.txt; ls -A > listing.txt\n",
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: {{git: ., ref: {ref}}}\n"
            f"    expect:\n      - {{files: seen.txt, contains: {'two' if ref == 'HEAD' else 'one'}}}\n"
            "      - {files: listing.txt, lacks: [untracked.txt, .git]}\n",
        }
    )
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("tag", "v1")
    lay({"text.txt": "two\n"})
    git("commit", "-q", "-a", "-m", "two")
    lay({"text.txt": "not committed\n", "untracked.txt": ""})

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--format", "json", "--host", "portable", "--", tmp_path / "agent.sh"
    )

    assert (ran.code, ran.verdicts) == (0, {"c/bare/1": "passed"}), ran.err + ran.out


def test_a_workspace_can_be_made_a_repository_with_one_commit(skilltrial: Command, lay: Lay, tmp_path: Path) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\ncat > /dev/null\ngit log --oneline | wc -l > commits.txt\n"
            "git status --porcelain > status.txt\n",
            "start/text.txt": "one\n",
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: {{folder: start, git: true}}\n"
            "    expect:\n      - {files: commits.txt, contains: '1'}\n      - {files: status.txt, lacks: text.txt}\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert (ran.code, ran.verdicts) == (0, {"c/bare/1": "passed"}), ran.err + ran.out


@pytest.mark.parametrize(("seconds", "ending"), [(1, "time_limit"), (30, "completed")])
def test_a_trial_has_the_time_that_the_suite_gives_it(skilltrial: Command, lay: Lay, seconds: int, ending: str) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\necho yes > answer.txt\nsleep 1.5\n",
            "s.trial.yaml": f"limits: {{seconds: {seconds}}}\n{BARE}cases:\n  c:\n    prompt: Do it.\n"
            "    workspace: start\n    expect: [{files: answer.txt, exists: true}]\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert ran.trials["c/bare/1"]["ending"] == ending
    assert ran.code == (0 if ending == "completed" else 3)


def test_an_advisory_check_is_told_and_decides_nothing(skilltrial: Command, lay: Lay) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\necho yes > answer.txt\n",
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n    expect:\n"
            "      - {id: done, files: answer.txt, exists: true}\n"
            "      - {id: style, files: answer.txt, contains: please, advisory: true}\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert (ran.code, ran.outcomes("c/bare/1")) == (0, {"done": "passed", "style": "failed"})


def test_a_seed_gives_the_same_order_again(skilltrial: Command, lay: Lay, tmp_path: Path) -> None:
    cases = "".join(
        f"  c{at}:\n    prompt: Do it.\n    workspace: start\n    expect: [{{files: a, exists: true}}]\n"
        for at in range(6)
    )
    lay({"start/agent.sh": "#!/bin/sh\ntouch a\n", "s.trial.yaml": f"{BARE}cases:\n{cases}"})
    orders = []
    for out, seed in (("one", "7"), ("two", "7"), ("three", "8")):
        assert skilltrial("run", "s.trial.yaml", "--out", out, "--seed", seed, *AGENT).code == 0
        orders.append([one["case"] for one in json.loads((tmp_path / out / "plan.json").read_text())["trials"]])

    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_the_reference_agent_does_its_work_with_the_scripted_model_and_leaves_no_process(
    skilltrial: Command, lay: Lay, tmp_path: Path
) -> None:
    lay(
        {
            "greeter/SKILL.md": skill("greeter", "Write hello to greeting.txt."),
            "greeter.trial.yaml": """\
cases:
  greet:
    prompt: Greet.
    workspace: {start.txt: "here\\n"}
    expect: [{files: greeting.txt, contains: hello}]
    rehearsals:
      - id: honest
        expect: passed
        script: [{read_skill: greeter}, {write_file: {path: greeting.txt, text: "hello\\n"}}, {say: Done.}]
      - {id: boasts, expect: failed, because: [files-1], script: [{say: I have greeted.}]}
      - id: shell
        expect: passed
        script: [{run: "echo hello > greeting.txt; sleep 300 &"}, {say: Done.}]
""",
        }
    )

    ran = skilltrial(
        "rehearse", "greeter.trial.yaml", "--out", "run", "--format", "json", "--host", "portable",
        "--records", "events", "--", "skilltrial-agent",
    )  # fmt: skip

    assert ran.code == 0, ran.err + ran.out
    assert {one["kept"] for one in ran.report["rehearsal"]["promises"]} == {"yes"}
    (row,) = ran.trials["greet/with_skill/honest"]["trigger"]
    assert row["evidence"] == "read-observed"
    (row,) = ran.trials["greet/without_skill/honest"]["trigger"]
    assert row["evidence"] == "unverified"
    assert skilltrial("grade", "run", "--format", "json").out == ran.out


def test_a_host_without_mcp_skips_the_guidance_suite_and_decides_nothing(skilltrial: Any) -> None:
    ran = skilltrial(
        "rehearse", "guidance", "--out", "run", "--format", "json", "--host", "portable", "--", "skilltrial-agent"
    )

    assert ran.code == 3, ran.out + ran.err
    assert {trial["verdict"]["kind"] for trial in ran.report["trials"]} == {"skipped"}
    assert {trial["verdict"]["reason"] for trial in ran.report["trials"]} == {"needs_mcp_http"}


@pytest.mark.parametrize(
    "agent",
    [
        "i=0; while [ $i -lt 60 ]; do echo a > a$i.txt; i=$((i + 1)); done",
        "d=$(printf '%0200d' 0); d=$d/$d/$d/$d; d=$d/$d/$d; mkdir -p a/$d b/$d; mv b a/$d",
    ],
    ids=["too many", "too deep"],
)
def test_a_file_that_a_listing_did_not_come_to_was_not_seen_to_be_removed(
    skilltrial: Command, lay: Callable[..., None], tmp_path: Path, agent: str
) -> None:
    """An agent made more files than are listed, or folders in which nobody can look: what is there is not known."""
    lay(
        {
            "notes/SKILL.md": "---\nname: notes\ndescription: How notes are written.\n---\nWrite notes.\n",
            "start/zebra.txt": "as it was\n",
            "start/agent.sh": f"#!/bin/sh\ncat > /dev/null\n{agent}\n",
            "notes.trial.yaml": """\
limits: {files_out: 40}
cases:
  many:
    prompt: Make files.
    workspace: start
    expect:
      - {id: stays, files: zebra.txt, unchanged: true}
      - {id: goes, files: zebra.txt, unchanged: false}
""",
        }
    )

    ran = skilltrial("run", "notes.trial.yaml", "--host", "portable", "--format", "json", "--", "./agent.sh")

    for trial in ran.trials:
        assert ran.outcomes(trial) == {"stays": "unverified", "goes": "unverified"}
