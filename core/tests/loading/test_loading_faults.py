"""Each kind of fault: where it stands, what is wrong, what would be right."""

from __future__ import annotations

import json
import shutil

import pytest

from skilltrial.model.errors import DocumentInvalid, Exit, PluginNotFound, SourceUnusable
from skilltrial.plugins.discovery import Discovery, Installed
from skilltrial.record.loading import load, locate

CASE = "cases:\n  one:\n    prompt: Go.\n    expect: [{files: a.txt, contains: x}]\n"


def suite(top: str = "", case: str = "") -> str:
    """A sound suite of four lines, with more keys of its case behind them, and more of its own behind those."""
    return CASE + "".join(f"    {line}\n" for line in case.splitlines()) + top


def check(text: str) -> str:
    """A sound suite but for its check, which begins at 3:15."""
    return f"cases:\n  one: {{prompt: Go.,\n    expect: [{text}]}}\n"


def act(text: str) -> str:
    """A sound suite but for the act of a script, which begins at 9:9."""
    return suite(case=f"rehearsals:\n- id: r\n  expect: failed\n  script:\n  - {text}")


SHAPES = [
    (suite("task: x"), "5:1: unknown key `task` in a suite; that is `cases` here"),
    (suite("variant: x"), "5:1: unknown key `variant` in a suite; that is `arms` here"),
    (suite("epochs: 2"), "5:1: unknown key `epochs` in a suite; that is `attempts` here"),
    (suite("candidate: x"), "5:1: unknown key `candidate` in a suite; arms are listed in `arms`"),
    (suite("baseline: x"), "5:1: unknown key `baseline` in a suite; arms are listed in `arms`"),
    (suite("atempts: 2"), "5:1: unknown key `atempts` in a suite; did you mean `attempts`?"),
    (suite("attempts: two"), "5:11: `attempts` must be a whole number; here is text"),
    (suite("attempts: 0"), "5:11: `attempts` must be at least 1"),
    (suite("attempts: 1001"), "5:11: `attempts` must be at most 1000"),
    (suite("attempts: 1.0"), "5:11: `attempts` must be a whole number; here is a number"),
    (suite("schema_version: 2"), "5:17: `schema_version` must be at most 1"),
    (suite("schema_version: true"), "5:17: `schema_version` must be a whole number; here is true or false"),
    (suite("id: My Suite"), "5:5: `id` does not have the form of an id; an id is lower-case"),
    (suite("id: 7"), "5:5: `id` must be text; here is a number, put it in quotes"),
    (suite("id:"), "5:4: `id` must be text; here is nothing"),
    (suite("gate: {arm: with_skil}"), "5:13: the gate names an unknown arm `with_skil`; did you mean `with_skill`?"),
    (suite("gate: {require: most}"), "5:17: unknown word `most` in `require`; known: all"),
    (suite("limits: {timeout: 5}"), "5:10: unknown key `timeout` in the limits; that is `seconds` here"),
    (suite("limits: {stdout: 5 parsecs}"), "5:18: `stdout` is no size; write bytes as a number, or with a unit"),
    (suite("limits: {files_in: '2,000'}"), "5:20: `files_in` must be a whole number; here is text"),
    (suite("env: [A=b]"), "5:7: this is no name of an environment variable; give names only, no values"),
    (suite("arms: []"), "5:7: `arms` is empty"),
    (suite("env: [PATH]"), "5:7: PATH can't be passed: each place has its own; leave it out"),
    (suite('allow: ["Bash(\\0)"]'), "5:9: the text holds a NUL character; remove it"),
    (suite(case='setup: ["a\\0b"]'), "5:13: the text holds a NUL character; remove it"),
    ('cases: {a: {prompt: "a\\0b", expect: [{files: a, exists: true}]}}', "1:21: the text holds a NUL character"),
    (suite("gate: {majority_of: 4}"), "5:21: `majority_of` must be one of 3, 5, 7, 9"),
    (suite("skills: commit-style"), "5:9: `skills` must be a list; here is text"),
    (
        suite(f"qualifies: {{host: a, version: '1', program_sha256: {'A' * 64}}}"),
        "5:52: `program_sha256` is no SHA-256; write",
    ),
    ("cases:", "1:7: `cases` must be a mapping or a list; here is nothing"),
    (suite(case="id: one"), "5:5: unknown key `id` in a case; its key in `cases` is its id"),
    (suite(case="workspace:"), "6:1: `workspace` must be a folder or a mapping; here is nothing"),
    (suite(case=f"workspace: {{{'é' * 128}: x}}"), "5:17: a name in the path is longer than 255 bytes; shorten it"),
    (
        suite(case="rehearsals:\n- {id: talker, expect: failed, script: [{say: x}]}"),
        "6:12: `talker` is one of the agents that play in every case; call the script otherwise",
    ),
    (suite("arms: [{id: a, from: before}]"), "5:22: unknown word in `from`; known: previous"),
    (suite("arms: [{id: a, from: previous}]"), "5:16: no skill has a `previous`; add `previous` to the skill"),
    (
        suite("arms: [{id: a, skills: [commit-stile]}]"),
        "5:25: an arm names the unknown skill `commit-stile`; did you mean",
    ),
    (suite("arms: [{id: a, skills: [commit-style@previous]}]"), "5:25: skill `commit-style` has no `previous`"),
    (
        suite("arms: [{id: a, skills: [commit-style, commit-style]}]"),
        "5:39: the arm names the skill `commit-style` twice",
    ),
    (suite("arms: [{id: a}, {id: a}]"), "5:22: two arms have the id `a`; the other stands on line 5"),
    (suite("skills: [{id: commit-style}]"), "5:10: `folder` is missing in a skill; add `folder`"),
    (suite("skills: [{id: commit-style, path: x}]"), "5:29: unknown key `path` in a skill; that is `folder` here"),
    (
        suite("fixtures: {m: {use: mcp, answerer: kody}}"),
        "5:36: the fixture names an unknown answerer `kody`; known: none",
    ),
    (suite("fixtures: {m: {use: mcp}}"), "5:21: unknown fixture kind `mcp`; installed: none"),
    (suite("fixtures: {m: {kind: mcp}}"), "5:15: `use` is missing in a fixture"),
    (
        suite("fixtures: {a.txt: x}"),
        "5:12: `fixtures` are servers here; the files that a case starts from are its `workspace`",
    ),
    (suite(case="promt: x"), "5:5: unknown key `promt` in a case; did you mean"),
    (suite(case="query: x"), "5:5: unknown key `query` in a case; that is `prompt` here"),
    (
        suite(case="files: {a: b}"),
        "5:5: unknown key `files` in a case; the files that a case starts from are its `workspace`",
    ),
    (suite(case="fixtures: start"), "5:5: `fixtures` are servers here; the files"),
    (suite(case="fixtures: {repo: start/repo}"), "5:16: `fixtures` are servers here; the files"),
    (suite(case="fixtures: {start: {folder: x}}"), "5:16: `fixtures` are servers here; the files"),
    (suite(case="fixtures: {memry: {script: x}}"), "5:16: unknown fixture `memry`; the suite's: none"),
    (suite(case="polarity: maybe"), "5:15: unknown word `maybe` in `polarity`; known: positive, negative"),
    (suite(case="needs: [mcp_htp]"), "5:13: unknown word `mcp_htp` in an item of the list; did you mean `mcp_http`?"),
    (suite(case="turns: [Go on.]"), "5:5: a case has `prompt` or `turns`; keep one of them"),
    (suite(case="turns: []"), "5:12: `turns` is empty"),
    (suite(case="checks: [{files: a.txt, contains: x}]"), "4:5: a case has `checks` or `expect`; keep one of them"),
    (suite(case="id: two"), "5:5: unknown key `id` in a case"),
    ("cases: {one: {expect: [{answers: x}]}}", "1:14: `prompt` is missing in a case; add `prompt` or `turns`"),
    ("cases: {one: {prompt: Go.}}", "1:14: `checks` is missing in a case; add `checks` or `expect`"),
    ("cases: {one: {prompt: '', expect: [{answers: x}]}}", "1:23: `prompt` is empty"),
    ("cases: {one: {prompt: Go., expect: []}}", "1:36: `expect` is empty"),
    ("cases: {One: {prompt: Go., expect: [{answers: x}]}}", "1:9: a key of `cases` does not have the form of an id"),
    ("cases: []", "1:8: `cases` is empty"),
    ("cases: {}", "1:8: `cases` is empty"),
    ("cases: Go.", "1:8: `cases` must be a mapping or a list; here is text"),
    ("cases: [Go.]", "1:9: an item of the list must be a mapping; here is text"),
    ("cases: [{prompt: Go., expect: [{answers: x}]}]", "1:9: `id` is missing in a case"),
    (
        "cases:\n- &a {id: a, prompt: Go., expect: [{answers: x}]}\n- {id: a, prompt: Go., expect: [{answers: x}]}",
        "3:8: two cases have the id `a`; the other stands on line 2",
    ),
    ("id: x", "1:1: `cases` is missing in a suite; add `cases`"),
    ("- x", "1:1: a suite is a mapping; it has at least `cases`"),
    ("x", "1:1: a suite is a mapping; it has at least `cases`"),
    ("", "1:1: the file is empty; a suite has at least `cases`"),
    ("# only a comment\n", "1:1: the file is empty; a suite has at least `cases`"),
    ("schema-version: 1\ncases: []", "1:1: this is an EmbrAIon suite; read it with `--format embraion`"),
]

CHECKS = [
    (check("x"), "3:14: an item of the list must be a mapping; here is text"),
    (check("{id: x}"), "3:14: the check names no grader; its first key does"),
    (check("{fils: a.txt, contains: x}"), "3:15: unknown grader `fils`; did you mean `files`?"),
    (check("{grader: fils, path: a}"), "3:23: unknown grader `fils`; did you mean `files`?"),
    (check("{type: files, path: a}"), "3:15: unknown grader `type`; a check's first key is its grader"),
    (
        check("{contains: x, files: a.txt}"),
        "3:15: `contains` names no grader; write `files` before the grader's options",
    ),
    (check("{files: a.txt, contain: x}"), "3:29: unknown key `contain` in a files check; did you mean `contains`?"),
    (check("{files: a.txt}"), "3:14: `contains` is missing in a files check; add `contains`"),
    (check("{files: a.txt, contains: 7}"), "3:39: `contains` must be text or a list; here is a number"),
    (check("{files: a.txt, contains: [x, 7]}"), "3:43: an item of the list must be text; here is a number"),
    (check("{files: {path: a.txt, contains: x, times: 10}}"), "3:56: `times` must be at most 9"),
    (check("{files: [a.txt], contains: x}"), "3:22: `path` must be text; here is a list"),
    (check("{files: {path: a, contains: x}, path: b}"), "3:46: `path` is given twice; keep one of them"),
    (check("{files: a, contains: x, path: b}"), "3:38: `path` is given twice; `files` gives it already"),
    (check("{files: {path: a, contains: x, turn: 1}}"), "3:45: `turn` belongs to the check; write it beside `files`"),
    (check("{shapeless: a}"), "3:26: a shapeless check has no short form; write its options as a mapping"),
    (check("{files: ../a.txt, contains: x}"), "3:22: the path holds `..`"),
    (check("{grader: files, path: /etc/x, contains: x}"), "3:36: the path is absolute"),
    (check("{files: {changed_within: [a, b//c]}}"), "3:43: the path holds `//`"),
    (check("{files: a, equals_file: gone.txt}"), "3:38: the file that the check names does not exist"),
    (check("{files: a, contains: x, arms: [with_skil]}"), "3:45: unknown arm `with_skil`; did you mean `with_skill`?"),
    (check("{files: a, contains: x, arms: []}"), "3:44: `arms` is empty"),
    (check("{files: a, contains: x, turn: 2}"), "3:44: the case has no turn 2; it has 1"),
    (check("{files: a, contains: x, turn: 0}"), "3:44: `turn` must be at least 1"),
    (check("{files: a, contains: x, advisory: yes}"), "3:48: `advisory` must be true or false; here is text"),
    (check("{files: a, contains: x, id: X y}"), "3:42: `id` does not have the form of an id"),
    (check("{id: k, answers: x}, {id: k, answers: x}"), "3:40: two checks have the id `k`; the other stands on line 3"),
]

REHEARSALS = [
    (act("{sai: x}"), "9:9: unknown act `sai`; did you mean `say`?"),
    (act("say"), "9:9: an act is a mapping; write one such as `say: …`"),
    (act("{say: x, run: y}"), "9:18: unknown key `run` in a `say`; its keys: say"),
    (act("{say: 7}"), "9:15: `say` must be text; here is a number, put it in quotes"),
    (act("{call: {server: m}}"), "9:16: `tool` is missing in a `call`; add `tool`"),
    (act("{call: {server: m, tool: t}}"), "9:25: unknown fixture `m`; known: none"),
    (act("{read_skill: commit}"), "9:22: unknown skill `commit`; did you mean `commit-style`?"),
    (act("{write_file: {path: ../x, text: y}}"), "9:29: the path holds `..`"),
    (act("{edit_file: {path: x, old: '', new: y}}"), "9:36: `old` is empty"),
    (act("{read_file: C:/x}"), "9:21: the path names a drive"),
    (act("{error: 200}"), "9:17: `error` must be at least 400"),
    (act("{cut: after}"), "9:15: unknown word `after` in `cut`; known: before, stream"),
    (act("{stall: 0}"), "9:17: `stall` must be more than 0"),
    (act("{garbage: headers}"), "9:19: unknown word `headers` in `garbage`; known: body, stream"),
    (act("{stall: 1, at: end}"), "9:24: unknown word `end` in `at`; known: before, stream"),
    (act("{garbge: body}"), "9:9: unknown act `garbge`; did you mean `garbage`?"),
    (suite(case="rehearsals: [{id: r, script: []}]"), "5:18: `expect` is missing in a rehearsal; add `expect`"),
    (suite(case="rehearsals: [{id: r, steps: []}]"), "5:26: unknown key `steps` in a rehearsal; that is `script` here"),
    (
        suite(case="rehearsals: [{id: r, expect: pased, script: []}]"),
        "5:34: unknown word `pased` in `expect`; did you mean",
    ),
    (
        suite(case="rehearsals: [{id: r, expect: {with_skil: passed}, script: []}]"),
        "5:35: unknown arm `with_skil`; did you mean `with_skill`?",
    ),
    (
        suite(case="rehearsals: [{id: r, expect: {with_skill: pased}, script: []}]"),
        "5:47: unknown word `pased` in `with_skill`; did you mean `passed`?",
    ),
    (suite(case="rehearsals: [{id: r, expect: {}, script: []}]"), "5:34: `expect` is empty"),
    (
        suite(case="rehearsals: [{id: r, expect: failed, because: [file-1], script: []}]"),
        "5:52: unknown check `file-1`; did you mean `files-1`?",
    ),
    (
        suite(case="rehearsals: [{id: r, expect: passed, because: [files-1], script: []}]"),
        "5:42: `because` says why a trial does not pass, but it is promised to pass",
    ),
    (
        suite(case="rehearsals: [{id: r, expect: failed, script: []}, {id: r, expect: failed, script: []}]"),
        "5:60: two rehearsals have the id `r`; the other stands on line 5",
    ),
]

WORKSPACES = [
    ("{folder: a, files: {b: c}}", "5:16: a workspace starts from one thing; here are `folder` and `files`"),
    ("{folder: gone}", "5:25: the workspace folder does not exist; paths are relative to the suite file"),
    ("commit-stile", "5:16: the workspace folder does not exist; did you mean `commit-style`?"),
    ("../x", "5:16: the path holds `..`"),
    ("{../x: y}", "5:17: the path holds `..`"),
    ("{files: {/x: y}}", "5:25: the path is absolute"),
    ('{"a\\n": y}', "5:17: the path holds a control character or line break"),
    ("{a: 7}", "5:20: `a` must be text; here is a number, put it in quotes"),
    ("{src: {a.py: x}}", "5:22: a file of a workspace is text; write folders into the key: `src/a.py`"),
    ("{a: x, a/b: y}", "5:23: the path lies below another file; a file can't be a folder too"),
    ("{folder: commit-style, a.txt: x}", "5:39: unknown key `a.txt` in a workspace; its keys:"),
    ("{dir: commit-style, git: true}", "5:17: unknown key `dir` in a workspace; that is `folder` here"),
    ("{ref: HEAD}", "5:17: `ref` needs `git`; name the repository"),
    ("{git: gone, ref: HEAD}", "5:22: the repository's folder does not exist"),
    ("7", "5:16: `workspace` must be a folder or a mapping; here is a number"),
]


@pytest.mark.parametrize(
    ("text", "fault"),
    SHAPES + CHECKS + REHEARSALS + [(suite(case=f"workspace: {text}"), fault) for text, fault in WORKSPACES],
)
def test_a_fault_has_a_place_and_says_what_would_be_right(project, text, fault):
    told = project.told(text)

    assert any(one.startswith(fault) for one in told), told


@pytest.mark.parametrize(
    ("text", "fault"), [pair for pair in SHAPES if pair[0].startswith("cases:\n  one")] + CHECKS[4:8]
)
def test_a_slip_is_told_once(project, text, fault):
    assert len(project.told(text)) <= 2


def test_all_faults_are_told_at_once_in_the_order_of_the_file(project):
    text = suite(case="polarity: maybe\nworkspace: gone\nid: x", top="atempts: 1\ngate: {arm: x}\nid: A")

    faults = project.faults(text)

    assert [(fault.line, fault.column) for fault in faults] == [(5, 15), (6, 16), (7, 5), (8, 1), (9, 13), (10, 5)]
    assert {fault.file for fault in faults} == {"commit-style.trial.yaml"}


def test_a_key_given_twice_is_told_among_the_others(project):
    text = "id: a\nid: b\n" + suite(case="prompt: Again.\nneeds: [x]")

    assert [one.split(";")[0] for one in project.told(text)] == [
        "2:1: `id` is given twice",
        "7:5: `prompt` is given twice",
        "8:13: unknown word `x` in an item of the list",
    ]


def test_json_faults_have_places_too(project):
    text = json.dumps(
        {
            "cases": [
                {"id": "one", "prompt": "Go.", "polarity": "maybe", "expect": [{"files": "a", "contain": "\U0001f600"}]}
            ]
        },
        indent=1,
    )
    lines = text.splitlines()

    faults = project.faults(text.replace('"id"', '"id": "one", "id"'), "commit-style.trial.json")

    found = [(lines[fault.line - 1][fault.column - 1 :].split(":")[0], fault.what) for fault in faults[1:]]
    assert ('"maybe",', "unknown word `maybe` in `polarity`") in found
    assert ('"contain"', "unknown key `contain` in a files check") in found
    assert faults[0].what == "`id` is given twice"
    assert (faults[0].line, faults[0].column) == (4, 17)


def test_a_suite_without_a_skill_says_what_is_missing(project):
    shutil.rmtree(project.root / "commit-style")

    assert project.told(CASE) == [
        (
            "1:1: there is no skill to compare: no `skills`, and no folder with a SKILL.md beside the suite file; "
            "list the skill: `skills: [{id: NAME, folder: FOLDER}]`"
        )
    ]


def test_a_file_name_that_gives_no_id_is_a_fault(project):
    text = "skills: [{id: commit-style, folder: commit-style}]\n" + CASE

    assert any("no `id`, and the file's name gives none" in one for one in project.told(text, "7.trial.yaml"))


def test_a_grader_that_can_not_be_used_is_a_fault_of_each_check_that_names_it(project):
    find = project.graders.find

    class Broken:
        def names(self):
            return project.graders.names()

        def find(self, name):
            if name == "answers":
                raise PluginNotFound("grader 'answers' can't be loaded")
            return find(name)

    path = project.write("cases: {one: {prompt: Go., expect: [{answers: x}, {files: a, contains: x}]}}")
    with pytest.raises(DocumentInvalid) as caught:
        load(path, Broken())

    assert [str(fault) for fault in caught.value.faults] == [
        "commit-style.trial.yaml:1:38: grader `answers` can't be used; grader 'answers' can't be loaded"
    ]


@pytest.mark.parametrize("path", ["gone.trial.yaml", "commit-style", "a\0b"])
def test_a_suite_file_that_can_not_be_read_is_refused(project, path):
    with pytest.raises(SourceUnusable) as caught:
        load(project.root / path, project.graders)

    assert caught.value.exit is Exit.INVALID


@pytest.mark.parametrize("argument", ["a/b", "./organization", "organization.yaml", "x.trial.json"])
def test_an_argument_with_a_slash_or_suffix_is_a_path(argument):
    assert str(locate(argument, Discovery(()))) == str(locate(argument, Discovery(())).__class__(argument))


def test_another_argument_is_the_name_of_an_installed_suite():
    # Any package will do for a folder; nothing of it is imported.
    suite_ = Installed("suite", "letters", 1, "letters-suite", "1", "json")

    path = locate("letters", Discovery((suite_,)))

    assert (path.parent.name, path.name) == ("json", "suite.yaml")


def test_an_unknown_suite_is_named_with_the_installed_ones():
    suite_ = Installed("suite", "letters", 1, "letters-suite", "1", "json")

    with pytest.raises(PluginNotFound, match="did you mean 'letters'"):
        locate("leters", Discovery((suite_,)))
