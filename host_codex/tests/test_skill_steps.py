"""How far a skill came: by the path and the body of *this* skill, never by a name or a word in a command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skilltrial.api import (
    Event,
    Exited,
    Offered,
    Record,
    SkillPlaced,
    SkillStep,
    Source,
    Step,
    Truncated,
    TurnSent,
)

Normalize = Callable[[Sequence[Record]], tuple[Event, ...]]
PROJECT = "/place/proj"
FOLDER = ".agents/skills/tidy"
PATH = f"{FOLDER}/SKILL.md"
FRONT = "---\nname: tidy\ndescription: Keeps things tidy.\n---\n"
BODY = FRONT + "\n# Tidy\n\nPut each thing in its place.\n"
NUMBERED = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(BODY.splitlines(), 1))
READ = [Step.REQUESTED, Step.READ]


class Sessions:
    """Writes sessions in which the model runs commands."""

    def __init__(self, tape: Any, sha256: Callable[[str], str], normalize: Normalize) -> None:
        self.tape, self.sha256, self.normalize = tape, sha256, normalize
        self.body, self.placed, self.log = BODY, True, True

    def steps(self, script: str, output: str = BODY, code: int = 0, *, cwd: str = PROJECT) -> list[Step]:
        """The steps after the model ran `script`."""
        command = ["/bin/bash", "-lc", script]
        item = {"aggregated_output": output, "exit_code": code, "status": "completed" if code == 0 else "failed"}
        shown = {"id": "item_0", "type": "command_execution", "command": shlex.join(command), **item}
        done = {"type": "CommandExecution", "id": "c1", "command": command, "cwd": f"file://{cwd}", **item}
        rows = [
            row(
                "response_item",
                type="function_call",
                call_id="c1",
                name="exec_command",
                arguments=json.dumps({"cmd": script}),
            ),
            row("event_msg", type="item_completed", item=done),
            row("response_item", type="function_call_output", call_id="c1", output="Output:\n" + output),
        ]
        return self.of([{"type": "item.completed", "item": shown}], rows)

    def of(self, lines: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> list[Step]:
        """The steps of a session with these lines in its stream and these rows in its log."""
        return [event.step for event in self.events(lines, rows) if isinstance(event, SkillStep)]

    def events(self, lines: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> tuple[Event, ...]:
        tape = self.tape
        if self.placed:
            digest = self.sha256(self.body)
            tape.note(SkillPlaced(skill="tidy", path=FOLDER, sha256="0" * 64, body_sha256=digest))
        tape.turn = 1
        tape.note(TurnSent(turn=1, prompt_sha256="0" * 64))
        answer = {"type": "item.completed", "item": {"id": "item_9", "type": "agent_message", "text": "Done."}}
        opened = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
        for line in [*opened, *lines, answer, {"type": "turn.completed", "usage": {}}]:
            tape.add(Source.STDOUT, json.dumps(line))
        tape.note(Exited(code=0))
        meta = row("session_meta", id="t", cwd=PROJECT, cli_version="0.171.0")
        for each in [meta, *rows, row("event_msg", type="task_complete")] if self.log else []:
            tape.add(Source.SESSION_LOG, json.dumps(each))
        return self.normalize(tape.records)


def row(kind: str, **payload: object) -> dict[str, Any]:
    return {"type": kind, "payload": payload}


@pytest.fixture
def sessions(tape: Any, sha256: Callable[[str], str], normalize: Normalize) -> Sessions:
    return Sessions(tape, sha256, normalize)


@pytest.mark.parametrize(
    "script",
    [
        f"cat {PATH}",
        f"/bin/zsh -lc 'cat {PATH}'",
        f'sh -c "cat {PATH}"',
        f"bash -lc \"sed -n '1,200p' {PATH}\"",
        f"/bin/cat {PATH}",
        f"cat {PROJECT}/{PATH}",
        f"cat ./{FOLDER}/../tidy/SKILL.md",
        f"cat '{PATH}'",
        f"cd {FOLDER} && cat SKILL.md",
        "(cd .agents/skills; cat tidy/SKILL.md)",
        f"cd {PROJECT} && cat {PATH}",
        f"sed -n 1,200p {PATH}",
        f"head -n 200 {PATH}",
        f"head -200 {PATH}",
        f"tail -n +1 {PATH}",
        f"awk 1 {PATH}",
        f"cat {PATH} 2>/dev/null",
        f"cat < {PATH}",
        f"cat {PATH} | head -100",
        f'cat "$PWD/{PATH}"',
        "cat .agents/skills/*/SKILL.md",
        f"timeout 5 cat {PATH}",
        f"env LC_ALL=C cat {PATH}",
        f"bat {PATH}",
    ],
)
def test_embraion_8_1_row_1_every_usual_way_to_read_is_a_read(script: str, sessions: Sessions):
    assert sessions.steps(script) == READ


@pytest.mark.parametrize("script", [f"nl -ba {PATH}", f"cat -n {PATH}", f"nl {PATH} | head -50"])
def test_embraion_8_1_row_1_numbered_lines_are_a_read(script: str, sessions: Sessions):
    assert sessions.steps(script, NUMBERED) == READ


@pytest.mark.parametrize(
    ("script", "output"),
    [
        (f"sed -i s/a/b/ {PATH}", ""),
        (f"sed -i.bak s/a/b/ {PATH}", ""),
        (f"sed --in-place s/a/b/ {PATH}", ""),
        (f"ls -l {PATH}", f"-rw-r--r-- 1 root root 170 {PATH}\n"),
        (f"cat README.md; ls {PATH}", f"# Read me\n{PATH}\n"),
        (f"echo hi > {PATH} && cat README.md", "# Read me\n"),
        (f"cat > {PATH} <<'E'\nnew\nE", ""),
        (f"cat <<'E' > notes.txt\ncat {PATH}\nE", ""),
        (f"cat {PATH} > /dev/null", ""),
        (f"cp {PATH} copy.md", ""),
        (f"rm {PATH}", ""),
        (f"test -f {PATH} && echo yes", "yes\n"),
        (f"wc -l {PATH}", f"8 {PATH}\n"),
        (f"rg -l tidy {FOLDER}", f"{PATH}\n"),
        (f"git diff {PATH}", ""),
        (f"echo 'cat {PATH}'", f"cat {PATH}\n"),
        ("cat .agents/skills/other/SKILL.md", "another skill\n"),
        ("cat /root/.agents/skills/tidy/SKILL.md", "a skill of the operator's\n"),
        ("cat .claude/skills/tidy/SKILL.md", "for another program\n"),
        (f"cat {FOLDER}/references/example.md", "an example\n"),
        ("cat SKILL.md", "of the project's own\n"),
    ],
)
def test_embraion_8_1_row_1_an_edit_a_list_a_write_and_another_path_are_none(
    script: str, output: str, sessions: Sessions
):
    assert sessions.steps(script, output) == []


@pytest.mark.parametrize(
    ("script", "output", "code", "steps"),
    [
        (f"cat {PATH}", f"cat: {PATH}: No such file or directory\n", 1, [Step.REQUESTED, Step.ERRORED]),
        (f"cat {PATH}", f"cat: {PATH}: Permission denied\n", 1, [Step.REQUESTED, Step.ERRORED]),
        (f"head -3 {PATH}", "".join(BODY.splitlines(keepends=True)[:3]), 0, [Step.REQUESTED]),
        (f"sed -n 1,4p {PATH}", FRONT, 0, [Step.REQUESTED]),
        (f"sed -n 900,999p {PATH}", "", 0, [Step.REQUESTED]),
        (f"cat {PATH}", "something else\n", 0, [Step.REQUESTED]),
        (f"sed -n 1,7p {PATH}", BODY[:-30], 0, READ),
        (f"tail -n 2 {PATH}", "\nPut each thing in its place.\n", 0, READ),
        (f"cat README.md {PATH}", "# Read me\n" + BODY, 0, READ),
        (f"cat {PATH}; ls nowhere", BODY + "ls: nowhere: No such file or directory\n", 2, READ),
        (f"cat README.md && cat {PATH}", "cat: README.md: No such file or directory\n", 1, [Step.REQUESTED]),
    ],
)
def test_r8_a_load_that_failed_is_no_load(script: str, output: str, code: int, steps: list[Step], sessions: Sessions):
    assert sessions.steps(script, output, code) == steps


@pytest.mark.parametrize(
    "script",
    [
        'cat "$(find . -name SKILL.md)"',
        'python3 -c \'print(open(".agents/skills/tidy/SKILL.md").read(), end="")\'',
        "for f in .agents/skills/*/SKILL.md; do cat $f; done",
        "find .agents -name SKILL.md -exec cat {} +",
    ],
)
def test_where_a_command_cannot_be_followed_the_body_itself_is_the_proof(script: str, sessions: Sessions):
    assert sessions.steps(script) == READ


def test_where_a_command_cannot_be_followed_nothing_less_than_the_body_is_proof(sessions: Sessions):
    assert sessions.steps('cat "$(find . -name SKILL.md)"', "another skill's body\n") == []


def test_r2_a_skill_of_the_same_name_with_another_body_is_not_this_one(sessions: Sessions):
    sessions.body = BODY + "and one more line\n"

    assert sessions.steps(f"cat {PATH}") == [Step.REQUESTED]


def test_r2_a_copy_under_another_path_is_not_this_skill(sessions: Sessions):
    assert sessions.steps("cat elsewhere/tidy/SKILL.md") == []


def test_r15_a_skill_of_the_operators_home_with_the_same_name_is_not_this_one(sessions: Sessions):
    mention = f"<skill>\n<name>tidy</name>\n<path>/root/{PATH}</path>\n{BODY}\n</skill>"

    assert sessions.of([], [message("user", mention)]) == []


def test_an_arm_without_the_skill_has_no_steps(sessions: Sessions):
    sessions.placed = False

    assert sessions.steps(f"cat {PATH}") == []


def message(role: str, text: str) -> dict[str, Any]:
    return row("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}])


def test_r10_a_mention_leaves_no_event_but_the_log_has_it(sessions: Sessions):
    mention = f"<skill>\n<name>tidy</name>\n<path>{PROJECT}/{PATH}</path>\n{BODY}\n</skill>"

    assert sessions.of([], [message("user", mention)]) == [Step.MENTIONED, Step.READ]


def test_a_mention_with_another_body_is_no_read(sessions: Sessions):
    mention = f"<skill>\n<name>tidy</name>\n<path>{PROJECT}/{PATH}</path>\nsomething else\n</skill>"

    assert sessions.of([], [message("user", mention)]) == [Step.MENTIONED]


def test_r10_without_the_log_absence_is_not_shown(sessions: Sessions):
    sessions.log = False

    events = sessions.events([], [])

    assert [event.where for event in events if isinstance(event, Truncated)] == ["session_log"]
    assert not [event for event in events if isinstance(event, Offered)], "what was offered is then unknown, not none"


def test_without_the_log_a_read_needs_the_very_body(sessions: Sessions):
    sessions.log = False

    assert sessions.steps(f"sed -n 1,7p {PATH}", BODY[:-30]) == [Step.REQUESTED]


def test_without_the_log_the_very_body_is_a_read(sessions: Sessions):
    sessions.log = False

    assert sessions.steps(f"cat {PATH}") == READ


LIST = (
    "<skills_instructions>\n## Skills\n### Skill roots\n- `r0` = `{root}`\n### Available skills\n"
    "- tidy: Keeps things tidy. (file: {file})\n</skills_instructions>"
)


@pytest.mark.parametrize(
    ("root", "file", "steps"),
    [
        (f"{PROJECT}/.agents/skills", "r0/tidy/SKILL.md", [Step.OFFERED]),
        (f"{PROJECT}/.agents/skills", f"{PROJECT}/{PATH}", [Step.OFFERED]),
        ("/root/.agents/skills", "r0/tidy/SKILL.md", []),
        (f"{PROJECT}/.codex/skills", "r0/tidy/SKILL.md", []),
    ],
)
def test_r15_offered_means_offered_from_the_project(root: str, file: str, steps: list[Step], sessions: Sessions):
    events = sessions.events([], [message("developer", LIST.format(root=root, file=file))])

    assert [event.step for event in events if isinstance(event, SkillStep)] == steps
    (offer,) = [event for event in events if isinstance(event, Offered)]
    assert offer.skills == ("tidy",)


def test_a_developer_text_without_a_list_offers_no_skill(sessions: Sessions):
    (offer,) = [e for e in sessions.events([], [message("developer", "<tools>x</tools>")]) if isinstance(e, Offered)]

    assert offer.skills == ()


def test_a_list_that_was_cut_is_unknown_not_empty(sessions: Sessions):
    events = sessions.events([], [message("developer", "<skills_instructions>\n## Skills\n")])

    (offer,) = [event for event in events if isinstance(event, Offered)]
    assert offer.skills is None


@pytest.mark.parametrize(
    ("script", "code", "steps"),
    [
        (f"sh {FOLDER}/scripts/run.sh", 0, [Step.SCRIPT_RUN]),
        (f"python3 {FOLDER}/scripts/run.py --all", 0, [Step.SCRIPT_RUN]),
        (f"python3 -u {PROJECT}/{FOLDER}/scripts/run.py", 0, [Step.SCRIPT_RUN]),
        (f"./{FOLDER}/scripts/run", 0, [Step.SCRIPT_RUN]),
        (f"cd {FOLDER} && ./scripts/run", 0, [Step.SCRIPT_RUN]),
        (f"bash -lc 'node {FOLDER}/scripts/run.js'", 0, [Step.SCRIPT_RUN]),
        (f"sh {FOLDER}/scripts/run.sh", 127, [Step.ERRORED]),
        (f"chmod +x {FOLDER}/scripts/run.sh", 0, []),
        ("sh scripts/run.sh", 0, []),
        ("sh .agents/skills/other/scripts/run.sh", 0, []),
    ],
)
def test_a_script_of_the_skill_that_ran_is_a_step(script: str, code: int, steps: list[Step], sessions: Sessions):
    assert sessions.steps(script, "done\n", code) == steps


def test_a_command_in_another_working_directory_reads_what_lies_there(sessions: Sessions):
    assert sessions.steps("cat SKILL.md", cwd=f"{PROJECT}/{FOLDER}") == READ


def test_a_body_that_a_redaction_touched_is_read_by_its_path(sessions: Sessions):
    steps = sessions.steps(f"cat {PATH}", BODY.replace("place", "[redacted:X]"))
    assert steps == [Step.REQUESTED]

    redacted = [
        Record(r.seq, r.at, r.source, r.turn, r.raw, redacted=1 if r.source is Source.SESSION_LOG else 0)
        for r in sessions.tape.records
    ]
    found = sessions.normalize(redacted)
    assert [event.step for event in found if isinstance(event, SkillStep)] == READ
