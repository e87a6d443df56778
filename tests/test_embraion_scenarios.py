"""Scenarios that an earlier tool of this kind tested, told on our command line (`test_embraion_NN`: its numbers)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
CANARY = "Crocuses-in-the-snow"
SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n"
NOTES_A_CALL = '#!/bin/sh\necho called >> "$CALLS"\ncat > /dev/null\necho hello > greeting.txt\n'


@pytest.fixture
def called(tmp_path: Path) -> Callable[[], bool]:
    """Whether an agent that notes its calls was started."""
    return (tmp_path / "calls").exists


@pytest.fixture
def noting(tmp_path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Environment and arguments for an agent that notes its calls."""
    return {"CALLS": str(tmp_path / "calls")}, ("--pass-env", "CALLS", *AGENT)


UNSAFE = [
    "../outside", "./start", "start/./notes", "start//notes", "start/../start", "C:/secret", "C:secret",
    "\\\\\\\\server\\\\share", "start\\\\notes", "/etc", "nul\\0byte",
]  # fmt: skip


@pytest.mark.parametrize(
    "place", ["workspace: {path}", "workspace: {{{path}: text}}"], ids=["workspace folder", "inline file"]
)
def test_embraion_04_an_unsafe_path_is_refused_wherever_a_suite_names_one(
    skilltrial: Command, lay: Lay, place: str
) -> None:
    head = "arms: [{id: bare}]\ngate: {arm: bare}\ncases:\n"
    cases = [
        f"  c{at}:\n    prompt: Do it.\n    {place.format(path=chr(34) + path + chr(34))}\n"
        "    expect: [{files: a.txt, exists: true}]\n"
        for at, path in enumerate(UNSAFE)
    ]
    lay({"start/notes": "here\n", "paths.trial.yaml": head + "".join(cases)})

    refused = skilltrial("lint", "paths.trial.yaml")

    assert refused.code == 2
    for at, path in enumerate(UNSAFE):
        line = 4 + 4 * at + 2
        assert f"paths.trial.yaml:{line}:" in refused.err, (path, refused.err)


@pytest.mark.parametrize("path", UNSAFE)
def test_embraion_04_a_skill_does_not_lie_at_an_unsafe_path(skilltrial: Command, lay: Lay, path: str) -> None:
    lay(
        {
            "start/SKILL.md": SKILL,
            "s.trial.yaml": f'skills: [{{id: greeter, folder: "{path}"}}]\ncases:\n  c:\n    prompt: Do it.\n'
            "    expect: [{files: a.txt, exists: true}]\n",
        }
    )

    refused = skilltrial("run", "s.trial.yaml", "--out", "run", *AGENT)

    assert refused.code == 2
    assert "s.trial.yaml:1:" in refused.err


@pytest.mark.parametrize(
    ("link", "target"),
    [("start/way", "/etc/hostname"), ("start/way", "../greeter/SKILL.md"), ("greeter/way", "SKILL.md")],
    ids=["out of the workspace, absolute", "out of the workspace, relative", "anywhere in a skill"],
)
def test_embraion_04_a_link_in_a_source_is_refused(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, link: str, target: str
) -> None:
    suite = greeter()
    (tmp_path / link).symlink_to(target)

    refused = skilltrial("run", suite, "--out", "run", *AGENT)

    assert refused.code == 2
    assert Path(link).name in refused.err
    assert not (tmp_path / "run").exists()


def test_embraion_04_a_link_above_a_source_that_the_user_named_is_followed_and_recorded(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    greeter()
    (tmp_path / "alias").symlink_to(tmp_path)

    ran = skilltrial("run", "alias/greeter.trial.yaml", "--out", "run", *AGENT)

    assert ran.code == 0, ran.err
    assert "link" in (tmp_path / "run" / "provenance.json").read_text()


@pytest.mark.parametrize(
    "child",
    ["sleep 300 &", "(sleep 300 &) &", "setsid sleep 300 &", "trap '' TERM; sleep 300 &"],
    ids=["background", "orphan", "own session", "ignores TERM"],
)
def test_embraion_05_a_time_limit_ends_the_whole_tree(
    skilltrial: Command, lay: Lay, still_running: Callable[[Path], list[int]], tmp_path: Path, child: str
) -> None:
    lay(
        {
            "start/agent.sh": f'#!/bin/sh\n{child}\necho $! $$ >> "$PIDS"\nsleep 300\n',
            "s.trial.yaml": "limits: {seconds: 1}\narms: [{id: bare}]\ngate: {arm: bare}\ncases:\n  c:\n"
            "    prompt: Do it.\n    workspace: start\n    expect: [{files: a.txt, exists: true}]\n",
        }
    )
    pids = tmp_path / "pids"

    ran = skilltrial(
        "run", "s.trial.yaml", "--out", "run", "--format", "json", "--pass-env", "PIDS", *AGENT, env={"PIDS": str(pids)}
    )

    assert ran.code == 3
    assert ran.trials["c/bare/1"]["ending"] == "time_limit"
    assert len(pids.read_text().split()) == 2
    assert still_running(pids) == []


def test_embraion_06_a_missing_file_exists_not_and_holds_no_value(skilltrial: Command, lay: Lay) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\ncat > /dev/null\n",
            "start/notes.txt": "no json\n",
            "s.trial.yaml": """\
arms: [{id: bare}]
gate: {arm: bare}
cases:
  c:
    prompt: Do it.
    workspace: start
    expect:
      - {id: exists, files: missing.txt, exists: true}
      - {id: absent, files: missing.txt, exists: false}
      - {id: contains, files: missing.txt, contains: a}
      - {id: lacks, files: missing.txt, lacks: a}
      - {id: field, files: notes.txt, pointer: /a, equals: 1}
      - {id: field_absent, files: missing.json, pointer: /a, present: false}
""",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 1
    outcomes = ran.outcomes("c/bare/1")
    assert outcomes.pop("absent") == "passed"
    assert set(outcomes.values()) == {"failed"}


def test_embraion_07_the_shipped_suite_loads_with_four_cases_of_both_polarities(skilltrial: Command) -> None:
    told = skilltrial("lint", "organization", "--expand")

    assert told.code == 0
    assert told.out.count("polarity: positive") == 2
    assert told.out.count("polarity: negative") == 2
    assert "4 cases" in skilltrial("lint", "organization").out


GOOD = f"""\
arms: [{{id: bare}}]
gate: {{arm: bare}}
cases:
  c:
    prompt: {CANARY}
    workspace: {{a.txt: {CANARY}}}
    expect: [{{files: a.txt, contains: {CANARY}}}]
"""


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("    prompt", "    polarity: sideways\n    prompt"),
        GOOD.replace("prompt:", f"prompt: [{CANARY}"),
        '{"cases": {"c": {"prompt": "' + CANARY,
        GOOD + f"# {CANARY}" + "x" * 5_000_000,
        GOOD.replace("contains", f"contians: {CANARY}, contains"),
        GOOD.replace("a.txt, contains", "a.txt, equals_file: nowhere.txt, contains"),
        GOOD.replace("cases:", f"{CANARY}: 1\ncases:").replace(f"{CANARY}: 1", "caess: 1"),
    ],
    ids=["polarity", "broken YAML", "broken JSON", "too big", "unknown option", "two questions", "unknown key"],
)
def test_embraion_08_a_faulty_suite_is_explained_without_a_word_of_its_prompts(
    skilltrial: Command, lay: Lay, tmp_path: Path, text: str
) -> None:
    name = "s.trial.json" if text.startswith("{") else "s.trial.yaml"
    lay({name: text})

    for refused in (skilltrial("run", name, "--out", "run", *AGENT), skilltrial("lint", name)):
        assert refused.code == 2
        assert name in refused.err
        assert CANARY not in refused.out + refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "out",
    [
        "greeter.trial.yaml",
        "start/agent.sh",
        "greeter/SKILL.md",
        "link",
        "start",
        "start/run",
        "start/deep/run",
        "greeter/run",
        "inside/run",
    ],
)
def test_embraion_09_an_archive_is_never_written_over_or_into_a_source(
    skilltrial: Command,
    greeter: Callable[..., Path],
    called: Callable[[], bool],
    noting: Any,
    tmp_path: Path,
    out: str,
) -> None:
    suite = greeter(NOTES_A_CALL)
    (tmp_path / "link").symlink_to("greeter.trial.yaml")
    (tmp_path / "inside").symlink_to("start")
    sources = [suite, tmp_path / "start" / "agent.sh", tmp_path / "greeter" / "SKILL.md"]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in sources]
    env, arguments = noting

    refused = skilltrial("run", suite, "--out", out, *arguments, env=env)

    assert refused.code == 2, refused.err
    assert not called()
    assert [hashlib.sha256(path.read_bytes()).digest() for path in sources] == before
    assert sorted(path.name for path in (tmp_path / "start").rglob("*")) == ["agent.sh"]
    assert sorted(path.name for path in (tmp_path / "greeter").rglob("*")) == ["SKILL.md"]


def test_embraion_10_an_archive_may_lie_behind_a_link_that_the_system_put_above_it(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter()
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")

    ran = skilltrial("run", suite, "--out", "alias/run", *AGENT)

    assert ran.code == 0, ran.err
    assert (tmp_path / "real" / "run" / "manifest.json").exists()
    assert skilltrial("verify", "alias/run").code == 0


def test_embraion_11_two_skills_with_their_previous_forms_make_three_arms(skilltrial: Command, lay: Lay) -> None:
    lay(
        {
            f"{when}/{name}/SKILL.md": f"---\nname: {name}\ndescription: Of {when}.\n---\nBody.\n"
            for name in ("greeter", "signer")
            for when in ("now", "then")
        }
        | {
            "start/agent.sh": "#!/bin/sh\ncat > /dev/null\nls .agents/skills > skills.txt 2>/dev/null; touch done.txt",
            "s.trial.yaml": """\
skills:
  - {id: greeter, folder: now/greeter, previous: then/greeter}
  - {id: signer, folder: now/signer, previous: then/signer}
arms:
  - {id: without_skill}
  - {id: with_skill, skills: [greeter, signer]}
  - {id: previous, skills: [greeter@previous, signer@previous]}
cases:
  c:
    prompt: Do it.
    workspace: start
    expect:
      - {files: done.txt, exists: true}
      - {id: installed, files: skills.txt, equals: "greeter\\nsigner\\n", arms: [with_skill, previous]}
""",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 0, ran.err + ran.out
    assert set(ran.verdicts) == {"c/without_skill/1", "c/with_skill/1", "c/previous/1"}
    skills = {one["id"]: one["sha256"] for one in ran.report["digests"]["skills"]}
    assert set(skills) == {"greeter", "signer", "greeter@previous", "signer@previous"}
    assert len(set(skills.values())) == 4
    assert [(one["reference"], one["outcome"]) for one in ran.report["pairs"]] == [
        ("without_skill", "tied-pass"),
        ("previous", "tied-pass"),
    ]
    assert {row["evidence"] for trial in ran.trials.values() for row in trial["trigger"]} == {"unverified"}


def test_embraion_16_a_program_that_looks_elsewhere_for_skills_is_told_by_skill_dir(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter(
        "#!/bin/sh\ncat > /dev/null\nif [ -f tools/know-how/greeter/SKILL.md ]; then echo hello > greeting.txt; fi\n"
    )

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", "--skill-dir", "tools/know-how", *AGENT)

    assert ran.code == 0, ran.err
    assert ran.verdicts == {"greet/with_skill/1": "passed", "greet/without_skill/1": "failed"}
    assert ran.report["pair_summary"][0]["improved"] == 1
    assert {row["evidence"] for trial in ran.trials.values() for row in trial["trigger"]} == {"unverified"}
    assert "agent.sh" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--host", "portable"), "command"),
        (("--host", "portable", "--host-command", "[]"), "command"),
        (("--host", "portable", "--host-command", "agent"), "JSON array"),
        (("--host", "portable", "--host-command", '["a"]', "--", "b"), "twice"),
        (("--host", "portable", "--model", "m", "--", "./agent.sh"), "model"),
        (("--host", "portable", "--effort", "high", "--", "./agent.sh"), "effort"),
        (("--host", "portable", "--host-binary", "/bin/sh", "--", "./agent.sh"), "binary"),
        (("--host", "portable", "--skill-dir", "../x", "--", "./agent.sh"), "skill_dir"),
        (("--host", "portable", "--skill-dir", "/x", "--", "./agent.sh"), "skill_dir"),
        (("--host", "copilot", "--", "./agent.sh"), "copilot"),
    ],
)
def test_embraion_17_what_the_portable_host_does_not_take_is_refused_before_anything_starts(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    refused = skilltrial("run", greeter(), "--out", "run", *arguments)

    assert refused.code == 2
    assert says in refused.err
    assert not (tmp_path / "run").exists()


def test_embraion_17_a_program_that_ends_with_another_code_than_0_has_failed_as_a_host(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter("#!/bin/sh\necho hello > greeting.txt\nexit 3\n")

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", "--retries", "0", *AGENT)

    assert ran.code == 3
    for trial in ran.trials.values():
        assert (trial["ending"], trial["exit_codes"]) == ("host_failed", [3])
        assert trial["verdict"]["kind"] == "incomplete"
