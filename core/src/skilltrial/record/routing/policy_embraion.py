"""An EmbrAIon project's `.embraion/routing.yaml` and `deployments.yaml`, read as one policy. Nothing is written there.

A run counts as work of the role `worker` with the access `workspace-write`. For a host the choice of the role is laid
over that of the route class, and that of the class and role together over both; without any, the host's own default
is used and the flags count as given. Selection plans (`fallbacks`, `task-classes`) are for delegating, not for us.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, JsonValue

from skilltrial.archive.trees import sha256
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.part import Part
from skilltrial.model.request import Route
from skilltrial.model.routing import CLASSES
from skilltrial.record.suitefile.document import read
from skilltrial.record.suitefile.wording import Setting

from .names import DEPLOYMENTS, FOLDER, ROUTING
from .policy import Work, allowed, parsed, read_policy_file

ROLE, ACCESS = "worker", "workspace-write"
_HERE = f"{FOLDER}/{ROUTING}"
_ENTRY = Setting("an entry")


class _Written(Part):
    """Their keys have dashes. What says nothing about which model a run may use is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Selection(_Written):
    """A choice for a route class or a role."""

    deployment: str | None = None
    model: str | None = None
    effort: str | None = None
    options: dict[str, JsonValue] = Field(default_factory=dict)


class HostOverrides(_Written):
    """The choices for one host."""

    routes: dict[str, Selection] = Field(default_factory=dict)
    roles: dict[str, Selection] = Field(default_factory=dict)
    route_roles: dict[str, dict[str, Selection]] = Field(default_factory=dict, alias="route-roles")


class Routing(_Written):
    """`routing.yaml`."""

    overrides: dict[str, HostOverrides]


class Capabilities(_Written):
    """What a deployment may be used for; None where it does not say."""

    data_classes: tuple[str, ...] | None = Field(default=None, alias="data-classes")
    access_modes: tuple[str, ...] | None = Field(default=None, alias="access-modes")
    roles: tuple[str, ...] | None = None
    task_classes: tuple[str, ...] | None = Field(default=None, alias="task-classes")


class Deployment(_Written):
    """A model that a project has."""

    host: str
    model: str
    provider: str | None = None
    enabled: bool = True
    efforts: tuple[str, ...] | None = None
    default_effort: str | None = Field(default=None, alias="default-effort")
    capabilities: Capabilities = Capabilities()
    options: dict[str, JsonValue] = Field(default_factory=dict)


class Deployments(_Written):
    """`deployments.yaml`."""

    deployments: dict[str, Deployment] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProjectPolicy:
    """The policy of a project."""

    routing: Routing
    deployments: Mapping[str, Deployment]
    digest: str

    def route(self, work: Work) -> Route:
        """See Policy."""
        if work.route_class not in CLASSES:
            raise InvalidRequest(f"{_HERE} knows no route class {work.route_class!r}; it knows {', '.join(CLASSES)}")
        chosen = [(place, one) for host in sorted(work.hosts) for place, one in self._choices(host, work.route_class)]
        merged = Selection()
        for _, one in chosen:
            # A choice of a model by name takes the place of one by deployment, and the other way round.
            dropped = {"deployment": None} if one.model else {"model": None} if one.deployment else {}
            merged = merged.model_copy(update={**dropped, **one.model_dump(exclude_unset=True)})
        place = chosen[-1][0] if chosen else "host default"
        rule = f"{place} of {_HERE}"
        if merged.options:
            raise InvalidRequest(f"{rule} sets options ({', '.join(sorted(merged.options))}), which can't be applied")
        model: str | None
        if merged.deployment is not None:
            model, effort = self._of_deployment(merged.deployment, merged.effort, work, rule)
        else:
            model = allowed(rule, "model", work.model, (merged.model,) if merged.model else ())
            effort = allowed(rule, "effort", work.effort, (merged.effort,) if merged.effort else ())
        return Route(
            policy=_HERE,
            policy_sha256=self.digest,
            rule=place,
            deployment=merged.deployment,
            route_class=work.route_class,
            data=work.data,
            model=model,
            effort=effort,
        )

    def _choices(self, host: str, route_class: str) -> Iterator[tuple[str, Selection]]:
        """What the project chose for a host, each over the one before."""
        overrides = self.routing.overrides.get(host)
        if overrides is None:
            return
        if (one := overrides.routes.get(route_class)) is not None:
            yield f"overrides.{host}.routes.{route_class}", one
        if (one := overrides.roles.get(ROLE)) is not None:
            yield f"overrides.{host}.roles.{ROLE}", one
        if (one := overrides.route_roles.get(route_class, {}).get(ROLE)) is not None:
            yield f"overrides.{host}.route-roles.{route_class}.{ROLE}", one

    def _of_deployment(self, name: str, effort: str | None, work: Work, rule: str) -> tuple[str, str | None]:
        deployment = self.deployments.get(name)
        if deployment is None:
            raise InvalidRequest(f"{rule} names the deployment {name!r}, which {FOLDER}/{DEPLOYMENTS} does not have")
        rule = f"deployment {name!r} ({rule})"
        for refused in _refusals(deployment, work):
            raise InvalidRequest(f"{rule} {refused}")
        known = (effort,) if effort else (deployment.default_effort, *(deployment.efforts or ()))
        if effort and deployment.efforts is not None and effort not in deployment.efforts:
            raise InvalidRequest(f"{rule} does not have the effort {effort!r}; it has {', '.join(deployment.efforts)}")
        model = allowed(rule, "model", work.model, (deployment.model,))
        efforts = tuple(dict.fromkeys(one for one in known if one))
        if not deployment.default_effort and not effort and work.effort is None:
            return model or deployment.model, None
        return model or deployment.model, allowed(rule, "effort", work.effort, efforts)


def _refusals(deployment: Deployment, work: Work) -> Iterator[str]:
    can = deployment.capabilities
    if not deployment.enabled:
        yield "is not enabled"
    if deployment.host not in work.hosts:
        yield f"is of the host {deployment.host!r}"
    if deployment.provider is not None:
        yield f"has the provider {deployment.provider!r}, which can't be applied: a host asks its own"
    if deployment.options:
        yield f"has options ({', '.join(sorted(deployment.options))}), which can't be applied"
    for what, asked, known in (
        ("work of the class", work.route_class, can.task_classes),
        ("data of the class", work.data, can.data_classes),
        ("the access", ACCESS, can.access_modes),
        ("the role", ROLE, can.roles),
    ):
        if known is not None and asked is not None and asked not in known:
            yield f"is not for {what} {asked}; it is for {', '.join(known) or 'none'}"


def load(path: Path) -> ProjectPolicy:
    """Read a project's `routing.yaml`, and the `deployments.yaml` beside it. Raises DocumentInvalid, SourceUnusable."""
    data = read_policy_file(path)
    routing = parsed(read(path.name, data), Routing, Setting("the file"), _ENTRY)
    beside = path.with_name(DEPLOYMENTS)
    if not beside.exists():
        return ProjectPolicy(routing, {}, sha256(data))
    more = read_policy_file(beside)
    deployments = parsed(read(beside.name, more), Deployments, Setting("the file"), _ENTRY)
    return ProjectPolicy(routing, deployments.deployments, sha256(data + b"\0" + more))
