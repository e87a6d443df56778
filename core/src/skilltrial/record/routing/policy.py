"""A routing policy: which host, model and effort may be used for which class of work and of data. Only ever read.

A policy is a file `skilltrial.policy.yaml` (or `.json`), found from a folder upwards or named:

    routes:
      - {id: private, hosts: [codex], data: [PUBLIC, PRIVATE], models: [gpt-5.5], efforts: [medium, high]}
      - {id: open, hosts: [codex, claude], classes: [ordinary], data: [PUBLIC]}

The first route that fits host, class and data is taken; where none fits, nothing may run. `models` and `efforts` are
what the route allows, the first of them what it takes where nobody asks; without them the flags are used as given.
An EmbrAIon project's `.embraion/routing.yaml` and `deployments.yaml` are read as a policy too (`policy_embraion`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol, TypeVar

from pydantic import BaseModel, Field

from skilltrial.archive.trees import sha256
from skilltrial.model.errors import InvalidRequest, SourceUnusable
from skilltrial.model.part import Part, Slug
from skilltrial.model.request import Route
from skilltrial.model.routing import DataClass, RouteClass
from skilltrial.plugins.inputs import read_input
from skilltrial.record.suitefile.document import MAX_BYTES, Document, Faults, read
from skilltrial.record.suitefile.structure import errors_of, walk
from skilltrial.record.suitefile.wording import Setting, explain

Name = Annotated[str, Field(min_length=1, max_length=200)]
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Work:
    """What a run is for, and what was asked of it. `hosts` are all names of the one host.

    `data` is None where none is given to a provider: a rehearsal's model is scripted.
    """

    hosts: frozenset[str]
    route_class: str = "ordinary"
    data: str | None = "PRIVATE"
    model: str | None = None
    effort: str | None = None


class Policy(Protocol):
    """What decides."""

    def route(self, work: Work) -> Route:
        """The route of this work. Raises InvalidRequest that names the rule by which it may not run as asked."""


class WrittenRoute(Part):
    """One route of a policy file. Empty lists of hosts, classes and data mean all."""

    id: Slug
    hosts: tuple[Name, ...] = ()
    classes: tuple[RouteClass, ...] = ()
    data: tuple[DataClass, ...] = ()
    models: tuple[Name, ...] = ()
    efforts: tuple[Name, ...] = ()

    def fits(self, work: Work) -> bool:
        """Whether the route is for this work."""
        return (
            (not self.hosts or bool(work.hosts & set(self.hosts)))
            and (not self.classes or work.route_class in self.classes)
            and (not self.data or work.data is None or work.data in self.data)
        )


class WrittenPolicy(Part):
    """A policy file."""

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    routes: Annotated[tuple[WrittenRoute, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class OwnPolicy:
    """A policy in our own format."""

    written: WrittenPolicy
    file: str
    digest: str

    def route(self, work: Work) -> Route:
        """See Policy."""
        found = next((route for route in self.written.routes if route.fits(work)), None)
        host = min(work.hosts)
        if found is None:
            what = f"{work.route_class} work" + (f" with {work.data} data" if work.data else "")
            raise InvalidRequest(
                f"{self.file}: no route lets host {host!r} do {what}; its "
                f"routes: {', '.join(route.id for route in self.written.routes)}"
            )
        rule = f"route {found.id!r} of {self.file}"
        return Route(
            policy=self.file,
            policy_sha256=self.digest,
            rule=found.id,
            route_class=work.route_class,
            data=work.data,
            model=allowed(rule, "model", work.model, found.models),
            effort=allowed(rule, "effort", work.effort, found.efforts),
        )


def allowed(rule: str, what: str, asked: str | None, known: Collection[str]) -> str | None:
    """What a rule gives: what was asked, else the first that it knows. Raises InvalidRequest that names the rule."""
    if not known:
        return asked
    if asked is not None and asked not in known:
        raise InvalidRequest(f"{rule} does not allow the {what} {asked!r}; it allows {', '.join(known)}")
    return asked if asked is not None else next(iter(known))


def load_policy(path: Path) -> OwnPolicy:
    """Read a policy in our own format. Raises DocumentInvalid with every fault, SourceUnusable."""
    data = read_policy_file(path)
    document = read(path.name, data)
    written = parsed(
        document,
        WrittenPolicy,
        Setting("a policy", tuple(WrittenPolicy.model_fields)),
        Setting("a route", tuple(WrittenRoute.model_fields)),
    )
    doubled = {one.id for one in written.routes if sum(one.id == other.id for other in written.routes) > 1}
    faults = Faults(document)
    for at, route in enumerate(written.routes):
        if route.id in doubled:
            faults.add(("routes", at, "id"), f"the route `{route.id}` is there twice", "an id names one route")
    faults.stop()
    return OwnPolicy(written, path.name, sha256(data))


def read_policy_file(path: Path) -> bytes:
    """The bytes of a policy file. Raises SourceUnusable."""
    try:
        return read_input(path, MAX_BYTES)
    except OSError as error:
        raise SourceUnusable(f"the policy {path} can't be read: {error.strerror}") from error


def parsed(document: Document, model: type[M], whole: Setting, inner: Setting) -> M:
    """The document as `model`. Raises DocumentInvalid with every fault, told as one in the `whole` or in an `inner`."""
    faults = Faults(document)
    for error in errors_of(model, document.value):
        path, on_key = walk(document, error["loc"])
        if error["type"] == "too_short" and document.at(path):
            continue  # pydantic counts the items that hold; the others have faults of their own
        above = path[:-1] if error["type"] in ("extra_forbidden", "missing") else path
        setting = inner if above else whole
        if on_key:
            faults.add(path, "a key does not have the form of a name", key=True)
            continue
        kind, name = error["type"], path[-1] if path else None
        what, right = explain(kind, error.get("ctx", {}), setting, name, document.at(path))
        faults.add(path, what, right, key=kind == "extra_forbidden")
    faults.stop()
    return model.model_validate(document.value, strict=False)
