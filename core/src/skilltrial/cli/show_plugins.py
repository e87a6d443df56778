"""What `skilltrial plugins` prints."""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict

from skilltrial.model.errors import PluginNotFound, SkilltrialError
from skilltrial.plugins.binding import check
from skilltrial.plugins.discovery import Discovery, Installed
from skilltrial.plugins.kinds import API_MAJOR, COMMAND, KINDS, SUITE, Kind

from .proofs import known


def listing(discovery: Discovery, form: str) -> str:
    """Every installed part, a line each; parts of another API version and doubles are marked."""
    if form == "json":
        return json.dumps([asdict(one) for one in discovery.installed], indent=2)
    lines = [
        f"{one.kind:<11} {one.name:<18} {one.distribution} {one.version}{_remark(discovery, one)}"
        for one in discovery.installed
    ]
    if not lines:
        return "no parts are installed; hosts, graders and suites are packages of their own: skilltrial-host-…"
    return "\n".join([f"{'kind':<11} {'name':<18} distribution", *lines])


def _remark(discovery: Discovery, one: Installed) -> str:
    if one.major != API_MAJOR:
        return f"   ! for plugin API v{one.major}; this is v{API_MAJOR}"
    kinds = [kind for kind in KINDS if kind.name == one.kind]
    if not kinds:
        return "   ! of a kind that this release does not know"
    try:
        discovery.find(kinds[0], one.name)
    except SkilltrialError:
        return "   ! two distributions provide this name"
    return ""


def describe(discovery: Discovery, name: str, form: str) -> tuple[str, bool]:
    """The parts called `name`, loaded and checked; and whether all of them are sound."""
    named = [kind for kind in KINDS if any(one.kind == kind.name and one.name == name for one in discovery.installed)]
    if not named:
        known = sorted({one.name for one in discovery.installed})
        raise PluginNotFound(f"no part is called {name!r}; installed: {', '.join(known) or 'none'}")
    found = [_describe(discovery, kind, name) for kind in named]
    sound = all(not one["fault"] for one in found)
    if form == "json":
        return json.dumps(found, indent=2), sound
    return "\n\n".join("\n".join(f"{key:<13} {value}" for key, value in one.items() if value) for one in found), sound


def _describe(discovery: Discovery, kind: Kind, name: str) -> dict[str, str]:
    told = {"kind": kind.name, "name": name, "fault": ""}
    try:
        one = discovery.find(kind, name)
        told |= {"distribution": f"{one.distribution} {one.version}", "target": one.target}
        if kind is COMMAND:
            told["about"] = f"skilltrial {name}"
            discovery.load_object(kind, name)
            return told
        told["source"] = f"sha256 {discovery.identify(kind, name).source_sha256}"
        if kind is SUITE:
            told["folder"] = str(discovery.suite_folder(name))
            return told
        loaded = discovery.load(kind, name)
        told["about"] = (inspect.getdoc(loaded) or "").partition("\n")[0]
        options = [field for field in getattr(loaded, "__dataclass_fields__", {}) if not field.startswith("_")]
        told["options"] = ", ".join(options)
        check(kind.name, name, loaded)
        told["contract"] = known(kind, name, discovery)
    except SkilltrialError as error:
        told["fault"] = str(error)
    return told
