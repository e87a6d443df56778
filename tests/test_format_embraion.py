"""Suites of EmbrAIon on our command line (`test_embraion_NN`: numbers of its own tests, `_81_NN`: of its defects)."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
CANARY = "Crocuses-in-the-snow"
FRAMEWORK = Path(__file__).parents[1] / "plugins" / "format_embraion" / "tests" / "data" / "framework"
SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n"
OBEDIENT = "#!/bin/sh\ncat > /dev/null\nif [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi\n"
EAGER = "#!/bin/sh\ncat > /dev/null\necho hello > greeting.txt\n"

DATA_AGENT = """\
import json, pathlib, sys

prompt = sys.stdin.read()
skills = [file.read_text() for file in pathlib.Path(".agents/skills").glob("*/SKILL.md")]
knows_homes = any("module of its own" in text for text in skills)
knows_log = any("log.latest" in text for text in skills)
if "Triangle" in prompt:
    with open("triangle.py" if knows_homes else "circle.py", "a") as file:
        file.write("class Triangle:\\n    pass\\n")
elif "README" in prompt:
    readme = pathlib.Path("README.md")
    readme.write_text(readme.read_text().replace("recieve", "receive"))
elif "answer.txt" in prompt:
    pathlib.Path("answer.txt").write_text("As plain files.\\n")
else:
    if knows_log:
        record = "# Queue\\r\\n\\r\\n## Context\\r\\n\\r\\n## Decision\\r\\n\\r\\n## Consequences\\r\\n"
        pathlib.Path("docs/decisions/0002-queue.md").write_bytes(record.encode())
        index = pathlib.Path("docs/decisions/index.json")
        index.write_text(json.dumps({"log": {**json.loads(index.read_text())["log"], "latest": 2}}))
    if knows_homes and "class" in prompt:
        pathlib.Path("src/queue.py").write_text("class Queue:\\n    pass\\n")
"""
"""Plays an agent that does what its skills say, on the suites in `FRAMEWORK`."""


def document(*checks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A suite of one case."""
    return {
        "schema-version": 1,
        "id": "greetings",
        "skills": [{"id": "greeter", "candidate": "greeter"}],
        "cases": [
            {
                "id": "greet",
                "polarity": "positive",
                "fixture": "start",
                "prompt": f"Greet the user. {CANARY}",
                "checks": list(checks) or [{"type": "file-contains", "path": "greeting.txt", "text": "hello"}],
            }
        ],
        **more,
    }


@pytest.fixture
def greetings(lay: Lay, tmp_path: Path) -> Callable[..., Path]:
    """An EmbrAIon suite beside its skill; the agent lies in its fixture."""

    def make(agent: str = OBEDIENT, suite: dict[str, Any] | str | None = None, **files: str) -> Path:
        text = suite if isinstance(suite, str) else json.dumps(suite or document())
        lay({"greeter/SKILL.md": SKILL, "start/agent.sh": agent, "suite.json": text, **files})
        return tmp_path / "suite.json"

    return make


@pytest.fixture
def run(skilltrial: Command) -> Command:
    """Run an EmbrAIon suite and read the report in its shape, as `ran.report`."""

    def do(suite: Path, *arguments: str, agent: tuple[str, ...] = AGENT, **more: Any) -> Any:
        given = ("--format", "embraion", "--report", "embraion", "--out", "run", "--retries", "0", *arguments)
        return skilltrial("run", suite, *given, *agent, **more)

    return do


def outcomes(report: dict[str, Any]) -> dict[str, Any]:
    """Whether each run passed, by `case/variant/attempt`."""
    return {f"{one['case']}/{one['variant']}/{one['attempt']}": one["behavior-passed"] for one in report["runs"]}


# --- the suites in the spirit of those that EmbrAIon ships -----------------------------------------------------------


@pytest.fixture
def framework(tmp_path: Path) -> Path:
    """A copy of a small framework: two skills with earlier forms, two suites, their fixtures, and an agent."""
    shutil.copytree(FRAMEWORK, tmp_path / "framework")
    (tmp_path / "agent.py").write_text(DATA_AGENT)
    return tmp_path / "framework"


@pytest.fixture
def follower(tmp_path: Path) -> tuple[str, ...]:
    return ("--host", "portable", "--", sys.executable, str(tmp_path / "agent.py"))


def test_embraion_07_its_suites_load_with_cases_of_both_polarities(skilltrial: Command, framework: Path) -> None:
    suite = framework / "evals" / "class-homes.json"

    told = skilltrial("lint", suite, "--format", "embraion", "--expand")

    assert told.code == 0, told.err
    assert told.out.count("polarity: positive") == 2
    assert told.out.count("polarity: negative") == 2
    assert "Добавь класс" in told.out


def test_a_skill_that_helps_improves_every_pair_of_its_positive_cases(
    run: Command, framework: Path, follower: tuple[str, ...]
) -> None:
    ran = run(framework / "evals" / "class-homes.json", agent=follower)

    assert ran.code == 0, ran.err
    report = ran.report
    assert report["evidence-kind"] == "live-portable-subprocess"
    assert report["suite"] == "class-homes"
    assert report["suite-digest"] == hashlib.sha256((framework / "evals" / "class-homes.json").read_bytes()).hexdigest()
    assert report["summary"] == {
        "baseline": {"total": 8, "behavior-passed": 4},
        "candidate": {"total": 8, "behavior-passed": 8},
    }
    assert report["pair-summary"] == {
        "baseline": {"improved": 4, "regressed": 0, "tied-pass": 4, "tied-fail": 0, "unavailable": 0}
    }
    assert [(one["case"], one["attempt"]) for one in report["pairs"]] == [
        (case, attempt) for case in ("triangle-en", "triangle-ru", "typo-en", "typo-ru") for attempt in (1, 2)
    ]


def test_embraion_11_a_composed_suite_with_earlier_forms_has_three_variants(
    run: Command, framework: Path, follower: tuple[str, ...]
) -> None:
    ran = run(framework / "evals" / "decision-log.json", agent=follower)

    assert ran.code == 0, ran.err
    report = ran.report
    assert {name: set(forms) for name, forms in report["skill-identities"].items()} == {
        "decision-log": {"candidate", "previous"},
        "class-homes": {"candidate", "previous"},
    }
    assert list(report["summary"]) == ["baseline", "candidate", "previous"]
    assert report["pair-summary"]["previous"] == {
        "improved": 4, "regressed": 0, "tied-pass": 2, "tied-fail": 0, "unavailable": 0,
    }  # fmt: skip
    assert {kind for one in report["runs"] for kind in one["trigger-evidence"].values()} == {"unverified"}
    assert [one["type"] for one in report["runs"][0]["checks"]][-2:] == ["unchanged-path", "changed-paths-within"]


# --- exit codes and pairs --------------------------------------------------------------------------------------------


def test_embraion_02_a_tie_of_passes_is_no_failure_and_sources_stay_as_they_were(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings(EAGER)

    ran = run(suite)

    assert ran.code == 0
    report = ran.report
    assert report["summary"] == {variant: {"total": 2, "behavior-passed": 2} for variant in ("baseline", "candidate")}
    assert [one["candidate-vs"] for one in report["pairs"]] == [{"baseline": "tied-pass"}] * 2
    for told in (CANARY, "hello", "agent.sh", str(tmp_path)):
        assert told not in ran.out
    assert sorted(path.name for path in (tmp_path / "start").iterdir()) == ["agent.sh"]


def test_an_improvement_that_is_not_perfect_fails(run: Command, greetings: Callable[..., Path]) -> None:
    document_ = document(
        {"type": "file-exists", "path": "greeting.txt"}, {"type": "file-contains", "path": "greeting.txt", "text": "?"}
    )

    ran = run(greetings(EAGER, document_), "--attempts", "1")

    assert ran.code == 1
    assert outcomes(ran.report) == {"greet/baseline/1": False, "greet/candidate/1": False}
    assert [one["passed"] for one in ran.report["runs"][1]["checks"]] == [True, False]


def test_embraion_81_12_each_way_to_end_has_a_code_of_its_own(run: Command, greetings: Callable[..., Path]) -> None:
    suite = greetings("#!/bin/sh\ncat > /dev/null\n")

    failed = run(suite)
    missing = run(suite, "--out", "run2", agent=("--host", "portable", "--", "./nowhere.sh"))
    invalid = run(suite, "--timeout", "3601")

    assert (failed.code, missing.code, invalid.code) == (1, 3, 2)
    assert {one["host"]["status"] for one in missing.report["runs"]} == {"host-unavailable"}
    assert missing.report["pair-summary"]["baseline"]["unavailable"] == 2
    assert "timeout" in invalid.err


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        ("#!/bin/sh\nsleep 10\n", "timeout"),
        ("#!/bin/sh\nhead -c 3000000 /dev/zero\nsleep 10\n", "output-limit"),
        ("#!/bin/sh\nhead -c 3000000 /dev/zero >&2\nsleep 10\n", "output-limit"),
        ("#!/bin/sh\necho hello > greeting.txt\nexit 3\n", "host-failed"),
    ],
    ids=["too long", "too much on stdout", "too much on stderr", "exit 3"],
)
def test_embraion_03_and_17_a_session_that_does_not_end_well_is_no_pass_and_no_missing_trigger(
    run: Command, greetings: Callable[..., Path], agent: str, status: str
) -> None:
    limit = "1" if status == "timeout" else "60"

    ran = run(greetings(agent), "--attempts", "1", "--timeout", limit, within=60)

    assert ran.code == 3
    assert {one["host"]["status"] for one in ran.report["runs"]} == {status}
    assert set(outcomes(ran.report).values()) == {False}
    assert {check["passed"] for one in ran.report["runs"] for check in one["checks"]} == {None}
    assert {kind for one in ran.report["runs"] for kind in one["trigger-evidence"].values()} == {"unverified"}
    assert ran.report["pairs"][0]["candidate-vs"] == {"baseline": "unavailable"}


def test_exactly_2000000_bytes_are_no_fault(run: Command, greetings: Callable[..., Path]) -> None:
    agent = "#!/bin/sh\nhead -c 2000000 /dev/zero\nhead -c 2000000 /dev/zero >&2\necho hello > greeting.txt\n"

    assert run(greetings(agent), "--attempts", "1").code == 0


def test_embraion_05_the_time_limit_ends_the_whole_tree(
    run: Command, greetings: Callable[..., Path], still_running: Callable[[Path], list[int]], tmp_path: Path
) -> None:
    suite = greetings('#!/bin/sh\nsleep 300 &\necho $! $$ >> "$PIDS"\nsleep 300\n')
    pids = tmp_path / "pids"

    ran = run(suite, "--attempts", "1", "--timeout", "1", "--pass-env", "PIDS", env={"PIDS": str(pids)})

    assert ran.code == 3
    assert len(pids.read_text().split()) == 4
    assert still_running(pids) == []


# --- a program that shows its events ---------------------------------------------------------------------------------

CODEX = """\
import json, pathlib, sys

if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.171.0")
    sys.exit()
if sys.argv[1:2] == ["debug"]:
    print(json.dumps({"models": []}))
    sys.exit()
if sys.argv[1:] == ["login", "status"]:
    sys.exit(1)
prompt = sys.stdin.read()
with open(sys.argv[0] + ".starts", "a") as file:
    file.write(json.dumps({"argv": sys.argv[1:], "prompt": prompt}) + "\\n")


def say(**line):
    print(json.dumps(line), flush=True)


say(type="thread.started", thread_id="01a22be9-681c-7fa0-9e6c-1171cd5970da")
say(type="turn.started")
body = ".agents/skills/greeter/SKILL.md"
if pathlib.Path(body).exists():
    item = {"id": "i1", "type": "command_execution", "command": f"/bin/bash -lc 'cat {body}'"}
    say(type="item.started", item={**item, "aggregated_output": "", "exit_code": None, "status": "in_progress"})
    read = {"aggregated_output": pathlib.Path(body).read_text(), "exit_code": 0, "status": "completed"}
    say(type="item.completed", item={**item, **read})
MODE
say(type="item.completed", item={"id": "i2", "type": "agent_message", "text": "Done."})
pathlib.Path("greeting.txt").write_text("hello")
say(type="turn.completed", usage={"input_tokens": 12, "cached_input_tokens": 4, "output_tokens": 3})
"""
"""Stands in for Codex: it reads the skill, and prints what Codex prints."""


@pytest.fixture
def codex(tmp_path: Path) -> Callable[..., tuple[str, ...]]:
    """The arguments that run a stand-in for Codex; `mode` are lines that it goes through before it ends."""

    def make(mode: str = "") -> tuple[str, ...]:
        program = tmp_path / "codex"
        program.write_text(f"#!{sys.executable}\n{CODEX.replace('MODE', mode)}")
        program.chmod(0o755)
        return ("--host", "codex", "--host-binary", str(program), "--pass-env", "CODEX_API_KEY")

    return make


KEY = {"CODEX_API_KEY": "sk-made-up-for-a-test"}


def test_embraion_01_02_and_81_13_a_codex_run_is_told_with_its_tokens_and_the_skill_that_was_read(
    run: Command, greetings: Callable[..., Path], codex: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    ran = run(greetings(), agent=(*codex(), "--model", "openai/gpt-5"), env=KEY)

    assert ran.code == 0, ran.err
    starts = [json.loads(line) for line in (tmp_path / "codex.starts").read_text().splitlines()]
    assert [start["prompt"] for start in starts] == [f"Greet the user. {CANARY}"] * 4
    assert not [word for start in starts for word in start["argv"] if "schema" in word]
    report = ran.report
    assert (report["evidence-kind"], report["host"], report["model"]) == (
        "live-codex-subprocess", "codex", "openai/gpt-5",
    )  # fmt: skip
    evidence = {(one["variant"], one["trigger-evidence"]["greeter"]) for one in report["runs"]}
    assert evidence == {("baseline", "unverified"), ("candidate", "read-observed")}
    host = report["runs"][1]["host"]
    assert host["tokens"] == {"input_tokens": 12, "output_tokens": 3, "cached_input_tokens": 4}
    assert (host["usage-complete"], host["tool-calls"], host["observed-reads"]) == (True, 1, ["greeter"])
    assert {one["candidate-vs"]["baseline"] for one in report["pairs"]} == {"tied-pass"}


@pytest.mark.parametrize(
    ("mode", "status"),
    [
        ("print('no JSON'); sys.exit()", "invalid-host-events"),
        ('say(type="turn.failed", error={"message": "no"}); sys.exit(1)', "host-failed"),
        ("import time; print('x' * 3_000_000, flush=True); time.sleep(20)", "output-limit"),
        ("import time; time.sleep(20)", "timeout"),
    ],
)
def test_embraion_03_a_codex_session_that_ends_otherwise_does_not_pass(
    run: Command, greetings: Callable[..., Path], codex: Callable[..., tuple[str, ...]], mode: str, status: str
) -> None:
    limit = "2" if status == "timeout" else "60"

    ran = run(greetings(), "--attempts", "1", "--timeout", limit, agent=codex(mode), env=KEY)

    assert ran.code == 3
    assert {one["host"]["status"] for one in ran.report["runs"]} == {status}
    assert set(outcomes(ran.report).values()) == {False}


# --- what the checks mean --------------------------------------------------------------------------------------------

MESSY = r"""#!/bin/sh
cat > /dev/null
mkdir -p made/folder
printf 'one\r\ntwo\r\n' > crlf.txt
printf '\377\376' > bytes.txt
printf '{"a": {"b": 1, "t": true, "n": null, "list": [5]}}' > data.json
printf 'not json' > broken.json
printf '{"a": 1}' > made/folder/a.json
"""
MEANINGS: list[tuple[dict[str, Any], bool | None]] = [
    ({"type": "file-exists", "path": "crlf.txt"}, True),
    ({"type": "file-exists", "path": "made"}, False),
    ({"type": "file-exists", "path": "missing.txt"}, False),
    ({"type": "file-absent", "path": "missing.txt"}, True),
    ({"type": "file-absent", "path": "made"}, False),
    ({"type": "file-absent", "path": "crlf.txt"}, False),
    ({"type": "file-contains", "path": "crlf.txt", "text": "one\ntwo"}, True),
    ({"type": "file-contains", "path": "crlf.txt", "text": "ONE"}, False),
    ({"type": "file-contains", "path": "crlf.txt", "text": "o.e"}, False),
    ({"type": "file-contains", "path": "bytes.txt", "text": "a"}, False),
    ({"type": "file-contains", "path": "missing.txt", "text": "a"}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.b", "value": 1}, True),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.b", "value": 2}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a", "value": {"b": 1}}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.n", "value": None}, True),
    ({"type": "json-field-equals", "path": "broken.json", "field": "a", "value": 1}, False),
    ({"type": "json-field-equals", "path": "missing.json", "field": "a", "value": 1}, False),
    ({"type": "unchanged-path", "path": "agent.sh"}, True),
    ({"type": "unchanged-path", "path": "crlf.txt"}, False),
    ({"type": "unchanged-path", "path": "deep/old.txt"}, True),
    ({"type": "changed-paths-within", "paths": ["made", "crlf.txt", "bytes.txt", "data.json", "broken.json"]}, True),
    ({"type": "changed-paths-within", "paths": ["made"]}, False),
    # Defects of EmbrAIon's, where the verdict is another one on purpose.
    ({"type": "json-field-equals", "path": "data.json", "field": "a.missing", "value": None}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.t", "value": 1}, False),
    ({"type": "unchanged-path", "path": "made"}, False),
    ({"type": "unchanged-path", "path": "misspelt.txt"}, None),
]


def test_embraion_06_the_verdicts_are_embraions_but_for_what_is_a_defect_there(
    run: Command, greetings: Callable[..., Path]
) -> None:
    (case,) = document()["cases"]
    cases = [{**case, "id": f"c{at}", "checks": [check]} for at, (check, _) in enumerate(MEANINGS)]
    suite = greetings(MESSY, document(cases=cases), **{"start/deep/old.txt": "old\n"})

    ran = run(suite, "--attempts", "1", "--arm", "with_skill")

    assert ran.code == 1
    found = {one["case"]: one["behavior-passed"] for one in ran.report["runs"]}
    assert found == {f"c{at}": expected for at, (_, expected) in enumerate(MEANINGS)}


def test_no_change_at_all_is_not_within_anything(run: Command, greetings: Callable[..., Path]) -> None:
    check = {"type": "changed-paths-within", "paths": ["made", "greeting.txt"]}
    suite = greetings("#!/bin/sh\ncat > /dev/null\n", document(check))

    assert run(suite, "--attempts", "1").code == 1


def test_embraion_81_06_caches_links_and_many_files_do_not_void_the_grading(
    run: Command, greetings: Callable[..., Path]
) -> None:
    agent = (
        f"{EAGER}mkdir __pycache__ made; touch __pycache__/a.pyc; ln -s /etc/hostname made/way\n"
        "i=0; while [ $i -lt 210 ]; do : > made/$i; i=$((i + 1)); done\n"
    )
    check = {"type": "changed-paths-within", "paths": ["greeting.txt", "made"]}

    ran = run(greetings(agent, document(check)), "--attempts", "1")

    assert ran.code == 0, ran.out


# --- what is refused, before anything starts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (json.dumps(document()).replace('"positive"', '"sideways"'), "polarity"),
        (json.dumps(document())[:-1], "suite.json:1:"),
        (json.dumps(document()) + " " * 2_000_001, "bytes long"),
        (json.dumps(document()).replace('"fixture"', f'"{CANARY}"'), "no such key"),
        (json.dumps(document()).replace('"start"', f'"../{CANARY}"'), "`..`"),
        (json.dumps(document()).replace('"start"', f'"{CANARY}"'), "does not exist"),
        (json.dumps(document()).replace('"id": "greet",', '"id": "greet", "id": "greet",'), "twice"),
        (json.dumps(document(skills=[{"id": "greeter", "candidate": "greeter"}] * 2)), "twice"),
        (json.dumps(document()).replace('"hello"', "NaN"), "suite.json:1:"),
        (json.dumps(document()).replace('"greeting.txt"', '"greeting.txt\\n"'), "control character"),
        (json.dumps(document(**{"schema-version": True})), "schema-version"),
    ],
    ids=["polarity", "broken", "big", "key", "path", "no fixture", "double key", "double id", "NaN", "newline", "true"],
)
def test_embraion_08_a_faulty_suite_is_explained_without_a_word_of_its_prompts(
    run: Command, skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path, text: str, says: str
) -> None:
    suite = greetings(suite=text)

    for refused in (run(suite), skilltrial("lint", suite, "--format", "embraion")):
        assert refused.code == 2
        assert says in refused.err
        assert CANARY not in refused.out + refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "out", ["suite.json", "start/agent.sh", "greeter/SKILL.md", "link", "inside/run", "greeter/run"]
)
def test_embraion_09_an_archive_is_never_written_over_or_into_a_source(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, out: str
) -> None:
    suite = greetings('#!/bin/sh\necho called >> "$CALLS"\n')
    (tmp_path / "link").symlink_to("suite.json")
    (tmp_path / "inside").symlink_to("start")
    sources = [suite, tmp_path / "start" / "agent.sh", tmp_path / "greeter" / "SKILL.md"]
    before = [path.read_bytes() for path in sources]
    calls = tmp_path / "calls"

    refused = run(suite, "--out", out, "--pass-env", "CALLS", env={"CALLS": str(calls)})

    assert refused.code == 2, refused.err
    assert not calls.exists()
    assert [path.read_bytes() for path in sources] == before


def test_embraion_09_a_skill_of_another_root_is_a_source_too(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings(**{"elsewhere/greeter/SKILL.md": SKILL})

    refused = run(suite, "--root", str(tmp_path / "elsewhere"), "--out", "elsewhere/greeter/run")

    assert refused.code == 2
    assert "skill 'greeter'" in refused.err


def test_embraion_10_an_archive_may_lie_behind_a_link_above_it(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")

    assert run(greetings(), "--attempts", "1", "--out", "alias/run").code == 0
    assert (tmp_path / "real" / "run" / "manifest.json").exists()


def test_embraion_14_an_effort_that_claude_code_does_not_have_is_refused(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    refused = run(greetings(), agent=("--host", "claude", "--effort", "ultra", "--pass-env", "ANTHROPIC_API_KEY"))

    assert refused.code == 2
    assert not (tmp_path / "run").exists()


def test_embraion_16_a_program_that_looks_elsewhere_for_skills_is_told_by_skill_dir(
    run: Command, greetings: Callable[..., Path]
) -> None:
    suite = greetings(OBEDIENT.replace(".agents/skills", "tools/know-how"))

    ran = run(suite, "--skill-dir", "tools/know-how")

    assert ran.code == 0, ran.err
    assert outcomes(ran.report) == {
        f"greet/{v}/{n}": v == "candidate" for v in ("baseline", "candidate") for n in (1, 2)
    }
    assert ran.report["pair-summary"]["baseline"]["improved"] == 2
    assert "agent.sh" not in ran.out


@pytest.mark.parametrize(
    "agent",
    [
        ("--host", "portable"),
        ("--host", "portable", "--host-command", "[]"),
        ("--host", "portable", "--model", "m", "--", "./agent.sh"),
        ("--host", "portable", "--skill-dir", "../x", "--", "./agent.sh"),
        ("--host", "codex", "--host-command", '["./agent.sh"]'),
        ("--host", "copilot", "--", "./agent.sh"),
    ],
)
def test_embraion_17_what_a_host_does_not_take_is_refused(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, agent: tuple[str, ...]
) -> None:
    assert run(greetings(), agent=agent).code == 2
    assert not (tmp_path / "run").exists()


def test_embraion_81_03_a_fixture_that_holds_the_skill_already_is_refused_before_the_first_session(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    refused = run(greetings(**{"start/.agents/skills/greeter/SKILL.md": SKILL}))

    assert refused.code == 2
    assert "already has .agents/skills/greeter" in refused.err
    assert not (tmp_path / "run").exists()


def test_embraion_81_14_nothing_around_an_agent_tells_that_it_is_watched(
    run: Command, greetings: Callable[..., Path]
) -> None:
    agent = "#!/bin/sh\ncat > /dev/null\n{ pwd; ls -a ..; ls -a ../..; env; } > around.txt\n"
    checks = [{"type": "file-absent", "path": "prompt.txt"}]
    (case,) = document(*checks)["cases"]
    suite = greetings(agent, document(cases=[case]))

    assert run(suite, "--attempts", "1").code == 0
    kept = [path for path in (suite.parent / "run").rglob("changed/*") if b"/" in path.read_bytes()]
    assert len(kept) == 2
    for around in kept:
        text = around.read_bytes().decode(errors="replace").lower()
        assert "embraion" not in text
        assert "skill-eval" not in text
        assert "prompt.txt" not in text
        assert CANARY.lower() not in text


# --- the archive, and judging it again -------------------------------------------------------------------------------


def test_the_archive_keeps_the_suite_as_written_its_long_form_the_losses_and_the_format(
    run: Command, skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings()

    assert run(suite, "--attempts", "1").code == 0

    inputs = tmp_path / "run" / "inputs"
    assert (inputs / "suite.source").read_bytes() == suite.read_bytes()
    assert json.loads((inputs / "suite.json").read_text())["cases"][0]["turns"] == [f"Greet the user. {CANARY}"]
    conversion = json.loads((inputs / "conversion.json").read_text())
    assert conversion["format"]["distribution"] == "skilltrial-format-embraion"
    assert conversion["changed"]
    assert CANARY not in json.dumps(conversion)
    parts = json.loads((tmp_path / "run" / "parts.json").read_text())
    assert [one["name"] for one in parts if one["kind"] == "format"] == ["embraion"]
    assert skilltrial("verify", "run").code == 0
    assert any(
        "converted from the format embraion" in one
        for one in skilltrial("grade", "run", "--format", "json").report["limitations"]
    )


WITHOUT = """\
import sys
for name in ("skilltrial_format_embraion", "skilltrial_format_embraion.format", "skilltrial_format_embraion.renderer"):
    sys.modules[name] = None
from skilltrial.__main__ import main
sys.exit(main())
"""
"""A command line on which the format can't be imported."""


def test_an_archive_is_judged_again_where_the_format_is_not_installed(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    first = run(greetings(), "--attempts", "1")

    again = subprocess.run(
        [sys.executable, "-c", WITHOUT, "grade", "run", "--format", "json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert first.code == again.returncode == 0, again.stderr
    assert again.stdout.encode() == (tmp_path / "run" / "report.json").read_bytes()


def test_a_run_is_taken_up_from_its_archive_alone(
    run: Command, skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings()
    assert run(suite, "--attempts", "2", "--max-sessions", "1", "--jobs", "1").code == 3
    suite.unlink()

    refused = skilltrial("run", "--resume", "run", "--format", "embraion", "--", "./agent.sh")
    ran = skilltrial("run", "--resume", "run", "--report", "embraion", "--", "./agent.sh")

    assert refused.code == 2
    assert ran.code == 0, ran.err
    assert ran.report["summary"]["candidate"] == {"total": 2, "behavior-passed": 2}


def test_grading_again_prints_the_same_embraion_report(
    run: Command, skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    ran = run(greetings())

    assert skilltrial("grade", "run", "--report", "embraion").out == ran.out


def test_a_suite_of_ours_has_an_embraion_report_without_what_only_embraion_has(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--report", "embraion", *AGENT)

    assert ran.code == 0, ran.err
    assert {one["case-digest"] for one in ran.report["runs"]} == {None}
    assert ran.report["pairs"][0]["candidate-vs"] == {"baseline": "improved"}


# --- the flags -------------------------------------------------------------------------------------------------------


def test_without_the_flag_the_error_names_the_flag_and_the_package(
    skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    for command in ("run", "lint", "rehearse"):
        refused = skilltrial(command, greetings(), *(() if command == "lint" else AGENT))

        assert refused.code == 2
        assert "--format embraion" in refused.err
        assert "skilltrial-format-embraion" in refused.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--format", "embrayon"), "did you mean 'embraion'"),
        (("--format", "embraion", "--format", "other"), "one format"),
        (("--format", "embraion", "--format", "json", "--format", "text"), "one form"),
        (("--format", "embraion", "--format", "json", "--report", "embraion"), "leave one out"),
        (("--format", "embraion", "--report", "json"), "--format json"),
        (("--format", "embraion", "--report", "nobody"), "no renderer called 'nobody'"),
        (("--format", "embraion", "--timeout", "3601"), "timeout"),
        (("--root", "."), "--format NAME"),
        (("--timeout", "5"), "--format NAME"),
    ],
)
def test_what_can_not_be_meant_is_refused_in_a_sentence(
    skilltrial: Command, greetings: Callable[..., Path], tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    refused = skilltrial("run", greetings(), "--out", "run", *arguments, *AGENT)

    assert refused.code == 2
    assert says in refused.err
    assert not (tmp_path / "run").exists()


def test_a_foreign_suite_and_a_form_of_the_report_are_both_named_by_format(
    skilltrial: Command, greetings: Callable[..., Path]
) -> None:
    ran = skilltrial("run", greetings(), "--out", "run", "--format", "embraion", "--format", "json", *AGENT)

    assert ran.code == 0, ran.err
    assert set(ran.verdicts.values()) == {"passed", "failed"}


def test_embraion_home_and_root_say_where_the_skills_are(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greetings(**{"home/greeter/SKILL.md": SKILL, "named/greeter/SKILL.md": SKILL})
    shutil.rmtree(tmp_path / "greeter")

    by_home = run(suite, "--attempts", "1", env={"EMBRAION_HOME": str(tmp_path / "home")})
    by_root = run(suite, "--attempts", "1", "--root", "named", "--out", "run2")
    nowhere = run(suite, "--attempts", "1", "--out", "run3")

    assert (by_home.code, by_root.code, nowhere.code) == (0, 0, 2)
    assert "suite.json:1:" in nowhere.err
