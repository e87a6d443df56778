"""The key of a qualification, alike for a run that could begin now and for a sealed one."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.model.part import canonical
from skilltrial.model.plan import Plan
from skilltrial.model.qualifying import Difference, Key
from skilltrial.model.suite import Suite

from .trees import Tree, sha256

_APART = frozenset(("schema_version", "id", "cases", "fixtures"))
"""Keys of a suite that are no parts of their own."""


def key_of(plan: Plan, suite: Suite, assets: Mapping[str, bytes], workspaces: Mapping[str, Tree]) -> Key:
    """The key, but for the model: which one answers is seen only when it does."""
    digests = {skill.id: skill.sha256 for skill in plan.skills}
    catalogs = {name: one.catalog for name, one in plan.fixtures.items() if one.catalog is not None}
    # A catalog is named by a digest of its own: the file that holds it is no part of the suite.
    named = {str(suite.fixtures[name].options.get("catalog")) for name in catalogs if name in suite.fixtures}
    parts = _parts(suite, {path: data for path, data in assets.items() if path not in named}, workspaces)
    if plan.plugin is not None:
        parts["the plugin"] = sha256(canonical(plan.plugin.model_dump(mode="json")))
    return Key(
        host=plan.host.name,
        version=plan.host.version,
        program_sha256=plan.host.program_sha256,
        skills={id: digests[id] for id in suite.arm(suite.gate.arm).skills if id in digests},
        catalogs=catalogs,
        suite=suite.id,
        suite_sha256=sha256(canonical(parts)),
        parts=parts,
    )


def _parts(suite: Suite, assets: Mapping[str, bytes], workspaces: Mapping[str, Tree]) -> dict[str, str]:
    long = suite.model_dump(mode="json")
    parts = {f"`{key}`": sha256(canonical({key: value})) for key, value in long.items() if key not in _APART}
    parts |= {f"case {case['id']}": sha256(canonical(case)) for case in long["cases"]}
    parts |= {f"fixture {name}": sha256(canonical(use)) for name, use in long["fixtures"].items()}
    parts |= {f"file {path}": sha256(data) for path, data in assets.items()}
    for case in suite.cases:
        if case.id in workspaces:
            # A repository that is made of a folder has another commit time in each run; its files count.
            tree = workspaces[case.id]
            parts[f"the workspace of case {case.id}"] = (
                without_repository(tree) if case.workspace.repository else tree
            ).digest()
    return parts


def without_repository(tree: Tree) -> Tree:
    """The tree without its `.git`."""
    return Tree.of([one for one in tree.entries if one.path.split("/", 1)[0] != ".git"], tree.contents)


def differences(then: Key, now: Key) -> tuple[Difference, ...]:
    """What is another one now. A model that is not asked for now is not compared."""
    rows = [("the host", then.host, now.host)]
    rows += [("the host's version", then.version or "unknown", now.version or "unknown")]
    rows += [("the host's program", _short(then.program_sha256), _short(now.program_sha256))]
    if now.model is not None:
        rows += [("the model", then.model or "not seen", now.model)]
    for id in sorted(then.skills.keys() | now.skills.keys()):
        rows += [(f"skill {id}", _short(then.skills.get(id)), _short(now.skills.get(id)))]
    for name in sorted(then.catalogs.keys() | now.catalogs.keys()):
        rows += [(f"the catalog of {name}", told_catalog(then, name), told_catalog(now, name))]
    rows += [("the suite", then.suite, now.suite)]
    for part in sorted(then.parts.keys() | now.parts.keys()):
        rows += [(part, _short(then.parts.get(part)), _short(now.parts.get(part)))]
    return tuple(Difference(what=what, then=before, now=after) for what, before, after in rows if before != after)


def told_catalog(key: Key, fixture: str) -> str:
    """A catalog in words: its digest, whose tools they are, and when they were listed."""
    one = key.catalogs.get(fixture)
    return "none" if one is None else f"{_short(one.sha256)} of {one.server} {one.version}, captured {one.captured}"


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest[:12]
