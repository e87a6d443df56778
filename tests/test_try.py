"""`skilltrial try`: one session without and one with a skill, no suite, and never a verdict."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

SKILL = "---\nname: greeter\ndescription: How to greet.\nallowed-tools: Read Bash(git *)\n---\nWrite greeting.txt.\n"
AGENT = """\
#!/bin/sh
cat > /dev/null
ls > seen.txt
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
"""
ON = ("--host", "portable", "--")
HEADING = "one session each and nothing checked: an observation, not a verdict"


@pytest.fixture
def project(tmp_path: Path, lay: Lay) -> Path:
    lay({"skills/greeter/SKILL.md": SKILL, "agent.sh": AGENT})
    return tmp_path


def test_two_sessions_stand_side_by_side_and_an_ordinary_archive_is_left(
    skilltrial: Command, project: Path, lay: Lay
) -> None:
    tried = skilltrial("try", "skills/greeter", "Greet the user.", "--out", "run", *ON, project / "agent.sh")

    assert tried.code == 0, tried.err
    first, *rows = tried.out.splitlines()
    assert first == HEADING
    assert max(map(len, rows)) <= 80
    (files,) = [row for row in rows if "greeting.txt" in row]
    assert files.index("greeting.txt (created)") > files.index("seen.txt (created)"), "only with the skill"
    assert "not shown by this agent" in tried.out, "what was not seen is no zero"
    assert "Bash(git *)" in " ".join(tried.err.split()), "what needs no asking is said beforehand"
    assert "skilltrial init skills/greeter --from run\n" in tried.err
    assert "skilltrial show run/try/with_skill/1\n" in tried.err
    assert skilltrial("verify", "run").code == 0
    suite = json.loads((project / "run" / "inputs" / "suite.json").read_bytes())
    assert suite["cases"][0]["turns"] == ["Greet the user."]
    assert str(project) not in json.dumps(suite)


def test_a_file_that_both_sessions_wrote_is_told_to_be_the_same_or_not(
    skilltrial: Command, project: Path, lay: Lay
) -> None:
    lay({"agent.sh": AGENT.replace("fi\n", "fi\necho one > both.txt\n")})

    tried = skilltrial("try", "skills/greeter", "Greet.", "--quiet", *ON, project / "agent.sh")

    cells = " ".join(cell.strip() for row in tried.out.splitlines() for cell in row.split("|")[3:4])
    assert "both.txt (created, the same)" in cells
    assert "seen.txt (created, the same)" in cells
    lay({"agent.sh": AGENT.replace("echo hello", "echo more >> seen.txt; echo hello")})
    tried = skilltrial("try", "skills/greeter", "Greet.", "--quiet", *ON, project / "agent.sh")
    cells = " ".join(cell.strip() for row in tried.out.splitlines() for cell in row.split("|")[3:4])
    assert "seen.txt (created, but otherwise)" in cells
    assert "skilltrial init skills/greeter --from last\n" in tried.err


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("no-such-agent", "no program 'no-such-agent' is on PATH: name it by its whole path"),
        ("/no/such-agent", "no program '/no/such-agent' is there"),
        ("{project}/plain.txt", "plain.txt is not executable; `chmod +x` makes it so"),
        ("{project}/skills", "skills is a folder; name the agent's program after --"),
    ],
)
def test_a_program_that_can_not_be_started_is_refused_before_anything_runs(
    skilltrial: Command, project: Path, lay: Lay, program: str, says: str
) -> None:
    lay({"plain.txt": "x"})

    tried = skilltrial("try", "skills/greeter", "Greet.", *ON, program.format(project=project))

    assert tried.code == 2, tried.err
    assert says in tried.err
    assert not (project / ".skilltrial" / "runs").exists()


def test_a_program_that_is_not_in_the_project_is_told_with_what_would_be_right(
    skilltrial: Command, project: Path
) -> None:
    tried = skilltrial("try", "skills/greeter", "Greet.", *ON, "./agent.sh")

    assert tried.code == 3
    assert "can't be started: there is none of that name (one such as `./agent` must lie in the trial's" in tried.err


def test_a_workspace_that_is_no_project_is_not_copied(skilltrial: Command, project: Path) -> None:
    with (project / "huge").open("wb") as file:
        file.truncate(300_000_000)

    tried = skilltrial("try", "skills/greeter", "Greet.", "--workspace", ".", *ON, project / "agent.sh")

    assert tried.code == 2
    assert "has more than 200 MB; a session gets a copy of it" in tried.err


def test_what_of_a_workspace_can_not_be_copied_is_told(skilltrial: Command, project: Path) -> None:
    (project / "work").mkdir()
    os.mkfifo(project / "work" / "pipe")
    (project / "work" / "away").symlink_to("/etc/hosts")

    tried = skilltrial("try", "skills/greeter", "Greet.", "--workspace", "work", *ON, project / "agent.sh")

    told = " ".join(tried.err.split())
    assert tried.code == 0
    assert "left out of the workspace: pipe is a pipe, a socket or a device" in told
    assert "left out of the workspace: away is a link that leads out of the folder" in told


def test_a_page_can_be_written_wherever_it_goes(skilltrial: Command, project: Path, lay: Lay) -> None:
    lay({"agent.sh": AGENT.replace("hello", "hello; touch \u00e9\u20ac.txt")})

    for command in (("try", "skills/greeter", "Greet."), ("show", "last/try/with_skill/1")):
        on = (*ON, project / "agent.sh") if command[0] == "try" else ()
        shown = skilltrial(*command, *on, env={"PYTHONIOENCODING": "ascii"})
        assert shown.code == 0, shown.err
        assert "\\xe9\\u20ac.txt" in shown.out


def test_r46_nothing_checked_is_never_green_when_it_is_judged(skilltrial: Command, project: Path) -> None:
    skilltrial("try", "skills/greeter", "Greet.", "--out", "run", *ON, project / "agent.sh")

    judged = skilltrial("grade", "run", "--format", "json")

    assert judged.code == 3
    assert {trial["verdict"]["reason"] for trial in judged.report["trials"]} == {"nothing_checked"}
    assert judged.report["gate"]["reasons"] == ["nothing_checked"]
    assert "Nothing was checked in 1 case: an observation, not a verdict." in judged.report["limitations"]
    assert judged.report["pair_summary"][0]["unavailable"] == 1


def test_r41_an_agent_that_does_not_start_shows_nothing(skilltrial: Command, project: Path, lay: Lay) -> None:
    lay({"broken.sh": "#!/bin/sh\necho unknown flag >&2\nexit 64\n"})

    tried = skilltrial("try", "skills/greeter", "Greet.", "--out", "run", *ON, project / "broken.sh")

    assert tried.code == 3
    assert tried.out.count("INCOMPLETE") == 2
    assert "it shows nothing about the skill" in tried.err
    assert "next:" not in tried.err


def test_r21_a_relative_path_means_the_skill_where_the_command_was_called(
    skilltrial: Command, project: Path, lay: Lay
) -> None:
    lay({"elsewhere/skills/greeter/SKILL.md": SKILL.replace("greeting", "other"), "elsewhere/here.txt": ""})

    tried = skilltrial(
        *("try", "../skills/greeter/SKILL.md", "Greet.", "--out", "run", "--workspace", ".", *ON, "../agent.sh"),
        cwd=project / "elsewhere",
    )

    assert tried.code == 2, "an archive would lie in the project that is copied"
    tried = skilltrial(
        *("try", "../skills/greeter/SKILL.md", "Greet.", "--workspace", ".", *ON, project / "agent.sh"),
        cwd=project / "elsewhere",
    )
    assert tried.code == 0, tried.err
    (run,) = (project / "elsewhere" / ".skilltrial" / "runs").iterdir()
    plan = json.loads((run / "plan.json").read_bytes())
    listing = json.loads((run / "inputs" / "skills" / "greeter.json").read_bytes())
    kept = b"".join(path.read_bytes() for path in (run / "inputs" / "blobs").iterdir())
    assert b"Write greeting.txt." in kept
    assert b"Write other.txt." not in kept, "a copy of the skill in the project would reach the baseline"
    assert plan["skills"][0]["id"] == "greeter"
    assert listing
    assert "left out of the workspace, since it is the skill itself: skills/greeter" in " ".join(tried.err.split())


def test_a_project_is_copied_without_what_git_ignores(skilltrial: Command, project: Path, lay: Lay) -> None:
    lay({"app/main.py": "x\n", "app/.gitignore": "secret.env\n", "app/secret.env": "KEY=1\n", "app/new.txt": "y\n"})
    for command in (["init", "-q"], ["add", "main.py"]):
        subprocess.run(["git", *command], cwd=project / "app", check=True)
    lay({"look.sh": "#!/bin/sh\ncat > /dev/null\nls -A > seen.txt\n"})

    tried = skilltrial("try", "skills/greeter", "Look.", "--out", "run", "--workspace", "app", *ON, project / "look.sh")

    assert tried.code == 0, tried.err
    seen = next((project / "run" / "trials/try/without_skill/1/changed").iterdir()).read_text().split()
    assert seen == [".git", ".gitignore", "main.py", "new.txt", "seen.txt"]
    assert not list((project / "app").glob("seen.txt")), "the project itself is left as it was"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("skills/nothing", "Greet."), "there is no skill skills/nothing"),
        (("skills", "Greet."), "skills has no SKILL.md; did you mean skills/greeter or"),
        (("skills/greeter", " "), "the prompt is empty"),
        (("skills/greeter", "Greet.", "--workspace", "skills/greeter"), "is the skill's own folder"),
        (("skills/greeter", "Greet.", "--workspace", "none"), "there is no folder"),
        (("skills/greeter", "Greet.", "--out", "skills/greeter/run"), "lies in the skill's folder"),
        (("skills/unnamed", "Greet."), "its `name` must be"),
        (("skills/headless", "Greet."), "the file has no front matter"),
    ],
)
def test_what_can_not_be_tried_is_one_error_and_nothing_is_written(
    skilltrial: Command, project: Path, lay: Lay, arguments: tuple[str, ...], told: str
) -> None:
    lay({"skills/unnamed/SKILL.md": "---\ndescription: x\n---\n", "skills/headless/SKILL.md": "text\n"})

    tried = skilltrial("try", *arguments, *ON, project / "agent.sh")

    assert tried.code == 2
    assert told in tried.err
    assert tried.err.count("error:") == 1
    assert not (project / ".skilltrial").exists()


def test_a_dry_run_starts_nothing(skilltrial: Command, project: Path) -> None:
    tried = skilltrial("try", "skills/greeter", "Greet.", "--dry-run", *ON, project / "agent.sh")

    assert (tried.code, "2 sessions" in tried.out) == (0, True)
    assert not (project / ".skilltrial").exists()


OBSERVED = "skills: [{id: greeter, folder: skills/greeter}]\ncases: {look: {prompt: Look., observe: true}}\n"


def test_a_suite_may_only_observe_and_its_long_form_reads_again(skilltrial: Command, project: Path, lay: Lay) -> None:
    lay({"look.trial.yaml": OBSERVED})

    long = skilltrial("lint", "look.trial.yaml", "--expand")
    lay({"long.trial.yaml": long.out})

    assert long.code == 0
    assert skilltrial("lint", "long.trial.yaml", "--expand").out == long.out
    ran = skilltrial("run", "look.trial.yaml", "--quiet", "--host", "portable", *ON, project / "agent.sh")
    assert ran.code == 3
    assert "nothing checked" in ran.out


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ("prompt: x, observe: true, expect: [{files: a, exists: true}]", "only observed has no checks"),
        ("prompt: x, observe: false", "`checks` is missing in a case"),
        ("prompt: x, observe: 1", "`observe` must be true or false"),
    ],
)
def test_a_case_is_checked_or_observed(skilltrial: Command, lay: Lay, case: str, told: str) -> None:
    lay({"look.trial.yaml": f"cases: {{look: {{{case}}}}}\n"})

    linted = skilltrial("lint", "look.trial.yaml")

    assert linted.code == 2
    assert told in linted.err
