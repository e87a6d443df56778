"""Defects of an earlier tool of this kind, each shown to be absent here (`test_embraion_81_NN`: rows of that list)."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
BARE = "arms: [{id: bare}]\ngate: {arm: bare}\n"
SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n"


def one_case(expect: str, more: str = "") -> str:
    """A suite of one arm and one case that starts from `start`."""
    return f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n{more}    expect:\n{expect}"


@pytest.mark.parametrize(
    ("limits", "extra", "says"),
    [
        ("files_in: 3", {"greeter/a": "", "greeter/b": ""}, "limits.files_in"),
        ("bytes_in: 300", {"greeter/a": "x" * 210}, "limits.bytes_in"),
        ("files_in: 2000", {"start/.agents/skills/greeter/SKILL.md": SKILL}, "already has .agents/skills/greeter"),
        ("files_in: 2000", {"start/.agents/skills": "a file"}, "in the way"),
    ],
    ids=["too many files together", "too many bytes together", "the skill is there", "a file is in its way"],
)
def test_embraion_81_03_what_workspace_and_skills_make_together_is_checked_before_the_first_session(
    skilltrial: Command, lay: Lay, tmp_path: Path, limits: str, extra: dict[str, str], says: str
) -> None:
    lay(
        {
            "greeter/SKILL.md": SKILL,
            "start/agent.sh": '#!/bin/sh\necho called >> "$CALLS"\n',
            "start/notes": "",
            "greeter.trial.yaml": f"limits: {{{limits}}}\ncases:\n  c:\n    prompt: Do it.\n    workspace: start\n"
            "    expect: [{files: a.txt, exists: true}]\n",
            **extra,
        }
    )
    calls = tmp_path / "calls"

    refused = skilltrial(
        "run", "greeter.trial.yaml", "--out", "run", "--pass-env", "CALLS", *AGENT, env={"CALLS": str(calls)}
    )

    assert refused.code == 2
    assert says in refused.err
    assert not calls.exists()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_embraion_81_04_what_was_sealed_outlives_the_end_of_the_runner(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path,
    number: int,
) -> None:  # fmt: skip
    # The first trial ends at once, every later one waits to be ended.
    suite = greeter('#!/bin/sh\nmkdir "$FIRST" 2>/dev/null || sleep 60\necho hello > greeting.txt\n')
    first = {"FIRST": str(tmp_path / "first")}
    arguments = ("--jobs", "2", "--attempts", "2", "--out", "run", "--pass-env", "FIRST", *AGENT)
    runner = started("run", suite, *arguments, env=first)
    journal = tmp_path / "run" / "journal.jsonl"
    eventually(lambda: journal.exists() and journal.read_bytes().endswith(b"\n"), runner)

    runner.send_signal(number)
    runner.communicate(timeout=30)

    assert len(list((tmp_path / "run" / "trials").rglob("seal.json"))) == 1
    if number == signal.SIGKILL:
        refused = skilltrial("grade", "run")
        assert refused.code == 4
        assert "--resume" in refused.err
        return
    assert runner.returncode == 130
    graded = skilltrial("grade", "run", "--format", "json")
    assert graded.code == 3
    assert sorted(graded.verdicts.values()) == ["incomplete"] * 3 + [
        verdict for verdict in graded.verdicts.values() if verdict != "incomplete"
    ]
    assert "The run was interrupted." in graded.report["limitations"]


@pytest.mark.parametrize(
    ("check", "outcome"),
    [
        ("{files: lib/, unchanged: true}", "failed"),
        ("{files: docs/, unchanged: true}", "passed"),
        ("{files: nowhere/, unchanged: true}", "unverified"),
        ("{files: data.json, pointer: /nothing, equals: null}", "failed"),
        ("{files: data.json, pointer: /null, equals: null}", "passed"),
        ("{files: data.json, pointer: /yes, equals: 1}", "failed"),
        ("{files: data.json, pointer: /one, equals: true}", "failed"),
        ("{files: data.json, pointer: /one, equals: 1.0}", "failed"),
        ("{files: data.json, pointer: /one, equals: 1}", "passed"),
        ("{files: data.json, pointer: /a~1b, equals: 2}", "passed"),
    ],
)
def test_embraion_81_05_checks_do_not_pass_in_silence(skilltrial: Command, lay: Lay, check: str, outcome: str) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\ncat > /dev/null\necho more >> lib/deep/code.txt\n",
            "start/lib/deep/code.txt": "code\n",
            "start/docs/page.txt": "page\n",
            "start/data.json": '{"null": null, "yes": true, "one": 1, "a/b": 2}',
            "s.trial.yaml": one_case(f"      - {check}\n"),
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert ran.code == {"passed": 0, "failed": 1, "unverified": 3}[outcome], ran.err
    assert list(ran.outcomes("c/bare/1").values()) == [outcome]


@pytest.mark.parametrize(
    "litter",
    [
        "ln -s /etc/hostname out; ln -s nowhere dangling; ln -s . loop",
        "for i in $(seq 300); do echo $i > f$i; done",
        "head -c 3000000 /dev/zero > big",
        "mkdir -p __pycache__ .git node_modules/x .venv; touch __pycache__/a .git/b node_modules/x/c .venv/d",
    ],
    ids=["links", "300 files", "3 MB", "caches"],
)
def test_embraion_81_06_what_an_agent_leaves_behind_is_recorded_and_does_not_void_the_judgement(
    skilltrial: Command, lay: Lay, litter: str
) -> None:
    within = "answer.txt" if "__pycache__" in litter else "[answer.txt, out, dangling, loop, big]"
    more = "" if "seq" in litter else f"      - {{files: {{changed_within: {within}}}}}\n".replace("[[", "[")
    more = more.replace("answer.txt}}", "[answer.txt]}}") if "__pycache__" in litter else more
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\ncat > /dev/null\n{litter}\necho yes > answer.txt\n",
            "s.trial.yaml": one_case(f"      - {{files: answer.txt, contains: yes}}\n{more}"),
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert (ran.code, ran.verdicts) == (0, {"c/bare/1": "passed"}), ran.err + ran.out


@pytest.mark.parametrize("code", [1, 3, 77])
def test_embraion_81_07_how_the_program_ended_is_told_beside_what_it_left(
    skilltrial: Command, lay: Lay, code: int
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\nln -s /etc/hostname answer.txt\nexit {code}\n",
            "s.trial.yaml": one_case("      - {files: answer.txt, contains: yes}\n"),
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", "--retries", "0", *AGENT)

    trial = ran.trials["c/bare/1"]
    assert (trial["ending"], trial["exit_codes"]) == ("host_failed", [code])
    assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == ("incomplete", "host")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"ab": "c"}, {"a": "bc"}),
        ({"a/b": ""}, {"a": "", "b": ""}),
        ({"run.sh": "#!/bin/sh\n"}, {"run.sh": "#!/bin/sh\n", "+x": ""}),
        ({"a": "", "empty/": ""}, {"a": ""}),
    ],
    ids=["names against contents", "folders against names", "executable bit", "an empty folder"],
)
def test_embraion_81_08_different_folders_have_different_digests(
    skilltrial: Command, lay: Lay, tmp_path: Path, one: dict[str, str], other: dict[str, str]
) -> None:
    for root, files in (("one", one), ("other", other)):
        for name, text in files.items():
            if name.endswith("/"):
                (tmp_path / root / name).mkdir(parents=True)
            elif name != "+x":
                lay({f"{root}/{name}": text})
                (tmp_path / root / name).chmod(0o755 if "+x" in files else 0o644)
    lay(
        {
            "agent.sh": "#!/bin/sh\n",
            "s.trial.yaml": f"{BARE}cases:\n"
            + "".join(
                f"  {name}:\n    prompt: Do it.\n    workspace: {name}\n    expect: [{{files: a, exists: true}}]\n"
                for name in ("one", "other")
            ),
        }
    )

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--format", "json", "--host", "portable", "--", tmp_path / "agent.sh"
    )

    digests = ran.report["digests"]["workspaces"]
    assert digests["one"] != digests["other"]


def test_embraion_81_09_scripts_of_a_skill_stay_executable_and_empty_folders_stay(
    skilltrial: Command, lay: Lay, tmp_path: Path
) -> None:
    (tmp_path / "start" / "empty" / "inner").mkdir(parents=True)
    (tmp_path / "greeter" / "empty").mkdir(parents=True)
    (tmp_path / "start" / "way").symlink_to("empty/inner")
    lay(
        {
            "greeter/SKILL.md": SKILL,
            "greeter/scripts/greet.sh": "#!/bin/sh\necho hello\n",
            "start/agent.sh": "#!/bin/sh\ncat > /dev/null\nS=.agents/skills/greeter\n"
            "[ -d way ] && [ -L way ] && [ -d empty/inner ] && [ -d $S/empty ] && $S/scripts/greet.sh > greeting.txt\n"
            "exit 0\n",
            "greeter.trial.yaml": "cases:\n  c:\n    prompt: Greet.\n    workspace: start\n"
            "    expect: [{files: greeting.txt, contains: hello}]\n",
        }
    )

    ran = skilltrial("run", "greeter.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert ran.verdicts == {"c/with_skill/1": "passed", "c/without_skill/1": "failed"}


@pytest.mark.parametrize(
    "child",
    [
        'sleep 300 & echo $! >> "$PIDS"',
        "setsid sh -c 'echo $$ >> \"$PIDS\"; exec sleep 300' &\nsleep 0.1",
        '(setsid sh -c \'echo $$ >> "$PIDS"; trap "" TERM HUP; while :; do sleep 1; done\' &)\nsleep 0.1',
    ],
    ids=["background", "own session", "double fork, deaf"],
)
def test_embraion_81_10_nothing_outlives_a_program_that_ended_well(
    skilltrial: Command, lay: Lay, still_running: Callable[[Path], list[int]], tmp_path: Path, child: str
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\ncat > /dev/null\necho yes > answer.txt\n{child}\nexit 0\n",
            "s.trial.yaml": one_case("      - {files: answer.txt, contains: yes}\n"),
        }
    )
    pids = tmp_path / "pids"

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--format", "json", "--pass-env", "PIDS", *AGENT, env={"PIDS": str(pids)}
    )

    assert (ran.code, ran.verdicts) == (0, {"c/bare/1": "passed"}), ran.err
    assert len(pids.read_text().split()) == 1
    assert still_running(pids) == []


def test_embraion_81_11_the_agent_gets_an_environment_of_its_own(skilltrial: Command, lay: Lay, tmp_path: Path) -> None:
    lay(
        {
            "start/agent.sh": "#!/usr/bin/env python3\nimport json, os\n"
            "json.dump(dict(os.environ), open('environment.json', 'w'))\n",
            "s.trial.yaml": one_case("      - {files: environment.json, exists: true}\n"),
        }
    )
    ours = {
        "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "OPENAI_API_KEY": "sk-not-for-you", "MY_SETTING": "blue",
        "PYTHONSTARTUP": "/x", "XDG_CONFIG_HOME": "/x", "SSH_AUTH_SOCK": "/x", "NODE_OPTIONS": "--inspect",
    }  # fmt: skip

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--pass-env", "MY_SETTING", *AGENT, env=ours)

    assert ran.code == 0, ran.err
    (kept,) = (tmp_path / "run" / "trials").rglob("changed/*")
    seen = json.loads(kept.read_text())
    assert ours.keys() & seen.keys() == {"MY_SETTING"}
    assert {"PATH", "HOME", "TMPDIR", "LANG"} <= seen.keys()
    assert seen["LANG"] == "C.UTF-8"
    more = {name for name in seen if not name.endswith(("_FILE", "_DIR", "_BUNDLE", "_CERTS"))}
    # Beside certificates: a variable of no meaning marks the trial's processes, the interpreter may add its own.
    assert len(more - {"PATH", "HOME", "LANG", "MY_SETTING", "LC_CTYPE", "TMPDIR"}) <= 1, sorted(seen)
    assert Path(seen["HOME"]).parent == Path(seen["TMPDIR"]).parent
    assert not Path(seen["HOME"]).exists()


@pytest.mark.parametrize(
    ("agent", "arguments", "code"),
    [
        ("echo hello > greeting.txt", (), 0),
        ("true", (), 1),
        ("true", ("--attempts", "0"), 2),
        ("true", ("--case", "nobody"), 2),
        ("exit 9", ("--retries", "0"), 3),
        ("kill -9 $$", ("--retries", "0"), 3),
    ],
    ids=["passed", "failed", "no number", "no case", "host failed", "host killed"],
)
def test_embraion_81_12_the_exit_code_tells_a_bad_skill_from_a_broken_run(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, arguments: tuple[str, ...], code: int
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\n{agent}\n"), "--out", "run", *arguments, *AGENT)

    assert ran.code == code, ran.err


LOOKS_AROUND = """\
#!/bin/sh
exec > "$SEEN"
cat > /dev/null
env
tr '\\0' ' ' < /proc/$$/cmdline
find ..
for file in $(find .. -type f); do echo "== $file"; cat "$file"; done
here=$(pwd)
while [ "$here" != / ]; do here=$(dirname "$here"); echo "$here"; ls -a "$here"; done
"""


def test_embraion_81_14_nothing_in_or_around_a_place_tells_what_is_asked_and_how_it_is_judged(
    skilltrial: Command, lay: Lay, tmp_path: Path
) -> None:
    lay(
        {
            "suites/greeter/SKILL.md": SKILL,
            "suites/greeter/evals/evals.json": "canary-of-evals",
            "suites/greeter/mine.trial.yaml": "canary-of-suite",
            "suites/start/agent.sh": LOOKS_AROUND,
            "suites/golden.txt": "canary-of-golden\n",
            "suites/greeter.trial.yaml": """\
id: suite-of-canaries
cases:
  case-of-canaries:
    prompt: The canary-of-prompt sings.
    workspace: start
    expect:
      - {id: check_of_canaries, files: greeting.txt, contains: canary-of-check}
      - {files: greeting.txt, equals_file: golden.txt}
    rehearsals:
      - {id: honest, expect: passed, script: [{say: canary-of-script}]}
""",
        }
    )
    seen, places = tmp_path / "seen", tmp_path / "p"
    places.mkdir()

    ran = skilltrial(
        "run", "suites/greeter.trial.yaml", "--arm", "with_skill", "--out", "run", "--pass-env", "SEEN", *AGENT,
        env={"SEEN": str(seen), "TMPDIR": str(places)},
    )  # fmt: skip

    assert ran.code == 1, ran.err
    text = seen.read_text().replace(str(seen), "")
    assert "Write to greeting.txt." in text, "it did look around"
    above, _, _ = text.partition(f"\n{places}\n")
    for telling in ("canary", "canaries", "check_of", "evals", "mine.trial", "trial.yaml", "skilltrial"):
        # What lies above the folder for temporary files is the operator's, and of this test.
        told = [line for line in above.splitlines() if telling in line.replace(str(tmp_path), "")]
        assert not told, told
    assert list(places.iterdir()) == []
