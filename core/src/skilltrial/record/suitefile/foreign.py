"""A suite of another tool in, a loaded suite out: a format plugin makes the long form, the core holds it to rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue, ValidationError

from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import DocumentInvalid, Fault, InvalidRequest, PluginMismatch
from skilltrial.model.plan import PartIdentity
from skilltrial.model.suite import Suite
from skilltrial.plugins.facades import FormatFacade
from skilltrial.plugins.graders import Graders
from skilltrial.record.loading import Conversion, Loaded, read_source

from .document import read
from .paths import path_fault


def load_foreign(path: Path, front: FormatFacade, part: PartIdentity, graders: Graders) -> Loaded:
    """Read the suite at `path` by the format `front`, which is the installed `part`.

    Raises DocumentInvalid with every fault, SourceUnusable without a readable file, PluginMismatch where the format
    makes what is no suite.
    """
    source, resolved = read_source(path)
    document = read(path.name, source)
    value: JsonValue = json.loads(json.dumps(document.value))
    foreign = front.read_suite(resolved, value)
    faults = [document.fault(one.path, one.what, one.right, key=one.key) for one in foreign.misfits]
    if found := (*document.double, *faults):
        raise DocumentInvalid(tuple(found))
    suite = _suite(front.name, foreign.suite)
    checks = _checks(suite, graders)
    if bad := tuple(_path_faults(path.name, suite, checks)):
        raise DocumentInvalid(bad)
    links = ("the suite file was reached through a link",) if resolved != path.absolute() else ()
    return Loaded(
        suite,
        resolved,
        resolved.parent,
        source,
        checks,
        document,
        links,
        skills_root=foreign.skills_root,
        conversion=Conversion(part, foreign.losses),
    )


def _suite(name: str, long: Mapping[str, JsonValue]) -> Suite:
    try:
        return Suite.model_validate_json(json.dumps(dict(long)))
    except (TypeError, ValueError) as error:
        places = error.errors(include_input=False) if isinstance(error, ValidationError) else []
        where = f" at {'.'.join(map(str, places[0]['loc']))}" if places and places[0]["loc"] else ""
        raise PluginMismatch(f"format {name!r}: what hook read_suite made is no suite{where}") from None


def _checks(suite: Suite, graders: Graders) -> dict[tuple[str, str], CheckOptions]:
    found: dict[tuple[str, str], CheckOptions] = {}
    for case in suite.cases:
        for check in case.checks:
            try:
                found[case.id, check.id] = graders.read_check(check)
            except InvalidRequest as error:
                raise type(error)(f"case {case.id!r}: {error}") from error
    return found


def _path_faults(file: str, suite: Suite, checks: Mapping[tuple[str, str], CheckOptions]) -> Iterator[Fault]:
    """Paths that the format let pass and the core does not; a fault names the case or skill, never the path."""
    for skill in suite.skills:
        if skill.folder != "." and (fault := path_fault(skill.folder)):
            yield Fault(file, 0, 0, f"skill {skill.id!r}: {fault[0]}", fault[1])
    for case in suite.cases:
        if case.workspace.folder is not None and (fault := path_fault(case.workspace.folder)):
            yield Fault(file, 0, 0, f"case {case.id!r}, workspace: {fault[0]}", fault[1])
        for check in case.checks:
            options = checks[case.id, check.id]
            for path in (*options.paths(), *options.assets()):
                if fault := path_fault(path.removesuffix("/")):
                    yield Fault(file, 0, 0, f"case {case.id!r}, check {check.id!r}: {fault[0]}", fault[1])
