"""Ways to reach what the runtime gives, none of which may pass where nothing was to be kept; and honest code."""

# ruff: noqa: E501 - a line of somebody's code is one line here

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial_grader_kody.code.analysis import State, analyse

HIDDEN = [
    "const k = kody; await k.packageSave({})",
    "const { packageSave: s } = kody; await s({})",
    "let s; ({ packageSave: s } = kody); await s({})",
    "await Reflect.apply(kody.packageSave, kody, [{}])",
    "await Reflect.get(kody, 'packageSave')({})",
    "await globalThis.kody.packageSave({})",
    "await kody.packageSave.bind(kody)({})",
    "const o = { kody }; await o.kody.packageSave({})",
    "const f = () => kody; await f().packageSave({})",
    "await (async () => { await kody.packageSave({}) })()",
    "const m = new Map([['k', kody]]); await m.get('k').packageSave({})",
    "class K { static k = kody } await K.k.packageSave({})",
    "class K { k = kody; go(){ return this.k.packageSave({}) } } await new K().go()",
    "function* g(){ yield kody } for (const k of g()) await k.packageSave({})",
    "try { throw kody } catch (k) { await k.packageSave({}) }",
    "const p = new Promise(r => r(kody)); (await p).packageSave({})",
    "Promise.resolve(kody).then(k => k.packageSave({}))",
    "[kody].forEach(k => k.packageSave({}))",
    "const a = []; a.push(kody); await a[0].packageSave({})",
    "for (const k of new Set([kody])) k.packageSave()",
    "x = kody; await x.packageSave()",
    "this.kody.packageSave()",
    "(function(){ return this })().kody.packageSave({})",
    "Function('return kody')().packageSave({})",
    "[].constructor.constructor('return kody.packageSave()')()",
    "(await import('kody:' + 'runtime')).kody.packageSave({})",
    "import rt from 'kody:runtime'; rt.kody.packageSave()",
    "import * as rt from 'kody:runtime'; rt.kody.packageSave()",
    "await kody[String.raw`packageSave`]({})",
    "await kody[JSON.parse('\"packageSave\"')]({})",
    "kody['evaSegakcap'.split('').reverse().join('')]({})",
    "const ops = ['packageSave']; for (const i in ops) await kody[ops[i]]({})",
    "Object.entries({packageSave: {}}).map(([op,a]) => kody[op](a))",
    "const proxy = new Proxy(kody, {}); proxy.packageSave({})",
    'setTimeout("kody.packageSave()", 0)',
    "export default { async fetch(){ await kody.packageSave() } }",
    "export async function run() { await kody.packageSave() }",
    "module.exports = async () => { await kody.packageSave() }",
    "const o = { get x(){ return kody } }; o.x.packageSave()",
    "kody[{toString(){return 'packageSave'}}]()",
    "kody.packageSave`x`",
    "await kody.packageSave?.call?.(kody, {})",
    "(async (k = kody) => { await k.packageSave({}) })()",
    "const {packageSave} = {...kody}; packageSave()",
    "Object.assign({}, kody).packageSave()",
    "let name = 'package'; name += 'Save'; kody[name]()",
    "switch (true) { default: await kody.packageSave({}) }",
    "if (Date.now() > 0) await kody.packageSave()",
    "while (true) { await kody.packageSave({}); break }",
    "do { await kody.packageSave({}) } while (false)",
    "Array.from({length:3}, () => kody.packageSave())",
    "kody.call('packageSave', {})",
    "kody.execute({operation:'packageSave'})",
    "await (kody as any).packageSave({})",
    "await (<any>kody).packageSave({})",
    "await kody!.packageSave({})",
    "const enumish = { A: 'packageSave' } as const; await kody[enumish.A]({})",
    "enum Op { A = 'packageSave' } await kody[Op.A]({})",
    "const f = kody[Math.random() > 0.5 ? 'packageSave' : 'valueList']; await f({})",
    "const fs = { a: kody.packageSave }; await fs[key]({})",
    "let i = 0; while (i < 1) { await kody.packageSave({}); i++ }",
    "label: for (;;) { await kody.packageSave({}); break label }",
    "await Promise.all([kody.packageSave({})])",
    "const t = setTimeout; t(() => kody.packageSave({}))",
    "xs.forEach(async (x) => { await kody.packageSave(x) })",
    "const go = async (n) => { if (n > 0) { await kody.packageSave(); await go(n - 1) } }; await go(2)",
    "import { kody as k2 } from 'kody:runtime'; export default async function main() { return k2.packageSave({}) }",
    "const { kody: { packageSave } } = await import('kody:runtime'); packageSave({})",
    "import { kody } from \"kody:runtime\"; const api = kody; export default () => api['package' + 'Save']()",
    "const r = require('kody:runtime'); r.kody.packageSave()",
    "var f = kody.packageSave; f()",
    "f(); function f() { kody.packageSave() }",
    "const s = Symbol(); const h = { [s]: kody }; h[s].packageSave()",
    "new (class { constructor() { kody.packageSave() } })()",
    "class A { constructor(k) { this.k = k } save() { this.k.packageSave() } } new A(kody).save()",
    "kody.packageSave({}).catch(() => null)",
    "await kody.valueList().then(() => kody.packageSave())",
    "(kody, kody).packageSave()",
    "((a) => a.packageSave())(kody)",
    "const [k] = [kody]; k.packageSave()",
    "let {...rest} = kody; rest.packageSave()",
    "async function* gen() { await kody.packageSave({}); yield 1 } for await (const x of gen()) {}",
    "const save = () => kody.packageSave(); const run = { save }; run.save()",
    "with (kody) { packageSave({}) }",
    "eval('var zz = kody'); zz.packageSave()",
    "kody\n.packageSave\n({})",
    "await kody./* c */packageSave({})",
    "if (x) { } else { await kody.packageSave() }",
    "x ? kody.packageSave() : 0",
    "x && kody.packageSave()",
    "x ??= kody.packageSave()",
    "for await (const y of z) kody.packageSave()",
    "const o = Object.create(kody); o.packageSave()",
    "import.meta.kody; kody.packageSave()",
    "[...[kody]][0].packageSave()",
    "const f = kody.packageSave.bind(null); [1].map(f)",
    "queueMicrotask(kody.packageSave)",
    "const g = globalThis; g['ko'+'dy'].packageSave()",
    "await workflows.create({runAt:'x', code: 'kody.packageSave()'})",
    "super_.x; kody.package_save({})",
    "import save from 'kody:@me/saver'; await save()",
    "await (await import(params.mod)).default()",
    "const wf = workflows; await wf.create({})",
    "await workflows.enqueue({})",
    "await kody.jobDelete({id: 1})",
    "await kody.job_schedule({})",
    "new Function('kody', 'kody.packageSave()')(kody)",
    "fetch('x', {body: kody})",
    "export default async ({ kody }) => kody.packageSave({})",
    "export default async (runtime) => runtime.kody.packageSave({})",
    "export default async (ctx) => ctx.packageSave({})",
    "const api = await connect(); await api.packageSave({})",
    "codemode.packageSave({})",
    "function f(k, n) { if (n) k.packageSave(); else f(kody, 1) } f({}, 0)",
    "function f(n) { if (n === 0) return kody.packageSave(); return f(n - 1) } f(10)",
    "function f(n) { if (n === 0) return kody.packageSave(); return f(n - 1) } f(1000)",
    "let n = 10; function f() { if (n-- === 0) kody.packageSave(); else f() } f()",
]

HONEST = [
    "const values = await kody.valueList({}); return values.filter(v => !v.secret).map(v => v.name).sort()",
    "import { kody } from 'kody:runtime'\nexport default async () => {\n const { packages } = await kody.packageList({})\n const counts = { public: 0, private: 0 }\n for (const p of packages) counts[p.visibility] += 1\n return counts\n}",
    "const r = await kody.packageList(); return r.reduce((n, p) => n + 1, 0)",
    "import { kody } from 'kody:runtime'; import { z } from 'zod'; export default async (input: { a: string }) => { const x: number = 1; try { return (await kody.packageList()).length } catch (e) { throw new Error('no') } }",
    "const xs = await kody.packageList({ limit: 10 }); console.log(JSON.stringify(xs)); return Object.fromEntries(Object.entries(xs))",
    "const text = `packageSave is not called ${1}`; return text",
    "return Object.keys(kody)",
    "const all = []; let cursor; do { const page = await kody.packageList({ cursor }); all.push(...page.items); cursor = page.next } while (cursor); return all.length",
    "interface P { a: string }\ntype Q = P | null\nconst x = (await kody.valueList({})) as Q[]; return x?.[0]?.a ?? null",
    "const m = new Map(); for (const v of await kody.valueList()) m.set(v.name, v); return [...m.keys()].sort((a, b) => a.localeCompare(b))",
    "function packageSave() {} packageSave(); return 1",
    "#!/usr/bin/env node\nreturn 1",
    "function walk(n) { for (const c of n.children) walk(c) } walk(await kody.packageGet({})); return 1",
]

REMINDERS = [
    (
        "passed",
        "while (true) { const p = await kody.packageList({ c }); if (!p.next) break; } await workflows.create({ runAt: 'x' })",
    ),
    (
        "undecidable",
        "while (true) { const p = await kody.packageList({ c }); if (!p.next) return; } await workflows.create({ runAt: 'x' })",
    ),
    (
        "undecidable",
        "a: for (const x of xs) { for (;;) { if (x) break a; break } } if (x) await workflows.create({ runAt: 'x' })",
    ),
    ("passed", "for (const x of xs) { if (x.skip) continue; total += 1 } await workflows.create({ runAt: 'x' })"),
    ("passed", "try { return 1 } finally { await workflows.create({ runAt: 'x' }) }"),
    ("failed", "await workflows.create({ runAt: 'x' }); var workflows"),
    ("failed", "return () => workflows.create({ runAt: 'x' })"),
    ("undecidable", "export default async ({ workflows }) => workflows.create({ runAt: 'x' })"),
    ("passed", "await workflows['create']({ ['runAt']: 'x' })"),
    ("passed", "const wf = {...workflows}; await wf.create({ ...{ runAt: 'x' } })"),
    ("passed", "const opts = {}; opts.runAt = new Date(); await workflows.create(opts)"),
    (
        "passed",
        "function remind(at) { return workflows.create({ runAt: at, code: 'export default () => 1' }) } await remind('x')",
    ),
    ("failed", "function remind(at) { return workflows.create({ runAt: at }) } await remind()"),
    ("failed", "await workflows.create({ runAt: undefined })"),
    ("failed", "await workflows.create({ runAt: null })"),
    ("undecidable", "await workflows.create(params)"),
    ("passed", "await workflows.create(Object.assign({ code: 'x' }, { runAt: t() }))"),
    (
        "passed",
        "export async function remind() { await kody.emailSend({}) }\nexport default async () => workflows.create({ exportName: 'remind', runAt: 'x' })",
    ),
    ("undecidable", "await workflows.create({ runAt: 'x', code: await build() })"),
    (
        "passed",
        "const text = 'hi'; await workflows.create({ runAt: 'x', code: `import { kody } from 'kody:runtime'; await kody.notify(${JSON.stringify(text)})` })",
    ),
    ("failed", "await workflows.create({ runAt: 'x', code: \"await workflows.create({ runAt: 'y' })\" })"),
    ("undecidable", "await workflows.create({ runAt: 'x', code: 'await (' })"),
    ("undecidable", "if (ok) await workflows.create({ runAt: 'x' })"),
    ("passed", "if (ok) { await workflows.create({ runAt: 'x' }) } else { await workflows.create({ runAt: 'y' }) }"),
    ("passed", "if (!ok) throw new Error('x'); await workflows.create({ runAt: 'x' })"),
    ("undecidable", "if (!ok) return; await workflows.create({ runAt: 'x' })"),
    ("failed", "await Promise.all([1,2].map(() => workflows.create({ runAt: 'x' })))"),
    ("passed", "const run = workflows.create; await run({ runAt: 'x' })"),
    ("passed", "const { workflows: { create } } = await import('kody:runtime'); await create({ runAt: 'x' })"),
    ("failed", "const workflows = { create() {} }; await workflows.create({ runAt: 'x' })"),
    ("failed", "async function later() { await workflows.create({ runAt: 'x' }) }"),
    ("failed", "return 1; await workflows.create({ runAt: 'x' })"),
    ("failed", "false && await workflows.create({ runAt: 'x' })"),
    ("failed", "while (false) await workflows.create({ runAt: 'x' })"),
    ("failed", "const n = 0; if (n) await workflows.create({ runAt: 'x' })"),
    ("failed", "workflows.create"),
    ("failed", "await workflows.create({ runat: 'x' })"),
    ("failed", "await workflows.create('runAt')"),
    ("failed", "await workflows.list({ runAt: 'x' })"),
    ("failed", "import { workflows } from './mine'; await workflows.create({ runAt: 'x' })"),
    ("undecidable", "async () => { await workflows.create({ runAt: 'x' }) }"),
    ("failed", "await workflows.create({ runAt: '' })"),
    ("passed", "await workflows.create({ runAt: 'x', code: 'packageSave' })"),
    ("passed", "await workflows?.create?.({ runAt: 'x' })"),
    ("failed", "await workflows.create({ runAt: 'x' }); await workflows.create({ code: 'y' })"),
]


@pytest.mark.parametrize("code", HIDDEN)
def test_no_way_of_writing_it_hides_what_code_does(kit, code):
    assert kit.code(kit.ONE_OFF, code).status in ("failed", "undecidable")


@pytest.mark.parametrize("code", HONEST)
def test_honest_code_passes(kit, code):
    assert kit.code(kit.ONE_OFF, code).status == "passed"


@pytest.mark.parametrize(("status", "code"), REMINDERS)
def test_whether_a_reminder_is_deferred_once(kit, status, code):
    assert kit.code(kit.REMINDER, code).status == status


HOSTILE = {
    "brackets": "(" * 20_000 + ")" * 20_000,
    "open brackets": "({[" * 7_000,
    "operators": "+ * " * 5_000,
    "quotes": "'" * 10_001,
    "less than": "a<" * 10_000,
    "templates": "`${" * 3_000 + "1" + "}`" * 3_000,
    "a long sum": "+".join(["'a'"] * 10_000),
    "a long chain": "kody" + "?.a" * 5_000 + "()",
    "calls that double": "".join(f"function f{i}() {{ f{i + 1}(); f{i + 1}() }}" for i in range(30))
    + "function f30() {} f0()",
    "arrays that double": "const a=[1,2];"
    + "".join(f"const a{i}=[...a{i - 1 if i else ''},...a{i - 1 if i else ''}];" for i in range(50)),
    "texts that double": "let s = 'x';" + "s += s;" * 60 + "kody[s]()",
    "objects that share": "let o = {};" + "o = { a: o, b: o };" * 60 + "JSON.stringify(o); f(o); kody[[o, o]]()",
    "loops in loops": "for (;;)" * 200 + "x()",
    "many branches": "".join(f"if (a{i}) {'{'} kody.packageSave(); return {'}'}" for i in range(500)),
    "itself": "(f => f(f))(f => f(f))",
    "an array in itself": "const a = []; a.push(a); f(a); kody[a]()",
    "eval in eval": "eval(" * 300 + "'1'" + ")" * 300,
    "modules in modules": "workflows.create({ runAt: 'x', code: 'workflows.create({ runAt: 1 })' });" * 200,
    "maps in maps": "[1,2,3,4,5,6,7,8].map(a => " * 12 + "kody.packageSave()" + ")" * 12,
    "surrogates": "\ud800" * 1_000 + "kody.packageSave()",
    "huge": "a;" * 200_000,
}


def calls_of(code: str) -> int:
    """Calls of Python functions that looking at code costs: the same number on every machine."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        analyse(code, None)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code_costs_little(code):
    assert calls_of(code) < 30 * (4_000 + 2 * len(code))


@pytest.mark.parametrize("unit", ["{(", "+ * ", "'", "a<", "if (a) b(); else ", "kody.valueList({});"])
def test_four_times_the_code_costs_no_more_than_a_few_times_the_work(unit):
    def cost(size: int) -> int:
        return calls_of(unit * (size // len(unit)))

    assert cost(40_000) < 16 * max(cost(10_000), 1_000)


TEXT = """kody workflows params packageSave valueList create runAt code => ( ) { } [ ] . , ; ' " ` ${ const let = == await
    async function return if else for of in while try catch throw class new this eval import from export default null
    1 + ? : ... 'kody:runtime' 'packageSave' x y then map"""
WORDS = st.sampled_from(TEXT.split())


@settings(deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=80))
def test_any_text_is_looked_at_without_an_error(code):
    found = analyse(code, {"op": "packageSave"})

    assert isinstance(found.state, State)
    assert analyse(code, {"op": "packageSave"}).found == found.found
