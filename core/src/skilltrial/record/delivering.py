"""Which way a suite's plugin goes on a host: installed by the program, or its skills and servers each by itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from skilltrial.model.capabilities import Can
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.packaged import Delivery, PluginIdentity
from skilltrial.model.suite import Suite

from .packaging import Packager
from .parts import Parts
from .preparing import Package, Sources


@dataclass(frozen=True, slots=True)
class Delivered:
    """`identity` goes into the plan; `packages` (arm → plugin) is None where the program is given none to install."""

    identity: PluginIdentity
    packages: Mapping[str, Package] | None


def deliver(suite: Suite, parts: Parts, sources: Sources, asked: Delivery | None) -> Delivered | None:
    """Choose the way; None for a suite without a plugin. Raises InvalidRequest with every fault of the plugin.

    What was `asked` for must be possible; else the suite's own choice goes, and the skill's folder on a host that
    installs no plugins.
    """
    source, installs = suite.plugin, Can.PLUGINS in parts.identity.can
    if source is None or sources.plugin is None:
        if asked is not None:
            raise InvalidRequest("the suite brings no plugin; leave --delivery out")
        return None
    if asked is Delivery.PLUGIN and not installs:
        raise InvalidRequest(
            f"host {parts.identity.name!r} installs no plugins; --delivery folder gives it the skill by itself"
        )
    packager = Packager(suite, sources.plugin)
    addressed = {name: Can.MCP_HTTP in fixture.fixture_needs() for name, fixture in parts.fixtures.items()}
    if faults := tuple(packager.faults(addressed)):
        raise InvalidRequest("\n".join(faults))
    packages = {arm.id: packager.of(arm.id, sources.skills) for arm in suite.arms}
    way = (asked or source.delivery) if installs else Delivery.FOLDER
    if way is Delivery.PLUGIN:
        _refuse_missing(source.programs)
    identity = PluginIdentity(
        name=packager.name,
        version=packager.version,
        delivery=way,
        arms={arm: package.tree.digest() for arm, package in packages.items()},
        skills={arm: package.skill_names for arm, package in packages.items()},
        servers=packager.servers,
    )
    return Delivered(identity, packages if way is Delivery.PLUGIN else None)


def _refuse_missing(programs: tuple[str, ...]) -> None:
    """Raise InvalidRequest where hooks and scripts could not start: they would fail in silence."""
    missing = [name for name in programs if shutil.which(name, path=os.environ.get("PATH", os.defpath)) is None]
    if missing:
        raise InvalidRequest(
            f"the plugin's hooks and scripts need {', '.join(missing)} on PATH, which is not there; install it, or "
            "take --delivery folder"
        )
