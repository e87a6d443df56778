"""The known weaknesses of judging code by its text, as kinds with examples: what `original` says, what is right.

A row is (kind, case, code, verdict of `original`, verdict of `strict`, a rule that must be among the strict ones).
"""

# ruff: noqa: E501 - a line of somebody's code is one line here

from __future__ import annotations

import pytest

from skilltrial_grader_kody.words import Profile

ONE, VALUES, REMINDER = "one-off-saved-automation-count", "one-off-value-inventory", "schedule-single-reminder"
AUTHOR, EXISTING = "author-reusable-scheduled-brief", "reuse-release-note-helper"
ENTITY = "package:@me/reuse-release-note-helper"
P, F, U = "passed", "failed", "undecidable"
AT = "{ runAt: 'x' }"

FALSE_PASSES = [
    *[("W1", REMINDER, code, P, F, "R17") for code in (
        "// workflows.create\nreturn 1", "return 'workflows.create'", "/* workflows.create */ return 1",
        "return `workflows.create`", "return /workflows.create/",
    )],
    ("W2", REMINDER, "const f = workflows.create; return 1", P, F, "R17"),
    ("W2", REMINDER, f"async function later() {{ await workflows.create({AT}) }}", P, F, "R17"),
    *[("W3", REMINDER, f"await workflows.create({given})", P, F, "R17") for given in (
        "{ code: 'x' }", "", "{ runAt: null }", "{ runAt: undefined }", "{ runat: 'x' }", "'runAt'",
    )],
    ("W4", REMINDER, "await workflows.createSchedule({})", P, F, "R17"),
    ("W4", REMINDER, "await myworkflows.create({})", P, F, "R17"),
    ("W4", REMINDER, f"const workflows = {{ create() {{}} }}; workflows.create({AT}) // workflows.create", P, F, "R17"),
    *[("W6", REMINDER, code, P, F, "R17") for code in (
        f"if (false) await workflows.create({AT})", f"false && await workflows.create({AT})",
        f"return 1; await workflows.create({AT})", f"while (0) await workflows.create({AT})",
    )],
    ("W7", REMINDER, f"await workflows.create({AT}); await workflows.create({AT})", P, F, "twice"),
    ("W7", REMINDER, f"for (const x of [1, 2]) await workflows.create({AT})", P, F, "twice"),
    ("W7", REMINDER, f"for (const x of xs) await workflows.create({AT})", P, U, "twice"),
    ("W9", REMINDER, "await workflows.create({ runAt:", P, U, "code"),
    ("W11", ONE, f"await workflows.create({AT})", P, F, "schedule"),
    ("W12", ONE, "await kody.jobUpdate({ id: 1, enabled: true })", P, F, "schedule"),
    ("W12", VALUES, "await kody.jobSchedule({})", P, F, "schedule"),
    *[("W13", ONE, code, P, F, "R15") for code in (
        "await kody['package' + 'Save']({})", "const s = 'Save'; await kody[`package${s}`]({})",
        "await kody[['package', 'Save'].join('')]({})", "await kody.packageS\\u0061ve({})", "await kody['packageS\\x61ve']({})",
        "await kody['evaSegakcap'.split('').reverse().join('')]({})", "await kody[atob('cGFja2FnZVNhdmU=')]({})",
        "await kody[String.fromCharCode(112) + 'ackageSave']({})",
    )],
    ("W14", ONE, "await kody[params.op](params.args)", P, U, "unclear"),
    *[("W15", ONE, code, P, U, "unclear") for code in (
        "for (const f of Object.values(kody)) await f()", "eval(atob(x))", "new Function(source)()", "await helper(kody)",
    )],
    ("W16", ONE, "await kody.package_save({})", P, F, "R15"),
    ("W16", VALUES, "await kody.valueSet({})", P, U, "other-work"),
    *[("W16", VALUES, f"await kody.{name}({{}})", P, F, "R15") for name in ("packageDelete", "repoCommit", "repoWriteFile")],
    ("W18", ONE, "", P, F, "code"),
    ("W18", ONE, "// nothing", P, F, "code"),
    ("W18", ONE, "Done", P, F, "code"),
    ("W18", ONE, "I counted them, and there were three.", P, U, "code"),
    *[("W19", AUTHOR, code, P, F, "R13") for code in (
        "// packageSave", "return 'packageSave'", "const packageSave = null", "const f = kody.packageSave",
    )],
    ("W20", AUTHOR, "if (false) kody.packageSave({})", P, F, "R19"),
    ("W20", AUTHOR, "local.packageSave({})", P, F, "R19"),
    ("W22", AUTHOR, "await kody.repoEditFiles({ dryRun: true })", P, U, "R19"),
    ("W23", AUTHOR, f"await kody.packageSave({{}}); await workflows.create({AT})", P, F, "schedule"),
    ("W23", AUTHOR, "import r from 'kody:@me/other'; await kody.packageSave({}); await r()", P, F, "execution"),
    ("W25", AUTHOR, "await kody.packageSave({});" * 20, P, F, "R5"),
    ("W27", EXISTING, f"// {ENTITY}\nreturn 1", P, F, "R18"),
    ("W27", EXISTING, f"return '{ENTITY}'", P, F, "R18"),
    ("W27", EXISTING, f"import r from '{ENTITY}'; return 1", P, F, "R18"),
    ("W27", EXISTING, f"await import('{ENTITY}')", P, F, "R18"),
]  # fmt: skip

FALSE_FAILURES = [
    *[("W40", REMINDER, code, F, P, None) for code in (
        f"await workflows\n  .create({AT})", f"await workflows . create({AT})", f"await workflows /* x */.create({AT})",
    )],
    *[("W42", REMINDER, code, F, P, None) for code in (
        "const { create } = workflows; await create({ runAt })",
        f"import {{ workflows as wf }} from 'kody:runtime'; await wf.create({AT})",
        f"import * as rt from 'kody:runtime'; const w = rt.workflows; await w.create({AT})",
        f"const {{ workflows: {{ create: go }} }} = await import('kody:runtime'); await go({AT})",
    )],
    ("W44", REMINDER, "await workflows.create({ runAt: 'x', params: { text: 'packageSave' } })", F, P, None),
    ("W44", REMINDER, "await workflows.create({ runAt: 'x', code: \"await kody.notify('packageSave')\" })", F, P, None),
    *[("W45", ONE, code, F, P, None) for code in (
        "// packageSave\nreturn await kody.valueList()", "const x = 'packageSave'; return await kody.valueList()",
        "return { packageSave: 1 }", "return /packageSave/", "return typeof kody.packageSave", "if (false) kody.packageSave()",
    )],
    *[("W47", AUTHOR, code, F, P, None) for code in (
        "await kody['package' + 'Save']({})", "const op = 'package' + 'Save'; await kody[op]()", "await kody.packageS\\u0061ve({})",
    )],
    ("W52", EXISTING, "import run from 'kody:@me/reuse-release-note-helper/run'; return await run()", F, P, None),
    ("W52", EXISTING, "const { default: run } = await import('kody:@me/reuse-release-note-helper'); return run()", F, P, None),
]  # fmt: skip


@pytest.mark.parametrize("row", [*FALSE_PASSES, *FALSE_FAILURES], ids=lambda row: f"{row[0]}: {row[2][:40]}")
def test_what_code_does_counts_and_not_what_it_says(kit, row):
    _, case, code, original, strict, rule = row
    found = kit.code(case, code)

    assert kit.code(case, code, Profile.ORIGINAL).status == original
    assert found.status == strict
    assert rule is None or rule in kit.rules(found)


def inspected(kit, code, **more):
    read = kit.executed("inspect-authoring-guidance", code, "i", **more)
    return [kit.searched("s"), read, kit.executed("author-package", "await kody.packageSave({})")]


@pytest.mark.parametrize(
    ("code", "original", "strict", "rule"),
    [
        ("// packageGet\nreturn 1", P, F, "R14"),
        ("// packageGet\nawait kody.repoReadFile({})", P, F, "R14"),
        ("await kody.codingGuideGet({}); await kody.emailSend({})", P, F, "other-work"),
        (f"await kody.packageGet({{}}); await workflows.create({AT})", P, F, "schedule"),
        ("const s = await kody.repoOpenSession({}); return await kody.repoReadFile({ s })", F, P, None),
    ],
)
def test_w26_w50_an_inspection_reads_and_does_nothing_else(kit, code, original, strict, rule):
    events = inspected(kit, code)
    found = kit.case(AUTHOR, events)

    assert kit.case(AUTHOR, events, Profile.ORIGINAL).status == original
    assert found.status == strict
    assert rule is None or rule in kit.rules(found)


@pytest.mark.parametrize(("params", "status"), [({"op": "packageSave"}, F), ({"op": "valueList"}, P), (None, U)])
def test_w14_params_of_the_trace_are_looked_up(kit, params, status):
    given = {"code": "await kody[params.op](params.args)"} | ({} if params is None else {"params": params})
    events = [kit.searched("s"), {**kit.executed("execute-one-off", ""), "input": given}]

    assert kit.case(ONE, events).status == status


def test_w29_a_short_target_is_not_found_in_every_word(kit):
    events = [
        kit.searched("s", "a"),
        kit.executed("invoke-existing", "return await kody.valueList({})", targetEntityId="a"),
    ]

    assert kit.case(EXISTING, events, Profile.ORIGINAL).status == P
    assert kit.rules(kit.case(EXISTING, events)) == {"R18"}


@pytest.mark.parametrize("output", [{"error": "boom"}, {"isError": True}, "TypeError: x is not a function"])
def test_w32_a_success_that_returned_an_error_is_none(kit, output):
    assert kit.rules(kit.code(ONE, "return await kody.valueList({})", output=output)) == {"result"}


@pytest.mark.parametrize("output", [{"error": None}, {"errors": []}, {"ok": False}, "the word error", None])
def test_w32_an_output_that_only_speaks_of_errors_is_fine(kit, output):
    assert kit.code(ONE, "return await kody.valueList({})", output=output).status == P


def test_w33_the_same_authoring_twice_is_warned_of(kit):
    from skilltrial_grader_kody.explaining import warnings

    cases = kit.honest()
    cases[AUTHOR].append({**cases[AUTHOR][-1], "callId": "other"})

    assert len(warnings(kit.score(cases))) == 1
    assert warnings(kit.score(kit.honest())) == []


def test_w49_a_commit_is_a_step_of_its_own(kit):
    steps = [
        kit.executed("author-package", f"await kody.{name}({{}})", name) for name in ("repoEditFiles", "repoCommit")
    ]
    events = [kit.searched("s"), *steps]

    assert kit.case(AUTHOR, events).status == P
    assert kit.rules(kit.case(AUTHOR, events, Profile.ORIGINAL)) == {"R13"}


@pytest.mark.parametrize(("entity", "status"), [("guide:coding", P), ("", F), (None, F), (1, F)])
def test_w51_a_guide_read_through_search_names_it(kit, entity, status):
    read = {"callId": "g", "action": "inspect-authoring-guidance", "toolName": "search", "status": "succeeded"}
    given = {} if entity is None else {"entity": entity}
    events = [
        kit.searched("s"),
        {**read, "input": given, "output": None},
        kit.executed("author-package", "await kody.packageSave({})"),
    ]

    assert kit.case(AUTHOR, events).status == status


@pytest.mark.parametrize(
    ("invoke", "status"),
    [
        ("kody:@me/reuse-release-note-helper/run", P),
        ({"package": "@me/reuse-release-note-helper", "export": "run"}, P),
        ({"package": "@me/other", "params": {"text": ENTITY}}, F),
        ({"package": "opaque-id"}, U),
    ],
)
def test_w55_kodys_own_invoke_input(kit, invoke, status):
    found = kit.code(EXISTING, None, input={"invoke": invoke})

    assert found.status == status


class TestEntities:
    @pytest.mark.parametrize(
        ("target", "code", "status"),
        [
            ("package:@me/notes", "import run from 'kody:@me/notes/run'; await run()", P),
            ("package:@me/notes#run", "import run from 'kody:@me/notes/run'; await run()", P),
            ("package:@me/notes#run", "import { run } from 'kody:@me/notes'; await run()", P),
            ("package:@me/notes#send", "import run from 'kody:@me/notes/run'; await run()", F),
            ("package:@me/notes", "import run from 'kody:@me/notes-two'; await run()", F),
            ("package:@me/notes", "import run from 'kody:@you/notes'; await run()", F),
            ("package:abc", "import run from 'kody:@me/notes'; await run()", U),
            ("package:abc", "await kody.packageInvoke({ packageId: 'abc' })", P),
            ("package:abc", "await kody.packageInvoke({ packageId: 'abcd' })", F),
            ("package:abc", "await kody.packageGet({ packageId: 'abc' })", F),
            ("package:abc", "await invoke('package:abc')", U),
            ("package:abc", "import { invoke } from 'kody:runtime'; await invoke({ entityId: 'package:abc' })", P),
            ("package:abc", "console.log('package:abc')", F),
            ("package:@me/notes", "const m = await import(`kody:@me/${'notes'}`); await m.default()", P),
            ("package:@me/notes", "const m = await import(params.specifier); await m.default()", U),
            ("package:@me/notes", "import run from 'kody:@me/notes'; if (x) await run()", U),
            (
                "package:@me/notes",
                "import run from 'kody:@me/notes'; import b from 'kody:@me/b'; await run(); await b()",
                F,
            ),
            ("package:@me/notes", "import run from 'kody:@me/notes'; await run(); await kody.packageSave({})", F),
        ],
    )
    def test_a_target_is_matched_by_what_it_names(self, kit, target, code, status):
        events = [kit.searched("s", target), kit.executed("invoke-existing", code, targetEntityId=target)]

        assert kit.case(EXISTING, events).status == status


@pytest.mark.parametrize("profile", list(Profile))
def test_a_module_inside_is_looked_into(kit, profile):
    code = "await workflows.create({ runAt: 'x', code: \"await kody.packageSave({})\" })"

    assert kit.rules(kit.code(REMINDER, code, profile)) == {"R12", "R15"}
