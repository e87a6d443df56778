"""A run that did not end, made ready to be taken up: everything comes from its archive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from skilltrial.archive import layout
from skilltrial.archive.trees import Tree, read_listing, sha256
from skilltrial.model.errors import ArchiveRefused, InvalidRequest
from skilltrial.model.part import canonical
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.request import RunRequest
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, Lending
from skilltrial.plugins.discovery import Discovery

from .asking import Prepared, lend, refuse_unseen_budget
from .delivering import deliver
from .gathering import prepared as prepared_skill
from .livefixtures import lent_to_fixtures, one_at_a_time, refuse_mutations
from .parts import HostChoice, Parts, choose_parts
from .passing import passed_through
from .preparing import Sources, assemble
from .stopping import Budget

_REDACTED = "[redacted "


@dataclass(frozen=True, slots=True)
class Again:
    """What may differ from the first time. `options` replace the host's own of the same name."""

    options: dict[str, object] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    jobs: int | None = None
    retries: int | None = None
    base: Path | None = None


def prepare_again(root: Path, again: Again, discovery: Discovery) -> Prepared:
    """Read the request, plan and sources of the archive in `root`, sealed or not; bind its parts as they are now.

    Raises ArchiveRefused where they contradict each other, InvalidRequest where the host is no longer the one that
    the plan names.
    """
    reader = _Inputs(root)
    request = RunRequest.read(reader.file(layout.REQUEST))
    suite, plan = Suite.read(reader.file(layout.SUITE)), Plan.read(reader.file(layout.PLAN))
    for case in suite.cases:
        if sha256(canonical(case.model_dump(mode="json"))) != plan.cases.get(case.id):
            raise ArchiveRefused(f"changed: {layout.SUITE} is not the suite that was planned")
    sources = _sources(reader, suite, plan)
    if strange := [name for name in discovery.files if name != request.host]:
        raise InvalidRequest(f"this run began with the host {request.host!r}, not with {strange[0]}: leave --host out")
    options = {**request.options, **again.options}
    _refuse_redacted(options)
    parts = choose_parts(suite, HostChoice(request.host, options, request.dialect, request.model), discovery)
    _refuse_other_host(parts.identity, plan.host)
    _refuse_other_file(parts.identities, reader)
    refuse_unseen_budget(again.budget, parts)
    passed, hidden = passed_through((*suite.env, *request.pass_env), live=request.model is None)
    live = request.model is None
    refuse_mutations(plan.fixtures, live=live, allowed=request.allow_mutations)
    to_fixtures = lent_to_fixtures(plan.fixtures, live=live)
    jobs, held = one_at_a_time(plan.fixtures, live=live, jobs=again.jobs or plan.jobs)
    plan = plan.model_copy(update={"jobs": jobs})
    delivered = deliver(suite, parts, sources, request.delivery)
    if (delivered.identity if delivered else None) != plan.plugin:
        raise ArchiveRefused(f"changed: {layout.PLUGIN} is not the plugin that was planned")
    lent = lend(parts, plan, suite, passed) if request.model is None else Lending()
    return Prepared(
        suite=suite,
        request=request.model_copy(update={"retries": request.retries if again.retries is None else again.retries}),
        parts=parts,
        sources=sources,
        projects=assemble(suite, sources, parts.host, delivered.packages if delivered else None),
        plan=plan,
        trials=tuple(key for key in plan.trials if not (root / key.path / layout.SEAL).is_file()),
        budget=again.budget,
        passed=passed,
        lent=to_fixtures,
        secrets={**hidden, **lent.secrets, **to_fixtures},
        told=(*held, *lent.told),
        base=again.base,
        others=(*_other_parts(reader, parts), *_other_options(request.options, again.options)),
    )


def _other_parts(reader: _Inputs, parts: Parts) -> Iterator[str]:
    """The parts that are no longer those of the beginning: what follows would be a run of two kinds."""
    began = {(one["kind"], one["name"]): one["source_sha256"] for one in json.loads(reader.file(layout.PARTS))}
    for part in parts.identities:
        if began.get((part.kind, part.name)) != part.source_sha256:
            yield f"{part.kind} {part.name}"


def _other_options(began: Mapping[str, JsonValue], given: Mapping[str, object]) -> Iterator[str]:
    """The host's options that were given anew with another value. A credential's earlier value is not known."""
    for name, value in given.items():
        then = json.dumps(began.get(name))
        if _REDACTED not in then and then != json.dumps(value, default=str):
            yield f"option {name}"


class _Inputs:
    """The inputs of an archive that may not be sealed yet: blobs are checked by their own names."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def file(self, name: str) -> bytes:
        """The bytes of a file. Raises ArchiveRefused."""
        try:
            return (self._root / name).read_bytes()
        except OSError as error:
            raise ArchiveRefused(f"{self._root} can't be taken up: {name} can't be read ({error.strerror})") from error

    def blob(self, digest: str) -> bytes:
        """The bytes with this digest. Raises ArchiveRefused."""
        data = self.file(layout.blob(digest))
        if sha256(data) != digest:
            raise ArchiveRefused(f"changed: {layout.blob(digest)}")
        return data

    def tree(self, name: str, digest: str) -> Tree:
        """The tree of a listing. Raises ArchiveRefused where it is not the planned one."""
        tree = read_listing(self.file(name), self.blob)
        if tree.digest() != digest:
            raise ArchiveRefused(f"changed: {name}")
        return tree


def _sources(reader: _Inputs, suite: Suite, plan: Plan) -> Sources:
    skills = {
        one.id: prepared_skill(one.id, one.id.partition("@")[0], reader.tree(layout.skill_listing(one.id), one.sha256))
        for one in plan.skills
    }
    workspaces = {
        case.id: reader.tree(layout.workspace_listing(case.id), plan.workspaces[case.id]) for case in suite.cases
    }
    assets = {path: reader.blob(digest) for path, digest in json.loads(reader.file(layout.ASSETS)).items()}
    plugin = read_listing(reader.file(layout.PLUGIN), reader.blob) if suite.plugin is not None else None
    return Sources(workspaces, skills, assets, plugin)


def _refuse_redacted(options: dict[str, object]) -> None:
    for name, value in options.items():
        if _REDACTED in json.dumps(value):
            raise InvalidRequest(f"the host option `{name}` held a credential, which is not kept: give it again")


def _refuse_other_host(now: HostIdentity, then: HostIdentity) -> None:
    if (now.version, now.program_sha256) != (then.version, then.program_sha256):
        raise InvalidRequest(
            f"the host {now.name!r} is no longer the program that this run began with "
            f"(version {then.version or 'unknown'} then, {now.version or 'unknown'} now): start a new run"
        )


def _refuse_other_file(parts: tuple[PartIdentity, ...], reader: _Inputs) -> None:
    """A host that is a file has no version: what it is, its bytes say."""
    digests = {(one["kind"], one["name"]): one["source_sha256"] for one in json.loads(reader.file(layout.PARTS))}
    for part in parts:
        if part.origin == "file" and digests.get((part.kind, part.name)) != part.source_sha256:
            raise InvalidRequest(f"{part.name} is no longer the file that this run began with: start a new run")
