"""What a routing policy says of a host: before a run or a rehearsal, and again before one is taken up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.request import Route, RunRequest
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.kinds import HOST
from skilltrial.record.routing.finding import find_policy

if TYPE_CHECKING:
    from skilltrial.record.routing.policy import Policy


def policy_of(given: Mapping[str, Any]) -> Policy | None:
    """The policy that is in force: the one that is named, or found. None where there is none, or none is asked.

    Raises DocumentInvalid, SourceUnusable.
    """
    if "policy" not in given:
        return None
    return find_policy(_path(given["policy"]), _path(given["path"]) or Path())


def routed(
    policy: Policy,
    name: str,
    options: Mapping[str, object],
    given: Mapping[str, Any],
    discovery: Discovery,
    *,
    live: bool,
) -> tuple[Route, dict[str, object]]:
    """The route of a host, and the host's options by it. Raises InvalidRequest that names the rule.

    A rehearsal gives no data away, whatever it holds; a model that its host can't be told is the scripted one anyway.
    """
    from skilltrial.doctor.finding import names_of
    from skilltrial.record.routing.policy import Work

    route = policy.route(
        Work(
            hosts=names_of(discovery, name),
            route_class=given.get("route_class") or "ordinary",
            data=(given.get("data") or "PRIVATE") if live else None,
            model=_text(options.get("model")),
            effort=_text(options.get("effort")),
        )
    )
    found = dict(options)
    takes = getattr(discovery.load(HOST, name), "__dataclass_fields__", {})
    for option, value in (("model", route.model), ("effort", route.effort)):
        if value is not None and option in takes and _fits(discovery, name, found, option, value):
            found[option] = value
        elif value is not None and live:
            raise InvalidRequest(f"{route.rule} of {route.policy} sets a {option}, which host {name!r} can't be told")
    return route, found


def _fits(discovery: Discovery, name: str, options: Mapping[str, object], option: str, value: str) -> bool:
    """Whether the host takes the option beside the others: a field alone does not say so."""
    without = {key: one for key, one in options.items() if key != option}
    try:
        discovery.build(HOST, name, {**without, option: value})
    except InvalidRequest:
        return not _builds(discovery, name, without)
    return True


def _builds(discovery: Discovery, name: str, options: Mapping[str, object]) -> bool:
    try:
        discovery.build(HOST, name, options)
    except InvalidRequest:
        return False
    return True


def ask_again(
    request: RunRequest, changed: Mapping[str, object], given: Mapping[str, Any], discovery: Discovery
) -> None:
    """Ask the policy that is in force now about a run that is taken up, with `changed` options of its host.

    Raises InvalidRequest where it refuses.

    A run keeps what it began with: a policy that would set another model or effort refuses the rest of it.
    """
    policy, before = policy_of(given), request.route
    if policy is None:
        if before is not None:
            raise InvalidRequest(
                f"this run began by {before.rule} of {before.policy}, and no policy is found from here: "
                "give --policy FILE or --path DIR"
            )
        return
    asked = {"route_class": before.route_class, "data": before.data} if before is not None else {}
    used = {**request.options, **changed}
    route, options = routed(policy, request.host, used, asked, discovery, live=request.model is None)
    for option in ("model", "effort"):
        if options.get(option) != used.get(option):
            raise InvalidRequest(
                f"{route.rule} of {route.policy} now sets the {option} {options[option]!r}, with which this run did "
                "not begin: start a new run"
            )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
