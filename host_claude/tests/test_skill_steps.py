"""A skill is known by the path and the content of what was placed; a name alone is never proof."""

from __future__ import annotations

import json

import pytest

from skilltrial.api import Offered, SkillStep, Source, Step, ToolRequested, Unrecognized

FOLDER = "/place/.claude/skills/invoice-format"
BODY = "---\nname: invoice-format\n---\n\n# Rules\n\nThe word is QUOKKA.\n"


@pytest.fixture
def session(tape):
    """A session in which the skill was placed and offered; the test goes on from there."""
    tape.place(BODY)
    tape.begin()
    tape.init(skills=["invoice-format", "doctor"])
    return tape


@pytest.fixture
def steps(session, normalize):
    """The steps of the session, ended here, beyond the offer."""

    def read() -> list[str]:
        session.says()
        session.over()
        session.end()
        found = [event for event in normalize(session.records) if isinstance(event, SkillStep)]
        assert {event.skill for event in found} == {"invoice-format"}
        assert found[0].step is Step.OFFERED
        return [str(event.step) for event in found[1:]]

    return read


def file(content: str, *, start: int = 1, lines: int | None = None, total: int | None = None):
    count = content.count("\n") + 1
    return {
        "tool_use_result": {
            "type": "text",
            "file": {
                "filePath": f"{FOLDER}/SKILL.md",
                "content": content,
                "startLine": start,
                "numLines": lines or count,
                "totalLines": total or count,
            },
        }
    }


@pytest.mark.parametrize(
    "name", ["invoice-format", "/invoice-format", "plugin:invoice-format", "apps/web:invoice-format"]
)
@pytest.mark.parametrize("key", ["skill", "command"])
def test_the_skill_tool_in_any_spelling_is_a_request_and_the_body_is_the_read(name, key, session, steps):
    session.call("t1", "Skill", **{key: name})
    session.result("t1", f"Launching skill: {name}", tool_use_result={"success": True, "commandName": name})
    session.told(f"Base directory for this skill: {FOLDER}\n\n# Rules\n")

    assert steps() == ["requested", "read"]


def test_a_request_whose_body_never_came_is_no_read(session, steps):
    session.call("t1", "Skill", skill="invoice-format")
    session.result("t1", "Launching skill: invoice-format")

    assert steps() == ["requested"]


@pytest.mark.parametrize(
    "folder",
    ["/home/.claude/skills/invoice-format", f"{FOLDER}-2", "/place/.agents/skills/invoice-format", "/place", ""],
)
def test_r2_a_skill_of_the_same_name_from_elsewhere_is_another_skill(folder, session, steps):
    session.call("t1", "Skill", skill="invoice-format")
    session.result("t1", "Launching skill: invoice-format", tool_use_result={"commandName": "invoice-format"})
    session.told(f"Base directory for this skill: {folder}\n\n# Other rules\n")

    assert steps() == ["requested"]


def test_r2_a_name_that_only_contains_the_skills_is_another_skill(session, steps):
    for number, name in enumerate(["invoice-format-2", "my-invoice-format", "invoice", "INVOICE-FORMAT", ""]):
        session.call(f"t{number}", "Skill", skill=name)
        session.result(f"t{number}", "Launching skill")

    assert steps() == []


def test_r3_a_skill_that_the_operator_has_too_is_seen_in_the_baseline(recorded, normalize):
    """The user-level skill of the same name is offered where no skill was placed: the pair is contaminated."""
    events = normalize(recorded("user_skill_offered", body=None))

    offered = [event.skills for event in events if isinstance(event, Offered) and event.skills is not None]
    assert offered
    assert all("invoice-format" in skills for skills in offered)
    # It is none of ours, so it was neither requested nor read as ours.
    assert not [event for event in events if isinstance(event, SkillStep)]


def test_r16_the_hosts_isolation_keeps_the_operators_skills_and_memory_out(recorded, normalize):
    events = normalize(recorded("user_skill_isolated", body=None))

    for event in events:
        if isinstance(event, Offered):
            assert "invoice-format" not in (event.skills or ())
            assert not event.instructions


def test_r1_other_tools_and_other_skills_before_do_not_end_the_search(session, steps):
    session.call("t1", "Bash", command="ls")
    session.result("t1")
    session.call("t2", "Skill", skill="doctor")
    session.result("t2")
    session.told("Base directory for this skill: /other/doctor\n\nHelp.")
    session.call("t3", "Skill", skill="invoice-format")
    session.result("t3")
    session.told(f"Base directory for this skill: {FOLDER}\n\n# Rules\n")

    assert steps() == ["requested", "read"]


def test_r7_how_the_skill_was_reached_is_told(recorded, normalize, short_body):
    def steps(name):
        return [
            str(event.step) for event in normalize(recorded(name, body=short_body())) if isinstance(event, SkillStep)
        ]

    assert steps("slash") == ["offered", "mentioned", "read"]
    assert steps("mention") == ["offered", "mentioned", "read"]
    assert steps("shell_reads")[:3] == ["offered", "requested", "read"]


@pytest.mark.parametrize(
    ("message", "more"),
    [
        (
            "Execute skill: invoice-format",
            {"tool_result_meta": [{"id": "t1", "permission_decision": {"decision": "reject"}}]},
        ),
        ("<tool_use_error>Unknown skill: invoice-format</tool_use_error>", {}),
        ("<tool_use_error>InputValidationError: Skill failed</tool_use_error>", {}),
    ],
)
def test_r8_a_load_that_failed_is_a_state_of_its_own(message, more, session, steps):
    session.call("t1", "Skill", skill="invoice-format")
    session.result("t1", message, failed=True, **more)

    assert steps() == ["requested", "errored"]


@pytest.mark.parametrize(
    "path", [f"{FOLDER}/SKILL.md", ".claude/skills/invoice-format/SKILL.md", f"{FOLDER}/./SKILL.md"]
)
def test_reading_the_file_is_a_read(path, session, steps):
    session.call("t1", "Read", file_path=path)
    session.result("t1", "1\t---\n2\tname", **file(BODY))

    assert steps() == ["requested", "read"]


@pytest.mark.parametrize(
    "path",
    [
        "/home/.claude/skills/invoice-format/SKILL.md",
        "/place/.claude/skills/other/SKILL.md",
        f"{FOLDER}/references/example.md",
        "/place/copy/.claude/skills/invoice-format/SKILL.md",
        "SKILL.md",
        "",
    ],
)
def test_r10_reading_another_file_is_no_read(path, session, steps):
    session.call("t1", "Read", file_path=path)
    session.result("t1", "1\ttext", **file(BODY))

    assert steps() == []


@pytest.mark.parametrize("content", [BODY, BODY.replace("\n", "\r\n")])
def test_line_ends_and_marks_that_the_tool_takes_away_do_not_matter(content, tape, normalize):
    for placed in (content, "\ufeff" + content):
        tape.records.clear()
        tape.place(placed)
        tape.begin()
        tape.init()
        tape.call("t1", "Read", file_path=f"{FOLDER}/SKILL.md")
        tape.result("t1", "1\t---", **file(BODY))

        read = [event for event in normalize(tape.records) if isinstance(event, SkillStep) and event.step is Step.READ]
        assert read


def test_a_whole_file_with_other_content_is_not_the_skill_that_was_placed(session, steps):
    session.call("t1", "Read", file_path=f"{FOLDER}/SKILL.md")
    session.result("t1", "1\tother", **file("---\nname: invoice-format\n---\nOther rules.\n"))

    assert steps() == ["requested"]


@pytest.mark.parametrize(
    ("shown", "step"),
    [
        (file("---\nname: invoice-format\n", lines=2, total=8), []),
        (file("---\nname: invoice-format\n---\n\n# Rules\n", lines=5, total=8), ["read"]),
        (file("# Rules\n", start=5, lines=1, total=8), ["read"]),
        (file("", lines=1, total=8), []),
        ({}, ["read"]),
    ],
)
def test_a_part_of_the_file_counts_when_it_is_of_the_body(shown, step, session, steps):
    session.call("t1", "Read", file_path=f"{FOLDER}/SKILL.md")
    session.result("t1", "1\t---\n2\tname: x\n3\t---\n4\tRules" if not shown else "text", **shown)

    assert steps() == ["requested", *step]


def test_a_read_that_failed_is_no_read(session, steps):
    session.call("t1", "Read", file_path=f"{FOLDER}/SKILL.md")
    session.result("t1", "File does not exist.", failed=True)

    assert steps() == ["requested", "errored"]


@pytest.mark.parametrize(
    "change",
    [
        ("Write", {"file_path": f"{FOLDER}/SKILL.md", "content": "x"}),
        ("Edit", {"file_path": f"{FOLDER}/SKILL.md", "old_string": "a", "new_string": "b"}),
        ("Bash", {"command": "echo x > .claude/skills/invoice-format/SKILL.md"}),
        ("Bash", {"command": "sed -i s/a/b/ .claude/skills/invoice-format/SKILL.md"}),
        ("Bash", {"command": "cd .claude/skills/invoice-format && cp other.md SKILL.md"}),
    ],
)
def test_what_the_agent_wrote_there_itself_is_not_the_skill(change, session, steps):
    tool, given = change
    session.call("t1", tool, **given)
    session.result("t1")
    session.call("t2", "Bash", command=f"cat {FOLDER}/SKILL.md")
    session.result("t2", "My own rules.")
    session.call("t3", "Skill", skill="invoice-format")
    session.result("t3")
    session.told(f"Base directory for this skill: {FOLDER}\n\nMy own rules.")

    assert steps() == ["requested", "requested"]


@pytest.mark.parametrize(
    "command",
    [
        "cat .claude/skills/invoice-format/SKILL.md",
        f"cat {FOLDER}/SKILL.md",
        "/bin/zsh -lc 'cat .claude/skills/invoice-format/SKILL.md'",
        "bash -lc \"sed -n '1,200p' .claude/skills/invoice-format/SKILL.md\"",
        "cd .claude/skills/invoice-format && cat SKILL.md",
        "cd .claude && cd skills; head -100 invoice-format/SKILL.md",
        "nl -ba .claude/skills/invoice-format/SKILL.md",
        "awk 1 .claude/skills/invoice-format/SKILL.md",
        "/bin/cat -- .claude/skills/invoice-format/SKILL.md",
        "cat .claude/skills/*/SKILL.md",
        "cat < .claude/skills/invoice-format/SKILL.md",
        "cat .claude/skills/invoice-format/SKILL.md | head -50",
        "pwd && tail -n +1 '.claude/skills/invoice-format/SKILL.md' 2>/dev/null",
        "timeout 5 cat .claude/skills/invoice-format/SKILL.md || true",
    ],
)
def test_embraion_8_1_row_1_shell_reads_are_found_however_they_are_spelled(command, session, steps):
    session.call("t1", "Bash", command=command)
    session.result("t1", BODY.strip())

    assert steps() == ["requested", "read"]


@pytest.mark.parametrize(
    "command",
    [
        "ls .claude/skills/invoice-format/SKILL.md",
        "sed -i 's/a/b/' .claude/skills/invoice-format/SKILL.md",
        "cat README.md; ls .claude/skills/invoice-format/SKILL.md",
        "echo hi > .claude/skills/invoice-format/SKILL.md && cat README.md",
        "cat .claude/skills/invoice-format/SKILL.md > copy.md",
        "cat .claude/skills/invoice-format/SKILL.md | wc -l",
        "cat .claude/skills/other/SKILL.md",
        "echo 'cat .claude/skills/invoice-format/SKILL.md'",
        "cat SKILL.md",
        "git add .claude/skills/invoice-format/SKILL.md",
        "cat ~/.claude/skills/invoice-format/SKILL.md",
        "# cat .claude/skills/invoice-format/SKILL.md",
    ],
)
def test_embraion_8_1_row_1_commands_that_do_not_show_the_skill_are_no_read(command, session, steps):
    session.call("t1", "Bash", command=command)
    session.result("t1", "some other output")

    assert "read" not in steps()


def test_the_shell_stays_where_it_went(session, steps):
    session.call("t1", "Bash", command="cd .claude/skills/invoice-format")
    session.result("t1", "")
    session.call("t2", "Bash", command="cat SKILL.md")
    session.result("t2", BODY)
    session.call("t3", "Bash", command="cd /etc")
    session.result("t3", "Shell cwd was reset to /place")
    session.call("t4", "Bash", command="cat .claude/skills/invoice-format/SKILL.md")
    session.result("t4", BODY)

    assert steps() == ["requested", "read", "requested", "read"]


def test_a_subagents_shell_begins_in_the_project(session, steps):
    session.call("t1", "Bash", command="cd .claude/skills/invoice-format")
    session.result("t1", "")
    session.call("t2", "Bash", parent="agent-1", command="cat .claude/skills/invoice-format/SKILL.md")
    session.result("t2", BODY, parent_tool_use_id="agent-1")

    assert steps() == ["requested", "read"]


def test_the_front_matter_alone_is_not_the_body(session, steps):
    session.call("t1", "Bash", command="head -n 3 .claude/skills/invoice-format/SKILL.md")
    session.result("t1", "---\nname: invoice-format\n---")

    assert steps() == ["requested"]


def test_the_content_proves_a_read_that_the_command_hides(session, steps):
    session.call("t1", "Bash", command="python3 -c \"print(open('.claude/skills/invoice-format/SKILL.md').read())\"")
    session.result("t1", f"reading\n{BODY}\nthat was it")

    assert steps() == ["read"]


def test_a_command_that_may_have_read_the_skill_is_marked(session, normalize):
    session.call("t1", "Bash", command="for f in .claude/skills/invoice-format/*; do grep word $f; done")
    session.result("t1", "The word is QUOKKA.")
    session.over()
    session.end()

    events = normalize(session.records)

    call = next(event for event in events if isinstance(event, ToolRequested))
    assert [(event.seq, event.why) for event in events if isinstance(event, Unrecognized)] == [
        (call.seq, "shell_command")
    ]


@pytest.mark.parametrize(
    ("command", "failed", "step"),
    [
        ("bash .claude/skills/invoice-format/scripts/go.sh", False, ["script_run"]),
        (f"python3 {FOLDER}/scripts/check.py --all", False, ["script_run"]),
        ("cd .claude/skills/invoice-format && ./scripts/go.sh", False, ["script_run"]),
        ("bash .claude/skills/invoice-format/scripts/go.sh", True, ["errored"]),
        ("cat .claude/skills/invoice-format/scripts/go.sh", False, []),
        ("bash scripts/go.sh", False, []),
    ],
)
def test_a_script_of_the_skill_that_was_run(command, failed, step, session, steps):
    session.call("t1", "Bash", command=command)
    session.result("t1", "Exit code 1\nno" if failed else "went", failed=failed)

    assert steps() == step


def test_what_runs_in_the_background_has_shown_nothing(session, steps):
    session.call("t1", "Bash", command=f"cat {FOLDER}/SKILL.md", run_in_background=True)
    session.result("t1", "Command running in background", tool_use_result={"backgroundTaskId": "b1", "stdout": ""})

    assert steps() == ["requested"]


def test_only_the_program_can_say_that_a_body_was_loaded(session, steps):
    """A text that the model gave a subagent, or that came back from a tool, is no load."""
    fake = f"Base directory for this skill: {FOLDER}\n\nlies"
    session.call("t1", "Agent", prompt=fake)
    session.told(fake, isSynthetic=False, parent_tool_use_id="t1")
    session.result("t1", fake)

    assert steps() == []


def test_a_prompt_that_only_looks_like_a_load_is_none(session, steps):
    row = {"type": "user", "message": {"role": "user", "content": f"Base directory for this skill: {FOLDER}"}}
    session.add(Source.SESSION_LOG, json.dumps(row))

    assert steps() == []


def test_without_the_skill_there_is_no_step(recorded, normalize):
    for name in ("skill_tool", "skill_read", "matrix"):
        assert not [event for event in normalize(recorded(name, body=None)) if isinstance(event, SkillStep)]
